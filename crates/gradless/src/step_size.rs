//! $\eta_t$: the weight of the divergence in each step (larger means a smaller step), and how much of the step is taken.

mod initial;
mod accumulated;
mod constant;
mod adaptive;
mod adaptive_plus;
mod storm;
mod acc_zom;

pub use initial::InitialWeight;
pub use storm::StormGrowth;

use serde::{Deserialize, Serialize};

use crate::momentum::{AccZomSchedule, Momentum};
use crate::solver::ConfigError;
use acc_zom::AccZom;
use adaptive::Adaptive;
use adaptive_plus::AdaptivePlus;
use constant::Constant;
use storm::Storm;

/// The rule for the step as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StepRule {
    /// $\eta_t = \eta$, full steps: the theorems want $\eta = 2L(D+1)$ for the entropy, $2L$ for Euclid.
    Constant {
        /// $\eta > 0$.
        weight: f64,
    },
    /// $\alpha_t = \sqrt{A^2 + \sum_{s<t} (\lambda_s\alpha_s\lVert x_{s+1}-x_s\rVert)^2}$, full steps (ZO-AdaExpGrad).
    Adaptive {
        /// $A$.
        initial: InitialWeight,
    },
    /// $\alpha_{t+1} = \max\bigl(A, \sqrt{\sum_{s\le t}(\lambda_s\alpha_s\lVert v_s-x_s\rVert)^2}\bigr)$, and only the share
    /// $\alpha_t/\alpha_{t+1}$ of the step to $v_t$ is taken (ZO-AdaExpGrad+).
    AdaptivePlus {
        /// $A$.
        initial: InitialWeight,
    },
    /// $\alpha_{t+1} = \sqrt{\beta_{t+1}(A^2+\sum_{s\le t}(\lambda_s\alpha_s\lVert v_s-x_s\rVert)^2)}$, averaged as above (ZO-ExpStorm).
    Storm {
        /// $A$.
        initial: InitialWeight,
        /// How $\beta$ enters.
        growth: StormGrowth,
    },
    /// $1/\gamma$ with the averaging weights of Acc-ZOM.
    AccZom {
        /// $\gamma > 0$, proportional to $1/L$.
        gamma: f64,
        /// Constants of the schedule.
        schedule: AccZomSchedule,
    },
}

impl StepRule {
    /// The same rule with this weight: constant, initial, or $1/\gamma$.
    #[must_use]
    pub(crate) fn with_weight(mut self, value: f64) -> Self {
        match &mut self {
            Self::Constant { weight } => *weight = value,
            Self::AccZom { gamma, .. } => *gamma = 1.0 / value,
            Self::Adaptive { initial } | Self::AdaptivePlus { initial } | Self::Storm { initial, .. } => {
                *initial = InitialWeight::Fixed(value);
            }
        }
        self
    }

    /// Refuses numbers that no run can use.
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Constant { weight } => ConfigError::positive("the step weight", weight),
            Self::AccZom { gamma, schedule } => {
                ConfigError::positive("gamma", gamma)?;
                schedule.check()
            }
            Self::Adaptive { initial } | Self::AdaptivePlus { initial } | Self::Storm { initial, .. } => {
                ConfigError::positive("the initial weight", initial.factor())
            }
        }
    }
}

/// A step rule at work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum StepSize {
    Constant(Constant),
    Adaptive(Adaptive),
    AdaptivePlus(AdaptivePlus),
    Storm(Storm),
    AccZom(AccZom),
}

impl StepSize {
    /// The rule at its start, for estimates of so many directions that are joined by this momentum.
    pub(crate) fn new(rule: StepRule, momentum: Momentum, m: usize) -> Self {
        match rule {
            StepRule::Constant { weight } => Self::Constant(Constant::new(weight)),
            StepRule::Adaptive { initial } => Self::Adaptive(Adaptive::new(initial)),
            StepRule::AdaptivePlus { initial } => Self::AdaptivePlus(AdaptivePlus::new(initial)),
            StepRule::Storm { initial, growth } => {
                Self::Storm(Storm::new(initial, growth, momentum.storm_rate(), m))
            }
            StepRule::AccZom { gamma, schedule } => Self::AccZom(AccZom::new(gamma, schedule)),
        }
    }

    /// $\eta_t$. The dual norm of $d_t$ is only computed where a scale-free start asks for it.
    pub(crate) fn weight(&mut self, dual_norm: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Constant(rule) => rule.weight(),
            Self::Adaptive(rule) => rule.weight(dual_norm),
            Self::AdaptivePlus(rule) => rule.weight(dual_norm),
            Self::Storm(rule) => rule.weight(dual_norm),
            Self::AccZom(rule) => rule.weight(),
        }
    }

    /// Learns the size $\lambda_t\alpha_t\lVert v_t - x_t\rVert$ of the step just computed and says which share of it to take, in $(0, 1]$.
    pub(crate) fn advance(&mut self, step: f64) -> f64 {
        match self {
            Self::Constant(_) => 1.0,
            Self::Adaptive(rule) => rule.advance(step),
            Self::AdaptivePlus(rule) => rule.advance(step),
            Self::Storm(rule) => rule.advance(step),
            Self::AccZom(rule) => rule.advance(),
        }
    }
}

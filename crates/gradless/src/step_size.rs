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

use crate::auto::Component;
use crate::momentum::{AccZomSchedule, StormRate};
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
    /// Optimistic, accelerated steps with averaging for convex $l$ (AO-ExpGrad); needs a bounded set.
    Optimistic,
    /// Slopes are remembered, and a step is taken back where $l$ rises unforeseen; goes with [`Direction::Block`](crate::Direction).
    ///
    /// Every iteration asks at the point reached and looks at the slopes of a few coordinates there; the next point is the step
    /// from the last one kept, with all slopes known and as the curvature between two looks says they have changed. Now and
    /// then all coordinates are asked together, to learn which to look at first. What $l$ has to lose is its value at the
    /// minimiser of $r$, which is asked first: no step may lose more than a share of it beyond what the slopes foretold.
    /// A descent that has settled begins again at the start, more carefully; when four in a row bring nothing, more
    /// queries would not pay and the run stops by itself. `docs/auto.md` has the whole of it.
    ///
    /// Where every value has its own noise, ZO-AdaExpGrad+ runs instead; where a sample is shared, it goes on where this stalls.
    Trust {
        /// What is left out, `None` but for measuring.
        without: Option<Component>,
    },
}

/// A step rule at work: all mirror-descent rules; [`StepRule::Optimistic`] is [`crate::update`],
/// [`StepRule::Trust`] is [`crate::auto`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum StepSize {
    Constant(Constant),
    Adaptive(Adaptive),
    AdaptivePlus(AdaptivePlus),
    Storm(Storm),
    AccZom(AccZom),
}

impl StepSize {
    /// The rule at work; `None` for those that are no rules for mirror descent.
    pub(crate) fn new(rule: StepRule, rate: StormRate, m: usize) -> Option<Self> {
        Some(match rule {
            StepRule::Constant { weight } => Self::Constant(Constant::new(weight)),
            StepRule::Adaptive { initial } => Self::Adaptive(Adaptive::new(initial)),
            StepRule::AdaptivePlus { initial } => Self::AdaptivePlus(AdaptivePlus::new(initial)),
            StepRule::Storm { initial, growth } => Self::Storm(Storm::new(initial, growth, rate, m)),
            StepRule::AccZom { gamma, schedule } => Self::AccZom(AccZom::new(gamma, schedule)),
            StepRule::Optimistic | StepRule::Trust { .. } => return None,
        })
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

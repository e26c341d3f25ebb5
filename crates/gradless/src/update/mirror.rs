//! Adaptive mirror descent: all methods of the paper, and those they are compared with.

use serde::{Deserialize, Serialize};

use super::{Moved, Parts, Update, View};
use crate::prox::{Step, StepError};
use crate::step_size::{StepRule, StepSize};

/// $v_t = \argmin_{y\in K} \langle d_t, y\rangle + r(y) + \eta_t B_\varphi(y, x_t)$ and $x_{t+1} = x_t + w_t(v_t - x_t)$; the step
/// rule gives $\eta_t$ and $w_t$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mirror {
    rule: StepSize,
}

impl Mirror {
    pub(crate) fn new(rule: StepRule, parts: &Parts) -> Self {
        Self { rule: StepSize::new(rule, parts.momentum, parts.m) }
    }
}

impl Update for Mirror {
    fn step(&mut self, view: &View<'_>, d: &mut [f64], v: &mut [f64]) -> Result<Moved, StepError> {
        let Parts { space, generator, prox, .. } = view.parts;
        let weight = self.rule.weight(|| generator.dual_norm(d));
        let step = Step { x: view.x, g: d, eta: weight };
        prox.step(&space.regulariser, &space.set, step, v)?;
        let modulus = generator.modulus(view.x, v);
        let stationarity = modulus * weight * generator.distance(view.x, v);
        let share = self.rule.advance(stationarity);
        Ok(Moved { weight, stationarity, share })
    }

    fn fits(&self, _dim: usize) -> bool {
        true
    }
}

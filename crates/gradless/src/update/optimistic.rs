//! AO-ExpGrad: accelerated optimistic exponentiated gradient for convex $l$, kept as the paper's baseline.

use serde::{Deserialize, Serialize};

use super::{Moved, Parts, Update, View};
use crate::prox::{Step, StepError};
use crate::vector;

/// What stands in for a weight that is exactly zero, as in the authors' scripts.
const SMALLEST_WEIGHT: f64 = 1e-6;

/// The state of AO-ExpGrad beside its query point $y$.
///
/// With $W_t = \sum_{s\le t} s$, $\Lambda_t = \sum_{s\le t}(s\lVert g_s - g_{s-1}\rVert_\infty)^2$ and
/// $w_t = \sqrt{\Lambda_t/\ln(dU + 1)}$:
///
/// $$ x_{t+1} = P\Bigl(x_t,\ \tfrac{t(g_t - g_{t-1})}{t+1} + g_t,\ \tfrac{w_t}{t+1}\Bigr),\qquad
///    y_{t+1} = \tfrac{t}{W_t}x_{t+1} + \bigl(1-\tfrac{t}{W_t}\bigr)y_t $$
///
/// which is the authors' step with everything divided by $t+1$. The averaging weight lags the loss weight by one index;
/// kept for fidelity. Shao, Sivrikaya & Albayrak, Machine Learning 2022.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Optimistic {
    /// $x_t$, where the mirror step starts.
    point: Vec<f64>,
    /// $g_{t-1}$.
    hint: Vec<f64>,
    /// The vector of the mirror step; $g_t$ itself stays as it is, for momentum.
    lead: Vec<f64>,
    t: f64,
    loss_weights: f64,
    lambda: f64,
    /// $\ln(dU+1)$.
    log_size: f64,
}

impl Optimistic {
    /// `size` is $U = \max_{x\in K}\lVert x\rVert_\infty$, finite.
    pub(crate) fn new(start: &[f64], size: f64) -> Self {
        let log_size = (start.len() as f64 * size).ln_1p();
        Self {
            point: start.to_vec(),
            hint: vec![0.0; start.len()],
            lead: vec![0.0; start.len()],
            t: 0.0,
            loss_weights: 0.0,
            lambda: 0.0,
            log_size,
        }
    }

    /// Makes the vector of the next mirror step from the estimate $g_t$ and returns the weight of that step.
    fn prepare(&mut self, g: &[f64]) -> f64 {
        self.t += 1.0;
        self.loss_weights += self.t;
        let change = g.iter().zip(&self.hint).fold(0.0_f64, |m, (g, h)| m.max((g - h).abs()));
        self.lambda += (self.t * change).powi(2);
        let mut weight = (self.lambda / self.log_size).sqrt();
        if weight == 0.0 {
            weight = SMALLEST_WEIGHT;
        }
        let share = self.t / (self.t + 1.0);
        for ((lead, hint), g) in self.lead.iter_mut().zip(&mut self.hint).zip(g) {
            *lead = share * (g - *hint) + g;
            *hint = *g;
        }
        weight / (self.t + 1.0)
    }

    /// The share of the step from $y_t$ to $x_{t+1}$ that the average takes.
    fn share(&self) -> f64 {
        self.t / self.loss_weights
    }

    /// $\lVert x_{t+1} - x_t\rVert_1$, and moves on.
    fn accept(&mut self, next: &[f64]) -> f64 {
        let distance = vector::distance_l1(&self.point, next);
        self.point.copy_from_slice(next);
        distance
    }
}

impl Update for Optimistic {
    fn step(&mut self, view: &View<'_>, d: &mut [f64], v: &mut [f64]) -> Result<Moved, StepError> {
        let Parts { space, generator, prox, .. } = view.parts;
        let weight = self.prepare(d);
        let step = Step { x: &self.point, g: &self.lead, eta: weight };
        prox.step(&space.regulariser, &space.set, step, v)?;
        let modulus = generator.modulus(&self.point, v);
        let stationarity = modulus * weight * self.accept(v);
        Ok(Moved { weight, stationarity, share: self.share() })
    }

    fn fits(&self, dim: usize) -> bool {
        let finite = vector::first_not_finite(&self.point).is_none();
        finite && [&self.point, &self.hint, &self.lead].iter().all(|v| v.len() == dim)
    }
}

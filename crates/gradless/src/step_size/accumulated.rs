//! What the adaptive weights share: the floor $A$ and the sum of squared steps.

use serde::{Deserialize, Serialize};

use super::InitialWeight;

/// $A$, once $d_1$ is known, and $S_t/A^2 = \sum_{s<t}(\lambda_s\alpha_s\lVert v_s - x_s\rVert/A)^2$.
///
/// Relative to $A$ nothing overflows that need not, and an objective of another scale adds up the same numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Accumulated {
    initial: InitialWeight,
    floor: Option<f64>,
    /// $S_t/A^2$.
    pub(super) sum: f64,
}

impl Accumulated {
    pub(super) fn new(initial: InitialWeight) -> Self {
        Self { initial, floor: None, sum: 0.0 }
    }

    /// Fixes $A$ at the first call; later estimates do not change it.
    pub(super) fn fix_floor(&mut self, dual_norm: impl FnOnce() -> f64) {
        let initial = self.initial;
        self.floor.get_or_insert_with(|| initial.resolve(dual_norm));
    }

    /// $A$; 1 before it is fixed, which no rule asks for.
    pub(super) fn floor(&self) -> f64 {
        self.floor.unwrap_or(1.0)
    }

    pub(super) fn add(&mut self, step: f64) {
        self.sum += (step / self.floor()).powi(2);
    }
}

//! The same weight in every step.

use serde::{Deserialize, Serialize};

/// $\eta_t = \eta$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Constant {
    weight: f64,
}

impl Constant {
    pub(crate) fn new(weight: f64) -> Self {
        Self { weight }
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight
    }
}

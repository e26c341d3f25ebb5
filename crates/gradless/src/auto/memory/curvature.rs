//! The curvature that two looks at one coordinate tell.

use serde::{Deserialize, Serialize};

/// How fast a slope changes along its own coordinate, the same for all: what two looks at one coordinate tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Curvature {
    products: f64,
    pub(super) moves: f64,
    changes: f64,
}

impl Curvature {
    /// The regression of changes on moves where noise is in both, and nothing explains all of them.
    pub(super) fn noisy_value(self) -> f64 {
        let value = self.products / self.moves;
        if value.is_finite() { value.max(0.0) } else { 0.0 }
    }

    /// The regression of changes on moves, times the share of the changes that it explains.
    pub(super) fn value(self) -> f64 {
        let Self { products, moves, changes } = self;
        let explained = products * products / (moves * changes);
        if products > 0.0 && explained.is_finite() { explained.min(1.0) * products / moves } else { 0.0 }
    }

    pub(super) fn fade(&mut self, left: f64) {
        self.products *= left;
        self.moves *= left;
        self.changes *= left;
    }

    pub(super) fn learn(&mut self, moved: f64, changed: f64) {
        self.products += moved * changed;
        self.moves += moved * moved;
        self.changes += changed * changed;
    }
}

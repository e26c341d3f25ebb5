//! $A$: the weight before anything is known.

use serde::{Deserialize, Serialize};

/// The initial weight $A > 0$; the theorems hold for any.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum InitialWeight {
    /// A number; the paper fixes 1, which suits objectives with gradients of order 1.
    Fixed(f64),
    /// $A = c\lVert d_1\rVert_*$: multiplying the objective by any factor leaves every iterate as it is.
    ///
    /// With $c = 1$ up to a quarter slower than a well-scaled 1; with $c \le 0.1$ noise alone blows up coordinates for
    /// $d \ge 10^3$. An exactly zero first estimate gives $A = 1$.
    ScaleFree(f64),
}

impl InitialWeight {
    /// $A$, given a way to find $\lVert d_1\rVert_*$.
    pub(crate) fn resolve(self, dual_norm: impl FnOnce() -> f64) -> f64 {
        match self {
            Self::Fixed(weight) => weight,
            Self::ScaleFree(factor) => match dual_norm() {
                0.0 => 1.0,
                norm => factor * norm,
            },
        }
    }

    pub(crate) fn factor(self) -> f64 {
        match self {
            Self::Fixed(weight) | Self::ScaleFree(weight) => weight,
        }
    }
}

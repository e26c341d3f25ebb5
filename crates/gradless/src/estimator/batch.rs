//! $m$: how many directions (or gradient samples) make one estimate.

use serde::{Deserialize, Serialize};

/// The number of directions per estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BatchSize {
    /// Always this many.
    Fixed(usize),
    /// $\lceil c \ln d\rceil$, $d$ being the number of free coordinates.
    ///
    /// The maximum norm of the noise grows with $\ln d$ only, so this many directions keep it at a fixed share of the
    /// signal. $c = 8$ was chosen by experiment on sparse quadratics with $d$ from $10^2$ to $10^6$.
    LogDim {
        /// $c$.
        factor: f64,
    },
}

impl BatchSize {
    /// $m$ for $d$ free coordinates; 0 if the choice makes no sense.
    pub(crate) fn resolve(self, dim: usize) -> usize {
        match self {
            Self::Fixed(count) => count,
            Self::LogDim { factor } => {
                let wanted = (factor * (dim as f64).ln()).ceil();
                // NaN and negative factors end as 0 and are refused; a single coordinate still needs one direction.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates, as meant"
                )]
                let count = wanted as usize;
                if factor > 0.0 { count.max(1) } else { 0 }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_log_d_gives_the_measured_batches() {
        let m = |dim| BatchSize::LogDim { factor: 8.0 }.resolve(dim);
        assert_eq!([m(1), m(100), m(1_000), m(10_000), m(1_000_000)], [1, 37, 56, 74, 111]);
        assert_eq!(BatchSize::LogDim { factor: f64::NAN }.resolve(10), 0);
    }
}

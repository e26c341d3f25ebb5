//! A sparse problem whose answers are disturbed.

use std::fmt;

use gradless::{Batch, Oracle, OracleError, Problem, ProblemError, Regulariser, Set};
use testkit::counter::Counter;
use testkit::families::{Shape, SparseTarget};
use testkit::noise::{normal, word};

/// Weight of both norms, as in the suite of problems.
const GAMMA: f64 = 0.01;
/// One answer in this many fails.
const FAILS: u64 = 10;

/// The problems: as in the suite, each with a support of its own for every seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    Quadratic,
    Nonconvex,
    TenActive,
}

impl Family {
    pub(crate) const ALL: [Self; 3] = [Self::Quadratic, Self::Nonconvex, Self::TenActive];

    pub(crate) fn target(self, dim: usize, seed: u64) -> SparseTarget {
        match self {
            Self::Quadratic => SparseTarget::quadratic(dim, GAMMA, seed),
            Self::Nonconvex => SparseTarget::nonconvex(dim, GAMMA, seed),
            Self::TenActive => SparseTarget::new(dim, 10, 1.0, 0.05, 0.0, Shape::Quadratic, seed),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quadratic => "quadratic",
            Self::Nonconvex => "nonconvex",
            Self::TenActive => "ten active",
        })
    }
}

/// What is done to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Disturbance {
    /// $+\sigma\xi$, another $\xi$ for every value.
    Independent,
    /// $+\sigma\xi_s$, one $\xi$ for every sample number: it cancels in differences.
    Offset,
    /// $+\sigma\langle\xi_s,x\rangle/\lVert x^\ast\rVert$ on the support, one vector for every sample number.
    Tilt,
    /// Points and values rounded to single precision.
    Rounded,
    /// One answer in ten is not a number; the others are disturbed as `Independent`.
    Failing,
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Independent => "independent",
            Self::Offset => "common, offset",
            Self::Tilt => "common, tilt",
            Self::Rounded => "f32",
            Self::Failing => "10 % failed",
        })
    }
}

/// The problem as the solver sees it.
pub(crate) fn problem(target: &SparseTarget) -> Result<Problem, ProblemError> {
    Problem::builder(target.dim)
        .regulariser(Regulariser::elastic_net(target.l1, target.l2))
        .set(Set::bounds(-1.0, 1.0))
        .build()
}

/// A target behind a disturbance.
pub(crate) struct BlackBox<'a> {
    pub(crate) target: &'a SparseTarget,
    pub(crate) disturbance: Disturbance,
    /// The standard deviation of one value, for [`Disturbance::Tilt`] at a point of the size of the minimiser.
    pub(crate) sigma: f64,
    /// $\lVert x^\ast\rVert_2$.
    pub(crate) size: f64,
    pub(crate) seed: u64,
    pub(crate) asked: Counter,
}

impl BlackBox<'_> {
    fn value(&self, x: &[f64], sample: u64) -> f64 {
        let call = word(self.seed).wrapping_add(self.asked.count());
        let own = || self.sigma * normal(call);
        match self.disturbance {
            Disturbance::Failing if word(!call).is_multiple_of(FAILS) => f64::NAN,
            Disturbance::Independent | Disturbance::Failing => self.target.loss(x) + own(),
            Disturbance::Offset => {
                self.target.loss(x) + self.sigma * normal(word(self.seed).wrapping_add(sample))
            }
            Disturbance::Tilt => {
                let first = word(word(self.seed).wrapping_add(sample));
                let numbers = (0..).map(|i| normal(first.wrapping_add(i)));
                let sum: f64 = self.target.support.iter().zip(numbers).map(|(&i, xi)| xi * x[i]).sum();
                self.target.loss(x) + self.sigma * sum / self.size
            }
            Disturbance::Rounded => {
                let x: Vec<f64> = x.iter().map(|&x| single(x)).collect();
                single(self.target.loss(&x))
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
fn single(number: f64) -> f64 {
    f64::from(number as f32)
}

impl Oracle for BlackBox<'_> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        for ((x, sample), value) in batch.rows().zip(values) {
            *value = self.value(x, sample);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at one point under the samples 1, 2 and 1 again.
    fn three(disturbance: Disturbance, sigma: f64) -> ([f64; 3], f64) {
        let target = Family::Quadratic.target(20, 1);
        let x = vec![0.1; 20];
        let black_box =
            BlackBox { target: &target, disturbance, sigma, size: 1.0, seed: 3, asked: Counter::default() };
        ([1, 2, 1].map(|sample| black_box.value(&x, sample)), target.loss(&x))
    }

    #[test]
    fn only_independent_noise_does_not_repeat_itself() {
        let ([a, b, again], truth) = three(Disturbance::Independent, 0.1);
        assert!(a != b && a != again && (a - truth).abs() < 1.0);
        for common in [Disturbance::Offset, Disturbance::Tilt] {
            let ([a, b, again], _) = three(common, 0.1);
            assert!(a != b && a == again, "{common}");
        }
        let ([a, b, again], truth) = three(Disturbance::Rounded, 0.0);
        assert!(a == b && a == again && a != truth && (a - truth).abs() < 1e-6);
    }

    #[test]
    fn the_tilt_has_the_deviation_it_should_have_at_the_minimiser() {
        let target = Family::Quadratic.target(20, 1);
        let mut x = vec![0.0; 20];
        target.support.iter().zip(&target.target).for_each(|(&i, b)| x[i] = *b);
        let size = target.target.iter().map(|b| b * b).sum::<f64>().sqrt();
        let disturbance = Disturbance::Tilt;
        let black_box =
            BlackBox { target: &target, disturbance, sigma: 0.5, size, seed: 3, asked: Counter::default() };
        let n = 4_000;
        let square: f64 = (0..n).map(|sample| (black_box.value(&x, sample) - target.loss(&x)).powi(2)).sum();
        // Four standard errors of a variance.
        assert!((square / n as f64 / 0.25 - 1.0).abs() < 4.0 * (2.0 / n as f64).sqrt());
    }

    #[test]
    fn a_tenth_of_the_answers_fails() {
        let target = Family::Quadratic.target(20, 1);
        let disturbance = Disturbance::Failing;
        let black_box = BlackBox {
            target: &target,
            disturbance,
            sigma: 0.0,
            size: 1.0,
            seed: 3,
            asked: Counter::default(),
        };
        let n = 5_000;
        let failed = (0..n).filter(|&sample| black_box.value(&[0.0; 20], sample).is_nan()).count();
        assert!((failed as f64 / n as f64 - 0.1).abs() < 4.0 * (0.09 / n as f64).sqrt(), "{failed}");
    }
}

//! $\nu$: how far from $x_t$ the black box is asked.

use std::f64::consts::E;

use serde::{Deserialize, Serialize};

use crate::solver::ConfigError;

/// The rule for the smoothing radius.
///
/// The bias of an estimate is at most $\nu d L/2$ in the maximum norm, so the paper's rules shrink with $d$; rounding and
/// noise of the black box are divided by $\nu$, so a noisy one wants it large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Radius {
    /// Three tenths of [`MiniBatch`](Self::MiniBatch) for a black box that repeats itself,
    /// [`NoiseAware`](Self::NoiseAware) for one that does not.
    ///
    /// With $m = 8\ln d$ the full rule leaves every forward difference a second-order error of about $0.55\thinspace L$ that
    /// does not shrink with the gradient; at three tenths it is gone for what it costs, and single precision still bears
    /// it (chosen by experiment, `docs/benchmarks/dimension-radius.md`).
    Auto,
    /// $\nu = \sqrt{2\kappa_d/m}/d$: the paper's experiments with the exponentiated-gradient family.
    MiniBatch,
    /// $\nu = 1/(d\sqrt T)$: the paper's theorems for a known number of iterations.
    Horizon,
    /// $\nu = 1/\sqrt{md}$: the paper's setting for ZO-PSGD.
    Psgd,
    /// $\nu = 1/(d\thinspace T^{2/3})$: the paper's setting for STORM and Acc-ZOM.
    Storm,
    /// $\nu = \sqrt{4e\ln(d-1)/T}/d$: what the authors' scripts do instead of `MiniBatch`.
    AuthorsMiniBatch,
    /// $\nu = 1/\sqrt{Td}$: what the authors' scripts do instead of `Psgd`.
    AuthorsPsgd,
    /// $\nu = 1/(d\thinspace (m_0+T)^{2/3})$ with $m_0 = (23/12)^3$: what the authors' scripts do for Acc-ZOM.
    AuthorsAccZom,
    /// This number.
    Fixed(f64),
    /// Measure the noise first, then take the radius at which curvature just shows above it.
    ///
    /// The noise is estimated from seven values on each of three lines (ECnoise, Moré & Wild 2011); the radius is quadrupled,
    /// quartered and bisected until the second (forward) or third (central) difference is between 1.5 and 6 times what
    /// noise explains (Shi, Xie, Xuan & Nocedal 2022), as root mean square over three directions. Done once, at $x_1$;
    /// usually 50 to 130 queries.
    NoiseAware {
        /// No radius above this; half the narrowest width of the box unless given, 1 if there is none.
        largest: Option<f64>,
    },
}

/// The share of the mini-batch rule that `Auto` takes.
const AUTO_SHARE: f64 = 0.3;

/// What the rules depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadiusContext {
    pub(crate) dim: usize,
    pub(crate) batch: usize,
    /// $T$, if it is known.
    pub(crate) horizon: Option<u64>,
}

impl Radius {
    /// Refuses numbers that no run can use.
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Fixed(radius) => ConfigError::positive("the radius", radius),
            Self::NoiseAware { largest: Some(largest) } => {
                ConfigError::positive("the largest radius", largest)
            }
            _ => Ok(()),
        }
    }

    /// $\nu$, or `None` if the rule needs a horizon that is not known. Rules that measure start from `MiniBatch`.
    pub(crate) fn resolve(self, context: RadiusContext) -> Option<f64> {
        let d = context.dim as f64;
        let m = context.batch as f64;
        let horizon = context.horizon.map(|t| t.max(1) as f64);
        match self {
            Self::MiniBatch | Self::NoiseAware { .. } => Some((2.0 * kappa(context.dim) / m).sqrt() / d),
            Self::Auto => Self::MiniBatch.resolve(context).map(|nu| AUTO_SHARE * nu),
            Self::Horizon => horizon.map(|t| 1.0 / (d * t.sqrt())),
            Self::Psgd => Some(1.0 / (m * d).sqrt()),
            Self::Storm => horizon.map(|t| 1.0 / (d * t.powf(2.0 / 3.0))),
            // ln(d - 1) is not positive for d <= 2; their scripts never met that case.
            Self::AuthorsMiniBatch => horizon.map(|t| (4.0 * E * (d - 1.0).max(2.0).ln() / t).sqrt() / d),
            Self::AuthorsPsgd => horizon.map(|t| 1.0 / (t * d).sqrt()),
            Self::AuthorsAccZom => {
                let m0 = (23.0_f64 / 12.0).powi(3);
                horizon.map(|t| 1.0 / (d * (m0 + t).powf(2.0 / 3.0)))
            }
            Self::Fixed(radius) => Some(radius),
        }
    }
}

/// $\kappa_d = \min(d, e(2\ln d - 1))$: the price of averaging in the maximum norm.
pub fn kappa(dim: usize) -> f64 {
    let d = dim as f64;
    if dim <= 2 { d } else { d.min(E * (2.0 * d.ln() - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_give_the_papers_numbers_on_cifar() {
        let context = RadiusContext { dim: 3072, batch: 200, horizon: Some(200) };
        let nu = |rule: Radius| rule.resolve(context).unwrap();
        // d = 3072, m = T = 200: about 2e-4 for the mini-batch methods and 1e-5 for STORM.
        assert!((nu(Radius::MiniBatch) / 2.08e-4 - 1.0).abs() < 0.01, "{}", nu(Radius::MiniBatch));
        assert!((nu(Radius::Storm) / 9.52e-6 - 1.0).abs() < 0.01, "{}", nu(Radius::Storm));
        assert!((nu(Radius::AuthorsMiniBatch) / nu(Radius::MiniBatch) - 1.033).abs() < 0.002);
    }

    #[test]
    fn the_fixed_batch_rule_is_the_theorems_rule_at_the_theorems_batch() {
        let (dim, t) = (1_000, 50_u64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let batch = (2.0 * t as f64 * kappa(dim)).ceil() as usize;
        let context = RadiusContext { dim, batch, horizon: Some(t) };
        let (a, b) = (Radius::MiniBatch.resolve(context).unwrap(), Radius::Horizon.resolve(context).unwrap());
        assert!((a / b - 1.0).abs() < 1e-3);
    }
}

//! The paper's schedule for stochastic recursive momentum.

use serde::{Deserialize, Serialize};

use crate::solver::ConfigError;

/// The rate $c\in(0, 1]$ of the paper's STORM; $1/m$ if not given, as in the paper.
///
/// $$ \tau_t = (1 + c(t-1))^{2/3},\quad \gamma_t = \frac{2}{1+\tau_t},\quad \beta_t = \max\Bigl(1, \frac{\tau_t-1}{\sqrt{\tau_t}}\Bigr) $$
///
/// The paper's text has $\tau_t$ with the exponent $-2/3$ in the lemma and starts it at $1 + c$; a growing $\tau$ and
/// $\gamma_1 = 1$ are what its proof and its authors' scripts use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StormRate {
    /// $c$; `None` for $1/m$.
    pub rate: Option<f64>,
}

impl StormRate {
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        match self.rate {
            Some(value) if !(value > 0.0 && value <= 1.0) => Err(ConfigError::BadRate { value }),
            Some(_) | None => Ok(()),
        }
    }

    fn tau(self, t: u64, m: usize) -> f64 {
        let c = self.rate.unwrap_or(1.0 / m as f64);
        (1.0 + c * (t.max(1) - 1) as f64).powf(2.0 / 3.0)
    }

    /// $\gamma_t$: the weight of the present.
    pub fn gamma(self, t: u64, m: usize) -> f64 {
        2.0 / (1.0 + self.tau(t, m))
    }

    /// $\beta_t$: the growth of the step weight.
    pub fn beta(self, t: u64, m: usize) -> f64 {
        let tau = self.tau(t, m);
        ((tau - 1.0) / tau.sqrt()).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_the_papers_rate_the_past_weighs_little_for_200_iterations() {
        let rate = StormRate::default();
        let carried = |t| 1.0 - rate.gamma(t, 200);
        assert_eq!(carried(1), 0.0);
        for (t, expected) in [(10, 0.015), (100, 0.133), (200, 0.226)] {
            assert!((carried(t) - expected).abs() < 1e-3, "t = {t}: {}", carried(t));
        }
        assert!((1..=200).all(|t| rate.beta(t, 200) == 1.0));
    }

    #[test]
    fn the_weight_grows_once_tau_passes_the_square_of_the_golden_ratio() {
        // beta > 1 once 1 + c(t-1) > 4.236, the cube of the golden ratio.
        let rate = StormRate { rate: Some(1.0) };
        assert_eq!(rate.beta(4, 1), 1.0);
        assert!(rate.beta(5, 1) > 1.0);
    }
}

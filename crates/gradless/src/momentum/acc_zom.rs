//! The schedule of Acc-ZOM: one sequence for the averaging weight, one for the momentum.

use serde::{Deserialize, Serialize};

use crate::solver::ConfigError;

/// $\eta_t = k/(m_0+t)^{1/3}$ and $\alpha_{t+1} = \min(1, c\thinspace\eta_t^2)$.
///
/// Huang, Gao, Pei & Huang, JMLR 23(36), 2022 ask for $c \ge \frac{2}{3k^3}+\frac54$ and
/// $m_0 \ge \max(2, k^3, (ck)^3)$; [`default`](Self::default) takes $k = 1$ and equality, as the paper's authors do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccZomSchedule {
    /// $k$.
    pub k: f64,
    /// $c$.
    pub c: f64,
    /// $m_0$.
    pub m0: f64,
}

impl Default for AccZomSchedule {
    fn default() -> Self {
        let k = 1.0_f64;
        let c = 2.0 / (3.0 * k.powi(3)) + 1.25;
        Self { k, c, m0: k.powi(3).max((c * k).powi(3)).max(2.0) }
    }
}

impl AccZomSchedule {
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        let Self { k, c, m0 } = self;
        ConfigError::positive("k", k)?;
        ConfigError::positive("c", c)?;
        ConfigError::positive("m0", m0)
    }

    /// $\eta_t$: how far $x_t$ moves towards the prox point.
    pub fn eta(self, t: u64) -> f64 {
        self.k / (self.m0 + t as f64).cbrt()
    }

    /// $\alpha_t$ for $t \ge 2$: the weight of the present in the momentum.
    pub fn alpha(self, t: u64) -> f64 {
        (self.c * self.eta(t - 1).powi(2)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_authors_setting() {
        let schedule = AccZomSchedule::default();
        assert!((schedule.c - 23.0 / 12.0).abs() < 1e-15 && (schedule.m0 - 7.04).abs() < 2e-3);
        assert!((schedule.eta(1) - 0.499).abs() < 1e-3 && (schedule.alpha(2) - 0.477).abs() < 1e-3);
    }
}

//! $d$: how the estimate at $x_t$ is joined with the past.

mod acc_zom;
mod storm;

pub use acc_zom::AccZomSchedule;
pub use storm::StormRate;

use serde::{Deserialize, Serialize};

use crate::solver::ConfigError;

/// How much of the past an estimate keeps.
///
/// $$ d_t = \hat g(x_t;\xi_t) + c_t\bigl(d_{t-1} - \hat g(x_{t-1};\xi_t)\bigr) $$
///
/// Both estimates on the right share $\xi_t$ and the directions; without that the correction adds variance instead of
/// removing it. $c_1 = 0$, so nothing is assumed of $d_0$; where $c_t = 0$ the second base point is not asked at all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Momentum {
    /// $c_t = 0$: the estimate itself, one base point per iteration.
    Plain,
    /// The paper's generalised STORM, two base points per iteration after the first.
    Storm(StormRate),
    /// The schedule of Acc-ZOM, two base points per iteration after the first.
    AccZom(AccZomSchedule),
}

impl Momentum {
    /// Refuses numbers that no run can use.
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Plain => Ok(()),
            Self::Storm(rate) => rate.check(),
            Self::AccZom(schedule) => schedule.check(),
        }
    }

    /// The rate that a step rule made for STORM grows with.
    pub(crate) fn storm_rate(self) -> StormRate {
        match self {
            Self::Storm(rate) => rate,
            Self::Plain | Self::AccZom(_) => StormRate::default(),
        }
    }

    /// $c_t$ for iteration $t = 1, 2, \dots$ and batch size $m$.
    pub fn carry(self, t: u64, m: usize) -> f64 {
        if t <= 1 {
            return 0.0;
        }
        match self {
            Self::Plain => 0.0,
            Self::Storm(rate) => 1.0 - rate.gamma(t, m),
            Self::AccZom(schedule) => 1.0 - schedule.alpha(t),
        }
    }
}

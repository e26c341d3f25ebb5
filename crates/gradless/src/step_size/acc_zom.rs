//! The step of Acc-ZOM: a constant weight and a decaying share.

use serde::{Deserialize, Serialize};

use crate::momentum::AccZomSchedule;

/// Weight $1/\gamma$; the share $\eta_t = k/(m_0+t)^{1/3}$ of the step is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AccZom {
    gamma: f64,
    schedule: AccZomSchedule,
    t: u64,
}

impl AccZom {
    pub(crate) fn new(gamma: f64, schedule: AccZomSchedule) -> Self {
        Self { gamma, schedule, t: 1 }
    }

    pub(crate) fn weight(&self) -> f64 {
        1.0 / self.gamma
    }

    pub(crate) fn advance(&mut self) -> f64 {
        let share = self.schedule.eta(self.t);
        self.t = self.t.saturating_add(1);
        share.min(1.0)
    }
}

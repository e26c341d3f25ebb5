//! The books of a run: what it has cost, what failed, what was recorded and said.

use serde::{Deserialize, Serialize};

use crate::policy::Failures;
use crate::space::Sizes;
use crate::stop::{Budget, StopReason};
use crate::trace::{Counts, Notice, Record};
use crate::update::Moved;

/// Counters, records and notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Books {
    /// $t$: the iteration being worked on, from 1.
    pub(super) t: u64,
    pub(super) counts: Counts,
    /// Bad iterations in a row.
    pub(super) bad_iterations: u32,
    pub(super) seconds: f64,
    pub(super) history: Vec<Record>,
    pub(super) notices: Vec<Notice>,
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    pub(super) loss: Option<f64>,
    /// Directions or gradients that entered, of so many wanted.
    pub(super) kept: usize,
    pub(super) wanted: usize,
    /// Answers that failed, of so many.
    pub(super) failed: usize,
    pub(super) of: usize,
}

impl Books {
    pub(super) fn new(notices: Vec<Notice>) -> Self {
        Self {
            t: 1,
            counts: Counts::default(),
            bad_iterations: 0,
            seconds: 0.0,
            history: Vec::new(),
            notices,
        }
    }

    /// What is left of the two budgets: queries, and points sent.
    fn left(&self, budget: Budget) -> (u64, u64) {
        let left = |limit: Option<u64>, used: u64| limit.map_or(u64::MAX, |limit| limit.saturating_sub(used));
        (left(budget.queries, self.counts.queries), left(budget.sent, self.counts.sent))
    }

    /// Queries that may still be handed out.
    pub(super) fn remaining(&self, budget: Budget) -> u64 {
        let (queries, sent) = self.left(budget);
        queries.min(sent)
    }

    /// Which of the two budgets ends the run.
    pub(super) fn exhausted(&self, budget: Budget) -> StopReason {
        let (queries, sent) = self.left(budget);
        if sent < queries { StopReason::Sent } else { StopReason::Queries }
    }

    pub(super) fn count_failed(&mut self, values: &[f64]) {
        self.counts.failed += values.iter().filter(|value| !value.is_finite()).count() as u64;
    }

    /// Says something that is said once in a run.
    pub(super) fn say_once(&mut self, notice: Notice) {
        let said = |said: &Notice| std::mem::discriminant(said) == std::mem::discriminant(&notice);
        if !self.notices.iter().any(said) {
            self.notices.push(notice);
        }
    }

    /// Counts an iteration whose base point failed twice; `false` if there were too many in a row.
    pub(super) fn endures(&mut self, failures: Failures) -> bool {
        self.bad_iterations += 1;
        self.bad_iterations < failures.patience.max(1)
    }

    /// Enters what failed in an estimate; an error if there were too many bad iterations in a row.
    pub(super) fn enter_failures(
        &mut self,
        evidence: &Evidence,
        failures: Failures,
    ) -> Result<(), StopReason> {
        let Evidence { kept, wanted, failed, of, .. } = *evidence;
        self.counts.failed += failed as u64;
        if failed > 0 {
            // The counter has the rest.
            self.say_once(Notice::AnswersFailed { iteration: self.t, failed, of });
        }
        let lost = (wanted - kept) as f64 / wanted as f64;
        self.bad_iterations = if lost > failures.share || kept == 0 { self.bad_iterations + 1 } else { 0 };
        if self.bad_iterations >= failures.patience.max(1) {
            Err(StopReason::TooManyFailures { failed, of })
        } else {
            Ok(())
        }
    }

    /// Writes the record of an iteration.
    pub(super) fn record(
        &mut self,
        evidence: &Evidence,
        moved: Moved,
        (sizes, regulariser): (&Sizes, f64),
        radius: f64,
        best: Option<f64>,
    ) {
        self.history.push(Record {
            iteration: self.t,
            queries: self.counts.queries,
            objective: evidence.loss.map(|loss| loss + regulariser),
            loss: evidence.loss,
            regulariser,
            norm_l1: sizes.l1,
            norm_l2: sizes.l2_squared.sqrt(),
            nonzeros: sizes.nonzeros,
            step_size: moved.weight,
            radius,
            stationarity: moved.stationarity,
            kept: evidence.kept,
            best,
        });
    }

    /// Moves on to $t + 1$.
    pub(super) fn next_iteration(&mut self) {
        self.counts.iterations += 1;
        self.t += 1;
    }

    pub(super) fn fits(&self) -> bool {
        let Counts { queries, sent, failed, iterations } = self.counts;
        let counters = [queries, sent, failed, iterations, self.t];
        counters.into_iter().all(super::state::is_small) && self.seconds.is_finite() && self.t >= 1
    }
}

//! The least change that alters the class: sets of features at the ends of what they may be, as few as suffice.
//!
//! Every plan is independent of the budget, so that more queries only go further; of all points asked the smallest is the answer.

mod sets;
mod units;

use super::direct::STAGES;
use super::trial::Trials;
use super::{Course, Found, Search};
use crate::answer::Minimal;
use crate::error::ExplainError;
use crate::question::Norm;

impl Search<'_> {
    /// The least change in the norm of the question.
    pub(super) fn attack(&self, trials: &Trials<'_, '_>, course: &mut Course) -> Result<Found, ExplainError> {
        let mut attack = Attack { search: self, minimal: Minimal::NotAsked };
        let searched = match self.question.norm().unwrap_or_default() {
            Norm::Pixels => attack.sets(&units::features(self.ledger.around.coordinates)),
            Norm::Numbers => attack.sets(&units::numbers(self.ledger.around.coordinates)),
            Norm::L1 | Norm::L2 | Norm::Linf => return self.direct(&STAGES, trials, course),
        };
        let curve = self.ledger.curve();
        let known = curve.last().map(|step| step.queries);
        course.iterations += curve.len() as u64;
        course.steps.extend(curve);
        searched?;
        if let Some(best) = self.ledger.best() {
            return self.finished(best.point, attack.minimal, known);
        }
        let nearest = self.ledger.nearest().map_or_else(|| self.ledger.origin().to_vec(), |near| near.point);
        self.finished(nearest, Minimal::NotAsked, None)
    }
}

/// A search for the least change.
struct Attack<'a, 'b> {
    search: &'a Search<'b>,
    /// Whether nothing of the smallest change can be undone.
    minimal: Minimal,
}

impl Attack<'_, '_> {
    /// Queries left; none if the search was cancelled, or what was found is enough.
    fn left(&self) -> usize {
        let ledger = &self.search.ledger;
        let is_enough = |enough: f64| ledger.least().is_some_and(|size| size <= enough);
        if ledger.is_cancelled() || self.search.options.enough.is_some_and(is_enough) {
            return 0;
        }
        let left = self.search.left().saturating_sub(ledger.around.reserve);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Asks about points, all of which may become the answer; gives their margins, NaN where there is none.
    fn ask(&self, points: &[Vec<f64>]) -> Result<Vec<f64>, ExplainError> {
        let margins = self.search.ledger.ask(points)?;
        self.search.ledger.report();
        Ok(margins)
    }
}

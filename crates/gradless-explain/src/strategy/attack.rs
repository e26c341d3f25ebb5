//! The least change that alters the class: sets of features at the ends of what they may be, as few as suffice.
//!
//! Every plan is independent of the budget, so that more queries only go further; of all points asked the smallest is the answer.

mod boundary;
mod dense;
mod effects;
mod sets;
mod units;

use super::{Course, Found, Search};
use crate::answer::Minimal;
use crate::error::ExplainError;
use crate::question::Norm;
use crate::scores::Scores;

/// The largest score of a tanh in single precision that is not 1.
const ALMOST: f64 = 1.0 - 6e-8;

impl Search<'_> {
    /// The least change in the norm of the question.
    pub(super) fn attack(&self, course: &mut Course) -> Result<Found, ExplainError> {
        let mut attack = Attack { search: self, minimal: Minimal::NotAsked };
        let searched = attack.search();
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
    /// The search that suits the norm, and what the model tells.
    fn search(&mut self) -> Result<(), ExplainError> {
        let coordinates = self.search.ledger.around.coordinates;
        let norm = self.search.question.norm().unwrap_or_default();
        match norm {
            Norm::Numbers if coordinates.moves().is_none() => self.sets(units::numbers(coordinates)),
            Norm::L1 if coordinates.moves().is_none() => {
                let begun = self.of_units(units::numbers(coordinates))?;
                self.dense(norm, begun)
            }
            Norm::L2 | Norm::Linf if coordinates.moves().is_none() => {
                let begun = match self.search.scores {
                    Scores::Labels => self.boundary(norm)?,
                    _ => self.of_blocks(units::features(coordinates))?,
                };
                self.dense(norm, begun)
            }
            // Of what has a few values to choose from, all is said by which features change.
            _ => self.sets(units::features(coordinates)),
        }
    }

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

    /// Asks about points, all of which may become the answer; gives their scores and margins, NaN where there is none.
    fn ask(&self, points: &[Vec<f64>]) -> Result<Vec<(Vec<f64>, f64)>, ExplainError> {
        let ledger = &self.search.ledger;
        let scores = ledger.ask_scores(points)?;
        ledger.report();
        Ok(scores
            .into_iter()
            .map(|scores| (ledger.around.condition.margin(&scores), scores))
            .map(|(m, s)| (s, m))
            .collect())
    }

    /// Scores as a search is guided by them: without the squashing that a tanh does.
    fn guide(&self, scores: &[f64]) -> Vec<f64> {
        if self.search.scores != Scores::Squashed {
            return scores.to_vec();
        }
        scores.iter().map(|score| score.clamp(-ALMOST, ALMOST).atanh()).collect()
    }

    /// By how much the class condition holds, of scores that guide.
    fn margin(&self, scores: &[f64]) -> f64 {
        self.search.ledger.around.condition.class_margin(scores)
    }

    /// A class that should rise, and one that should fall.
    fn direction(&self, scores: &[f64]) -> [usize; 2] {
        let condition = &self.search.ledger.around.condition;
        let rises = condition.favoured(scores);
        [rises, self.falls(rises, scores)]
    }

    /// The class that should fall where another rises.
    fn falls(&self, rises: usize, scores: &[f64]) -> usize {
        if self.search.question.target().is_none() {
            return self.search.ledger.around.condition.class;
        }
        let others = (0..scores.len()).filter(|&class| class != rises);
        others.reduce(|a, b| if scores[b] > scores[a] { b } else { a }).unwrap_or(rises)
    }

    /// Whether the class may be that of the answer.
    fn may_rise(&self, class: usize) -> bool {
        match self.search.question.target() {
            None => class != self.search.ledger.around.condition.class,
            Some(target) => class == target,
        }
    }
}

/// The distance between two points.
fn length(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

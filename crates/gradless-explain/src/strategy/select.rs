//! The search by selection: the fewest features, moved to which of their values, answer the question?
//!
//! For features with a choice of a few values: columns, words, switches. What each does alone is asked first; then the strongest together,
//! as few as suffice; pairs and larger sets that promise enough; and what known inputs have. What was found is made as small and as cheap
//! as it goes. Every plan is independent of the budget, so that more queries only go further.

mod combine;
mod screen;
mod settle;

use super::direct::Held;
use super::trial::Trials;
use super::{Course, Found, Search};
use crate::answer::{Minimal, Step};
use crate::error::ExplainError;
use crate::features::Move;
use crate::ledger::loss;
use crate::question::Origin;
use crate::scores::Scores;

/// Beyond these odds (1 in 100) a margin in logarithms counts by its own logarithm: a forest says 0 and 1, and one tree that changes its
/// mind is no more than one tree.
const SATURATED: f64 = 4.6;
/// Valid combinations that are tried with disturbances after one round of questions.
const TRIED: usize = 16;
/// What the distance to known inputs counts beside the cost of a change. Both are in units of the columns.
const PLAUSIBLE: f64 = 0.5;

/// A move of one feature, and what it does alone.
#[derive(Clone, Debug)]
struct Lever {
    feature: usize,
    to: Vec<(usize, f64)>,
    /// By how much it raises the margin from the origin.
    gain: f64,
}

/// How an answer is compared: fewer features first, then what it costs.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Size(usize, f64);

/// The best so far.
struct Best {
    held: Held,
    size: Size,
}

struct Selection<'a, 'b, 'c> {
    search: &'a Search<'b>,
    trials: &'a Trials<'a, 'b>,
    course: &'c mut Course,
    /// What each feature can be moved to.
    moves: Vec<Vec<Move>>,
    /// The margin at the origin, as it is counted.
    base: f64,
    /// Moves that were asked alone.
    levers: Vec<Lever>,
    best: Option<Best>,
}

impl Search<'_> {
    /// The fewest features that answer the question, of those that have a choice of a few values.
    pub(super) fn select(
        &self,
        moves: Vec<Vec<Move>>,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Found, ExplainError> {
        let origin = self.ledger.origin().to_vec();
        if self.question.origin() == Origin::Input {
            trials.remember(&origin, self.original_scores);
        } else {
            trials.remember(&self.ledger.around.coordinates.whole, self.original_scores);
        }
        let mut selection =
            Selection { search: self, trials, course, moves, base: 0.0, levers: Vec::new(), best: None };
        let base = selection.ask(vec![origin.clone()])?;
        selection.base = base.first().map_or(f64::NAN, |(_, margin)| *margin);
        if selection.best.is_none() {
            selection.search()?;
        }
        let minimal = selection.settle()?;
        if let Some(Best { held, .. }) = selection.best {
            return self.finished(held.point, minimal, Some(held.known));
        }
        let nearest = self.ledger.nearest().map_or(origin, |near| near.point);
        self.finished(nearest, Minimal::NotAsked, None)
    }
}

impl Selection<'_, '_, '_> {
    /// From single features to combinations.
    fn search(&mut self) -> Result<(), ExplainError> {
        self.screen()?;
        if self.features() == Some(1) {
            return Ok(());
        }
        self.together()?;
        self.pairs()?;
        self.neighbours()?;
        self.larger()?;
        if self.best.is_none() {
            self.ends()?;
        }
        if self.best.is_none() { self.by_chance() } else { Ok(()) }
    }

    /// Features of the best so far.
    fn features(&self) -> Option<usize> {
        self.best.as_ref().map(|best| best.size.0)
    }

    /// The origin with these moves made, the later ones counting; `None` where that is not allowed.
    fn point<'l>(&self, levers: impl IntoIterator<Item = &'l Lever>) -> Option<Vec<f64>> {
        let around = self.search.ledger.around.coordinates;
        let mut point = around.origin.clone();
        for &(i, value) in levers.into_iter().flat_map(|lever| &lever.to) {
            point[i] = value;
        }
        self.is_allowed(&point).then_some(point)
    }

    /// Whether a point keeps its bounds, and its input all rules.
    fn is_allowed(&self, point: &[f64]) -> bool {
        let ledger = &self.search.ledger;
        let inside = point.iter().zip(ledger.bounds()).all(|(x, (lower, upper))| lower <= x && x <= upper);
        inside && ledger.around.coordinates.allows(&ledger.input(point))
    }

    /// A margin as gains are counted.
    fn counted(&self, margin: f64) -> f64 {
        if self.search.scores != Scores::Probabilities || margin.abs() <= SATURATED {
            return margin;
        }
        margin.signum() * (SATURATED + (margin.abs() - SATURATED).ln_1p())
    }

    fn size(&self, point: &[f64]) -> Size {
        let ledger = &self.search.ledger;
        let around = ledger.around.coordinates;
        let cost: f64 = point.iter().zip(&around.origin).map(|(x, o)| (x - o).abs()).sum();
        let unlike = match self.search.question.origin() {
            Origin::Absent => 0.0,
            Origin::Input => around.distance_to_known(&ledger.input(point)).unwrap_or(0.0),
        };
        Size(around.used(point).len(), cost + PLAUSIBLE * unlike * around.features as f64)
    }

    /// Asks about points; gives those that were answered with their margins as gains are counted. The best of those that are valid and
    /// pass their trials is kept.
    fn ask(&mut self, points: Vec<Vec<f64>>) -> Result<Vec<(Vec<f64>, f64)>, ExplainError> {
        let ledger = &self.search.ledger;
        let scores = self.trials.scores(&points)?;
        let mut answered = Vec::new();
        let mut valid: Vec<(Size, Vec<f64>)> = Vec::new();
        for (point, scores) in points.into_iter().zip(scores) {
            let margin = if scores.is_empty() { f64::NAN } else { ledger.around.condition.margin(&scores) };
            if margin.is_nan() {
                continue;
            }
            if ledger.is_valid(margin) {
                let size = self.size(&point);
                if self.best.as_ref().is_none_or(|best| size < best.size) {
                    valid.push((size, point.clone()));
                }
            }
            answered.push((point, self.counted(margin)));
        }
        valid.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
        for (_, point) in valid.into_iter().take(TRIED) {
            if self.take(point)? {
                break;
            }
        }
        ledger.report();
        Ok(answered)
    }

    /// Takes a point if it passes its trials and is smaller than what is there; whether it passed.
    fn take(&mut self, point: Vec<f64>) -> Result<bool, ExplainError> {
        let size = self.size(&point);
        let Some(held) = self.trials.passed(point)? else { return Ok(false) };
        if self.best.as_ref().is_none_or(|best| size < best.size) {
            self.record(&held);
            self.best = Some(Best { held, size });
        }
        Ok(true)
    }

    fn record(&mut self, held: &Held) {
        let ledger = &self.search.ledger;
        let loss = loss(held.margin, ledger.kappa);
        let sizes = || held.point.iter().zip(ledger.origin()).map(|(x, o)| (x - o).abs());
        self.course.steps.push(Step {
            queries: ledger.queries(),
            objective: Some(loss + ledger.penalty(&held.point)),
            loss: Some(loss),
            norm_l1: sizes().sum(),
            norm_l2: sizes().map(|s| s * s).sum::<f64>().sqrt(),
            nonzeros: sizes().filter(|&s| s > 0.0).count(),
            step_size: 1.0,
            best: ledger.best().map(|best| best.penalty),
        });
        ledger.report_holding(&held.point);
        self.course.iterations += 1;
    }
}

//! The direct search: begin with what single features do to the scores, descend, prune, look again.

mod descend;
mod prune;
mod scan;

use std::cell::RefCell;

use super::penalised::Weights;
use super::trial::Trials;
use super::{Course, Found, Search, Start};
use crate::answer::{Minimal, Step};
use crate::error::ExplainError;
use crate::ledger::{Candidate, Ledger, Smallest};
use prune::prune;
use scan::{Begun, FOR_SCREENING};

/// What each stage plans with, whatever the budget: shares are shares of the plan, so that a larger budget asks all that a smaller one
/// asks, in the same order, and then more. The first gives an answer early; it is worth its queries where there are more coordinates
/// than it could look at one by one.
pub(super) const STAGES: [u64; 3] = [400, 4_500, 45_000];
/// What the last pruning of a stage may take beside it.
const SETTLING: u64 = 1_000;
/// One more beginning is followed for each so many queries, at first for a few steps; the best to its end. Of 20 digits,
/// one, three and five beginnings gave $\ell_1$ norms of 10.8, 10.0 and 9.0 for additions, for 500 queries each two.
const PER_BEGINNING: u64 = 1_500;
const FIRST_STEPS: usize = 4;
/// Coordinates that a descent considers beside those of its point.
const BESIDE: usize = 50;
/// All coordinates are looked at anew if that takes no more than one in so many of the queries left.
const FOR_SWEEPING: usize = 8;
/// Another round must have gained this share of the penalty to be followed by one more.
const WORTH_IT: f64 = 0.03;

/// A valid point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    pub(super) point: Vec<f64>,
    pub(super) margin: f64,
    /// Queries when it was known.
    pub(super) known: u64,
}

impl Search<'_> {
    /// The smallest point there is to be found, in stages: several beginnings, the best of which is refined and pruned, then the
    /// others. Of all points asked the smallest is the answer, so that more queries never give a larger one.
    pub(super) fn direct(
        &self,
        stages: &[u64],
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Found, ExplainError> {
        for &planned in stages {
            let refiner = self.refiner(planned);
            let few = self.ledger.around.coordinates.free().len() <= refiner.left() / FOR_SCREENING;
            if planned == STAGES[0] && few {
                continue;
            }
            // The last stage is for budgets that leave room for it.
            if planned == STAGES[2] && self.queries < 2 * STAGES[1] {
                break;
            }
            let done = self.stage(&refiner, trials, course);
            let mut steps = refiner.steps.take();
            course.iterations += steps.len() as u64;
            course.steps.append(&mut steps);
            done?;
            if refiner.is_over() || self.start != Start::Auto {
                break;
            }
        }
        course.steps.sort_by_key(|step| step.queries);
        if let Some(smallest) = self.ledger.smallest() {
            return self.finished(smallest.point, smallest.minimal, smallest.known);
        }
        let known = self.ledger.best().or_else(|| self.ledger.nearest());
        let point = known.map_or_else(|| self.ledger.origin().to_vec(), |candidate| candidate.point);
        self.finished(point, Minimal::NotAsked, None)
    }

    /// Whether the search begins at the input itself, whose scores are known.
    fn begins_at_input(&self) -> bool {
        let coordinates = self.ledger.around.coordinates;
        coordinates.origin == coordinates.whole
    }

    /// One stage.
    fn stage(
        &self,
        refiner: &Refiner<'_, '_>,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<(), ExplainError> {
        let origin = self.ledger.origin().to_vec();
        let base = if self.begins_at_input() {
            self.original_scores.to_vec()
        } else {
            let scores = self.ledger.ask_scores(std::slice::from_ref(&origin))?.concat();
            let margin = self.ledger.around.condition.margin(&scores);
            if self.ledger.reaches(margin) {
                self.ledger.offer(&origin, margin, Minimal::Checked);
                return Ok(());
            }
            scores
        };
        let mut begun = match self.start {
            Start::Auto => refiner.greedy(&base, self.options.config.seed)?,
            Start::Input | Start::Zero | Start::Centre => Vec::new(),
        };
        if begun.is_empty() {
            let Some(held) = self.fallback(refiner, trials, course)? else { return Ok(()) };
            begun.push(Begun { order: self.ledger.moved(&held.point), held });
        }
        let at_first = usize::try_from(refiner.planned / PER_BEGINNING).unwrap_or(usize::MAX).max(1);
        for Begun { held, order } in begun.iter_mut().take(at_first) {
            *held = refiner.descend(held.clone(), &order[..order.len().min(BESIDE)], FIRST_STEPS)?;
        }
        begun.sort_by(|a, b| refiner.penalty(&a.held).total_cmp(&refiner.penalty(&b.held)));
        let others = if refiner.planned == STAGES[0] { 1 } else { begun.len() };
        for one in begun.into_iter().take(others) {
            self.followed(refiner, one)?;
            if refiner.left() == 0 {
                break;
            }
        }
        self.settled(&self.refiner(SETTLING))
    }

    /// Prunes the smallest point until no single place of it can go.
    fn settled(&self, refiner: &Refiner<'_, '_>) -> Result<(), ExplainError> {
        while self.options.prune && refiner.left() > 0 {
            let Some(Smallest { point, margin, known, minimal, .. }) = self.ledger.smallest() else { break };
            if minimal == Minimal::Checked {
                break;
            }
            let before = self.ledger.sent();
            let known = known.unwrap_or_else(|| self.ledger.queries());
            self.bare(refiner, Held { point, margin, known })?;
            if self.ledger.sent() == before {
                break;
            }
        }
        Ok(())
    }

    /// To its end: descents and prunings in turns, once with all coordinates looked at anew.
    fn followed(&self, refiner: &Refiner<'_, '_>, begun: Begun) -> Result<(), ExplainError> {
        let Begun { mut held, order } = begun;
        let mut beside: Vec<usize> = order.into_iter().take(BESIDE).collect();
        let (mut minimal, mut swept) = (Minimal::NotAsked, false);
        loop {
            let before = refiner.penalty(&held);
            held = refiner.descend(held, &beside, usize::MAX)?;
            if self.options.prune {
                (held, minimal) = prune(&self.ledger, held, self.ledger.aim(), refiner.left() as u64)?;
            }
            if minimal == Minimal::BudgetEnded || refiner.left() == 0 {
                break;
            }
            let gained = refiner.penalty(&held) < (1.0 - WORTH_IT) * before;
            let mut others = self.ledger.around.coordinates.free();
            others.retain(|&i| held.point[i] == self.ledger.origin()[i]);
            if !swept && others.len() <= refiner.left() / FOR_SWEEPING {
                swept = true;
                beside = refiner.steepest(&held, others, BESIDE)?;
            } else if !gained {
                break;
            }
        }
        if self.options.prune {
            self.bare(refiner, held)?;
        }
        Ok(())
    }

    /// A valid point where single features tell nothing.
    fn fallback(
        &self,
        refiner: &Refiner<'_, '_>,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Option<Held>, ExplainError> {
        let mut held = None;
        if self.start == Start::Auto {
            held = if self.begins_at_input() {
                refiner.patterns()?
            } else {
                refiner.held(refiner.on_grid(self.ledger.around.coordinates.whole.clone()))?
            };
            if held.is_none() {
                held = refiner.scattered(self.options.config.seed)?;
            }
        }
        if held.is_none() {
            let queries = refiner.left() as u64 / 2;
            self.minimise(trials, self.start()?, queries, Weights::Several, course)?;
            held = self.best()?;
        }
        let Some(held) = held else { return Ok(None) };
        let moved = self.ledger.moved(&held.point);
        let held = refiner.reduced(held, &moved)?;
        // Steps cost as many queries as there are coordinates.
        let held = if self.options.prune {
            prune(&self.ledger, held, self.ledger.aim(), refiner.left() as u64)?.0
        } else {
            held
        };
        Ok(Some(held))
    }

    /// A refiner that plans with so many queries.
    pub(super) fn refiner(&self, planned: u64) -> Refiner<'_, '_> {
        Refiner {
            ledger: &self.ledger,
            end: self.queries.saturating_sub(self.ledger.around.reserve),
            planned,
            began: self.ledger.sent(),
            steps: RefCell::default(),
        }
    }

    /// The best point so far, as a file holds it if it is valid so.
    pub(super) fn best(&self) -> Result<Option<Held>, ExplainError> {
        let Some(best) = self.ledger.best() else { return Ok(None) };
        self.saved(best).map(Some)
    }

    /// Without what can go as long as the class condition holds at all: every feature left is needed for the class itself.
    fn bare(&self, refiner: &Refiner<'_, '_>, held: Held) -> Result<(Held, Minimal), ExplainError> {
        let (held, minimal) = prune(&self.ledger, held, self.ledger.around.floor, refiner.left() as u64)?;
        self.ledger.offer(&held.point, held.margin, minimal);
        self.ledger.settle();
        Ok((held, minimal))
    }

    pub(super) fn pruned(&self, refiner: &Refiner<'_, '_>, held: Held) -> Result<Found, ExplainError> {
        let (held, _) = prune(&self.ledger, held, self.ledger.aim(), refiner.left() as u64)?;
        let (held, minimal) = self.bare(refiner, held)?;
        self.finished(held.point, minimal, Some(held.known))
    }

    /// The point with values that a file can hold, if it stays valid so: the nearest ones, or the next away from the origin.
    fn saved(&self, best: Candidate) -> Result<Held, ExplainError> {
        let known = self.ledger.queries();
        let coordinates = self.ledger.around.coordinates;
        let as_it_is = |best: Candidate, known| Held { point: best.point, margin: best.margin, known };
        let Some(steps) = coordinates.step() else { return Ok(as_it_is(best, known)) };
        let rounded = |outwards: f64| -> Vec<f64> {
            let mut point = best.point.clone();
            for i in self.ledger.moved(&point) {
                let away = (point[i] - self.ledger.origin()[i]).signum() * outwards;
                let (lower, upper) = self.ledger.bounds()[i];
                point[i] = coordinates.nearest(i, point[i] + away * steps).clamp(lower, upper);
            }
            point
        };
        let attempts = [rounded(0.0), rounded(0.5)];
        let margins = self.ledger.ask(&attempts)?;
        let answered: Vec<(Vec<f64>, f64)> = attempts.into_iter().zip(margins).collect();
        let above = |bar: f64| answered.iter().find(|&&(_, margin)| margin > bar).cloned();
        let known = self.ledger.queries();
        Ok(match above(self.ledger.aim()).or_else(|| above(self.ledger.around.floor)) {
            Some((point, margin)) => Held { point, margin, known },
            None => as_it_is(best, known),
        })
    }
}

/// Asks about points whose values exist, up to a number of queries.
pub(super) struct Refiner<'a, 'b> {
    pub(super) ledger: &'a Ledger<'b>,
    /// Queries sent after which nothing may be asked.
    end: u64,
    /// What it plans with, from where it began.
    planned: u64,
    began: u64,
    steps: RefCell<Vec<Step>>,
}

impl Refiner<'_, '_> {
    /// Queries left of the plan; none if the budget has ended or the search was cancelled.
    pub(super) fn left(&self) -> usize {
        let left = (self.began + self.planned).saturating_sub(self.ledger.sent());
        if self.is_over() { 0 } else { usize::try_from(left).unwrap_or(usize::MAX) }
    }

    /// Whether nothing may be asked any more.
    fn is_over(&self) -> bool {
        self.ledger.is_cancelled() || self.ledger.sent() >= self.end
    }

    fn penalty(&self, held: &Held) -> f64 {
        self.ledger.penalty(&held.point)
    }

    /// The bounds of a coordinate; where there is none, a way beyond the input.
    fn bounds(&self, i: usize) -> (f64, f64) {
        let (lower, upper) = self.ledger.bounds()[i];
        let far = 1.0 + self.ledger.around.coordinates.whole[i].abs();
        let origin = self.ledger.origin()[i];
        (
            if lower.is_finite() { lower } else { origin - far },
            if upper.is_finite() { upper } else { origin + far },
        )
    }

    /// The bound further from the origin.
    fn furthest(&self, i: usize) -> f64 {
        let (lower, upper) = self.bounds(i);
        let origin = self.ledger.origin()[i];
        if upper - origin >= origin - lower { upper } else { lower }
    }

    /// A point with values that exist.
    fn on_grid(&self, mut point: Vec<f64>) -> Vec<f64> {
        for (i, x) in point.iter_mut().enumerate() {
            *x = self.ledger.around.coordinates.snap(i, *x);
        }
        point
    }

    /// A point with one coordinate elsewhere.
    fn with(&self, point: &[f64], i: usize, x: f64) -> Vec<f64> {
        let mut point = point.to_vec();
        point[i] = self.ledger.around.coordinates.snap(i, x);
        point
    }

    /// A point if it is valid; one query.
    fn held(&self, point: Vec<f64>) -> Result<Option<Held>, ExplainError> {
        self.cheapest_of([point].into())
    }

    /// The valid point with the smallest penalty.
    fn cheapest_of(&self, points: Vec<Vec<f64>>) -> Result<Option<Held>, ExplainError> {
        let margins = self.ledger.ask(&points)?;
        let known = self.ledger.queries();
        let valid = points.into_iter().zip(margins).filter(|&(_, margin)| self.ledger.reaches(margin));
        let mut all: Vec<(f64, Held)> = valid
            .map(|(point, margin)| (self.ledger.penalty(&point), Held { point, margin, known }))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(all.into_iter().next().map(|(_, held)| held))
    }
}

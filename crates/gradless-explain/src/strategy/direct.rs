//! The direct search: begin with what single features do to the scores, descend, prune, look again.

mod descend;
mod prune;
mod scan;

use std::cell::RefCell;

use super::penalised::Weights;
use super::{Course, Found, LOOK, Search, Start};
use crate::answer::{Minimal, Step};
use crate::error::ExplainError;
use crate::ledger::{Candidate, Ledger};
use prune::prune;
use scan::Begun;

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
    /// The smallest point there is to be found: from several beginnings, the best of which is refined and pruned.
    pub(super) fn direct(&self, course: &mut Course) -> Result<Found, ExplainError> {
        let refiner = self.refiner();
        let found = self.refined(&refiner, course);
        let mut steps = refiner.steps.take();
        course.iterations += steps.len() as u64;
        course.steps.append(&mut steps);
        course.steps.sort_by_key(|step| step.queries);
        found
    }

    /// Whether the search begins at the input itself, whose scores are known.
    fn begins_at_input(&self) -> bool {
        let coordinates = self.ledger.around.coordinates;
        coordinates.origin == coordinates.whole
    }

    fn refined(&self, refiner: &Refiner<'_, '_>, course: &mut Course) -> Result<Found, ExplainError> {
        let origin = self.ledger.origin().to_vec();
        let base = if self.begins_at_input() {
            self.original_scores.to_vec()
        } else {
            let scores = self.ledger.ask_scores(std::slice::from_ref(&origin))?.concat();
            if self.ledger.reaches(self.ledger.around.condition.margin(&scores)) {
                return self.finished(origin, Minimal::Checked, Some(self.ledger.queries()));
            }
            scores
        };
        let mut begun = match self.start {
            Start::Auto => refiner.greedy(&base, self.options.config.seed)?,
            Start::Input | Start::Zero | Start::Centre => Vec::new(),
        };
        if begun.is_empty() {
            let Some(held) = self.fallback(refiner, course)? else {
                let nearest = self.ledger.nearest().map_or(origin, |near| near.point);
                return self.finished(nearest, Minimal::NotAsked, None);
            };
            begun.push(Begun { order: self.ledger.moved(&held.point), held });
        }
        begun.truncate(usize::try_from(self.queries / PER_BEGINNING).unwrap_or(usize::MAX).max(1));
        for Begun { held, order } in &mut begun {
            *held = refiner.descend(held.clone(), &order[..order.len().min(BESIDE)], FIRST_STEPS)?;
        }
        begun.sort_by(|a, b| refiner.penalty(&a.held).total_cmp(&refiner.penalty(&b.held)));
        match begun.into_iter().next() {
            Some(best) => self.followed(refiner, best),
            None => self.finished(origin, Minimal::NotAsked, None),
        }
    }

    /// To its end: descents and prunings in turns, once with all coordinates looked at anew.
    fn followed(&self, refiner: &Refiner<'_, '_>, begun: Begun) -> Result<Found, ExplainError> {
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
            (held, minimal) = self.bare(refiner, held)?;
        }
        self.finished(held.point, minimal, Some(held.known))
    }

    /// A valid point where single features tell nothing.
    fn fallback(&self, refiner: &Refiner<'_, '_>, course: &mut Course) -> Result<Option<Held>, ExplainError> {
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
            let queries = self.left().saturating_sub(LOOK) / 2;
            self.minimise(self.start()?, queries, Weights::Several, course)?;
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

    pub(super) fn refiner(&self) -> Refiner<'_, '_> {
        Refiner { ledger: &self.ledger, end: self.queries.saturating_sub(LOOK), steps: RefCell::default() }
    }

    /// The best point so far, as a file holds it if it is valid so.
    pub(super) fn best(&self) -> Result<Option<Held>, ExplainError> {
        let Some(best) = self.ledger.best() else { return Ok(None) };
        self.saved(best).map(Some)
    }

    /// Without what can go as long as the class condition holds at all: every feature left is needed for the class itself.
    fn bare(&self, refiner: &Refiner<'_, '_>, held: Held) -> Result<(Held, Minimal), ExplainError> {
        prune(&self.ledger, held, self.ledger.around.floor, refiner.left() as u64)
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
    steps: RefCell<Vec<Step>>,
}

impl Refiner<'_, '_> {
    /// Queries left; none if the search was cancelled.
    pub(super) fn left(&self) -> usize {
        if self.ledger.is_cancelled() {
            return 0;
        }
        usize::try_from(self.end.saturating_sub(self.ledger.sent())).unwrap_or(usize::MAX)
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

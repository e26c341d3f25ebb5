//! The way to an answer: begin, refine, prune, look again.

use std::cell::RefCell;

use gradless::StopReason;

use crate::answer::{Answer, Explain, ExplainError, Search};
use crate::condition::largest;
use crate::ledger::{Candidate, KEPT, Ledger, loss};
use crate::prune::prune;
use crate::refine::{Held, Refiner};
use crate::report::{Minimal, Mode};
use crate::search::{Beginning, Searched, boundary, search};
use crate::starts::Begun;
use crate::task::{Start, Task};

/// Share of the queries that is kept for pruning.
const FOR_PRUNING: u64 = 3;

/// How far the margin of the input as a picture holds it is from its own: nothing where it is a picture. A search keeps
/// clear of that, for its answers must hold both ways.
pub(crate) fn off_grid(ledger: &Ledger<'_>, task: &Task, how: &Explain) -> Result<f64, ExplainError> {
    let Some(grid) = how.grid else { return Ok(0.0) };
    let whole = task.seen(&task.everything());
    let off = |values: &[f64]| values.iter().any(|&value| (grid.nearest(value) - value).abs() > SAME);
    let nothing = task.seen(&task.nothing());
    let mut most = 0.0_f64;
    for seen in [whole, nothing].iter().filter(|seen| off(seen)) {
        let saved: Vec<f64> = seen.iter().map(|&value| grid.nearest(value)).collect();
        let (exact, _) = ledger.look_at_input(seen)?;
        let (rounded, _) = ledger.look_at_input(&saved)?;
        most = most.max((exact - rounded).abs());
    }
    Ok(most)
}

pub(crate) struct Run<'a> {
    pub(crate) ledger: Ledger<'a>,
    pub(crate) task: &'a Task,
    pub(crate) how: &'a Explain,
    /// Without the look at the input.
    pub(crate) queries: u64,
    pub(crate) original_scores: Vec<f64>,
}

/// One more beginning is followed for each so many queries, at first for a few steps; the best to its end. Of 20 digits,
/// one, three and five beginnings gave $\ell_1$ norms of 10.8, 10.0 and 9.0 for additions, for 500 queries each two.
const PER_BEGINNING: u64 = 1_500;
const FIRST_STEPS: usize = 4;
/// Places that a descent considers beside those of its point.
const BESIDE: usize = 50;
/// All places are looked at anew if that takes no more than one in so many of the queries left.
const FOR_SWEEPING: usize = 8;
/// Another round must have gained this share of the penalty to be followed by one more.
const WORTH_IT: f64 = 0.03;

/// What a look at a point before and after saving it takes.
const LOOK: u64 = KEPT;
/// Numbers this close are one, after an addition and a subtraction.
const SAME: f64 = 1e-12;

/// A point that may be the answer, and what is known of it.
struct Found {
    point: Vec<f64>,
    margin: f64,
    scores: Vec<f64>,
    minimal: Minimal,
    /// Queries when it was known; when it was looked at last if not given.
    known: Option<u64>,
}

impl From<Candidate> for Found {
    fn from(Candidate { unknown, margin, scores, .. }: Candidate) -> Self {
        Self { point: unknown, margin, scores, minimal: Minimal::NotAsked, known: None }
    }
}

impl Run<'_> {
    pub(crate) fn answer(self) -> Result<Answer, ExplainError> {
        let Explain { l1, l2, .. } = *self.how;
        let mut searched = Searched::new(l1, l2, self.task.nothing());
        let found = match self.how.search {
            Search::Direct => self.searched(&mut searched),
            Search::Weights | Search::Off => self.by_method(&mut searched),
        };
        let found = match found {
            Ok(found) => found,
            // A model that fails now takes nothing away from what it has answered.
            Err(ExplainError::Model(error)) => {
                let Some(kept) = self.kept() else { return Err(error.into()) };
                searched.stop = Some(StopReason::OracleFailed { message: error.to_string() });
                kept
            }
            Err(other) => return Err(other),
        };
        if searched.stop.is_none() && self.ledger.is_cancelled() {
            searched.stop = Some(StopReason::Cancelled);
        }
        self.ledger.settle();
        self.ledger.report();
        Ok(self.told(found, searched))
    }

    /// The method at fixed weights or at several, and if asked for what is needed of it.
    fn by_method(&self, searched: &mut Searched) -> Result<Found, ExplainError> {
        let Explain { l1, l2, .. } = *self.how;
        let start = self.start()?;
        let reserve = if self.how.prune { self.queries / FOR_PRUNING } else { 0 };
        let queries = self.left().saturating_sub(reserve + 2 * LOOK);
        let weights = self.how.search == Search::Weights;
        let beginning = Beginning { start, l1, l2, queries, weights };
        *searched = search(&self.ledger, &self.how.config, beginning)?;
        let refiner = self.refiner();
        let last = searched.last.clone();
        if !self.how.prune && !weights {
            return self.finished(last, Minimal::NotAsked, None);
        }
        match self.best()? {
            Some(held) if !self.how.prune => self.finished(held.point, Minimal::NotAsked, Some(held.known)),
            None => self.finished(
                self.ledger.nearest().map_or(last, |near| near.unknown),
                Minimal::NotAsked,
                None,
            ),
            Some(held) => self.pruned(&refiner, held),
        }
    }

    /// The smallest point there is to be found: from several beginnings, the best of which is refined and pruned.
    fn searched(&self, searched: &mut Searched) -> Result<Found, ExplainError> {
        let refiner = self.refiner();
        let found = self.refined(&refiner, searched);
        let mut steps = refiner.steps.take();
        searched.iterations += steps.len() as u64;
        searched.steps.append(&mut steps);
        searched.steps.sort_by_key(|step| step.queries);
        found
    }

    fn refined(&self, refiner: &Refiner<'_, '_>, searched: &mut Searched) -> Result<Found, ExplainError> {
        let nothing = self.task.nothing();
        let base = match self.task.mode {
            Mode::PertinentNegative => self.original_scores.clone(),
            Mode::PertinentPositive => {
                let scores = self.ledger.ask_scores(std::slice::from_ref(&nothing))?.concat();
                if self.ledger.reaches(self.ledger.around.condition.margin(&scores)) {
                    return self.finished(nothing, Minimal::Checked, Some(self.ledger.queries()));
                }
                scores
            }
        };
        let mut begun = if self.how.start == Start::Auto {
            refiner.greedy(&base, self.how.config.seed)?
        } else {
            Vec::new()
        };
        if begun.is_empty() {
            let Some(held) = self.fallback(refiner, searched)? else {
                let nearest = self.ledger.nearest().map_or(nothing, |near| near.unknown);
                return self.finished(nearest, Minimal::NotAsked, None);
            };
            begun.push(Begun { order: self.ledger.support(&held.point), held });
        }
        begun.truncate(usize::try_from(self.queries / PER_BEGINNING).unwrap_or(usize::MAX).max(1));
        for Begun { held, order } in &mut begun {
            *held = refiner.descend(held.clone(), &order[..order.len().min(BESIDE)], FIRST_STEPS)?;
        }
        begun.sort_by(|a, b| refiner.penalty(&a.held).total_cmp(&refiner.penalty(&b.held)));
        match begun.into_iter().next() {
            Some(best) => self.followed(refiner, best),
            None => self.finished(nothing, Minimal::NotAsked, None),
        }
    }

    /// To its end: descents and prunings in turns, once with all places looked at anew.
    fn followed(&self, refiner: &Refiner<'_, '_>, begun: Begun) -> Result<Found, ExplainError> {
        let Begun { mut held, order } = begun;
        let mut places: Vec<usize> = order.into_iter().take(BESIDE).collect();
        let (mut minimal, mut swept) = (Minimal::NotAsked, false);
        loop {
            let before = refiner.penalty(&held);
            held = refiner.descend(held, &places, usize::MAX)?;
            if self.how.prune {
                (held, minimal) = prune(&self.ledger, held, self.ledger.aim(), refiner.left() as u64)?;
            }
            if minimal == Minimal::BudgetEnded || refiner.left() == 0 {
                break;
            }
            let gained = refiner.penalty(&held) < (1.0 - WORTH_IT) * before;
            let mut others = refiner.free();
            others.retain(|&i| held.point[i] == self.ledger.nothing()[i]);
            if !swept && others.len() <= refiner.left() / FOR_SWEEPING {
                swept = true;
                places = refiner.steepest(&held, others, BESIDE)?;
            } else if !gained {
                break;
            }
        }
        if self.how.prune {
            (held, minimal) = self.bare(refiner, held)?;
        }
        self.finished(held.point, minimal, Some(held.known))
    }

    /// A valid point where single places tell nothing.
    fn fallback(
        &self,
        refiner: &Refiner<'_, '_>,
        searched: &mut Searched,
    ) -> Result<Option<Held>, ExplainError> {
        let mut held = None;
        if self.how.start == Start::Auto {
            held = match self.task.mode {
                Mode::PertinentPositive => refiner.held(refiner.on_grid(self.task.everything()))?,
                Mode::PertinentNegative => refiner.patterns()?,
            };
            if held.is_none() {
                held = refiner.scattered(self.how.config.seed)?;
            }
        }
        if held.is_none() {
            let Explain { l1, l2, .. } = *self.how;
            let start = self.start()?;
            let queries = self.left().saturating_sub(LOOK) / 2;
            let beginning = Beginning { start, l1, l2, queries, weights: true };
            *searched = search(&self.ledger, &self.how.config, beginning)?;
            held = self.best()?;
        }
        let Some(held) = held else { return Ok(None) };
        let support = self.ledger.support(&held.point);
        let held = refiner.reduced(held, &support)?;
        // Steps cost as many queries as there are places.
        let held = if self.how.prune {
            prune(&self.ledger, held, self.ledger.aim(), refiner.left() as u64)?.0
        } else {
            held
        };
        Ok(Some(held))
    }

    fn refiner(&self) -> Refiner<'_, '_> {
        Refiner {
            ledger: &self.ledger,
            grid: self.how.grid,
            end: self.queries.saturating_sub(LOOK),
            steps: RefCell::default(),
        }
    }

    /// The best point the method saw, as a picture holds it if it is valid so.
    fn best(&self) -> Result<Option<Held>, ExplainError> {
        let Some(best) = self.ledger.best() else { return Ok(None) };
        self.on_grid(best).map(Some)
    }

    /// Without what can go as long as the class condition holds at all: every place left is needed for the class itself.
    fn bare(&self, refiner: &Refiner<'_, '_>, held: Held) -> Result<(Held, Minimal), ExplainError> {
        prune(&self.ledger, held, self.ledger.around.floor, refiner.left() as u64)
    }

    fn pruned(&self, refiner: &Refiner<'_, '_>, held: Held) -> Result<Found, ExplainError> {
        let (held, _) = prune(&self.ledger, held, self.ledger.aim(), refiner.left() as u64)?;
        let (held, minimal) = self.bare(refiner, held)?;
        self.finished(held.point, minimal, Some(held.known))
    }

    /// The last look.
    fn finished(&self, point: Vec<f64>, minimal: Minimal, known: Option<u64>) -> Result<Found, ExplainError> {
        let (margin, scores) = self.look(&point)?;
        Ok(Found { point, margin, scores, minimal, known })
    }

    /// What is known without asking again: the best point that is as a picture would hold it, else the closest miss.
    fn kept(&self) -> Option<Found> {
        let best = self.ledger.best().filter(|best| {
            let seen = self.task.seen(&best.unknown);
            self.how.grid.is_none_or(|grid| {
                seen.iter().all(|&value| (grid.nearest(value) - value).abs() <= SAME * value.abs().max(1.0))
            })
        });
        best.map(Found::from).or_else(|| {
            // Valid or not, its picture was never looked at.
            let nearest = Found::from(self.ledger.nearest()?);
            Some(Found { margin: nearest.margin.min(0.0), ..nearest })
        })
    }

    fn told(self, found: Found, searched: Searched) -> Answer {
        let Found { point, margin, scores, minimal, known } = found;
        let valid = self.how.floor.is_passed_by(margin);
        // What was kept clear of rounding may have places that the class does not need.
        let clear = self.ledger.around.floor > self.how.floor.margin;
        let minimal = if valid && !clear { minimal } else { Minimal::NotAsked };
        let (l1, l2) = (searched.l1, searched.l2);
        let distances = || point.iter().zip(self.ledger.nothing()).map(|(x, o)| (x - o).abs());
        let norm_l1: f64 = distances().sum();
        let norm_l2 = distances().map(|s| s * s).sum::<f64>().sqrt();
        let loss = loss(self.ledger.around.condition.margin(&scores), self.ledger.kappa);
        let objective =
            |loss: f64, norm_l1: f64, norm_l2: f64| loss + l1 * norm_l1 + 0.5 * l2 * norm_l2 * norm_l2;
        let first = searched.steps.first();
        let queries = 1 + self.ledger.sent();
        Answer {
            valid,
            seen: self.task.seen(&point),
            class: largest(&scores),
            margin,
            scores,
            original_class: self.ledger.around.condition.class,
            kappa: self.ledger.kappa,
            weights: (l1, l2),
            loss,
            objective: objective(loss, norm_l1, norm_l2),
            objective_start: first.and_then(|s| Some(objective(s.loss?, s.norm_l1, s.norm_l2))),
            first_valid: match (self.ledger.first_valid(), known.filter(|_| valid)) {
                (Some(first), Some(known)) => Some(first.min(known)),
                (first, known) => first.or(known),
            },
            best_valid: valid.then_some(known.unwrap_or(queries)),
            queries,
            iterations: searched.iterations,
            minimal,
            norm_l1,
            norm_l2,
            nonzeros: distances().filter(|&s| s > 0.0).count(),
            stop: searched.stop,
            steps: searched.steps,
            unknown: point,
            original_scores: self.original_scores,
        }
    }

    fn left(&self) -> u64 {
        self.queries.saturating_sub(self.ledger.sent())
    }

    fn start(&self) -> Result<Vec<f64>, ExplainError> {
        let Self { task, how, .. } = self;
        if how.start == Start::Auto && task.mode == Mode::PertinentNegative {
            let boundary = boundary(&self.ledger)?;
            return Ok(boundary.unwrap_or_else(|| task.start(Start::Centre)));
        }
        Ok(task.start(how.start))
    }

    /// The point as a picture would hold it where it differs from nothing, if it stays valid so: rounded to the nearest,
    /// or away from nothing.
    fn on_grid(&self, best: Candidate) -> Result<Held, ExplainError> {
        let known = self.ledger.queries();
        let Some(grid) = self.how.grid else {
            return Ok(Held { point: best.unknown, margin: best.margin, known });
        };
        let rounded = |outwards: f64| -> Vec<f64> {
            let mut point = best.unknown.clone();
            for i in self.ledger.support(&point) {
                let shift = match self.task.mode {
                    Mode::PertinentPositive => 0.0,
                    Mode::PertinentNegative => self.task.input[i],
                };
                let away = (point[i] - self.ledger.nothing()[i]).signum() * outwards;
                let (lower, upper) = self.ledger.bounds()[i];
                let width = (grid.high - grid.low) / f64::from(grid.steps);
                point[i] = (grid.nearest(point[i] + shift + away * width) - shift).clamp(lower, upper);
            }
            point
        };
        let attempts = [rounded(0.0), rounded(0.5)];
        let margins = self.ledger.ask(&attempts)?;
        let answered: Vec<(Vec<f64>, f64)> = attempts.into_iter().zip(margins).collect();
        let above = |bar: f64| answered.iter().find(|&&(_, margin)| margin > bar).cloned();
        let valid = above(self.ledger.aim()).or_else(|| above(self.ledger.around.floor));
        let (point, margin) = valid.unwrap_or((best.unknown, best.margin));
        Ok(Held { point, margin, known: self.ledger.queries() })
    }

    /// The margin and scores of a point, as it is and as a picture would hold all of it: the smaller margin counts.
    fn look(&self, point: &[f64]) -> Result<(f64, Vec<f64>), ExplainError> {
        let as_it_is = self.ledger.look(point)?;
        let Some(grid) = self.how.grid else { return Ok(as_it_is) };
        let seen = self.task.seen(point);
        let saved: Vec<f64> = seen.iter().map(|&value| grid.nearest(value)).collect();
        if saved == seen {
            return Ok(as_it_is);
        }
        let (margin, _) = self.ledger.look_at_input(&saved)?;
        // The smaller, and NaN if either is.
        let smaller = if margin < as_it_is.0 || margin.is_nan() { margin } else { as_it_is.0 };
        Ok((smaller, as_it_is.1))
    }
}

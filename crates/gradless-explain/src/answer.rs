//! The answer, and the way to it: look at the input, search, round, prune, look again.

use std::sync::atomic::AtomicBool;

use gradless::{Budget, Config, ConfigError, Inputs, Model, ModelError, ProblemError, StopReason};
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, largest};
use crate::ledger::{Candidate, Ledger, Surroundings, loss};
use crate::prune::prune;
use crate::report::{Minimal, Mode};
use crate::search::{Beginning, Searched, boundary, search};
use crate::task::{Start, Task, TaskError};

/// Queries an explanation may use unless told otherwise.
const QUERIES: u64 = 5_000;
/// Share of the queries that is kept for pruning.
const FOR_PRUNING: u64 = 3;

/// How an answer is searched.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `config` | ZO-AdaExpGrad+, 5,000 queries | method, seed and budget, which holds for everything |
/// | `l1`, `l2` | 2^-4 each | weights of the penalty; of a search, where it begins |
/// | `kappa` | 5 % of the input's margin | by how much the class condition should hold; `None`: the loss never stops |
/// | `search` | yes | whether the weights are searched too |
/// | `prune` | yes | whether what is not needed is removed at the end |
/// | `start` | auto | where to start |
/// | `grid` | none | values a saved picture can hold |
/// | `floor` | 0 | a margin must be above it: the noise of the model's margin |
/// | `threads` | 1 | the answer does not depend on it |
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Explain {
    pub config: Config,
    pub l1: f64,
    pub l2: f64,
    pub kappa: Option<Kappa>,
    pub search: bool,
    pub prune: bool,
    pub start: Start,
    pub grid: Option<Grid>,
    pub floor: f64,
    pub threads: usize,
}

impl Default for Explain {
    fn default() -> Self {
        Self {
            config: Config { budget: Budget::queries(QUERIES), ..Config::default() },
            l1: 0.0625,
            l2: 0.0625,
            kappa: Some(Kappa::Share(0.05)),
            search: true,
            prune: true,
            start: Start::Auto,
            grid: None,
            floor: 0.0,
            threads: 1,
        }
    }
}

/// A margin to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kappa {
    /// In scores.
    Absolute(f64),
    /// As a share of the margin of the input itself.
    Share(f64),
}

/// Values a saved picture can hold: `low`, `high`, and so many steps between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// What 0 stands for.
    pub low: f64,
    /// What the largest byte stands for.
    pub high: f64,
    /// The largest byte: 255.
    pub steps: u32,
}

impl Grid {
    fn nearest(self, value: f64) -> f64 {
        let width = (self.high - self.low) / f64::from(self.steps);
        let step = ((value - self.low) / width).round().clamp(0.0, f64::from(self.steps));
        // One division, so that bytes come back as the numbers they were read as.
        self.low + step * (self.high - self.low) / f64::from(self.steps)
    }
}

/// One step of the search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Queries used so far, everything included.
    pub queries: u64,
    /// Loss and penalty at the weights of the step.
    pub objective: Option<f64>,
    /// What the class condition costs.
    pub loss: Option<f64>,
    /// $\ell_1$ norm, from nothing.
    pub norm_l1: f64,
    /// $\ell_2$ norm, from nothing.
    pub norm_l2: f64,
    /// Places that differ from nothing.
    pub nonzeros: usize,
    /// The weight of the step.
    pub step_size: f64,
    /// The smallest penalty of a valid point so far, at the weights as given.
    pub best: Option<f64>,
}

/// Who looks on while an explanation is searched.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Ends the search early with the best so far.
    pub cancel: &'a AtomicBool,
    /// Is told how far the search is, often.
    pub progress: &'a (dyn Fn(&Progress) + Sync),
}

impl<'a> Watch<'a> {
    /// Nobody looks on, but the search can be ended.
    pub fn new(cancel: &'a AtomicBool) -> Self {
        Self { cancel, progress: &|_| () }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watch").field("cancel", self.cancel).finish_non_exhaustive()
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Inputs the model was given.
    pub queries: u64,
    /// How many it may be given.
    pub budget: u64,
    /// Places of the best valid point so far.
    pub best: Option<usize>,
}

/// An explanation, or the closest miss.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Whether the class condition holds by more than the floor: for the answer itself and as a picture would hold it.
    pub valid: bool,
    /// The part, or the change.
    pub unknown: Vec<f64>,
    /// What the model sees: the part, or the input with the change made.
    pub seen: Vec<f64>,
    /// The model's scores there.
    pub scores: Vec<f64>,
    /// Its class there.
    pub class: usize,
    /// By how much the class condition holds; the smaller of the answer's own and its picture's.
    pub margin: f64,
    /// The scores of the input.
    pub original_scores: Vec<f64>,
    /// The class of the input.
    pub original_class: usize,
    /// The margin asked for.
    pub kappa: Option<f64>,
    /// Weights of the last round of the search.
    pub weights: (f64, f64),
    /// What the class condition costs at the answer.
    pub loss: f64,
    /// Loss and penalty of the answer at these weights.
    pub objective: f64,
    /// The same where the search began.
    pub objective_start: Option<f64>,
    /// Queries when the first valid point was known.
    pub first_valid: Option<u64>,
    /// Queries when the answer was known, if it is valid.
    pub best_valid: Option<u64>,
    /// Inputs the model was given, all in all.
    pub queries: u64,
    /// Steps of the search.
    pub iterations: u64,
    /// Whether every place of the answer is needed.
    pub minimal: Minimal,
    /// $\ell_1$ norm, from nothing.
    pub norm_l1: f64,
    /// $\ell_2$ norm, from nothing.
    pub norm_l2: f64,
    /// Places that differ from nothing.
    pub nonzeros: usize,
    /// Why the search ended.
    pub stop: Option<StopReason>,
    /// How the search went.
    pub steps: Vec<Step>,
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The question makes no sense.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The model does not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The problem cannot be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The method cannot be used here.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is no budget, or too little for anything.
    #[error("{queries} queries do not pay for a search: allow at least {LEAST}")]
    Budget {
        /// Queries allowed.
        queries: u64,
    },
    /// A number that must be finite and not negative is not.
    #[error("{what} is {value}: a finite number that is not negative is needed")]
    Number {
        /// Which number.
        what: &'static str,
        /// What was given.
        value: f64,
    },
}

/// Below this there is nothing to search with.
const LEAST: u64 = 200;

/// Searches an explanation with exactly as many queries as the budget allows, or fewer.
///
/// The best valid point of the whole search is kept, put on the grid of a picture, and pruned until no single place of it
/// can go. Cancelling ends it early with the best so far.
pub fn explain(
    model: &dyn Model,
    task: &Task,
    how: &Explain,
    watch: &Watch<'_>,
) -> Result<Answer, ExplainError> {
    task.check(model.inputs(), model.classes())?;
    let queries = how.config.budget.queries.unwrap_or(QUERIES);
    if queries < LEAST {
        return Err(ExplainError::Budget { queries });
    }
    for (what, value) in
        [("the weight l1", how.l1), ("the weight l2", how.l2), ("the noise floor", how.floor)]
    {
        if !value.is_finite() || value < 0.0 {
            return Err(ExplainError::Number { what, value });
        }
    }
    let mut original_scores = vec![0.0; model.classes()];
    model.scores(Inputs { points: &task.input, dim: task.dim() }, &mut original_scores)?;
    let condition = Condition::new(task, &original_scores)?;
    let kappa = match how.kappa {
        None => None,
        Some(Kappa::Absolute(kappa)) => Some(kappa),
        Some(Kappa::Share(share)) => Some(share * condition.confidence(&original_scores)),
    };
    if let Some(value) = kappa.filter(|value| !value.is_finite() || *value < 0.0) {
        return Err(ExplainError::Number { what: "kappa", value });
    }
    let Explain { l1, l2, floor, threads, .. } = *how;
    let around = Surroundings { model, task, condition, floor, l1, l2, threads, watch, budget: queries };
    Run { ledger: Ledger::new(around, kappa), task, how, queries: queries - 1, original_scores }.answer()
}

struct Run<'a> {
    ledger: Ledger<'a>,
    task: &'a Task,
    how: &'a Explain,
    /// Without the look at the input.
    queries: u64,
    original_scores: Vec<f64>,
}

/// What a look at a point before and after saving it takes.
const LOOK: u64 = 2;

/// A point that may be the answer, and what is known of it.
struct Found {
    point: Vec<f64>,
    margin: f64,
    scores: Vec<f64>,
    minimal: Minimal,
}

impl From<Candidate> for Found {
    fn from(Candidate { unknown, margin, scores, .. }: Candidate) -> Self {
        Self { point: unknown, margin, scores, minimal: Minimal::NotAsked }
    }
}

impl Run<'_> {
    fn answer(self) -> Result<Answer, ExplainError> {
        let Explain { l1, l2, search: weights, .. } = *self.how;
        let start = self.start()?;
        let reserve = if self.how.prune { self.queries / FOR_PRUNING } else { 0 };
        let queries = self.left().saturating_sub(reserve + 2 * LOOK);
        let beginning = Beginning { start, l1, l2, queries, weights };
        let mut searched = search(&self.ledger, &self.how.config, beginning)?;
        let found = match self.refined(&searched) {
            Ok(found) => found,
            // A model that fails now takes nothing away from what it has answered.
            Err(ExplainError::Model(error)) => {
                let Some(kept) = self.kept() else { return Err(error.into()) };
                searched.stop = Some(StopReason::OracleFailed { message: error.to_string() });
                kept
            }
            Err(other) => return Err(other),
        };
        self.ledger.report();
        Ok(self.told(found, searched))
    }

    /// The best valid point, rounded and pruned; else the closest miss. What is only the method at fixed weights answers
    /// what the method does.
    fn refined(&self, searched: &Searched) -> Result<Found, ExplainError> {
        let plain = !self.how.search && !self.how.prune;
        let (mut point, mut minimal) = (searched.last.clone(), Minimal::NotAsked);
        match self.ledger.best() {
            _ if plain => (),
            None => point = self.ledger.nearest().map_or(point, |nearest| nearest.unknown),
            Some(best) => {
                point = self.on_grid(best)?;
                if self.how.prune {
                    let pruned = prune(&self.ledger, point, self.left().saturating_sub(LOOK))?;
                    (point, minimal) = (pruned.point, pruned.minimal);
                }
            }
        }
        let (margin, scores) = self.look(&point)?;
        Ok(Found { point, margin, scores, minimal })
    }

    /// What is known without asking again: the best point that is as a picture would hold it, else the closest miss.
    fn kept(&self) -> Option<Found> {
        let best = self.ledger.best().filter(|best| {
            let seen = self.task.seen(&best.unknown);
            self.how.grid.is_none_or(|grid| seen.iter().all(|&value| grid.nearest(value) == value))
        });
        best.map(Found::from).or_else(|| {
            // Valid or not, its picture was never looked at.
            let nearest = Found::from(self.ledger.nearest()?);
            Some(Found { margin: nearest.margin.min(0.0), ..nearest })
        })
    }

    fn told(self, found: Found, searched: Searched) -> Answer {
        let Found { point, margin, scores, minimal } = found;
        let valid = self.ledger.is_valid(margin);
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
            first_valid: searched.steps.iter().find(|step| step.best.is_some()).map(|step| step.queries),
            best_valid: valid.then_some(queries),
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
    fn on_grid(&self, best: Candidate) -> Result<Vec<f64>, ExplainError> {
        let Some(grid) = self.how.grid else { return Ok(best.unknown) };
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
        let valid = attempts.into_iter().zip(margins).find(|&(_, margin)| self.ledger.is_valid(margin));
        Ok(valid.map_or(best.unknown, |(point, _)| point))
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
        Ok((margin.min(as_it_is.0), as_it_is.1))
    }
}

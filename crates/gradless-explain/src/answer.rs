//! The answer, and the way to it: look at the input, search, round, prune, look again.

use std::sync::atomic::AtomicBool;

use gradless::{Budget, Config, ConfigError, Inputs, Model, ModelError, ProblemError, StopReason};
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, largest};
use crate::ledger::{Candidate, Ledger, Surroundings};
use crate::prune::prune;
use crate::report::{Minimal, Mode};
use crate::search::{Beginning, boundary, search};
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
    cancel: &AtomicBool,
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
    let ledger = Ledger::new(Surroundings { model, task, condition, floor, l1, l2, threads, cancel }, kappa);
    Run { ledger, task, how, queries: queries - 1, original_scores }.answer()
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

impl Run<'_> {
    fn answer(self) -> Result<Answer, ExplainError> {
        let Explain { l1, l2, search: weights, .. } = *self.how;
        let start = self.start()?;
        let reserve = if self.how.prune { self.queries / FOR_PRUNING } else { 0 };
        let queries = self.left().saturating_sub(reserve + 2 * LOOK);
        let searched = search(&self.ledger, &self.how.config, Beginning { start, l1, l2, queries, weights })?;
        let found = self.ledger.best().or_else(|| self.ledger.nearest());
        let mut point = found.map_or_else(|| searched.last.clone(), |candidate| candidate.unknown);
        let mut minimal = Minimal::NotAsked;
        if let Some(best) = self.ledger.best() {
            point = self.on_grid(best)?;
            let pruned = if self.how.prune {
                Some(prune(&self.ledger, point.clone(), self.left().saturating_sub(LOOK))?)
            } else {
                None
            };
            if let Some(pruned) = pruned {
                (point, minimal) = (pruned.point, pruned.minimal);
            }
        }
        let (margin, scores) = self.look(&point)?;
        let distances = || point.iter().zip(self.ledger.nothing()).map(|(x, o)| (x - o).abs());
        Ok(Answer {
            valid: self.ledger.is_valid(margin),
            seen: self.task.seen(&point),
            class: largest(&scores),
            margin,
            scores,
            original_class: self.ledger.around.condition.class,
            kappa: self.ledger.kappa,
            weights: (searched.l1, searched.l2),
            queries: 1 + self.ledger.sent(),
            iterations: searched.iterations,
            minimal,
            norm_l1: distances().sum(),
            norm_l2: distances().map(|s| s * s).sum::<f64>().sqrt(),
            nonzeros: distances().filter(|&s| s > 0.0).count(),
            stop: searched.stop,
            steps: searched.steps,
            unknown: point,
            original_scores: self.original_scores,
        })
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

//! The answer, and the way to it: look at the input, begin, refine, prune, look again.

use std::sync::atomic::AtomicBool;

use gradless::{Budget, Config, ConfigError, Inputs, Model, ModelError, ProblemError, StopReason};
use serde::{Deserialize, Serialize};

use crate::condition::Condition;
use crate::floor::Floor;
use crate::ledger::{Ledger, Surroundings};
use crate::report::Minimal;
use crate::run::{Run, off_grid};
use crate::task::{Start, Task, TaskError};

/// Queries an explanation may use unless told otherwise.
const QUERIES: u64 = 5_000;

/// How an answer is searched.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `config` | ZO-AdaExpGrad+, 5,000 queries | method, seed and budget, which holds for everything |
/// | `l1`, `l2` | 2^-4 each | weights of the penalty: of the method, and of what a search calls small |
/// | `kappa` | 5 % of the input's margin | the margin to aim at; `None`: a method's loss never stops |
/// | `search` | direct | how the smallest answer is searched, if it is |
/// | `prune` | yes | whether what is not needed is removed at the end |
/// | `start` | auto | where to start |
/// | `grid` | none | values a saved picture can hold |
/// | `floor` | none | a margin must be above it: the noise of the model's margin |
/// | `threads` | 1 | the answer does not depend on it |
///
/// Whatever it is, the best valid point is kept, and pruned if that is asked for.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Explain {
    pub config: Config,
    pub l1: f64,
    pub l2: f64,
    pub kappa: Option<Kappa>,
    pub search: Search,
    pub prune: bool,
    pub start: Start,
    pub grid: Option<Grid>,
    pub floor: Floor,
    pub threads: usize,
}

impl Default for Explain {
    fn default() -> Self {
        Self {
            config: Config { budget: Budget::queries(QUERIES), ..Config::default() },
            l1: 0.0625,
            l2: 0.0625,
            kappa: Some(Kappa::Share(0.05)),
            search: Search::Direct,
            prune: true,
            start: Start::Auto,
            grid: None,
            floor: Floor::default(),
            threads: 1,
        }
    }
}

/// How the smallest answer is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// Not at all: the method runs once, at the weights given.
    Off,
    /// The method runs at several weights, each time from the best valid point so far.
    Weights,
    /// By what single places do to the scores, refined from there; where that leads nowhere, by patterns of the whole set;
    /// and where none of them is valid, or with a start of its own, by the method at several weights. So the method
    /// decides only where single places tell nothing.
    #[default]
    Direct,
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
    /// The nearest value it can hold.
    pub fn nearest(self, value: f64) -> f64 {
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
    /// Whether the class condition holds by more than the floor, or at all where the model repeats itself: for the answer itself
    /// and as a picture would hold it.
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
        [("the weight l1", how.l1), ("the weight l2", how.l2), ("the noise floor", how.floor.margin)]
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
    let Explain { l1, l2, floor: Floor { margin: floor, .. }, threads, .. } = *how;
    let around = Surroundings { model, task, condition, floor, l1, l2, threads, watch, budget: queries };
    let mut ledger = Ledger::new(around, kappa);
    ledger.around.floor += 2.0 * off_grid(&ledger, task, how)?;
    Run { ledger, task, how, queries: queries - 1, original_scores }.answer()
}

//! Why there is no answer at all.

use gradless::{ConfigError, ModelError, ProblemError};

use crate::answer::Answer;
use crate::question::QuestionError;

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The question makes no sense.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The model does not answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The model stopped answering after some questions were answered.
    #[error("{error}")]
    Broken {
        /// Why.
        error: ModelError,
        /// What was found until then.
        answers: Vec<Answer>,
    },
    /// The problem cannot be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The method cannot be used here.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A probability that is none, or that cannot be reached.
    #[error(
        "the confidence is a probability of {value}: a number between 0 and 1 is needed, neither of them included"
    )]
    Probability {
        /// What was given.
        value: f64,
    },
    /// The model has no probabilities.
    #[error(
        "the model tells {scores}, which are no probabilities: ask for a share of the input's margin instead, such as 0.5"
    )]
    NoProbabilities {
        /// What its scores are.
        scores: &'static str,
    },
    /// The method cannot work on scores.
    #[error("{method} asks for gradients, which queries do not give: take one whose name begins with zo-")]
    Gradients {
        /// Its name.
        method: String,
    },
    /// There is too little budget for anything.
    #[error("{queries} queries are too few: {}allow at least {}", asked(*before), before + LEAST)]
    Budget {
        /// Queries allowed.
        queries: u64,
        /// Queries that are asked before a search.
        before: u64,
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
pub(crate) const LEAST: u64 = 40;

/// What is asked before a search, if anything is known to be.
fn asked(before: u64) -> String {
    if before == 0 { String::new() } else { format!("{before} are asked before the search; ") }
}

impl ExplainError {
    /// Whether asking the same again would fail again: what was asked makes no sense, whatever the model says.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Model(_) | Self::Broken { .. })
    }
}

//! What is asked, and how it is searched.

use gradless::{Config, Estimator};
use serde::{Deserialize, Serialize};

use crate::condition::Confidence;
use crate::error::{ExplainError, LEAST};
use crate::question::{Origin, Question};
use crate::scores::Declared;
use crate::strategy::{Start, Strategy};

/// Queries per question unless told otherwise.
const QUERIES: u64 = 5_000;
/// The weight of both norms for inputs between 0 and 1.
pub(crate) const WEIGHT: f64 = 0.0625;

/// What is asked, and how it is searched.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `questions` | part, change | what is asked |
/// | `strategy` | direct | how the smallest answer is searched |
/// | `method`, `config` | `auto` | the optimiser of a penalised search, by name and as a configuration; its seed is that of the search |
/// | `max_queries` | 5,000 | inputs the model may be given for each question, everything included |
/// | `l1`, `l2` | 2^-4 each | weights of the penalty: of the method, and of what a search calls small |
/// | `confidence` | the class alone | how sure the model must be of the answer, from the first step to the last |
/// | `kappa` | 5 % of the input's margin | the margin to aim at; `None`: a method's loss never stops |
/// | `prune` | yes | whether what is not needed is removed at the end |
/// | `starts` | auto | where a method starts |
/// | `noise_floor` | measured | a margin must be above it |
/// | `declared` | nothing | what the scores are |
/// | `agree` | 0 | other seeds to compare with |
/// | `threads` | 1 | the answer does not depend on it |
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Options {
    pub questions: Vec<Question>,
    pub strategy: Strategy,
    pub method: String,
    pub config: Config,
    pub max_queries: u64,
    pub l1: f64,
    pub l2: f64,
    pub confidence: Confidence,
    pub kappa: Option<Kappa>,
    pub prune: bool,
    pub starts: Starts,
    pub noise_floor: Option<f64>,
    pub declared: Declared,
    pub agree: u32,
    #[serde(skip)]
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            questions: Question::KINDS.to_vec(),
            strategy: Strategy::Direct,
            method: gradless::Method::default().name.to_owned(),
            config: Config::default(),
            max_queries: QUERIES,
            l1: WEIGHT,
            l2: WEIGHT,
            confidence: Confidence::default(),
            kappa: Some(Kappa::Share(0.05)),
            prune: true,
            starts: Starts::default(),
            noise_floor: None,
            declared: Declared::Nothing,
            agree: 0,
            threads: 1,
        }
    }
}

impl Options {
    /// Whether numbers are in their ranges, and the budget pays for a search at all.
    pub fn check(&self) -> Result<(), ExplainError> {
        let kappa = match self.kappa {
            Some(Kappa::Absolute(value) | Kappa::Share(value)) => value,
            None => 0.0,
        };
        let share = match self.confidence {
            Confidence::Probability(p) if !(p > 0.0 && p < 1.0) => {
                return Err(ExplainError::Probability { value: p });
            }
            Confidence::Probability(_) => 0.0,
            Confidence::Share(share) => share,
        };
        for (what, value) in [
            ("the confidence", share),
            ("the weight l1", self.l1),
            ("the weight l2", self.l2),
            ("the noise floor", self.noise_floor.unwrap_or(0.0)),
            ("kappa", kappa),
        ] {
            if !value.is_finite() || value < 0.0 {
                return Err(ExplainError::Number { what, value });
            }
        }
        if matches!(self.config.recipe.estimator, Estimator::Gradients { .. }) {
            return Err(ExplainError::Gradients { method: self.method.clone() });
        }
        if self.max_queries < LEAST {
            return Err(ExplainError::Budget { queries: self.max_queries, before: 0 });
        }
        Ok(())
    }

    /// The margin to aim at, given that of the input.
    pub(super) fn kappa(&self, own: f64) -> Option<f64> {
        self.kappa.map(|kappa| match kappa {
            Kappa::Absolute(kappa) => kappa,
            Kappa::Share(share) => share * own,
        })
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

/// Where a method starts, for each question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starts {
    /// For a part.
    pub part: Start,
    /// For a change.
    pub change: Start,
}

impl Starts {
    /// The same for both.
    pub fn both(start: Start) -> Self {
        Self { part: start, change: start }
    }

    pub(super) fn of(self, question: Question) -> Start {
        match question.origin() {
            Origin::Absent => self.part,
            Origin::Input => self.change,
        }
    }
}

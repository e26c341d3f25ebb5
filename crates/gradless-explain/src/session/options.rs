//! What is asked, and how it is searched.

use gradless::{Config, Estimator};
use serde::{Deserialize, Serialize};

use crate::condition::{Confidence, Stability, largest, probability};
use crate::error::{ExplainError, LEAST};
use crate::features::Kind;
use crate::question::{Norm, Origin, Question};
use crate::scores::{Declared, Scores};
use crate::strategy::{Elimination, Start, Strategy};

/// Queries per question unless told otherwise.
const QUERIES: u64 = 5_000;
/// The share of the input's margin that an answer keeps, and that of scores between -1 and 1, which hardly differ where a model is
/// sure: chosen in `docs/benchmarks/meaning.md`.
const SHARE: f64 = 0.5;
const SQUASHED: f64 = 0.97;
/// The weight of both norms for inputs between 0 and 1.
pub(crate) const WEIGHT: f64 = 0.0625;

/// What is asked, and how it is searched.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `questions` | part, change | what is asked |
/// | `strategy` | by selection where features have a choice of a few values; else by elimination, direct without stability | how the smallest answer is searched |
/// | `method`, `config` | `auto` | the optimiser of a penalised search, by name and as a configuration; its seed is that of the search |
/// | `max_queries` | 5,000 | inputs the model may be given for each question, everything included |
/// | `l1`, `l2` | 2^-4 each | weights of the penalty: of the method, and of what a search calls small |
/// | `confidence` | half of the input's margin; 97 % where scores are squashed; the class alone for a method at fixed weights | how sure the model must be of the answer, from the first step to the last |
/// | `stability` | on; off for a method at fixed weights | whether the answer must survive small random disturbances, and how it is checked |
/// | `kappa` | 5 % of the input's margin | the margin to aim at; `None`: a method's loss never stops |
/// | `elimination` | as there | how a search by elimination goes |
/// | `prune` | yes | whether what is not needed is removed at the end |
/// | `starts` | auto | where a method starts |
/// | `noise_floor` | measured | a margin must be above it |
/// | `declared` | nothing | what the scores are |
/// | `enough` | nothing is | an attack ends with a change of this size |
/// | `agree` | 0 | other seeds to compare with |
/// | `count` | 1 | different answers to each question: with no feature in common, as long as there are such |
/// | `threads` | 1 | the answer does not depend on it |
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Options {
    pub questions: Vec<Question>,
    pub strategy: Option<Strategy>,
    pub method: String,
    pub config: Config,
    pub max_queries: u64,
    pub l1: f64,
    pub l2: f64,
    pub confidence: Option<Confidence>,
    pub stability: Option<Stability>,
    pub elimination: Elimination,
    pub kappa: Option<Kappa>,
    pub prune: bool,
    pub starts: Starts,
    pub noise_floor: Option<f64>,
    pub declared: Declared,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enough: Option<f64>,
    pub agree: u32,
    pub count: usize,
    #[serde(skip)]
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            questions: Question::KINDS.to_vec(),
            strategy: None,
            method: gradless::Method::default().name.to_owned(),
            config: Config::default(),
            max_queries: QUERIES,
            l1: WEIGHT,
            l2: WEIGHT,
            confidence: None,
            stability: None,
            elimination: Elimination::default(),
            kappa: Some(Kappa::Share(0.05)),
            prune: true,
            starts: Starts::default(),
            noise_floor: None,
            declared: Declared::Nothing,
            enough: None,
            agree: 0,
            count: 1,
            threads: 1,
        }
    }
}

impl Options {
    /// The smallest answer that has the class at all: by whatever margin, undisturbed.
    pub fn smallest() -> Self {
        Self { confidence: Some(Confidence::CLASS_ALONE), stability: Some(Stability::Off), ..Self::default() }
    }

    /// The least change that alters the class, by whatever margin; to a target if there is one.
    pub fn attack(norm: Norm, target: Option<usize>) -> Self {
        Self { questions: vec![Question::Attack { norm, target }], kappa: None, ..Self::smallest() }
    }

    /// How the answer to a question is searched, for features of a kind.
    pub fn strategy_for(&self, question: Question, kind: Kind) -> Strategy {
        match question {
            Question::Attack { .. } => self.strategy.unwrap_or(Strategy::Attack),
            Question::Part | Question::Change { .. } | Question::Contrast { .. } | Question::Essential => {
                self.strategy(kind)
            }
        }
    }

    /// How the answer is searched, for features of a kind.
    pub fn strategy(&self, kind: Kind) -> Strategy {
        self.strategy.unwrap_or(match self.stability {
            _ if kind.has_choices() => Strategy::Select,
            _ if kind == Kind::Regions => Strategy::Refine,
            Some(Stability::Off) => Strategy::Direct,
            Some(Stability::On { .. }) | None => Strategy::Eliminate,
        })
    }

    /// Whether the method minimises the paper's objective and nothing else, unless something else is asked for.
    fn is_plain(&self) -> bool {
        self.strategy == Some(Strategy::Fixed)
    }

    /// How sure the model must be of the answer, given what it says of the input: scores as they are searched.
    pub(super) fn confidence(
        &self,
        question: Question,
        scores: Scores,
        kind: Kind,
        original: &[f64],
    ) -> Confidence {
        self.confidence.unwrap_or(match scores {
            _ if self.is_plain() => Confidence::CLASS_ALONE,
            // What is left without some regions need not look like anything else.
            _ if kind == Kind::Regions && question.origin() == Origin::Input => Confidence::CLASS_ALONE,
            Scores::Squashed => Confidence::Share(SQUASHED),
            // A lead over one class has no probability.
            _ if matches!(question, Question::Contrast { .. }) => Confidence::Share(SHARE),
            Scores::Logits | Scores::Probabilities if kind == Kind::Regions => {
                Confidence::Probability(SHARE * probability(original, largest(original)))
            }
            // Forests say 0 and 1, which have no margin in logarithms: half of the way from even odds to the input's.
            Scores::Probabilities if kind.has_choices() => {
                let own = probability(original, largest(original)).clamp(0.5, 1.0);
                Confidence::Probability(0.5 + SHARE * (own - 0.5))
            }
            _ => Confidence::Share(SHARE),
        })
    }

    /// What the answer must survive.
    pub fn stability(&self) -> Stability {
        self.stability.unwrap_or(if self.is_plain() { Stability::Off } else { Stability::default() })
    }

    /// Draws of the last check: what is asked for, but no more than one in ten of all queries.
    pub(crate) fn draws(&self) -> usize {
        let most = usize::try_from(self.max_queries / 10).unwrap_or(usize::MAX);
        match self.stability() {
            Stability::Off => 0,
            Stability::On { draws } => draws.min(most),
        }
    }

    /// Whether numbers are in their ranges, and the budget pays for a search at all.
    pub fn check(&self) -> Result<(), ExplainError> {
        let kappa = match self.kappa {
            Some(Kappa::Absolute(value) | Kappa::Share(value)) => value,
            None => 0.0,
        };
        let share = match self.confidence.unwrap_or_default() {
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
            ("the size that is enough", self.enough.unwrap_or(0.0)),
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

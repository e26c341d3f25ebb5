//! The answer to a question: one record, serialised once. The JSON, the page, the terminal and Python read the same fields.

mod agreement;
mod attacked;
mod beside;
mod located;
mod numbers;
mod words;

use serde::{Deserialize, Serialize};

pub use agreement::Agreement;
pub use attacked::{Attacked, Improvement};
pub use beside::{Opinion, Plausibility};
pub use located::{Forming, Heat, Located};

use crate::condition::{Confidence, Survival};
use crate::features::Kind;
use crate::question::{Origin, Question};
use crate::strategy::Strategy;

/// The version of the keys: it grows by one where a key changes its meaning. Keys may be added, not renamed.
pub const SCHEMA: &str = "gradless-explain-1";

/// One question about one input, and its answer: an explanation, or the closest miss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// [`SCHEMA`].
    pub schema: String,
    /// What was explained, such as the file's name.
    pub input: String,
    /// What tells one input from another, whatever their files are called.
    pub input_sha256: Option<String>,
    /// `pp` for a part, `pn` for a change, `attack` for the least change.
    pub mode: String,
    /// The question, in full.
    pub question: Question,
    /// What of the input can be switched, moved or left out, and how much of it the answer uses.
    pub features: Counted,
    /// The features it uses, by their numbers.
    #[serde(default)]
    pub used: Vec<usize>,
    /// Which of several answers to the same question it is, counted from 0.
    #[serde(default)]
    pub alternative: usize,
    /// How it was searched.
    pub strategy: Strategy,
    /// The optimiser of a penalised search.
    pub method: String,
    /// The engine that ran the model, if one did.
    pub engine: Option<String>,
    /// The seed.
    pub seed: u64,
    /// Inputs the model was given.
    pub queries: u64,
    /// Inputs that went out, repeats included.
    pub sent: u64,
    /// Steps of the search.
    pub iterations: u64,
    /// Why the search ended.
    pub stop_reason: String,
    /// Whether the class condition holds by more than the noise floor, or at all where the model repeats itself: for the answer
    /// itself and as a file would hold it.
    pub valid: bool,
    /// By how much the class condition holds; the smaller of the answer's own and its file's.
    #[serde(deserialize_with = "numbers::number")]
    pub margin: f64,
    /// How sure the model is of the answer.
    #[serde(default)]
    pub confidence: Sureness,
    /// How much disturbance the answer survives, if that was asked.
    #[serde(default)]
    pub stability: Option<Survival>,
    /// Whether the model gives the class to an input of which nothing is there.
    #[serde(default)]
    pub absent_has_class: bool,
    /// How like known inputs the answer is, where some are known.
    #[serde(default)]
    pub plausibility: Option<Plausibility>,
    /// What other models say of the answer. The search does not know them.
    #[serde(default)]
    pub second_opinions: Vec<Opinion>,
    /// The noise of the margin, in the same unit.
    #[serde(deserialize_with = "numbers::number")]
    pub noise_floor: f64,
    /// How the noise is known.
    pub noise_floor_source: String,
    /// What the model's scores are: `logits`, `probabilities`, `labels` or `top-k`.
    pub scores_are: String,
    /// What the model says about the input.
    pub original: Verdict,
    /// What the model says about the answer.
    pub explanation: Verdict,
    /// Weights of the last round of a penalised search.
    pub weights: Weights,
    /// The margin asked for, if one was.
    pub kappa: Option<f64>,
    /// The class asked for, if one was.
    pub target: Option<usize>,
    /// Loss and penalty of the answer at these weights.
    #[serde(deserialize_with = "numbers::number")]
    pub objective: f64,
    /// The same where the search began.
    pub objective_start: Option<f64>,
    /// What the class condition costs at the answer.
    #[serde(deserialize_with = "numbers::number")]
    pub loss: f64,
    /// $\ell_1$ norm of the coordinates, from the origin.
    #[serde(deserialize_with = "numbers::number")]
    pub norm_l1: f64,
    /// $\ell_2$ norm of the coordinates, from the origin.
    #[serde(deserialize_with = "numbers::number")]
    pub norm_l2: f64,
    /// Coordinates that differ from the origin.
    pub nonzeros: usize,
    /// Features of which a coordinate differs: of a picture, pixels.
    pub pixels: usize,
    /// Whether leaving out any single coordinate of the answer breaks it.
    pub minimal: Minimal,
    /// Where its regions lie, if it is made of some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub located: Option<Located>,
    /// How small an attack has made its change, and when.
    #[serde(default)]
    pub attack: Option<Attacked>,
    /// Queries when the first valid point was known.
    pub first_valid: Option<u64>,
    /// Queries when the answer was known, if it is valid.
    pub best_valid: Option<u64>,
    /// How well answers from other seeds agree, if that was asked.
    pub agreement: Option<Agreement>,
    /// What was found, or why nothing was and what to try.
    pub sentence: String,
    /// What to try where the answer may disappoint.
    pub hint: Option<String>,
    /// Warning where the model reveals less than full scores.
    pub warning: Option<String>,
    /// Duration of the search.
    #[serde(deserialize_with = "numbers::number")]
    pub seconds: f64,
    /// Where things are, if they were written.
    pub files: Option<Files>,
    /// What was found, in the model's input space: the part itself, or the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "numbers::list")]
    pub x: Vec<f64>,
    /// What the model was shown: the part, or the input with the change made.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "numbers::list")]
    pub after: Vec<f64>,
    /// How far the answer is from "nothing of the input" or "no change", number by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "numbers::list")]
    pub change: Vec<f64>,
    /// How the search went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
}

/// How sure the model is of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sureness {
    /// What was asked.
    pub asked: Confidence,
    /// The margin of the answer as a share of the input's own.
    pub share: Option<f64>,
    /// The probability of the input's class, of scores that are probabilities, or logits of which a probability was asked.
    pub original: Option<f64>,
    /// The probability of the class that the answer speaks for.
    pub answer: Option<f64>,
}

/// What features there are, and how many of them an answer uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// What they are.
    pub kind: Kind,
    /// How many there are.
    pub total: usize,
    /// How many the answer uses.
    pub used: usize,
}

/// A class and the scores behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The class.
    pub class: usize,
    /// Its name, or its number.
    pub name: String,
    /// The scores as the model gives them.
    #[serde(deserialize_with = "numbers::list")]
    pub scores: Vec<f64>,
}

/// Weights of the penalty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names of the norms")]
pub struct Weights {
    pub l1: f64,
    pub l2: f64,
}

/// Where the pieces of an answer were written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "what each is, its name says")]
pub struct Files {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<String>,
    /// The changed row of a table, or the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub report: String,
    pub trace: String,
}

/// Whether leaving out any single coordinate of the answer breaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Minimal {
    /// It does: each was tried.
    Checked,
    /// The budget ended before all were tried.
    BudgetEnded,
    /// It was not tried.
    NotAsked,
}

/// One step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Queries used so far, everything included.
    pub queries: u64,
    /// Loss and penalty at the weights of the step.
    pub objective: Option<f64>,
    /// What the class condition costs.
    pub loss: Option<f64>,
    /// $\ell_1$ norm, from the origin.
    #[serde(deserialize_with = "numbers::number")]
    pub norm_l1: f64,
    /// $\ell_2$ norm, from the origin.
    #[serde(deserialize_with = "numbers::number")]
    pub norm_l2: f64,
    /// Coordinates that differ from the origin.
    pub nonzeros: usize,
    /// The weight of the step.
    pub step_size: f64,
    /// The smallest penalty of a valid point so far, at the weights as given.
    pub best: Option<f64>,
}

impl Answer {
    /// The same without its arrays, for a result that stands beside files.
    #[must_use]
    pub fn without_arrays(&self) -> Self {
        let without_copies = |survival: &Survival| Survival { copies: Vec::new(), ..survival.clone() };
        Self {
            x: Vec::new(),
            after: Vec::new(),
            change: Vec::new(),
            steps: Vec::new(),
            stability: self.stability.as_ref().map(without_copies),
            located: self.located.as_ref().map(Located::without_arrays),
            ..self.clone()
        }
    }

    /// Whether it begins at nothing of the input, as a part does; else at the input, as a change does.
    pub fn is_part(&self) -> bool {
        self.question.origin() == Origin::Absent
    }
}

pub(crate) use agreement::Compared;
pub use words::margin_text;
pub(crate) use words::{Circumstance, Context, told};

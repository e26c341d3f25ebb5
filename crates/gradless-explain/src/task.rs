//! What is asked: the input, what may change, and what counts as absent.

use gradless::{PerCoordinate, Problem, ProblemError, Regulariser, Set};
use serde::{Deserialize, Serialize};

use crate::report::Mode;

/// Which changes a pertinent negative may make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Numbers may only grow: something is added to the picture (the text of the paper).
    Add,
    /// Numbers may grow and shrink (the scripts of the paper's authors).
    #[default]
    TwoSided,
}

/// Where the search starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// The input for a part; for a change, where the class just alters on the way to the middle or a corner of what is
    /// allowed: a confident model is flat at the input and steep there.
    #[default]
    Auto,
    /// The whole input for a part, no change for a change.
    Input,
    /// Nothing of the input for a part, no change for a change.
    Zero,
    /// The middle of what is allowed (the text of the paper, for changes).
    Centre,
}

/// What is asked of a model about an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Which question.
    pub mode: Mode,
    /// The input, in the model's space.
    pub input: Vec<f64>,
    /// The smallest number allowed at each place of the result.
    pub lower: PerCoordinate,
    /// The largest number allowed at each place of the result.
    pub upper: PerCoordinate,
    /// What counts as absent, for parts.
    pub background: PerCoordinate,
    /// Places that stay as they are; empty for none.
    pub frozen: Vec<bool>,
    /// Which changes may be made.
    pub change: Change,
    /// The class the changed input should have; any other if none is given.
    pub target: Option<usize>,
}

impl Task {
    /// A question about an input with numbers between `lower` and `upper`, absent being 0, nothing frozen.
    pub fn new(mode: Mode, input: Vec<f64>, lower: f64, upper: f64) -> Self {
        Self {
            mode,
            input,
            lower: lower.into(),
            upper: upper.into(),
            background: 0.0.into(),
            frozen: Vec::new(),
            change: Change::default(),
            target: None,
        }
    }

    /// Numbers in the input.
    pub fn dim(&self) -> usize {
        self.input.len()
    }

    /// The unknown of "nothing": the background for parts, no change for changes.
    pub fn nothing(&self) -> Vec<f64> {
        match self.mode {
            Mode::PertinentPositive => (0..self.dim()).map(|i| self.absent(i)).collect(),
            Mode::PertinentNegative => vec![0.0; self.dim()],
        }
    }

    /// The unknown of "everything": the input for parts, no change for changes.
    pub fn everything(&self) -> Vec<f64> {
        match self.mode {
            Mode::PertinentPositive => self.input.clone(),
            Mode::PertinentNegative => vec![0.0; self.dim()],
        }
    }

    /// The input that the model sees for an unknown.
    pub fn seen(&self, unknown: &[f64]) -> Vec<f64> {
        let mut seen = unknown.to_vec();
        self.turn_into_seen(&mut seen);
        seen
    }

    pub(crate) fn turn_into_seen(&self, unknown: &mut [f64]) {
        if self.mode == Mode::PertinentNegative {
            for (x, input) in unknown.iter_mut().zip(&self.input) {
                *x += input;
            }
        }
    }

    /// What stands at a place when it is absent. A frozen place is never absent.
    fn absent(&self, i: usize) -> f64 {
        if self.is_frozen(i) { self.input[i] } else { self.background.at(i) }
    }

    fn is_frozen(&self, i: usize) -> bool {
        self.frozen.get(i).copied().unwrap_or(false)
    }

    /// The least and the largest unknown at a place.
    pub fn bounds(&self, i: usize) -> (f64, f64) {
        let input = self.input[i];
        match self.mode {
            Mode::PertinentPositive => {
                let absent = self.absent(i);
                (absent.min(input), absent.max(input))
            }
            Mode::PertinentNegative if self.is_frozen(i) => (0.0, 0.0),
            Mode::PertinentNegative => {
                // An input that lies outside what is allowed may stay where it is.
                let up = (self.upper.at(i) - input).max(0.0);
                match self.change {
                    Change::Add => (0.0, up),
                    Change::TwoSided => ((self.lower.at(i) - input).min(0.0), up),
                }
            }
        }
    }

    /// The problem at these weights, started at a point.
    pub fn problem(&self, l1: f64, l2: f64, start: Vec<f64>) -> Result<Problem, ProblemError> {
        let (lower, upper): (Vec<f64>, Vec<f64>) = (0..self.dim()).map(|i| self.bounds(i)).unzip();
        Problem::builder(self.dim())
            .regulariser(Regulariser::elastic_net(l1, l2))
            .set(Set::bounds(lower, upper))
            .centre(self.nothing())
            .start(start)
            .build()
    }

    /// Where a search starts.
    pub fn start(&self, start: Start) -> Vec<f64> {
        match start {
            Start::Auto | Start::Input => self.everything(),
            Start::Zero => self.nothing(),
            Start::Centre => (0..self.dim())
                .map(|i| {
                    let (lower, upper) = self.bounds(i);
                    lower + (upper - lower) / 2.0
                })
                .collect(),
        }
    }

    /// Whether the numbers make sense together.
    pub fn check(&self, inputs: usize, classes: usize) -> Result<(), TaskError> {
        let dim = self.dim();
        if dim != inputs {
            return Err(TaskError::Length { found: dim, expected: inputs });
        }
        if let Some(index) = self.input.iter().position(|value| !value.is_finite()) {
            return Err(TaskError::NotFinite { index, value: self.input[index] });
        }
        for (what, values) in [
            ("the lower bound", &self.lower),
            ("the upper bound", &self.upper),
            ("the background", &self.background),
        ] {
            if values.len().is_some_and(|len| len != dim) {
                return Err(TaskError::ListLength { what, found: values.len().unwrap_or(1), expected: dim });
            }
            if values.values().iter().any(|value| value.is_nan()) {
                return Err(TaskError::ListNan { what });
            }
            if what == "the background" && values.values().iter().any(|value| value.is_infinite()) {
                return Err(TaskError::ListInfinite { what });
            }
        }
        if !self.frozen.is_empty() && self.frozen.len() != dim {
            return Err(TaskError::ListLength { what: "the mask", found: self.frozen.len(), expected: dim });
        }
        if let Some(index) = (0..dim).find(|&i| self.lower.at(i) > self.upper.at(i)) {
            return Err(TaskError::Crossed {
                index,
                lower: self.lower.at(index),
                upper: self.upper.at(index),
            });
        }
        if classes < 2 {
            return Err(TaskError::Classes { classes });
        }
        match self.target {
            Some(target) if target >= classes => Err(TaskError::Target { target, classes }),
            Some(_) if self.mode == Mode::PertinentPositive => Err(TaskError::TargetOfPart),
            _ => Ok(()),
        }
    }
}

/// A question that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum TaskError {
    #[error("the input has {found} numbers, the model takes {expected}: bring it to the model's shape")]
    Length { found: usize, expected: usize },
    #[error("number {index} of the input is {value}: every number must be finite")]
    NotFinite { index: usize, value: f64 },
    #[error("{what} has {found} numbers for an input of {expected}: give one, or one for each")]
    ListLength { what: &'static str, found: usize, expected: usize },
    #[error("{what} contains NaN")]
    ListNan { what: &'static str },
    #[error("{what} contains an infinity: finite numbers are needed")]
    ListInfinite { what: &'static str },
    #[error("at number {index} the lower bound {lower} is above the upper bound {upper}")]
    Crossed { index: usize, lower: f64, upper: f64 },
    #[error("the model knows {classes} class: a contrast needs two")]
    Classes { classes: usize },
    #[error("there is no class {target}: the model knows {classes}, counted from 0")]
    Target { target: usize, classes: usize },
    #[error("a part of the input keeps its class: a target class is for changes (mode pn)")]
    TargetOfPart,
    #[error("the input has class {class} already: choose another target")]
    TargetReached { class: usize },
    #[error("the highest score of the input is shared by two classes: it has no class to explain")]
    Tie,
}

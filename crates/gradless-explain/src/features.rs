//! What of an input can be switched, moved or left out.
//!
//! A search moves *coordinates*; [`Features`] turn them into inputs of the model, count what differs, and know which values
//! exist. Adding a kind of input is a file here: what its coordinates are for a question, and what the model is shown.

mod columns;
mod pixels;

use gradless::PerCoordinate;
use serde::{Deserialize, Serialize};

pub use columns::{Column, Columns};
pub use pixels::{Grid, Pixels};

use crate::question::{Place, Question, QuestionError};

/// The features of one input, as the user names them.
pub trait Features: Sync {
    /// What they are: `pixels`, `columns`, ...
    fn kind(&self) -> Kind;

    /// The input as the model takes it.
    fn input(&self) -> &[f64];

    /// What the numbers of an input may be.
    fn bounds(&self) -> [&PerCoordinate; 2];

    /// The coordinates of a question, or why it cannot be asked.
    fn coordinates(&self, question: Question) -> Result<Coordinates<'_>, QuestionError>;

    /// Two inputs that are no more than inputs, to see what the model's scores look like away from this one.
    fn samples(&self) -> [Vec<f64>; 2];
}

/// What features are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Of a picture: all channels of a place together.
    Pixels,
    /// Of what is no picture.
    Numbers,
    /// Of a table.
    Columns,
}

impl Kind {
    /// One of them.
    pub fn one(self) -> &'static str {
        match self {
            Self::Pixels => "pixel",
            Self::Numbers => "number",
            Self::Columns => "feature",
        }
    }

    /// Several of them.
    pub fn many(self) -> &'static str {
        match self {
            Self::Pixels => "pixels",
            Self::Numbers => "numbers",
            Self::Columns => "features",
        }
    }
}

/// The coordinates of one question about one input.
pub struct Coordinates<'a> {
    /// Where each costs nothing: absent for a part, as it is for a change.
    pub origin: Vec<f64>,
    /// Where the whole input has it.
    pub whole: Vec<f64>,
    /// The least and the largest value of each.
    pub bounds: Vec<(f64, f64)>,
    /// The feature each belongs to.
    pub feature: Vec<usize>,
    /// How many features there are.
    pub features: usize,
    /// Rows and columns they are laid out in; what is not a picture is one row.
    pub layout: (usize, usize),
    some_frozen: bool,
    shown: Box<dyn Shown + 'a>,
}

/// What the model is shown for values of the coordinates.
pub(crate) trait Shown: Sync {
    /// Writes the input of the model.
    fn write(&self, point: &[f64], input: &mut [f64]);

    /// The nearest value that coordinate `i` can have.
    fn snap(&self, i: usize, value: f64) -> f64 {
        let _ = i;
        value
    }

    /// Whether two values of coordinate `i` show the model different inputs.
    fn differs(&self, i: usize, value: f64, other: f64) -> bool {
        let _ = i;
        value != other
    }

    /// How far apart values are; `None` if they are any.
    fn step(&self) -> Option<f64> {
        None
    }

    /// An input as a file would hold it, if that is not what it is.
    fn as_saved(&self, input: &[f64]) -> Option<Vec<f64>> {
        let _ = input;
        None
    }
}

impl<'a> Coordinates<'a> {
    /// Coordinates with what a question makes of each place.
    pub(crate) fn new(
        question: Question,
        places: impl Iterator<Item = Place>,
        feature: Vec<usize>,
        layout: (usize, usize),
        shown: impl Shown + 'a,
    ) -> Self {
        let mut some_frozen = false;
        let ranges: Vec<_> = places
            .map(|place| {
                some_frozen |= place.frozen;
                question.range(place)
            })
            .collect();
        Self {
            origin: ranges.iter().map(|range| range.origin).collect(),
            whole: ranges.iter().map(|range| range.whole).collect(),
            bounds: ranges.iter().map(|range| (range.bounds[0], range.bounds[1])).collect(),
            features: feature.iter().max().map_or(0, |last| last + 1),
            feature,
            layout,
            some_frozen,
            shown: Box::new(shown),
        }
    }

    /// How many there are.
    pub fn dim(&self) -> usize {
        self.origin.len()
    }

    /// Writes the input that the model is shown.
    pub fn write(&self, point: &[f64], input: &mut [f64]) {
        self.shown.write(point, input);
    }

    /// The same as an owned vector of so many numbers.
    pub fn input(&self, point: &[f64], numbers: usize) -> Vec<f64> {
        let mut input = vec![0.0; numbers];
        self.write(point, &mut input);
        input
    }

    /// Whether some of the input must stay as it is.
    pub(crate) fn some_frozen(&self) -> bool {
        self.some_frozen
    }

    /// Coordinates that can move.
    pub(crate) fn free(&self) -> Vec<usize> {
        (0..self.dim()).filter(|&i| self.bounds[i].0 < self.bounds[i].1).collect()
    }

    /// Coordinates that differ from where they cost nothing.
    pub(crate) fn moved(&self, point: &[f64]) -> Vec<usize> {
        (0..point.len()).filter(|&i| point[i] != self.origin[i]).collect()
    }

    /// Features of which a coordinate has moved so far that the model is shown something else.
    pub fn used(&self, point: &[f64]) -> Vec<usize> {
        let moved = self.moved(point).into_iter();
        let shown = moved.filter(|&i| self.shown.differs(i, point[i], self.origin[i]));
        let mut used: Vec<usize> = shown.map(|i| self.feature[i]).collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// How far apart the values of a coordinate are; `None` if they are any.
    pub(crate) fn step(&self) -> Option<f64> {
        self.shown.step()
    }

    /// The nearest value that a coordinate can have.
    pub(crate) fn nearest(&self, i: usize, value: f64) -> f64 {
        self.shown.snap(i, value)
    }

    /// The nearest value that a coordinate can have; exactly the origin where that is as near.
    pub(crate) fn snap(&self, i: usize, value: f64) -> f64 {
        let origin = self.origin[i];
        if value == origin {
            return value;
        }
        let near = self.shown.snap(i, value);
        if near == self.shown.snap(i, origin) {
            return origin;
        }
        let (lower, upper) = self.bounds[i];
        near.clamp(lower, upper)
    }

    /// An input as a file would hold it, if that is not what it is.
    pub(crate) fn as_saved(&self, input: &[f64]) -> Option<Vec<f64>> {
        self.shown.as_saved(input)
    }
}

/// Whether the numbers of an input and the lists beside it make sense.
pub(crate) fn check(
    input: &[f64],
    [lower, upper]: [&PerCoordinate; 2],
    absent: &PerCoordinate,
    frozen: &[bool],
) -> Result<(), QuestionError> {
    let dim = input.len();
    if let Some(index) = input.iter().position(|value| !value.is_finite()) {
        return Err(QuestionError::NotFinite { index, value: input[index] });
    }
    for (what, values) in [("the lower bound", lower), ("the upper bound", upper), ("what is absent", absent)]
    {
        if let Some(found) = values.len().filter(|&found| found != dim) {
            return Err(QuestionError::ListLength { what, found, expected: dim });
        }
        if values.values().iter().any(|value| value.is_nan()) {
            return Err(QuestionError::ListNan { what });
        }
    }
    if absent.values().iter().any(|value| value.is_infinite()) {
        return Err(QuestionError::ListInfinite { what: "what is absent" });
    }
    if !frozen.is_empty() && frozen.len() != dim {
        return Err(QuestionError::ListLength { what: "the mask", found: frozen.len(), expected: dim });
    }
    match (0..dim).find(|&i| lower.at(i) > upper.at(i)) {
        Some(index) => Err(QuestionError::Crossed { index, lower: lower.at(index), upper: upper.at(index) }),
        None => Ok(()),
    }
}

//! What of an input can be switched, moved or left out.
//!
//! A search moves *coordinates*; [`Features`] turn them into inputs of the model, count what differs, and know which values
//! exist. Adding a kind of input is a file here: what its coordinates are for a question, and what the model is shown.

mod columns;
mod disturbance;
mod pixels;
mod regions;
mod switches;
mod words;

use gradless::PerCoordinate;
use gradless::random::{Key, Purpose};
use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub use columns::{Column, Columns, LevelSurvey, NumberSurvey, Plausible, Rule, RuleError, Table, Way, step};
pub use disturbance::{Disturbance, Steadiness};
pub use pixels::{Grid, Pixels};
pub(crate) use regions::{Map, blurred_planes, mean_planes};
pub use regions::{Partition, REGIONS, Regions, are_photographs};
pub use switches::Switches;
pub use words::{Text, Unit};

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

    /// What a feature is called, where it has a name.
    fn name_of(&self, feature: usize) -> Option<String> {
        let _ = feature;
        None
    }

    /// The same with one restriction lifted, each with what that would mean ("if age may change"): what to relax where nothing is
    /// possible.
    fn relaxed(&self) -> Vec<(String, Box<dyn Features + '_>)> {
        Vec::new()
    }
}

/// What features are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Of a picture: all channels of a place together.
    #[default]
    Pixels,
    /// Of what is no picture.
    Numbers,
    /// Of a photograph: patches of it.
    Regions,
    /// Of a table.
    Columns,
    /// Of a text.
    Words,
    /// Of anything: what the user can switch on and off.
    Switches,
}

impl Kind {
    /// Whether each has a choice of a few values, so that the fewest of them are selected.
    pub fn has_choices(self) -> bool {
        matches!(self, Self::Columns | Self::Words | Self::Switches)
    }

    /// An input of which nothing is there.
    pub fn nothing(self) -> &'static str {
        match self {
            Self::Pixels | Self::Numbers => "an empty input",
            Self::Regions => "the background alone",
            Self::Columns => "a typical row",
            Self::Words => "an empty text",
            Self::Switches => "an input with everything switched off",
        }
    }

    /// One of them.
    pub fn one(self) -> &'static str {
        match self {
            Self::Pixels => "pixel",
            Self::Numbers => "number",
            Self::Regions => "region",
            Self::Columns => "column",
            Self::Words => "word",
            Self::Switches => "switch",
        }
    }

    /// Several of them.
    pub fn many(self) -> &'static str {
        match self {
            Self::Pixels => "pixels",
            Self::Numbers => "numbers",
            Self::Regions => "regions",
            Self::Columns => "columns",
            Self::Words => "words",
            Self::Switches => "switches",
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

    /// A value between two others of coordinate `i`, the one in the middle; `None` if there is none.
    fn between(&self, i: usize, value: f64, other: f64) -> Option<f64> {
        let _ = i;
        let middle = f64::midpoint(value, other);
        (middle != value && middle != other).then_some(middle)
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

    /// The values that show the model this input, as nearly as the coordinates can; bounds are not looked at.
    fn read(&self, input: &[f64], point: &mut [f64]);

    /// How inputs are disturbed; `None` if they are not.
    fn disturbance(&self) -> Option<Disturbed> {
        None
    }

    /// Disturbs the input of a point as far as `strength` says. `moved` tells which coordinates of the point are away from where they
    /// cost nothing.
    fn disturb(&self, input: &mut [f64], moved: &[bool], strength: Strength, rng: &mut dyn Rng) {
        let _ = (input, moved, strength, rng);
    }

    /// Where regions lie; `None` for what has none.
    fn map(&self) -> Option<&Map> {
        None
    }

    /// How many other inputs a point has that should be of the same class: what is absent is absent in another way.
    fn variants(&self) -> usize {
        0
    }

    /// Writes one of them.
    fn variant(&self, which: usize, point: &[f64], input: &mut [f64]) {
        let _ = which;
        self.write(point, input);
    }

    /// What each feature can be switched to, where it has a choice of a few; `None` where values are any, as those of pixels.
    fn moves(&self) -> Option<Vec<Vec<Move>>> {
        None
    }

    /// Whether an input keeps all rules.
    fn allows(&self, input: &[f64]) -> bool {
        let _ = input;
        true
    }

    /// How far an input is from the nearest that is known; `None` if none is.
    fn distance_to_known(&self, input: &[f64]) -> Option<f64> {
        let _ = input;
        None
    }

    /// Known inputs, the nearest to the one that is explained first.
    fn known_inputs(&self, count: usize) -> Vec<Vec<f64>> {
        let _ = count;
        Vec::new()
    }

    /// How many inputs are known.
    fn known(&self) -> usize {
        0
    }
}

/// One way to move a feature: new values of coordinates, and what that costs. Rules may ask for coordinates of other features to follow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) to: Vec<(usize, f64)>,
    pub(crate) cost: f64,
}

/// What is said of disturbances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disturbed {
    /// At a strength of 1, in words.
    pub(crate) words: String,
    /// The deviation of the Gaussian noise among them, in the numbers of the model's input.
    pub(crate) noise: Option<f64>,
}

/// How far inputs are disturbed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Strength {
    /// As they should be, noise being multiplied with this.
    Times(f64),
    /// The same with nothing but the noise.
    NoiseTimes(f64),
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

    /// Notes that some of the input must stay as it is, though no coordinate says so.
    pub(crate) fn leaves_some(&mut self, frozen: bool) {
        self.some_frozen |= frozen;
    }

    /// Where regions lie; `None` for what has none.
    pub(crate) fn map(&self) -> Option<&Map> {
        self.shown.map()
    }

    /// How many variants every input has: the same with what is absent absent in another way.
    pub(crate) fn variants(&self) -> usize {
        self.shown.variants()
    }

    /// One of them, of so many numbers.
    pub(crate) fn variant(&self, which: usize, point: &[f64], numbers: usize) -> Vec<f64> {
        let mut input = vec![0.0; numbers];
        self.shown.variant(which, point, &mut input);
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

    /// A value between two others of a coordinate; `None` if there is none.
    pub(crate) fn between(&self, i: usize, value: f64, other: f64) -> Option<f64> {
        self.shown.between(i, value, other)
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

    /// Coordinates that are left out together: squares of a picture, so many each way; of what is none, every feature alone.
    pub(crate) fn pieces(&self, each_way: usize) -> Vec<Vec<usize>> {
        let (rows, columns) = self.layout;
        let (height, width) = (rows.div_ceil(each_way.max(1)), columns.div_ceil(each_way.max(1)));
        let square = |feature: usize| match rows {
            0 | 1 => feature,
            _ => feature / columns / height * each_way + feature % columns / width,
        };
        let count = self.feature.iter().map(|&feature| square(feature) + 1).max().unwrap_or(0);
        let mut pieces = vec![Vec::new(); count];
        for (i, &feature) in self.feature.iter().enumerate() {
            pieces[square(feature)].push(i);
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// The point that shows the model this input, as nearly as it may.
    pub(crate) fn point_of(&self, input: &[f64]) -> Vec<f64> {
        let mut point = self.origin.clone();
        self.shown.read(input, &mut point);
        for (i, x) in point.iter_mut().enumerate() {
            let (lower, upper) = self.bounds[i];
            *x = self.snap(i, x.clamp(lower, upper));
        }
        point
    }

    /// How inputs are disturbed; `None` if they are not.
    pub(crate) fn disturbance(&self) -> Option<Disturbed> {
        self.shown.disturbance()
    }

    /// A disturbed copy of the input of a point: the same for the same seed and draw.
    pub(crate) fn disturbed(
        &self,
        point: &[f64],
        input: &[f64],
        strength: Strength,
        (seed, draw): (u64, u64),
    ) -> Vec<f64> {
        let mut copy = input.to_vec();
        let moved: Vec<bool> = point.iter().zip(&self.origin).map(|(x, o)| x != o).collect();
        let key = Key { seed, purpose: Purpose::Disturbances };
        self.shown.disturb(&mut copy, &moved, strength, &mut key.stream(draw, 0));
        copy
    }

    /// What each feature can be switched to, the cheapest first; `None` where values are any.
    pub(crate) fn moves(&self) -> Option<Vec<Vec<Move>>> {
        self.shown.moves()
    }

    /// Whether an input keeps all rules.
    pub(crate) fn allows(&self, input: &[f64]) -> bool {
        self.shown.allows(input)
    }

    /// How far an input is from the nearest that is known; `None` if none is.
    pub(crate) fn distance_to_known(&self, input: &[f64]) -> Option<f64> {
        self.shown.distance_to_known(input)
    }

    /// Known inputs, the nearest to the one that is explained first.
    pub(crate) fn known_inputs(&self, count: usize) -> Vec<Vec<f64>> {
        self.shown.known_inputs(count)
    }

    /// How many inputs are known.
    pub(crate) fn known(&self) -> usize {
        self.shown.known()
    }

    /// Features that stay where they cost nothing, in addition to those that are frozen.
    pub(crate) fn hold(&mut self, features: &[usize]) {
        for i in (0..self.dim()).filter(|&i| features.contains(&self.feature[i])) {
            self.bounds[i] = (self.origin[i], self.origin[i]);
        }
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

//! What is asked about an input: which part is enough for its class, which change would alter it, what the least such change is.

mod attack;
mod change;
mod contrast;
mod essential;
mod part;

use serde::{Deserialize, Serialize};

pub use attack::Norm;

use crate::answer::Counted;
use crate::condition::{Condition, largest};

/// A question about the class of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Question {
    /// What of the input is enough for its class? The *pertinent positive* of Dhurandhar et al. 2018.
    Part,
    /// What change would alter the class? The *pertinent negative*.
    Change {
        /// Which way values may move.
        moves: Moves,
        /// The class the changed input should have; any other if none is given.
        target: Option<usize>,
    },
    /// What of the input makes it its class rather than another one?
    Contrast {
        /// The other class.
        against: usize,
    },
    /// What of the input is enough for its class, and needed: without it the class is another.
    Essential,
    /// What is the least change that alters the class, by whatever margin? An adversarial example.
    Attack {
        /// What is small.
        norm: Norm,
        /// The class the changed input should have; any other if none is given.
        target: Option<usize>,
    },
}

/// Where the answers of a question begin, and what they are measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At nothing of the input: features are put in.
    Absent,
    /// At the input itself: features are changed.
    Input,
}

/// Which way the values of an input may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moves {
    /// They may only grow: something is added to the picture (the text of the paper).
    Add,
    /// They may grow and shrink (the scripts of the paper's authors).
    #[default]
    TwoSided,
}

impl Question {
    /// What change would alter the class, any change to any class?
    pub const CHANGE: Self = Self::Change { moves: Moves::TwoSided, target: None };

    /// One of each kind that explains, in the order they are asked.
    pub const KINDS: [Self; 2] = [Self::Part, Self::CHANGE];

    /// Others that explain, and are asked by name only; the class of a contrast is its target.
    pub const OTHERS: [Self; 2] = [Self::Contrast { against: 0 }, Self::Essential];

    /// The question with this name or abbreviation; `moves` and `target` are those of a change. A contrast without a target is none.
    pub fn named(word: &str, moves: Moves, target: Option<usize>) -> Option<Self> {
        match word {
            contrast::NAME => return target.map(|against| Self::Contrast { against }),
            essential::NAME => return Some(Self::Essential),
            _ => {}
        }
        let kind = Self::KINDS.into_iter().find(|kind| [kind.name(), kind.abbreviation()].contains(&word))?;
        Some(match kind {
            Self::Part => Self::Part,
            Self::Change { .. } => Self::Change { moves, target },
            other => other,
        })
    }

    /// What is asked, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Part => part::TITLE,
            Self::Contrast { .. } => contrast::TITLE,
            Self::Essential => essential::TITLE,
            Self::Change { .. } => change::TITLE,
            Self::Attack { .. } => attack::TITLE,
        }
    }

    /// The term of the literature.
    pub fn term(self) -> &'static str {
        match self {
            Self::Part => part::TERM,
            Self::Contrast { .. } => contrast::TERM,
            Self::Essential => essential::TERM,
            Self::Change { .. } => change::TERM,
            Self::Attack { .. } => attack::TERM,
        }
    }

    /// Where its answers begin.
    pub fn origin(self) -> Origin {
        match self {
            Self::Part | Self::Contrast { .. } | Self::Essential => Origin::Absent,
            Self::Change { .. } | Self::Attack { .. } => Origin::Input,
        }
    }

    /// What a valid answer says: `these` are its features, which lead to the class; of a contrast, rather than to its target.
    pub(crate) fn sentence(
        self,
        these: &str,
        counted: Counted,
        [class, target]: [&str; 2],
        some_frozen: bool,
        removes: bool,
    ) -> String {
        match self {
            Self::Contrast { .. } if counted.used > 0 => {
                contrast::sentence(these, counted.used, class, target)
            }
            Self::Essential if counted.used > 0 => essential::sentence(these, counted.used, class),
            Self::Part | Self::Contrast { .. } | Self::Essential => {
                part::sentence(these, counted, class, some_frozen)
            }
            Self::Change { moves, .. } => change::sentence(these, counted, class, moves, removes),
            Self::Attack { .. } => attack::sentence(these, class),
        }
    }

    /// What was not found, from the class of the input to the target, if there is one.
    pub(crate) fn missed(self, original: &str, target: Option<&str>) -> String {
        match self {
            Self::Part => part::missed(original),
            Self::Contrast { .. } => contrast::missed(original, target.unwrap_or("another class")),
            Self::Essential => essential::missed(original),
            Self::Change { .. } | Self::Attack { .. } => change::missed(original, target),
        }
    }

    /// The word for it on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Part => part::NAME,
            Self::Contrast { .. } => contrast::NAME,
            Self::Essential => essential::NAME,
            Self::Change { .. } => change::NAME,
            Self::Attack { .. } => attack::NAME,
        }
    }

    /// What the size of an answer is, if the question names it.
    pub fn norm(self) -> Option<Norm> {
        match self {
            Self::Part | Self::Change { .. } | Self::Contrast { .. } | Self::Essential => None,
            Self::Attack { norm, .. } => Some(norm),
        }
    }

    /// The abbreviation of the literature, which is also accepted: `pp` or `pn`; the others have none.
    pub fn abbreviation(self) -> &'static str {
        match self {
            Self::Part => part::ABBREVIATION,
            Self::Contrast { .. } => contrast::NAME,
            Self::Essential => essential::NAME,
            Self::Change { .. } => change::ABBREVIATION,
            Self::Attack { .. } => attack::ABBREVIATION,
        }
    }

    /// The class the answer should have, if the question names one.
    pub fn target(self) -> Option<usize> {
        match self {
            Self::Part | Self::Essential => None,
            Self::Contrast { against } => Some(against),
            Self::Change { target, .. } | Self::Attack { target, .. } => target,
        }
    }

    /// Where a coordinate begins, where the whole input has it, and how far it may go; `place` says what it may be.
    pub(crate) fn range(self, place: Place) -> Range {
        match self {
            _ if place.frozen => {
                Range { origin: place.current, whole: place.current, bounds: [place.current; 2] }
            }
            Self::Part | Self::Contrast { .. } | Self::Essential => part::range(place),
            Self::Change { moves, .. } => change::range(place, moves),
            Self::Attack { .. } => change::range(place, Moves::TwoSided),
        }
    }

    /// When an input answers the question, given the scores of the original.
    pub fn condition(self, scores: &[f64]) -> Result<Condition, QuestionError> {
        let class = largest(scores);
        // The first of several that are highest is its class, as everywhere; but nothing of the input keeps it for sure.
        let is_tie = scores.iter().filter(|&&score| score == scores[class]).count() > 1;
        if is_tie && self.origin() == Origin::Absent {
            return Err(QuestionError::Tie);
        }
        match self {
            Self::Part | Self::Essential => Ok(part::condition(class)),
            Self::Contrast { against } => contrast::condition(class, against),
            Self::Change { target, .. } | Self::Attack { target, .. } => change::condition(class, target),
        }
    }

    /// Whether it can be asked of a model with so many classes.
    pub(crate) fn check(self, classes: usize) -> Result<(), QuestionError> {
        if classes < 2 {
            return Err(QuestionError::Classes { classes });
        }
        match self.target() {
            Some(target) if target >= classes => Err(QuestionError::Target { target, classes }),
            _ => Ok(()),
        }
    }
}

/// What a coordinate may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    /// As it is in the input.
    pub(crate) current: f64,
    /// As it is where the feature is absent.
    pub(crate) absent: f64,
    /// The least and the largest value allowed.
    pub(crate) bounds: [f64; 2],
    /// Whether it must stay as it is.
    pub(crate) frozen: bool,
}

/// What a question makes of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    /// Where it costs nothing.
    pub(crate) origin: f64,
    /// Where the whole input has it.
    pub(crate) whole: f64,
    /// The least and the largest value.
    pub(crate) bounds: [f64; 2],
}

/// A question that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum QuestionError {
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
    #[error("columns {columns:?} of the input hold {values:?}: a category is a single 1 among 0s")]
    NotOneHot { columns: Vec<usize>, values: Vec<f64> },
    #[error("column {column} belongs to two categories, or to none that exists")]
    Columns { column: usize },
    #[error(
        "column {column} of the input holds {value}: its categories are numbered from 0, and there are {levels}"
    )]
    NotALevel { column: usize, value: f64, levels: usize },
    #[error("the row itself breaks the rule {rule}: correct the row or the rule")]
    RuleBroken { rule: String },
    #[error("the text has no words: there is nothing to explain")]
    NoWords,
    #[error(
        "a piece from byte {start} to {end} does not follow in the text: pieces stand one after the other and are not empty"
    )]
    Pieces { start: usize, end: usize },
    #[error("what is enough and needed is asked of regions: cut the picture into some")]
    NeedsRegions,
    #[error("regions are those of a picture of channels, rows and columns: this input is none")]
    NotAPicture,
    #[error("the label image has {found} pixels, the picture {columns} x {rows}: bring it to that size")]
    Labels { found: usize, rows: usize, columns: usize },
    #[error("the picture is cut into {found} region(s): nothing can be told apart. At least two are needed")]
    OneRegion { found: usize },
    #[error("the picture is cut into {found} regions: at most {most} are searched, so merge some of them")]
    TooManyRegions { found: usize, most: usize },
    #[error("the model knows {classes} class: a contrast needs two")]
    Classes { classes: usize },
    #[error("there is no class {target}: the model knows {classes}, counted from 0")]
    Target { target: usize, classes: usize },
    #[error("the input has class {class} already: choose another target")]
    TargetReached { class: usize },
    #[error(
        "the highest score of the input is shared by two classes: no part of it can be enough for one of them. Ask what would change it"
    )]
    Tie,
    #[error(
        "nothing of the input may change: all of it is frozen, or the bounds leave no room. Freeze less, or widen the bounds"
    )]
    NothingFree,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_without_an_answer_is_refused() {
        let to = |target| Question::Change { moves: Moves::TwoSided, target: Some(target) };
        assert_eq!(to(1).condition(&[0.0, 1.0]).unwrap_err(), QuestionError::TargetReached { class: 1 });
        assert_eq!(Question::Part.condition(&[1.0, 1.0]).unwrap_err(), QuestionError::Tie);
        assert!(Question::CHANGE.condition(&[1.0, 1.0]).is_ok(), "either may be left");
        assert_eq!(to(2).check(2), Err(QuestionError::Target { target: 2, classes: 2 }));
        assert_eq!(Question::Part.check(1), Err(QuestionError::Classes { classes: 1 }));
    }

    #[test]
    fn what_is_frozen_is_there_and_stays() {
        let place = Place { current: 0.7, absent: 0.0, bounds: [0.0, 1.0], frozen: true };
        for question in [Question::Part, Question::CHANGE] {
            assert_eq!(question.range(place), Range { origin: 0.7, whole: 0.7, bounds: [0.7; 2] });
        }
    }
}

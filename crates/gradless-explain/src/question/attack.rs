//! What is the least change that alters it: from the input as it is to anything allowed, the smaller in a norm the better.

use serde::{Deserialize, Serialize};

use crate::features::Coordinates;

pub(super) const NAME: &str = "attack";
pub(super) const ABBREVIATION: &str = "attack";
pub(super) const TITLE: &str = "The least change that alters it";
pub(super) const TERM: &str = "adversarial example";

/// What the size of a change is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// The features that change: pixels of a picture, whichever of their channels; columns, words, switches.
    #[default]
    Pixels,
    /// The numbers that change: every channel of a pixel is one.
    Numbers,
    /// The sum of the absolute changes.
    L1,
    /// The root of the sum of their squares.
    L2,
    /// The largest of them.
    Linf,
}

impl Norm {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Pixels, Self::Numbers, Self::L1, Self::L2, Self::Linf];

    /// The word for it on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pixels => "pixels",
            Self::Numbers => "numbers",
            Self::L1 => "l1",
            Self::L2 => "l2",
            Self::Linf => "linf",
        }
    }

    /// The one with this name; `features` is another word for `pixels`.
    pub fn named(word: &str) -> Option<Self> {
        let word = if word == "features" { "pixels" } else { word };
        Self::ALL.into_iter().find(|norm| norm.name() == word)
    }

    /// Whether sizes are counted.
    pub fn is_count(self) -> bool {
        matches!(self, Self::Pixels | Self::Numbers)
    }

    /// The size of the change that leads to a point.
    pub(crate) fn of(self, coordinates: &Coordinates<'_>, point: &[f64]) -> f64 {
        let apart = || point.iter().zip(&coordinates.origin).map(|(x, o)| (x - o).abs());
        match self {
            Self::Pixels => coordinates.used(point).len() as f64,
            Self::Numbers => coordinates.moved(point).len() as f64,
            Self::L1 => apart().sum(),
            Self::L2 => apart().map(|s| s * s).sum::<f64>().sqrt(),
            Self::Linf => apart().fold(0.0, f64::max),
        }
    }
}

pub(super) fn sentence(these: &str, class: &str) -> String {
    format!("Changing {}{} is enough to make it {class}.", these[..1].to_lowercase(), &these[1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Features, Pixels};
    use crate::question::Question;

    #[test]
    fn a_change_is_measured_in_five_ways() {
        let picture = Pixels::new(vec![0.5; 12], vec![3, 2, 2], 0.0, 1.0);
        let coordinates = picture.coordinates(Question::CHANGE).unwrap();
        let mut point = coordinates.origin.clone();
        (point[1], point[5], point[6]) = (0.8, 0.1, 0.5);
        let sizes = Norm::ALL.map(|norm| norm.of(&coordinates, &point));
        let expected = [1.0, 2.0, 0.7, 0.5, 0.4];
        assert!(sizes.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{sizes:?}");
        assert_eq!(Norm::ALL.map(|norm| Norm::named(norm.name())), Norm::ALL.map(Some));
        assert_eq!((Norm::named("features"), Norm::named("l3")), (Some(Norm::Pixels), None));
    }
}

//! A number for every coordinate: one for all, or one for each.

use serde::{Deserialize, Serialize};

/// Weights and bounds are usually one number; they may differ per coordinate.
///
/// ```
/// use gradless::PerCoordinate;
/// let same: PerCoordinate = 0.5.into();
/// let each: PerCoordinate = vec![0.5, 0.0, 2.0].into();
/// assert_eq!((same.at(2), each.at(2)), (0.5, 2.0));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PerCoordinate {
    /// The same number for every coordinate.
    Same(f64),
    /// One number for each coordinate.
    Each(Vec<f64>),
}

impl PerCoordinate {
    /// The number for coordinate `i`.
    #[inline]
    pub fn at(&self, i: usize) -> f64 {
        match self {
            Self::Same(value) => *value,
            Self::Each(values) => values[i],
        }
    }

    /// How many coordinates it speaks of; `None` if it fits any number.
    pub fn len(&self) -> Option<usize> {
        match self {
            Self::Same(_) => None,
            Self::Each(values) => Some(values.len()),
        }
    }

    /// Whether it lists one number for each of zero coordinates.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// All numbers there are: one, or one for each coordinate.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Same(value) => std::slice::from_ref(value),
            Self::Each(values) => values,
        }
    }

    /// The same numbers for the coordinates `kept` only.
    pub(crate) fn select(&self, kept: &[usize]) -> Self {
        match self {
            Self::Same(value) => Self::Same(*value),
            Self::Each(values) => Self::Each(kept.iter().map(|&i| values[i]).collect()),
        }
    }

    /// The same numbers less `offset`, coordinate by coordinate.
    pub(crate) fn minus(&self, offset: &[f64]) -> Self {
        Self::Each(offset.iter().enumerate().map(|(i, b)| self.at(i) - b).collect())
    }
}

impl From<f64> for PerCoordinate {
    fn from(value: f64) -> Self {
        Self::Same(value)
    }
}

impl From<Vec<f64>> for PerCoordinate {
    fn from(values: Vec<f64>) -> Self {
        Self::Each(values)
    }
}

impl From<&[f64]> for PerCoordinate {
    fn from(values: &[f64]) -> Self {
        Self::Each(values.to_vec())
    }
}

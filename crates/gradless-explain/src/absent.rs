//! What "not there" means for an input.

use gradless::PerCoordinate;
use serde::{Deserialize, Serialize};

/// What stands where a feature is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// These numbers: black, a colour, a picture, the typical values of a table.
    Values(PerCoordinate),
}

impl Absent {
    /// The number at a place of the input.
    pub(crate) fn at(&self, i: usize) -> f64 {
        match self {
            Self::Values(values) => values.at(i),
        }
    }

    /// The numbers that were given, for checking them.
    pub(crate) fn values(&self) -> &PerCoordinate {
        match self {
            Self::Values(values) => values,
        }
    }
}

impl From<f64> for Absent {
    fn from(value: f64) -> Self {
        Self::Values(value.into())
    }
}

impl From<PerCoordinate> for Absent {
    fn from(values: PerCoordinate) -> Self {
        Self::Values(values)
    }
}

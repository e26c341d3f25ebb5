//! What "not there" means for an input.

use std::str::FromStr;

use gradless::PerCoordinate;
use serde::{Deserialize, Serialize};

use crate::features::{blurred_planes, mean_planes};

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

/// How wide the blur of a photograph is, as a share of its shorter side: what an object is cannot be told any more, where it is can.
pub const BLUR: f64 = 1.0 / 16.0;

/// What stands where a region of a picture is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Background {
    /// The picture itself, blurred by a Gaussian of this deviation, as a share of its shorter side.
    Blur(f64),
    /// Its mean colour.
    Mean,
    /// What diffuses in from what is there.
    Diffusion,
    /// These numbers: a colour, or another picture.
    Values(PerCoordinate),
}

impl Default for Background {
    fn default() -> Self {
        Self::Blur(BLUR)
    }
}

impl Background {
    /// The numbers it stands for in a picture of this shape; `None` if they depend on what is there.
    pub fn numbers(&self, picture: &[f64], shape: &[usize]) -> Option<PerCoordinate> {
        match self {
            Self::Blur(width) => Some(blurred_planes(picture, shape, *width).into()),
            Self::Mean => Some(mean_planes(picture, shape).into()),
            Self::Diffusion => None,
            Self::Values(values) => Some(values.clone()),
        }
    }

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Self::Blur(width) => {
                format!("the picture blurred by {:.3} of its shorter side", (1e3 * width).round() / 1e3)
            }
            Self::Mean => "the mean colour".to_owned(),
            Self::Diffusion => "what diffuses in from around".to_owned(),
            Self::Values(values) if values.len().is_none() => format!("the number {}", values.at(0)),
            Self::Values(_) => "the numbers given".to_owned(),
        }
    }
}

impl FromStr for Background {
    type Err = String;

    /// `blur`, `blur=SHARE`, `mean` or `diffusion`.
    fn from_str(text: &str) -> Result<Self, String> {
        let needed = "blur, blur=SHARE (of the shorter side, above 0 and at most 1), mean or diffusion";
        match (text.trim(), text.trim().strip_prefix("blur=")) {
            ("blur", _) => Ok(Self::default()),
            ("mean", _) => Ok(Self::Mean),
            ("diffusion", _) => Ok(Self::Diffusion),
            (_, Some(width)) => {
                let width = width.parse().ok().filter(|width| *width > 0.0 && *width <= 1.0);
                width.map(Self::Blur).ok_or_else(|| format!("{needed} is needed"))
            }
            _ => Err(format!("{needed} is needed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds_are_read_and_said() {
        let read = |text: &str| text.parse::<Background>();
        assert_eq!(read("blur"), Ok(Background::Blur(BLUR)));
        assert_eq!(read(" blur=0.1"), Ok(Background::Blur(0.1)));
        assert_eq!((read("mean"), read("diffusion")), (Ok(Background::Mean), Ok(Background::Diffusion)));
        for wrong in ["", "blur=", "blur=0", "blur=2", "blur=nan", "grey"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Background::default().words(), "the picture blurred by 0.063 of its shorter side");
    }
}

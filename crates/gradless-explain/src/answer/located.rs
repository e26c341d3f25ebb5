//! Where the regions of an answer lie, how much each of them matters, and how the answer formed.

use serde::{Deserialize, Serialize};

use super::{Verdict, numbers};

/// An answer that is made of regions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Located {
    /// The share of the picture that they cover.
    #[serde(deserialize_with = "numbers::number")]
    pub area: f64,
    /// Connected pieces that they make.
    pub pieces: usize,
    /// The region of every pixel, row by row; `None` where the picture always stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Option<u32>>,
    /// What the model says of the picture without them, for an answer that is a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<Verdict>,
    /// How much every region matters for the class of the input, as far as the queries of the search tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<Heat>,
    /// The best so far, whenever there was a better one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forming: Vec<Forming>,
}

/// How much every region matters: by how much the logarithm of the odds of the class rises with it, and how well that is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// By region.
    #[serde(deserialize_with = "numbers::list")]
    pub importance: Vec<f64>,
    /// The standard error of each.
    #[serde(deserialize_with = "numbers::list")]
    pub error: Vec<f64>,
    /// Queries that tell it: those the search has asked anyway.
    pub queries: usize,
}

/// An answer on its way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forming {
    /// Queries when it was known, everything included.
    pub queries: u64,
    /// Its regions.
    pub used: Vec<usize>,
}

impl Located {
    /// The same without what is as long as the picture or the search.
    #[must_use]
    pub fn without_arrays(&self) -> Self {
        Self { area: self.area, pieces: self.pieces, without: self.without.clone(), ..Self::default() }
    }

    /// Whether a pixel belongs to one of these regions.
    pub fn has(&self, pixel: usize, used: &[usize]) -> bool {
        let region = self.regions.get(pixel).copied().flatten();
        region.is_some_and(|region| used.binary_search(&(region as usize)).is_ok())
    }
}

impl Heat {
    /// Numbers of regions as a map of the picture; 0 where it always stays.
    pub fn map(numbers: &[f64], regions: &[Option<u32>]) -> Vec<f64> {
        let of = |region: &Option<u32>| region.and_then(|region| numbers.get(region as usize).copied());
        regions.iter().map(|region| of(region).unwrap_or(0.0)).collect()
    }
}

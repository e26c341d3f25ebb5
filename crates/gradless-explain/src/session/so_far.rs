//! An answer that is forming: the best point of a search that is still going on.

use crate::features::Coordinates;

/// The best point of a search so far. What is asked of it is worked out when it is asked: a search reports often, and few of its
/// reports are looked at.
#[derive(Clone, Copy)]
pub struct SoFar<'a> {
    pub(super) coordinates: &'a Coordinates<'a>,
    pub(super) point: &'a [f64],
    pub(super) numbers: usize,
}

impl SoFar<'_> {
    /// The features it uses, by their numbers.
    pub fn used(&self) -> Vec<usize> {
        self.coordinates.used(self.point)
    }

    /// What the model is shown for it.
    pub fn input(&self) -> Vec<f64> {
        self.coordinates.input(self.point, self.numbers)
    }

    /// What the model is shown where the search would have found nothing to use: an empty input for a part, the input itself for a
    /// change.
    pub fn origin(&self) -> Vec<f64> {
        self.coordinates.input(&self.coordinates.origin, self.numbers)
    }

    /// The region of every pixel, if the features are regions; `None` where the picture always stays.
    pub fn regions(&self) -> Option<Vec<Option<u32>>> {
        self.coordinates.map().map(crate::features::Map::regions)
    }
}

impl std::fmt::Debug for SoFar<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SoFar").field("used", &self.used()).finish_non_exhaustive()
    }
}

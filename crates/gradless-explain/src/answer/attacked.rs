//! How small an attack has made its change, and when.

use serde::{Deserialize, Serialize};

use super::{Step, numbers};
use crate::question::Norm;

/// The size of a change, and every smaller one on the way to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attacked {
    /// What the size is.
    pub norm: Norm,
    /// The size of the answer; `None` where nothing was found.
    pub size: Option<f64>,
    /// The largest change of a number.
    #[serde(deserialize_with = "numbers::number")]
    pub norm_linf: f64,
    /// When smaller valid changes were known, the first first: at every number of queries the last entry at or before it is the best
    /// so far.
    pub curve: Vec<Improvement>,
}

/// A valid change that is smaller than all before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// Queries when it was known, everything included.
    pub queries: u64,
    /// Its size.
    pub size: f64,
}

impl Step {
    /// The smaller size that was known with it, so many queries having been asked before the search.
    pub(crate) fn improvement(&self, before: u64) -> Option<Improvement> {
        Some(Improvement { queries: self.queries + before, size: self.best? })
    }
}

impl Attacked {
    /// The size of the best change after so many queries.
    pub fn size_after(&self, queries: u64) -> Option<f64> {
        self.curve.iter().take_while(|one| one.queries <= queries).last().map(|one| one.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_tells_the_best_at_every_number_of_queries() {
        let curve = [(10, 5.0), (30, 4.0)].map(|(queries, size)| Improvement { queries, size }).to_vec();
        let attacked = Attacked { norm: Norm::Pixels, size: Some(4.0), norm_linf: 1.0, curve };
        let sizes = [9, 10, 29, 30, 1000].map(|queries| attacked.size_after(queries));
        assert_eq!(sizes, [None, Some(5.0), Some(5.0), Some(4.0), Some(4.0)]);
    }
}

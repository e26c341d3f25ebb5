//! The group lasso: whole groups of coordinates vanish together.

use serde::{Deserialize, Serialize};

use super::check_weights;
use crate::PerCoordinate;
use crate::error::ProblemError;

/// $r(x) = \sum_g w_g \lVert x_g\rVert_2$, the groups being disjoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupL2 {
    /// $w_g$: one weight for all groups, or one for each group.
    pub weight: PerCoordinate,
    /// The group of each coordinate; groups are numbered from 0 without gaps.
    pub group_of: Vec<usize>,
}

impl GroupL2 {
    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.group_of.iter().max().map_or(0, |last| last + 1)
    }

    /// $\lVert x_g\rVert_2$ for every group, without overflow or underflow of the squares.
    pub fn norms(&self, x: &[f64]) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.groups()];
        for (&group, value) in self.group_of.iter().zip(x) {
            largest[group] = largest[group].max(value.abs());
        }
        let mut squares = vec![0.0; largest.len()];
        for (&group, value) in self.group_of.iter().zip(x) {
            if largest[group] > 0.0 {
                squares[group] += (value / largest[group]).powi(2);
            }
        }
        largest.iter().zip(squares).map(|(largest, squares): (&f64, f64)| largest * squares.sqrt()).collect()
    }

    /// $r(x)$.
    pub fn value(&self, x: &[f64]) -> f64 {
        self.norms(x).iter().enumerate().map(|(group, norm)| self.weight.at(group) * norm).sum()
    }

    pub(crate) fn check(&self, dim: usize) -> Result<(), ProblemError> {
        if self.group_of.len() != dim {
            return Err(ProblemError::WrongLength {
                what: "group_of",
                expected: dim,
                found: self.group_of.len(),
            });
        }
        // Checked before `groups()` sizes anything: a stray huge number must not allocate.
        if let Some(index) = self.group_of.iter().position(|&group| group >= dim) {
            return Err(ProblemError::BadGroup { index, group: self.group_of[index], dim });
        }
        check_weights("group weight", &self.weight, self.groups())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_is_the_weighted_sum_of_group_norms() {
        let group = GroupL2 { weight: vec![1.0, 10.0].into(), group_of: vec![0, 1, 0] };
        assert_eq!(group.value(&[3.0, 2.0, 4.0]), 5.0 + 20.0);
    }

    #[test]
    fn huge_and_tiny_groups_have_norms() {
        let group = GroupL2 { weight: 1.0.into(), group_of: vec![0, 0, 1, 1, 2] };
        let norms = group.norms(&[3e200, 4e200, 3e-200, 4e-200, 0.0]);
        let close = norms.iter().zip([5e200, 5e-200, 0.0]).all(|(a, b)| (a - b).abs() <= 1e-15 * b);
        assert!(close, "{norms:?}");
    }

    #[test]
    fn a_group_number_beyond_the_dimension_is_refused() {
        let group = GroupL2 { weight: 1.0.into(), group_of: vec![0, usize::MAX] };
        assert_eq!(group.check(2), Err(ProblemError::BadGroup { index: 1, group: usize::MAX, dim: 2 }));
    }
}

//! Bounds per coordinate, either side possibly infinite.

use serde::{Deserialize, Serialize};

use crate::PerCoordinate;
use crate::error::ProblemError;

/// $l_i \le x_i \le h_i$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// $l$, possibly $-\infty$.
    pub lower: PerCoordinate,
    /// $h$, possibly $+\infty$.
    pub upper: PerCoordinate,
}

impl Bounds {
    /// `value` brought between the bounds of coordinate `i`.
    #[inline]
    pub fn clip(&self, i: usize, value: f64) -> f64 {
        // `max` then `min`: for lower <= upper this is the projection, and it never panics.
        value.max(self.lower.at(i)).min(self.upper.at(i))
    }

    /// Brings the coordinates from `first` on between their bounds.
    pub(crate) fn clip_all(&self, first: usize, values: &mut [f64]) {
        // One comparison per side in the form processors have an instruction for; no NaN comes here.
        let clip = |value: f64, lower: f64, upper: f64| {
            let value = if value < lower { lower } else { value };
            if value > upper { upper } else { value }
        };
        if let (PerCoordinate::Same(lower), PerCoordinate::Same(upper)) = (&self.lower, &self.upper) {
            for value in values {
                *value = clip(*value, *lower, *upper);
            }
        } else {
            for (i, value) in (first..).zip(values) {
                *value = clip(*value, self.lower.at(i), self.upper.at(i));
            }
        }
    }

    /// The largest distance by which a coordinate is outside.
    pub fn violation(&self, x: &[f64]) -> f64 {
        x.iter()
            .enumerate()
            .fold(0.0, |worst, (i, &value)| worst.max(self.lower.at(i) - value).max(value - self.upper.at(i)))
    }

    /// $\max_i \max(|l_i|, |h_i|)$.
    pub fn max_norm(&self) -> f64 {
        let largest = |side: &PerCoordinate| side.values().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        largest(&self.lower).max(largest(&self.upper))
    }

    /// The narrowest width above 0; infinite if there is none.
    pub(crate) fn least_room(&self, dim: usize) -> f64 {
        self.widths(dim).filter(|&width| width > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// The width $h_i - l_i$ of one coordinate.
    pub(crate) fn width(&self, i: usize) -> f64 {
        self.upper.at(i) - self.lower.at(i)
    }

    fn widths(&self, dim: usize) -> impl Iterator<Item = f64> {
        let count = self.lower.len().or(self.upper.len()).unwrap_or(1).min(dim);
        (0..count).map(|i| self.width(i))
    }

    /// The smallest $\ell_1$ norm between the bounds.
    pub(crate) fn least_l1(&self, dim: usize) -> f64 {
        (0..dim).map(|i| self.clip(i, 0.0).abs()).sum()
    }

    /// Coordinate `i` brought `margin` away from both bounds, or to the middle where they are too close for that.
    pub(crate) fn retreat(&self, i: usize, value: f64, margin: f64) -> f64 {
        let margin = margin.min(0.5 * self.width(i));
        value.max(self.lower.at(i) + margin).min(self.upper.at(i) - margin)
    }

    /// Both sides moved inwards by `margin`, or to the middle where they are too close for that.
    pub(crate) fn shrunk(&self, dim: usize, margin: f64) -> Self {
        let margin = |i| margin.min(0.5 * self.width(i));
        if self.lower.len().or(self.upper.len()).is_none() {
            let (lower, upper) = (self.lower.at(0) + margin(0), self.upper.at(0) - margin(0));
            return Self { lower: lower.into(), upper: upper.into() };
        }
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            (0..dim).map(|i| (self.lower.at(i) + margin(i), self.upper.at(i) - margin(i))).unzip();
        Self { lower: lower.into(), upper: upper.into() }
    }

    pub(crate) fn select(&self, kept: &[usize]) -> Self {
        Self { lower: self.lower.select(kept), upper: self.upper.select(kept) }
    }

    pub(crate) fn minus(&self, offset: &[f64]) -> Self {
        Self { lower: self.lower.minus(offset), upper: self.upper.minus(offset) }
    }

    pub(crate) fn check(&self, dim: usize) -> Result<(), ProblemError> {
        for (what, side) in [("lower bound", &self.lower), ("upper bound", &self.upper)] {
            if let Some(found) = side.len().filter(|&found| found != dim) {
                return Err(ProblemError::WrongLength { what, expected: dim, found });
            }
        }
        for i in 0..dim {
            let (lower, upper) = (self.lower.at(i), self.upper.at(i));
            // NaN on either side is caught too, and [inf, inf] holds no number.
            let holds = lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY;
            if !holds {
                return Err(ProblemError::CrossedBounds { index: i, lower, upper });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossed_and_undefined_bounds_are_named() {
        let bounds = Bounds { lower: vec![0.0, 2.0].into(), upper: 1.0.into() };
        assert_eq!(bounds.check(2), Err(ProblemError::CrossedBounds { index: 1, lower: 2.0, upper: 1.0 }));
        let bounds = Bounds { lower: f64::NAN.into(), upper: 1.0.into() };
        assert!(matches!(bounds.check(1), Err(ProblemError::CrossedBounds { index: 0, .. })));
        let bounds = Bounds { lower: f64::NEG_INFINITY.into(), upper: f64::INFINITY.into() };
        assert_eq!(bounds.check(3), Ok(()));
    }
}

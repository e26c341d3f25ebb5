//! $K$: the closed convex set the answer lies in.

mod bounds;

pub use bounds::Bounds;

use serde::{Deserialize, Serialize};

use crate::error::ProblemError;
use crate::{PerCoordinate, vector};

/// How far points that must not leave a ball keep away from its boundary, relative to its size.
const ROUNDING: f64 = 1e-12;
/// A ball or simplex may be left by this much, relative to its size: a sum of many rounded terms is not exact.
const SLACK: f64 = 1e-9;

/// A decision set as the user names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Set {
    /// All of $\mathbb R^d$.
    Free,
    /// $l_i \le x_i \le h_i$, infinite sides allowed.
    Box(Bounds),
    /// $\lVert x\rVert_1 \le \rho$, within bounds if there are any.
    L1Ball {
        /// $\rho > 0$.
        radius: f64,
        /// Bounds to hold as well.
        bounds: Option<Bounds>,
    },
    /// $\lVert x\rVert_2 \le \rho$.
    L2Ball {
        /// $\rho > 0$.
        radius: f64,
    },
    /// $x \ge 0$ and $\sum_i x_i$ is the given total.
    Simplex {
        /// What the coordinates sum to, above 0.
        total: f64,
    },
}

impl Set {
    /// $l_i \le x_i \le h_i$.
    pub fn bounds(lower: impl Into<PerCoordinate>, upper: impl Into<PerCoordinate>) -> Self {
        Self::Box(Bounds { lower: lower.into(), upper: upper.into() })
    }

    /// $\lVert x\rVert_1 \le \rho$.
    pub fn l1_ball(radius: f64) -> Self {
        Self::L1Ball { radius, bounds: None }
    }

    /// $\lVert x\rVert_1 \le \rho$ and $l_i \le x_i \le h_i$.
    pub fn l1_ball_in_box(
        radius: f64,
        lower: impl Into<PerCoordinate>,
        upper: impl Into<PerCoordinate>,
    ) -> Self {
        Self::L1Ball { radius, bounds: Some(Bounds { lower: lower.into(), upper: upper.into() }) }
    }

    /// $\lVert x\rVert_2 \le \rho$.
    pub fn l2_ball(radius: f64) -> Self {
        Self::L2Ball { radius }
    }

    /// $x \ge 0$, $\sum_i x_i = 1$.
    pub fn simplex() -> Self {
        Self::Simplex { total: 1.0 }
    }

    /// The bounds, where the set has any.
    pub fn box_bounds(&self) -> Option<&Bounds> {
        match self {
            Self::Box(bounds) => Some(bounds),
            Self::L1Ball { bounds, .. } => bounds.as_ref(),
            Self::Free | Self::L2Ball { .. } | Self::Simplex { .. } => None,
        }
    }

    /// How far `x` is outside, in the set's own measure; 0 inside.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let beyond = |size: f64, limit: f64| if size <= limit * (1.0 + SLACK) { 0.0 } else { size - limit };
        let outside_box = self.box_bounds().map_or(0.0, |bounds| bounds.violation(x));
        match self {
            Self::Free | Self::Box(_) => outside_box,
            Self::L1Ball { radius, .. } => outside_box.max(beyond(vector::norm_l1(x), *radius)),
            Self::L2Ball { radius } => beyond(vector::norm_l2(x), *radius),
            Self::Simplex { total } => {
                let below = x.iter().fold(0.0_f64, |worst, &value| worst.max(-value));
                let off = (vector::sum_by(x, |a| a) - total).abs();
                below.max(if off <= total * SLACK { 0.0 } else { off })
            }
        }
    }

    /// $\max_{x\in K}\lVert x\rVert_\infty$; infinite if $K$ is unbounded.
    pub fn max_norm(&self) -> f64 {
        match self {
            Self::Free => f64::INFINITY,
            Self::Box(bounds) => bounds.max_norm(),
            Self::L1Ball { radius, bounds } => {
                bounds.as_ref().map_or(*radius, |bounds| bounds.max_norm().min(*radius))
            }
            Self::L2Ball { radius } => *radius,
            Self::Simplex { total } => *total,
        }
    }

    /// The points of $K$ that stay in $K$ when moved by any vector of these norms; `None` if there are none, and for the simplex,
    /// which has no interior. Coordinates whose bounds are too close for that stay in their middle.
    pub(crate) fn shrunk(&self, dim: usize, by: Margins) -> Option<Self> {
        // Sums of many rounded terms are not exact: what must stay inside keeps clear of that, too.
        let radius_left = |radius: f64, margin: f64| {
            let left = radius * (1.0 - ROUNDING) - margin;
            (left > 0.0).then_some(left)
        };
        match self {
            Self::Free => Some(Self::Free),
            Self::Box(bounds) => Some(Self::Box(bounds.shrunk(dim, by.max))),
            Self::L1Ball { radius, bounds } => {
                let bounds = bounds.as_ref().map(|bounds| bounds.shrunk(dim, by.max));
                let radius = radius_left(*radius, by.l1)?;
                let nearest = bounds.as_ref().map_or(0.0, |bounds| bounds.least_l1(dim));
                (nearest <= radius).then_some(Self::L1Ball { radius, bounds })
            }
            Self::L2Ball { radius } => radius_left(*radius, by.l2).map(|radius| Self::L2Ball { radius }),
            Self::Simplex { .. } => None,
        }
    }

    /// Brings a query that was perturbed within its margins into $K$ exactly: adding and subtracting has rounded, a coordinate
    /// without room was moved all the same, and on the simplex the total has changed.
    pub(crate) fn settle(&self, query: &mut [f64]) {
        if let Some(bounds) = self.box_bounds() {
            bounds.clip_all(0, query);
        }
        if let Self::Simplex { total } = self {
            let sum: f64 = query.iter().map(|value| value.max(0.0)).sum();
            let factor = total / sum;
            for value in query {
                *value = value.max(0.0) * factor;
            }
        }
    }

    /// Whether the parts fit each other, for a set that comes from outside; a ball of radius 0 may be left where fixed
    /// coordinates take up the rest.
    pub(crate) fn is_consistent(&self, dim: usize) -> bool {
        match self {
            Self::L1Ball { radius: 0.0, bounds } => {
                bounds.as_ref().is_none_or(|bounds| bounds.check(dim).is_ok() && bounds.least_l1(dim) == 0.0)
            }
            other => other.check(dim).is_ok(),
        }
    }

    pub(crate) fn check(&self, dim: usize) -> Result<(), ProblemError> {
        let size = match self {
            Self::Free | Self::Box(_) => 1.0,
            Self::L1Ball { radius, .. } | Self::L2Ball { radius } => *radius,
            Self::Simplex { total } => *total,
        };
        if !(size.is_finite() && size > 0.0) {
            return Err(ProblemError::BadSize { value: size });
        }
        if let Some(bounds) = self.box_bounds() {
            bounds.check(dim)?;
        }
        if let Self::L1Ball { radius, bounds: Some(bounds) } = self {
            let nearest = bounds.least_l1(dim);
            if nearest > *radius {
                return Err(ProblemError::EmptySet { radius: *radius, nearest });
            }
        }
        Ok(())
    }
}

/// Norms of a perturbation, for keeping queries inside $K$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Margins {
    pub(crate) max: f64,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_keeps_its_distance_stays_inside_when_perturbed() {
        let margins = Margins { max: 0.1, l1: 0.2, l2: 0.02_f64.sqrt() };
        let sets = [
            Set::bounds(-1.0, vec![1.0, 0.5]),
            Set::l1_ball(1.0),
            Set::l1_ball_in_box(0.6, -0.5, 0.5),
            Set::l2_ball(0.4),
        ];
        for set in sets {
            let inner = set.shrunk(2, margins).expect("wide enough");
            for x in [[0.3, 0.0], [-0.1, 0.1], [0.0, -0.25]] {
                if inner.violation(&x) == 0.0 {
                    for u in [[0.1, 0.1], [-0.1, 0.1], [0.1, -0.1], [-0.1, -0.1]] {
                        assert_eq!(set.violation(&[x[0] + u[0], x[1] + u[1]]), 0.0, "{set:?}");
                    }
                }
            }
        }
        assert_eq!(Set::simplex().shrunk(2, margins), None, "a simplex has no interior");
        assert_eq!(Set::l1_ball(0.2).shrunk(2, margins), None, "too small");
        let narrow = Set::bounds(0.0, vec![0.1, 1.0]).shrunk(2, margins);
        assert_eq!(narrow, Some(Set::bounds(vec![0.05, 0.1], vec![0.05, 0.9])));
    }

    #[test]
    fn an_l1_ball_that_misses_its_box_is_empty() {
        let set = Set::l1_ball_in_box(1.0, 0.6, 1.0);
        assert_eq!(set.check(2), Err(ProblemError::EmptySet { radius: 1.0, nearest: 1.2 }));
        assert_eq!(set.check(1), Ok(()));
    }
}

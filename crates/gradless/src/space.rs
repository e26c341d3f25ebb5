//! The space the methods work in: free coordinates only, the regulariser centred at 0.

use serde::{Deserialize, Serialize};

use crate::policy::{FixedCoordinates, Placement};
use crate::problem::Problem;
use crate::regulariser::{ElasticNet, Regulariser};
use crate::set::{Bounds, Set};
use crate::{PerCoordinate, vector};

/// A [`Problem`] in the coordinates the methods see, and the way back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Space {
    full_dim: usize,
    /// The free coordinates in ascending order; `None` if all are.
    free: Option<Vec<usize>>,
    /// Index and value of the others.
    fixed: Vec<(usize, f64)>,
    centre: Option<Centre>,
    pub(crate) regulariser: Regulariser,
    pub(crate) set: Set,
    fixed_sizes: Sizes,
    fixed_penalty: f64,
}

/// The point subtracted from the free coordinates, and the bounds to respect when it is added again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Centre {
    point: Vec<f64>,
    bounds: Option<Bounds>,
}

/// How large a point is, measured from the centre, fixed coordinates included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sizes {
    pub(crate) l1: f64,
    pub(crate) l2_squared: f64,
    pub(crate) nonzeros: usize,
}

impl Space {
    /// The space, and the starting point in it (not yet projected). `None` if no coordinate is free.
    pub(crate) fn new(problem: Problem, policy: FixedCoordinates) -> Option<(Self, Vec<f64>)> {
        let Problem { dim, regulariser, set, start, centre, .. } = problem;
        let free = match (policy, set.box_bounds()) {
            (FixedCoordinates::Remove, Some(bounds)) => free_coordinates(bounds, dim),
            _ => None,
        };
        if free.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let mut fixed_sizes = Sizes::default();
        let mut fixed_penalty = 0.0;
        let mut fixed = Vec::new();
        if let (Some(free), Some(bounds)) = (&free, set.box_bounds()) {
            fixed = fixed_coordinates(bounds, free, dim);
            let indices: Vec<usize> = fixed.iter().map(|&(i, _)| i).collect();
            let offsets: Vec<f64> =
                fixed.iter().map(|&(i, value)| value - centre.as_ref().map_or(0.0, |b| b[i])).collect();
            fixed_sizes = Sizes::of(&offsets);
            fixed_penalty = regulariser.select(&indices).value(&offsets);
        }
        let start = start.unwrap_or_else(|| centre.clone().unwrap_or_else(|| vec![0.0; dim]));
        let (mut set, regulariser, mut start, centre) = match &free {
            None => (set, regulariser, start, centre),
            Some(kept) => (
                set_on(&set, kept, fixed_sizes.l1),
                regulariser.select(kept),
                kept.iter().map(|&i| start[i]).collect(),
                centre.map(|b| kept.iter().map(|&i| b[i]).collect()),
            ),
        };
        let centre = centre.map(|point: Vec<f64>| {
            start.iter_mut().zip(&point).for_each(|(x, b)| *x -= b);
            let bounds = set.box_bounds().cloned();
            if let Set::Box(bounds) = &mut set {
                *bounds = bounds.minus(&point);
            }
            Centre { point, bounds }
        });
        let space = Self { full_dim: dim, free, fixed, centre, regulariser, set, fixed_sizes, fixed_penalty };
        Some((space, start))
    }

    /// Whether all parts speak of the same coordinates, for a space that comes from outside.
    pub(crate) fn is_consistent(&self) -> bool {
        let free_fits = match &self.free {
            None => self.fixed.is_empty(),
            Some(free) => {
                free.len().checked_add(self.fixed.len()) == Some(self.full_dim)
                    && free.windows(2).all(|pair| pair[0] < pair[1])
                    && free.last().is_some_and(|&last| last < self.full_dim)
                    && self.fixed.iter().all(|&(i, value)| i < self.full_dim && value.is_finite())
            }
        };
        let dim = self.dim();
        let centre_fits = self.centre.as_ref().is_none_or(|Centre { point, bounds }| {
            point.len() == dim
                && vector::first_not_finite(point).is_none()
                && bounds.as_ref().is_none_or(|bounds| bounds.check(dim).is_ok())
        });
        dim > 0
            && free_fits
            && centre_fits
            && self.regulariser.check(dim).is_ok()
            && self.set.is_consistent(dim)
    }

    /// The number of free coordinates.
    pub(crate) fn dim(&self) -> usize {
        self.free.as_ref().map_or(self.full_dim, Vec::len)
    }

    /// The number of coordinates the user sees.
    pub(crate) fn full_dim(&self) -> usize {
        self.full_dim
    }

    /// Turns a row that holds a point of this space in its first `dim()` places into the user's point, in place.
    pub(crate) fn expand(&self, row: &mut [f64], placement: Placement) {
        if let Some(Centre { point, bounds }) = &self.centre {
            for (i, (value, b)) in row.iter_mut().zip(point).enumerate() {
                *value += b;
                // Adding the centre back may round across a bound that was met exactly; a query that may lie
                // outside is further away than that.
                if let Some(bounds) = bounds {
                    let clipped = bounds.clip(i, *value);
                    let rounding = 4.0 * f64::EPSILON * (b.abs() + clipped.abs());
                    if placement == Placement::Inside || (clipped - *value).abs() <= rounding {
                        *value = clipped;
                    }
                }
            }
        }
        if let Some(free) = &self.free {
            // From the back, so that no value is overwritten before it has moved: free[i] >= i.
            for (i, &target) in free.iter().enumerate().rev() {
                row[target] = row[i];
            }
            for &(i, value) in &self.fixed {
                row[i] = value;
            }
        }
    }

    /// The user's point as an owned vector.
    pub(crate) fn expanded(&self, mut point: Vec<f64>) -> Vec<f64> {
        point.resize(self.full_dim, 0.0);
        self.expand(&mut point, Placement::Inside);
        point
    }

    /// `out += factor * gradient`, for a gradient in the user's coordinates.
    pub(crate) fn add_restricted(&self, gradient: &[f64], factor: f64, out: &mut [f64]) {
        match &self.free {
            None => out.iter_mut().zip(gradient).for_each(|(o, g)| *o += factor * g),
            Some(free) => out.iter_mut().zip(free).for_each(|(o, &i)| *o += factor * gradient[i]),
        }
    }

    /// $r$ at a point of this space, fixed coordinates included.
    pub(crate) fn penalty(&self, x: &[f64]) -> f64 {
        self.measure(x).1
    }

    /// The sizes of a point of this space and $r$ there, fixed coordinates included.
    ///
    /// One weight for all coordinates needs no second look at them.
    pub(crate) fn measure(&self, x: &[f64]) -> (Sizes, f64) {
        let free = Sizes::of(x);
        // A weight of 0 takes nothing, even of a sum that has overflowed.
        let weighted = |weight: f64, sum: f64| if weight == 0.0 { 0.0 } else { weight * sum };
        let penalty = match &self.regulariser {
            Regulariser::Separable(ElasticNet {
                l1: PerCoordinate::Same(l1),
                l2: PerCoordinate::Same(l2),
            }) => weighted(*l1, free.l1) + weighted(0.5 * l2, free.l2_squared),
            other => other.value(x),
        };
        let sizes = Sizes {
            l1: free.l1 + self.fixed_sizes.l1,
            l2_squared: free.l2_squared + self.fixed_sizes.l2_squared,
            nonzeros: free.nonzeros + self.fixed_sizes.nonzeros,
        };
        (sizes, penalty + self.fixed_penalty)
    }
}

impl Sizes {
    /// All three in one pass: at a million coordinates every pass costs as much as a query.
    fn of(x: &[f64]) -> Self {
        let [l1, l2_squared, nonzeros] =
            vector::sums_by(x, |a| [a.abs(), a * a, if a == 0.0 { 0.0 } else { 1.0 }]);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count below 2^53")]
        let nonzeros = nonzeros as usize;
        Self { l1, l2_squared, nonzeros }
    }
}

/// The coordinates whose bounds differ; `None` if all do.
fn free_coordinates(bounds: &Bounds, dim: usize) -> Option<Vec<usize>> {
    let is_free = |&i: &usize| bounds.lower.at(i) < bounds.upper.at(i);
    (!(0..dim).all(|i| is_free(&i))).then(|| (0..dim).filter(is_free).collect())
}

fn fixed_coordinates(bounds: &Bounds, free: &[usize], dim: usize) -> Vec<(usize, f64)> {
    let mut free = free.iter().copied().peekable();
    (0..dim).filter(|&i| free.next_if_eq(&i).is_none()).map(|i| (i, bounds.lower.at(i))).collect()
}

/// The set on the kept coordinates; a ball loses what the fixed ones take up.
fn set_on(set: &Set, kept: &[usize], fixed_l1: f64) -> Set {
    match set {
        Set::Box(bounds) => Set::Box(bounds.select(kept)),
        Set::L1Ball { radius, bounds } => Set::L1Ball {
            // The fixed coordinates may take up the whole ball; rounding must not make that less than nothing.
            radius: (radius - fixed_l1).max(0.0),
            bounds: bounds.as_ref().map(|bounds| bounds.select(kept)),
        },
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(problem: crate::problem::ProblemBuilder) -> (Space, Vec<f64>) {
        Space::new(problem.build().unwrap(), FixedCoordinates::Remove).expect("something is free")
    }

    #[test]
    fn fixed_coordinates_leave_and_come_back() {
        let (space, start) = space(
            Problem::builder(5)
                .regulariser(Regulariser::elastic_net(vec![1.0, 2.0, 3.0, 4.0, 5.0], 2.0))
                .set(Set::bounds(vec![0.0, 7.0, 0.0, 0.0, -1.0], vec![1.0, 7.0, 1.0, 0.0, -1.0]))
                .start(vec![0.25, 7.0, 0.5, 0.0, -1.0]),
        );
        assert_eq!((space.dim(), &start), (2, &vec![0.25, 0.5]));
        assert_eq!(space.expanded(start.clone()), [0.25, 7.0, 0.5, 0.0, -1.0]);
        assert_eq!(space.penalty(&[0.0, 0.0]), (2.0 * 7.0 + 49.0) + (5.0 + 1.0));
        assert_eq!(space.measure(&start).0, Sizes { l1: 8.75, l2_squared: 50.3125, nonzeros: 4 });
        let mut g = [0.0; 2];
        space.add_restricted(&[1.0, 2.0, 3.0, 4.0, 5.0], 2.0, &mut g);
        assert_eq!(g, [2.0, 6.0]);
    }

    #[test]
    fn a_centre_moves_the_whole_space_and_bounds_survive_the_way_back() {
        let (space, start) = space(
            Problem::builder(2)
                .regulariser(Regulariser::l1(1.0))
                .set(Set::bounds(0.1, 0.7))
                .centre(vec![0.3, 0.3])
                .start(vec![0.1, 0.3]),
        );
        assert_eq!(space.penalty(&start), 0.3 - 0.1);
        for x in [[0.1 - 0.3, 0.7 - 0.3], [0.7 - 0.3, 0.1 - 0.3]] {
            let back = space.expanded(x.to_vec());
            assert!(back.iter().all(|v| (0.1..=0.7).contains(v)), "{back:?}");
        }
    }

    #[test]
    fn nothing_free_is_reported() {
        let problem = Problem::builder(2).set(Set::bounds(1.0, 1.0)).start(vec![1.0; 2]).build().unwrap();
        assert!(Space::new(problem.clone(), FixedCoordinates::Remove).is_none());
        assert!(Space::new(problem, FixedCoordinates::Keep).is_some());
    }

    #[test]
    fn a_ball_loses_what_fixed_coordinates_take_up() {
        let (space, _) = space(
            Problem::builder(3)
                .set(Set::l1_ball_in_box(2.0, vec![0.5, -1.0, -1.0], vec![0.5, 1.0, 1.0]))
                .start(vec![0.5, 0.0, 0.0]),
        );
        assert!(matches!(space.set, Set::L1Ball { radius: 1.5, .. }));
    }
}

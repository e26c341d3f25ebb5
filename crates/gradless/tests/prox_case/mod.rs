//! Random steps: every supported combination, over the ranges a test asks for.

#![allow(dead_code, reason = "each test file uses a part of this")]

use gradless::geometry::{DistanceGenerator, Geometry};
use gradless::prox::{self, Step, StepError};
use gradless::{PerCoordinate, Regulariser, Set, vector};
use proptest::prelude::*;

/// Decimal orders of magnitude, up and down.
#[derive(Clone, Copy)]
pub(crate) struct Ranges {
    pub(crate) slope: f64,
    pub(crate) eta: f64,
    pub(crate) weight: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) geometry: Geometry,
    pub(crate) regulariser: Regulariser,
    pub(crate) set: Set,
    pub(crate) x: Vec<f64>,
    pub(crate) g: Vec<f64>,
    pub(crate) eta: f64,
}

impl Case {
    pub(crate) fn generator(&self) -> DistanceGenerator {
        self.geometry.generator(self.x.len())
    }

    pub(crate) fn step(&self) -> Result<Vec<f64>, StepError> {
        let prox = prox::closed_form(&self.generator(), &self.regulariser, &self.set)?;
        let mut y = vec![f64::NAN; self.x.len()];
        prox.step(&self.regulariser, &self.set, Step { x: &self.x, g: &self.g, eta: self.eta }, &mut y)?;
        Ok(y)
    }

    /// The objective at `y`, and the size of the terms it is made of.
    pub(crate) fn objective(&self, y: &[f64]) -> (f64, f64) {
        let phi = self.generator();
        let linear = vector::dot(&self.g, y);
        let known = self.regulariser.value(y) + self.eta * phi.divergence(y, &self.x);
        let size = vector::sum_by_pair(&self.g, y, |g, y| (g * y).abs()) + known;
        let rounding = if self.geometry == Geometry::PNorm { self.eta * phi.potential(&self.x) } else { 0.0 };
        (linear + known, size + rounding)
    }
}

fn magnitude(orders: f64) -> impl Strategy<Value = f64> {
    (-orders..orders).prop_map(|e: f64| 10_f64.powf(e))
}

fn signed(orders: f64) -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => Just(0.0),
        4 => (magnitude(orders), any::<bool>()).prop_map(|(m, up)| if up { m } else { -m }),
        2 => -2.0..2.0,
    ]
}

fn weights(count: usize, orders: f64) -> impl Strategy<Value = PerCoordinate> {
    let one = move || prop_oneof![1 => Just(0.0), 3 => magnitude(orders)];
    prop_oneof![
        2 => Just(PerCoordinate::Same(0.0)),
        3 => one().prop_map(PerCoordinate::Same),
        2 => prop::collection::vec(one(), count).prop_map(PerCoordinate::Each),
    ]
}

/// Bounds with infinite sides, no width, and places away from 0.
fn bounds(dim: usize) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let side = prop_oneof![
        3 => (-1.0..0.5, 0.0..1.0).prop_map(|(low, width): (f64, f64)| (low, low + width)),
        1 => (-0.2..0.2).prop_map(|at: f64| (at, at)),
        1 => (-0.2..0.2).prop_map(|low: f64| (low, f64::INFINITY)),
        1 => (-0.2..0.2).prop_map(|high: f64| (f64::NEG_INFINITY, high)),
        1 => Just((f64::NEG_INFINITY, f64::INFINITY)),
        1 => Just((0.0, f64::INFINITY)),
    ];
    prop::collection::vec(side, dim).prop_map(|sides| sides.into_iter().unzip())
}

fn set(geometry: Geometry, grouped: bool, dim: usize) -> BoxedStrategy<Set> {
    let free = Just(Set::Free).boxed();
    let boxed = bounds(dim).prop_map(|(low, high)| Set::bounds(low, high)).boxed();
    let l2 = magnitude(2.0).prop_map(Set::l2_ball).boxed();
    match geometry {
        Geometry::PNorm => prop_oneof![free, boxed].boxed(),
        _ if grouped => prop_oneof![free, l2].boxed(),
        _ => {
            let l1 = magnitude(2.0).prop_map(Set::l1_ball);
            let l1_in_box =
                (bounds(dim), 0.0..1.0_f64, any::<bool>()).prop_map(|((low, high), extra, tight)| {
                    let nearest: f64 =
                        low.iter().zip(&high).map(|(l, h)| 0.0_f64.max(*l).min(*h).abs()).sum();
                    // Sometimes hardly anything of the ball is left between the bounds.
                    let extra = if tight { 1e-6 * extra } else { extra };
                    Set::l1_ball_in_box(nearest + extra + 1e-12, low, high)
                });
            let simplex = magnitude(2.0).prop_map(|total| Set::Simplex { total });
            prop_oneof![free, boxed, l1, l1_in_box, l2, simplex].boxed()
        }
    }
}

/// A step in this geometry with any regulariser and set that has one.
pub(crate) fn case(geometry: Geometry, ranges: Ranges) -> impl Strategy<Value = Case> {
    // Mostly small, and now and then more than two blocks of the coordinates that are treated together.
    (prop_oneof![9 => 3..12_usize, 1 => 31..70_usize], 0..4).prop_flat_map(move |(dim, kind)| {
        let grouped = geometry == Geometry::Euclidean && kind == 0;
        let regulariser = if grouped {
            (weights(dim, ranges.weight), prop::collection::vec(0..dim, dim))
                .prop_map(|(weight, group_of)| Regulariser::group_l2(weight, group_of))
                .boxed()
        } else {
            (weights(dim, ranges.weight), weights(dim, ranges.weight))
                .prop_map(|(l1, l2)| Regulariser::elastic_net(l1, l2))
                .boxed()
        };
        let parts = (
            regulariser,
            set(geometry, grouped, dim),
            prop::collection::vec(
                prop_oneof![2 => Just(0.0), 4 => -1.0..1.0, 1 => signed(ranges.slope)],
                dim,
            ),
            prop::collection::vec(signed(ranges.slope), dim),
            magnitude(ranges.eta),
        );
        parts.prop_map(move |(regulariser, set, x, g, eta)| Case { geometry, regulariser, set, x, g, eta })
    })
}

/// A step in any geometry.
pub(crate) fn any_case(ranges: Ranges) -> impl Strategy<Value = Case> {
    prop_oneof![2 => Just(Geometry::Entropy), 1 => Just(Geometry::Euclidean), 1 => Just(Geometry::PNorm)]
        .prop_flat_map(move |geometry| case(geometry, ranges))
}

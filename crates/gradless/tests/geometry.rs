//! The facts about $\varphi$ that the methods rest on: strong convexity, inverse mirror maps, Fenchel's equality.

use gradless::geometry::{DistanceGenerator, Geometry};
use gradless::vector;
use proptest::prelude::*;

/// A coordinate of any size that matters, zero and both signs included.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => Just(0.0),
        5 => -2.0..2.0,
        2 => (-12.0..9.0, any::<bool>()).prop_map(|(e, up): (f64, bool)| if up { e.exp() } else { -e.exp() }),
        1 => -1e9..1e9,
    ]
}

/// Pairs that are unrelated, nearly equal or of opposite signs.
fn pair() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (3..40_usize).prop_flat_map(|dim| {
        let point = || prop::collection::vec(coordinate(), dim);
        (point(), point(), 0..3, -12.0..-1.0).prop_map(
            |(x, other, kind, e): (Vec<f64>, Vec<f64>, i32, f64)| {
                let y = x.iter().zip(&other).map(|(x, other)| match kind {
                    0 => *other,
                    1 => x * (1.0 + e.exp() * other.signum()),
                    _ => -x * e.exp(),
                });
                let y = y.collect();
                (x, y)
            },
        )
    })
}

fn generators(dim: usize) -> [DistanceGenerator; 3] {
    [Geometry::Entropy, Geometry::Euclidean, Geometry::PNorm].map(|geometry| geometry.generator(dim))
}

fn close(a: f64, b: f64, scale: f64, digits: f64) -> bool {
    (a - b).abs() <= digits * scale.abs().max(f64::MIN_POSITIVE)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_geometry_is_strongly_convex_with_its_modulus((x, y) in pair()) {
        for phi in generators(x.len()) {
            let distance = phi.distance(&x, &y);
            let bound = 0.5 * phi.modulus(&x, &y) * distance * distance;
            // The p-norm's divergence is a difference of potentials and has their rounding.
            let rounding = match phi {
                DistanceGenerator::PNorm(_) => 1e-13 * (phi.potential(&x) + phi.potential(&y)),
                _ => 0.0,
            };
            let divergence = phi.divergence(&y, &x);
            prop_assert!(divergence + rounding >= bound * (1.0 - 1e-9), "{phi:?} {divergence} {bound}");
        }
    }

    #[test]
    fn the_mirror_maps_are_inverse_to_each_other((x, _) in pair()) {
        for phi in generators(x.len()) {
            let (mut theta, mut back) = (x.clone(), x.clone());
            phi.gradient(&x, &mut theta);
            phi.conjugate_gradient(&theta, &mut back);
            for (x, back) in x.iter().zip(&back) {
                prop_assert!(close(*x, *back, *x, 1e-12), "{phi:?} {x} {back}");
            }
        }
    }

    #[test]
    fn potential_and_conjugate_meet_at_the_gradient((x, _) in pair()) {
        for phi in generators(x.len()) {
            let mut theta = x.clone();
            phi.gradient(&x, &mut theta);
            let (sum, inner) = (phi.potential(&x) + phi.conjugate(&theta), vector::dot(&x, &theta));
            prop_assert!(close(sum, inner, inner, 1e-12), "{phi:?} {sum} {inner}");
        }
    }

    #[test]
    fn the_divergence_is_what_its_definition_says((x, y) in pair()) {
        for phi in generators(x.len()) {
            let mut theta = x.clone();
            phi.gradient(&x, &mut theta);
            let inner = vector::sum_by_pair(&theta, &y, |t, y| t * y) - vector::dot(&theta, &x);
            let plain = phi.potential(&y) - phi.potential(&x) - inner;
            let scale = phi.potential(&y) + phi.potential(&x) + vector::sum_by_pair(&theta, &y, |t, y| (t * y).abs());
            prop_assert!(close(phi.divergence(&y, &x), plain, scale, 1e-13), "{phi:?}");
        }
    }
}

#[test]
fn the_modulus_of_the_entropy_is_attained_in_the_limit() {
    // Uniform points close to each other: B = |y - x|²/(2(|x| + 1)) up to second order.
    let phi = Geometry::Entropy.generator(10);
    let (x, y) = ([0.3; 10], [0.3 + 1e-7; 10]);
    let distance = phi.distance(&x, &y);
    let ratio = phi.divergence(&y, &x) / (0.5 * phi.modulus(&x, &y) * distance * distance);
    assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
}

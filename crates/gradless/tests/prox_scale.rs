//! Steps at the ends of the scale: powers of two, huge slopes, many coordinates.

use gradless::geometry::{Entropy, Geometry};
use gradless::prox::{self, Prox, Step};
use gradless::{Regulariser, Set, vector};

#[test]
fn scaling_by_a_power_of_two_changes_no_bit() {
    let x = [0.3, -0.1, 0.0, 0.7, 0.2];
    let g = [0.7, -1.3, 0.01, 0.4, -2.0];
    let (l1, l2) = (vec![0.1, 0.0, 0.3, 0.2, 0.5], vec![0.3, 0.1, 0.0, 2.0, 0.7]);
    let sets = [
        Set::Free,
        Set::bounds(-0.2, 0.5),
        Set::l1_ball(0.8),
        Set::l1_ball_in_box(0.8, -0.3, 0.4),
        Set::l2_ball(0.3),
        Set::simplex(),
    ];
    for geometry in [Geometry::Entropy, Geometry::Euclidean, Geometry::PNorm] {
        for set in &sets {
            let step = |scale: f64| {
                let times = |v: &[f64]| v.iter().map(|v| scale * v).collect::<Vec<_>>();
                let regulariser = Regulariser::elastic_net(times(&l1), times(&l2));
                let prox = prox::closed_form(&geometry.generator(5), &regulariser, set).ok()?;
                let mut y = [0.0; 5];
                prox.step(&regulariser, set, Step { x: &x, g: &times(&g), eta: scale * 1.7 }, &mut y)
                    .unwrap();
                Some(y.map(f64::to_bits))
            };
            assert_eq!(step(1.0), step(2.0_f64.powi(60)), "{geometry:?} {set:?}");
            assert_eq!(step(1.0), step(2.0_f64.powi(-60)), "{geometry:?} {set:?}");
        }
    }
}

fn step(prox: &Prox, regulariser: &Regulariser, set: &Set, (x, g, eta): (&[f64], &[f64], f64)) -> Vec<f64> {
    let mut y = vec![f64::NAN; x.len()];
    prox.step(regulariser, set, Step { x, g, eta }, &mut y).expect("a step with an answer");
    y
}

#[test]
fn bounds_clip_the_free_answer_and_do_nothing_else() {
    let (x, g) = ([0.3, -0.1, 0.0, 0.7, 0.2], [0.7, -1.3, 0.01, 0.4, -2.0]);
    let (lower, upper) = ([-0.1, 0.05, -1.0, 0.2, f64::NEG_INFINITY], [0.1, 0.06, f64::INFINITY, 0.2, 0.4]);
    let regulariser = Regulariser::elastic_net(0.1, vec![0.0, 0.3, 0.3, 0.0, 1.0]);
    for prox in [Prox::Entropy(Entropy::new(5)), Prox::Euclidean] {
        let free = step(&prox, &regulariser, &Set::Free, (&x, &g, 0.7));
        let held = step(&prox, &regulariser, &Set::bounds(&lower[..], &upper[..]), (&x, &g, 0.7));
        for i in 0..5 {
            assert_eq!(held[i], free[i].clamp(lower[i], upper[i]), "{prox:?} {i}");
        }
    }
}

#[test]
fn a_slope_common_to_all_does_not_matter_on_the_simplex() {
    // The common part is 2^60 in units of eta: added to the mirror image of x it would swallow it.
    let (x, g, eta) = ([0.5, 0.3, 0.15, 0.05], [3.0, 1.0, 2.0, -1.0], 2.0_f64.powi(-30));
    let near: Vec<f64> = g.iter().map(|g| g * eta).collect();
    let far: Vec<f64> = near.iter().map(|g| g + 2.0_f64.powi(20)).collect();
    let regulariser = Regulariser::l2(vec![0.0, 1e-9, 1e-3, 0.0]);
    for prox in [Prox::Entropy(Entropy::new(4)), Prox::Euclidean] {
        let at = |g: &[f64]| step(&prox, &regulariser, &Set::simplex(), (&x, g, eta));
        assert!(vector::distance_l1(&at(&near), &at(&far)) < 1e-13, "{:?} {:?}", at(&near), at(&far));
    }
}

#[test]
fn a_slope_common_to_all_does_not_matter_in_a_full_l1_ball() {
    let (x, eta) = ([0.5, -0.3, 0.15, -0.05_f64], 2.0_f64.powi(-30));
    let at = |common: f64| {
        let g: Vec<f64> =
            x.iter().zip([3.0, 1.0, 2.0, -1.0]).map(|(x, g)| -x.signum() * (common + g * eta)).collect();
        step(&Prox::Entropy(Entropy::new(4)), &Regulariser::none(), &Set::l1_ball(1.0), (&x, &g, eta))
    };
    let (near, far) = (at(64.0 * eta), at(2.0_f64.powi(20)));
    assert!(vector::distance_l1(&near, &far) < 1e-13, "{near:?} {far:?}");
}

#[test]
fn with_a_vanishing_scale_the_simplex_step_is_the_exponentiated_gradient() {
    let (x, g) = ([0.5, 0.3, 0.15, 0.05], [0.3, -0.1, 0.2, -1.0]);
    let prox = Prox::Entropy(Entropy::with_scale(4, 1e-25));
    let y = step(&prox, &Regulariser::none(), &Set::simplex(), (&x, &g, 0.5));
    let grown: Vec<f64> = x.iter().zip(&g).map(|(x, g)| x * (-g / 0.5_f64).exp()).collect();
    let total: f64 = grown.iter().sum();
    for (y, grown) in y.iter().zip(&grown) {
        assert!((y - grown / total).abs() < 1e-13, "{y} {}", grown / total);
    }
}

#[test]
fn a_hundred_million_coordinates_leave_every_digit_to_one() {
    // a = 1e-8: mirror image, slope and answer of one coordinate must satisfy ln(1+y/a) + γ₂y/η = k.
    let prox = Prox::Entropy(Entropy::new(100_000_000));
    for (l2, eta) in [(0.0, 1.0), (1e-3, 1.0), (1e6, 1e-3), (1e-12, 1e3)] {
        let y =
            step(&prox, &Regulariser::elastic_net(0.25 * eta, l2), &Set::Free, (&[1e-7], &[-eta], eta))[0];
        let k = (1e-7_f64 * 1e8).ln_1p() + 1.0 - 0.25;
        let reached = (y * 1e8).ln_1p() + l2 / eta * y;
        assert!((reached / k - 1.0).abs() < 1e-14, "{l2} {eta}: {y} {reached} {k}");
    }
}

#[test]
fn a_million_coordinates_step_into_every_set() {
    let dim = 1_000_000;
    let x: Vec<f64> = (0..dim).map(|i| if i % 100 == 0 { f64::from(i % 7) / 7.0 } else { 0.0 }).collect();
    let g: Vec<f64> = (0..dim).map(|i| f64::from(i % 1009) / 1009.0 - 0.5).collect();
    let regulariser = Regulariser::elastic_net(0.25, 0.5);
    let sets = [Set::bounds(-0.5, 0.5), Set::l1_ball(3.0), Set::l2_ball(0.5), Set::simplex()];
    for (set, geometry) in sets.iter().flat_map(|set| [(set, Geometry::Entropy), (set, Geometry::Euclidean)])
    {
        let prox = prox::closed_form(&geometry.generator(1_000_000), &regulariser, set).unwrap();
        let y = step(&prox, &regulariser, set, (&x, &g, 1.0));
        assert_eq!(vector::first_not_finite(&y), None);
        assert_eq!(set.violation(&y), 0.0);
        let size = match set {
            Set::L1Ball { radius, .. } => vector::norm_l1(&y) / radius,
            Set::L2Ball { radius } => vector::norm_l2(&y) / radius,
            Set::Simplex { total } => vector::sum_by(&y, |y| y) / total,
            _ => 1.0,
        };
        assert!((size - 1.0).abs() < 1e-12, "{geometry:?} {set:?} {size}");
    }
}

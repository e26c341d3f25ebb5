//! The fast steps beside the naive ones, and beside points they must not lose to.

mod prox_case;

use gradless::geometry::Geometry;
use gradless::prox;
use gradless::{Regulariser, Set, vector};
use proptest::prelude::*;
use prox_case::{Case, Ranges, case};
use testkit::prox_naive::{Separable, coordinate_descent};

const MILD: Ranges = Ranges { slope: 2.0, eta: 2.0, weight: 2.0 };

/// What the naive version says, inside a box so large that it does not matter.
fn naive(case: &Case) -> Vec<f64> {
    let dim = case.x.len();
    let Regulariser::Separable(net) = &case.regulariser else { unreachable!("only separable cases here") };
    let each = |w: &gradless::PerCoordinate| (0..dim).map(|i| w.at(i)).collect::<Vec<_>>();
    let a = 1.0 / dim as f64;
    let entropy = move |y: f64| (y.abs() / a).ln_1p().copysign(y);
    let euclid = |y: f64| y;
    let within = |default: f64, side: fn(&gradless::set::Bounds) -> &gradless::PerCoordinate| {
        let bounds = case.set.box_bounds();
        (0..dim).map(|i| bounds.map_or(default, |b| side(b).at(i)).clamp(-1e60, 1e60)).collect::<Vec<_>>()
    };
    let simplex = matches!(case.set, Set::Simplex { .. });
    let problem = Separable {
        dual: if case.geometry == Geometry::Entropy { &entropy } else { &euclid },
        x: &case.x,
        g: &case.g,
        eta: case.eta,
        l1: &each(&net.l1),
        l2: &each(&net.l2),
        lower: &within(if simplex { 0.0 } else { -1e60 }, |b| &b.lower),
        upper: &within(1e60, |b| &b.upper),
    };
    match &case.set {
        Set::Free | Set::Box(_) => problem.in_box(),
        Set::L1Ball { radius, .. } => problem.in_l1_ball(*radius),
        Set::L2Ball { radius } => problem.in_l2_ball(*radius),
        Set::Simplex { total } => problem.with_sum(*total),
    }
}

fn separable_geometry() -> impl Strategy<Value = Geometry> {
    prop_oneof![Just(Geometry::Entropy), Just(Geometry::Euclidean)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_fast_step_is_the_naive_step(case in separable_geometry().prop_flat_map(|phi| case(phi, MILD))) {
        prop_assume!(matches!(case.regulariser, Regulariser::Separable(_)));
        if let Ok(y) = case.step() {
            // The naive search covers ±1e60.
            prop_assume!(vector::norm_max(&y) < 1e50);
            for (fast, slow) in y.iter().zip(naive(&case)) {
                let scale = 1.0 + vector::norm_max(&y);
                prop_assert!((fast - slow).abs() <= 1e-9 * scale, "{case:?}: {fast} {slow}");
            }
        }
    }

    #[test]
    fn no_feasible_point_is_better(case in prox_case::any_case(MILD), other in prop::collection::vec(-3.0..3.0, 70)) {
        if let Ok(y) = case.step() {
            prop_assume!(vector::norm_max(&y) < 1e50);
            let mut feasible = vec![0.0; y.len()];
            prox::project(&case.set, &other[..y.len()], &mut feasible);
            prop_assert_eq!(case.set.violation(&feasible), 0.0);
            let (best, scale) = case.objective(&y);
            for share in [1.0, 0.1, 1e-3] {
                let rival: Vec<f64> = y.iter().zip(&feasible).map(|(y, f)| y + share * (f - y)).collect();
                let (value, rival_scale) = case.objective(&rival);
                prop_assert!(best <= value + 1e-12 * (scale + rival_scale), "{case:?} {share}: {best} {value}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_p_norm_step_is_where_coordinate_descent_ends(
        x in prop::collection::vec(-1.0..1.0, 4), g in prop::collection::vec(-2.0..2.0, 4), l2 in 0.0..2.0, bounded in any::<bool>(),
    ) {
        let set = if bounded { Set::bounds(-0.5, vec![0.5, 0.25, 1.0, 2.0]) } else { Set::Free };
        let regulariser = Regulariser::elastic_net(0.25, l2);
        let case = Case { geometry: Geometry::PNorm, regulariser, set, x, g, eta: 1.0 };
        let y = case.step().unwrap();
        let upper = if bounded { [0.5, 0.25, 1.0, 2.0] } else { [10.0; 4] };
        let lower = if bounded { [-0.5; 4] } else { [-10.0; 4] };
        let slow = coordinate_descent(|y| case.objective(y).0, &y.iter().map(|y| 0.9 * y + 0.01).collect::<Vec<_>>(), &lower, &upper, 60);
        for (fast, slow) in y.iter().zip(&slow) {
            prop_assert!((fast - slow).abs() < 1e-4, "{case:?} {y:?} {slow}");
        }
    }
}

#[test]
fn projections_have_their_known_answers() {
    // Each worked out by hand: clip; threshold 1/2; radius 5 to 1; threshold 1/2; clip, then threshold 3/4.
    let cases: [(Set, [f64; 2], [f64; 2]); 5] = [
        (Set::bounds(-1.0, 1.0), [3.0, -0.5], [1.0, -0.5]),
        (Set::l1_ball(1.0), [1.25, -0.75], [0.75, -0.25]),
        (Set::l2_ball(1.0), [3.0, -4.0], [0.6, -0.8]),
        (Set::simplex(), [1.25, 0.75], [0.75, 0.25]),
        (Set::l1_ball_in_box(1.5, -1.0, 1.0), [3.0, 1.25], [1.0, 0.5]),
    ];
    for (set, x, expected) in cases {
        let mut y = [0.0; 2];
        prox::project(&set, &x, &mut y);
        assert!(vector::distance_l1(&y, &expected) < 1e-15, "{set:?} {y:?}");
    }
}

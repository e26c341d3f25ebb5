//! Bounds are bounds: no query leaves $K$ by default, whatever the method, the set and the directions.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::cell::Cell;

use gradless::estimator::Difference;
use gradless::policy::Placement;
use gradless::{
    BatchSize, Budget, Config, Direction, METHODS, Method, Noise, Outcome, Preset, Problem, Radius,
    Regulariser, Set, Solver, StopReason, minimize,
};
use support::{drive_by_hand, quiet_config, value_methods};
use testkit::noise;

const DIM: usize = 8;

/// Every kind of set: with corners, half open, narrow in one coordinate, fixed in another, off the origin, without interior.
fn sets() -> Vec<Set> {
    let mut upper = vec![1.0; DIM];
    (upper[1], upper[2]) = (0.1, 0.1 + 1e-9);
    let mut lower = vec![-1.0; DIM];
    (lower[1], lower[2], lower[3], upper[4]) = (0.1, 0.1, f64::NEG_INFINITY, f64::INFINITY);
    vec![
        Set::Free,
        Set::bounds(0.0, 1.0),
        Set::bounds(0.1, f64::INFINITY),
        Set::bounds(lower, upper),
        Set::bounds(1e6, 1e6 + 1e-3),
        Set::l1_ball(1.0),
        Set::l1_ball_in_box(1.0, 0.0, 0.4),
        Set::l1_ball_in_box(0.8 + 1e-6, 0.1, 0.4),
        Set::l2_ball(0.7),
        Set::simplex(),
    ]
}

/// The largest distance of a query from the set, and the outcome.
fn driven(set: &Set, config: Config, f: impl Fn(&[f64], u64) -> f64) -> (f64, Outcome) {
    let problem = Problem::builder(DIM).regulariser(Regulariser::l1(0.01)).set(set.clone()).build().unwrap();
    let (mut worst, calls) = (0.0_f64, Cell::new(0));
    let outcome = drive_by_hand(
        Solver::new(problem, config).unwrap(),
        |x, _| {
            worst = worst.max(set.violation(x));
            calls.set(calls.get() + 1);
            f(x, calls.get())
        },
        |_| true,
    );
    (worst, outcome)
}

fn bowl(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, x)| (x - 0.2 * (i % 3) as f64).powi(2)).sum()
}

#[test]
fn no_method_leaves_any_set_by_default() {
    for set in sets() {
        for name in value_methods() {
            let method = Method::named(name).unwrap();
            let mut config = Config::new(method, Preset::Practical);
            config.budget = Budget::queries(600);
            let problem =
                Problem::builder(DIM).regulariser(Regulariser::l1(0.01)).set(set.clone()).build().unwrap();
            // No exact step there, whatever the placement.
            if Solver::new(problem, config.clone()).is_err() {
                continue;
            }
            for level in [0.0, 0.05] {
                let noisy = |x: &[f64], call| bowl(x) + level * noise::normal(call);
                let (worst, _) = driven(&set, config.clone(), noisy);
                assert_eq!(worst, 0.0, "{name} leaves {set:?}, noise {level}");
            }
        }
    }
}

#[test]
fn no_direction_or_difference_or_radius_leaves_any_set() {
    let directions = [
        Direction::Rademacher,
        Direction::Hadamard,
        Direction::Gaussian,
        Direction::Sphere,
        Direction::Coordinate,
        Direction::Block,
    ];
    for set in sets() {
        for (direction, difference) in
            directions.into_iter().flat_map(|u| [Difference::Forward, Difference::Central].map(|d| (u, d)))
        {
            for radius in
                [Radius::Auto, Radius::Fixed(0.01), Radius::Fixed(3.0), Radius::NoiseAware { largest: None }]
            {
                let mut config = quiet_config("zo-ada-exp-grad+", 400);
                config.recipe = config
                    .recipe
                    .with_direction(direction)
                    .with_difference(difference)
                    .with_radius(radius)
                    .with_batch(BatchSize::Fixed(10));
                let (worst, outcome) = driven(&set, config, |x, _| bowl(x));
                assert_eq!(worst, 0.0, "{direction:?}, {difference:?}, {radius:?} leave {set:?}");
                assert!(outcome.best.loss.is_some());
            }
        }
    }
}

#[test]
fn what_worked_outside_is_not_refused_inside() {
    for set in sets() {
        for (method, preset) in METHODS.iter().flat_map(|m| [(m, Preset::Practical), (m, Preset::Paper)]) {
            let problem = Problem::builder(DIM).set(set.clone()).build().unwrap();
            let with = |placement| {
                let config = Config { placement, ..Config::new(*method, preset) };
                Solver::new(problem.clone(), config).map(|_| ())
            };
            assert_eq!(with(Placement::Inside), with(Placement::Anywhere), "{} on {set:?}", method.name);
        }
    }
}

#[test]
fn the_paper_asks_outside_and_so_do_its_presets() {
    for preset in [Preset::Paper, Preset::Authors] {
        let method = Method::named("zo-ada-exp-grad+").unwrap();
        let config = Config { budget: Budget::queries(1_000), ..Config::new(method, preset) };
        let (worst, _) = driven(&Set::bounds(0.0, 1.0), config, |x, _| bowl(x));
        assert!(worst > 0.0);
    }
}

#[test]
fn functions_that_end_at_their_bounds_are_minimised_up_to_them() {
    // The root is smallest at its bound, x log x at 1/e; both are NaN below 0.
    let black_box = |x: &[f64]| {
        let x_log_x = |x: f64| if x == 0.0 { 0.0 } else { x * x.ln() };
        x.iter().enumerate().map(|(i, &x)| if i % 2 == 0 { x.sqrt() } else { x_log_x(x) }).sum::<f64>()
    };
    let run = |name: &str| {
        let problem = Problem::builder(DIM).set(Set::bounds(0.0, 1.0)).start(vec![0.5; DIM]).build().unwrap();
        let config = Config::new(Method::named(name).unwrap(), Preset::Practical);
        let outcome = minimize(problem, &black_box, config).unwrap();
        assert_eq!(outcome.counts.failed, 0, "{name}");
        outcome
    };
    for (i, x) in run("auto").x().iter().enumerate() {
        let expected = if i % 2 == 0 { 0.0 } else { (-1.0_f64).exp() };
        assert!((x - expected).abs() < 0.03, "coordinate {i} is {x}, not {expected}");
    }
    // Without an end to its slope the root is no function for the others, but they get nearer.
    assert!(run("zo-ada-exp-grad+").objective().unwrap() < 0.5 * black_box(&[0.5; DIM]));
}

#[test]
fn a_function_of_absolute_values_has_slopes_at_its_bound() {
    // From outside the box the two sides of 0 look the same.
    let black_box = |x: &[f64]| x.iter().map(|x| (x.abs() - 0.5).powi(2)).sum::<f64>();
    let problem = Problem::builder(40).set(Set::bounds(0.0, 1.0)).build().unwrap();
    let outcome = minimize(problem, &black_box, Config::default()).unwrap();
    assert!(outcome.objective().unwrap() < 1e-3, "10 at the start, {:?} reached", outcome.objective());
}

#[test]
fn the_simplex_is_searched_from_within() {
    // Smallest at the vertex of coordinate 3.
    let black_box = |x: &[f64]| {
        x.iter().enumerate().map(|(i, x)| if i == 3 { 0.1 * x } else { x * (1.0 + x) }).sum::<f64>()
    };
    for name in ["auto", "zo-ada-exp-grad+"] {
        let problem = Problem::builder(20).set(Set::simplex()).build().unwrap();
        let config = Config::new(Method::named(name).unwrap(), Preset::Practical);
        let outcome = minimize(problem, &black_box, config).unwrap();
        assert!(outcome.x()[3] > 0.95, "{name}: {:?}", outcome.x());
    }
}

#[test]
fn coordinates_of_very_different_widths_are_all_found() {
    // The narrow ones matter as much as the wide ones.
    let upper: Vec<f64> = (0..9).map(|i| 10.0_f64.powi(3 - 2 * (i % 4))).collect();
    let scaled = upper.clone();
    let black_box = move |x: &[f64]| x.iter().zip(&scaled).map(|(x, w)| (x / w - 0.3).powi(2)).sum::<f64>();
    let problem = Problem::builder(9).set(Set::bounds(0.0, upper.clone())).build().unwrap();
    let outcome = minimize(problem, &black_box, Config::default()).unwrap();
    assert!(outcome.objective().unwrap() < 0.81, "no worse than the start: {:?}", outcome.objective());
}

#[test]
fn a_set_of_one_point_is_its_own_answer() {
    let problem =
        Problem::builder(2).set(Set::l1_ball_in_box(1.0, 0.5, 1.0)).start(vec![0.5, 0.5]).build().unwrap();
    let config = Config { noise: Noise::None, ..Config::default() };
    let outcome = minimize(problem, &|x: &[f64]| x[0] + x[1], config).unwrap();
    assert_eq!((outcome.x(), outcome.objective()), (&[0.5, 0.5][..], Some(1.0)));
    assert_eq!(outcome.stop, Some(StopReason::Stagnation));
}

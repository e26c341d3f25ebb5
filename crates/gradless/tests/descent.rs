//! Facts that hold on every path, whatever the estimates: descent, growth of the weights, scale.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::estimator::Estimator;
use gradless::geometry::DistanceGenerator;
use gradless::method::UpdateRule;
use gradless::momentum::StormRate;
use gradless::step_size::{InitialWeight, StepRule};
use gradless::{BatchSize, Config, Method, Momentum, Noise, Preset, Problem, Regulariser, Set, Solver};
use support::{drive_by_hand, iterations, on_box, quiet_config};
use testkit::families::{Shape, SparseTarget, TanhNet};

/// One iteration as seen from outside: where it was, what it estimated, where it went.
struct Seen {
    x: Vec<f64>,
    v: Vec<f64>,
    next: Vec<f64>,
    d: Vec<f64>,
    weight: f64,
}

/// Runs a first-order method on a gradient with errors in it, so that the estimate $d_t$ is known from outside.
fn run_with_known_estimates(family: &SparseTarget, name: &str, t: u64, noise_level: f64) -> Vec<Seen> {
    let mut config = iterations(Config::new(Method::named(name).unwrap(), Preset::Paper), t);
    config.recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(1) };
    config.recipe.momentum = Momentum::Plain;
    let mut solver = Solver::new(on_box(family), config).unwrap();
    let mut seen: Vec<Seen> = Vec::new();
    let mut round = 0;
    loop {
        let x = match solver.ask() {
            gradless::Ask::Gradient(queries) => queries.to_matrix(),
            gradless::Ask::Evaluate(_) => panic!("gradients are asked for"),
            gradless::Ask::Stop(_) => return seen,
        };
        let mut d = vec![0.0; family.dim];
        family.gradient(&x, &mut d);
        for (i, d) in d.iter_mut().enumerate() {
            *d += noise_level * testkit::noise::normal(round * 1_000 + i as u64);
        }
        round += 1;
        solver.tell(gradless::Answers::Gradients { gradients: &d, values: None }).unwrap();
        let weight = solver.history().last().unwrap().step_size;
        let v = solver.clone().finish().sparse.x;
        seen.push(Seen { x, v, next: solver.point(), d, weight });
    }
}

#[test]
fn every_step_descends_as_the_proof_says() {
    let dot = gradless::vector::dot;
    for shape in [Shape::Quadratic, Shape::Nonconvex] {
        for name in ["fo-exp-grad", "fo-ada-exp-grad", "fo-ada-exp-grad+", "fo-exp-storm", "fo-ada-p-norm+"] {
            for noise_level in [0.0, 0.3] {
                let family = SparseTarget::new(30, 5, 0.6, 0.05, 0.1, shape, 1);
                let geometry = Method::named(name).unwrap().recipe(Preset::Paper).geometry;
                let phi: DistanceGenerator = geometry.generator(30);
                for Seen { x, v, next, d, weight } in run_with_known_estimates(&family, name, 40, noise_level)
                {
                    let step: Vec<f64> = v.iter().zip(&x).map(|(v, x)| v - x).collect();
                    let mut error = vec![0.0; 30];
                    family.gradient(&x, &mut error);
                    error.iter_mut().zip(&d).for_each(|(e, d)| *e -= d);
                    let moved = gradless::vector::distance_l1(&next, &x);
                    let whole = gradless::vector::norm_l1(&step);
                    let w = if whole == 0.0 { 1.0 } else { moved / whole };
                    let bound = w
                        * (-weight * (phi.divergence(&v, &x) + phi.divergence(&x, &v)) + dot(&error, &step))
                        + 0.5 * family.smoothness() * w * w * dot(&step, &step);
                    let change = family.objective(&next) - family.objective(&x);
                    assert!(change <= bound + 1e-12, "{name} {shape:?}: {change} > {bound}");
                }
            }
        }
    }
}

#[test]
fn weights_never_fall_and_grow_by_a_bounded_factor() {
    // |v - x|_1 <= |v|_1 + |x|_1 <= 2 max, so a step adds less than 4 alpha^2 to the sum. The bound is for any set: in one
    // orthant points with disjoint supports are as far apart.
    let factor = 5.0_f64.sqrt();
    for set in [Set::bounds(0.0, 1.0), Set::bounds(-1.0, 1.0)] {
        for name in ["zo-ada-exp-grad+", "zo-exp-storm"] {
            for height in [1e-2, 1.0, 1e3] {
                let problem = Problem::builder(50).set(set.clone()).start(vec![0.5; 50]).build().unwrap();
                let mut config = iterations(quiet_config(name, 0), 60);
                config.recipe = config.recipe.with_weight(1.0);
                config.recipe.momentum = match config.recipe.momentum {
                    Momentum::Storm(_) => Momentum::Storm(StormRate { rate: Some(0.5) }),
                    other => other,
                };
                let m = Solver::new(problem.clone(), config.clone()).unwrap().batch();
                let f = |x: &[f64], _| height * x.iter().map(|x| (x - 0.1).powi(2)).sum::<f64>();
                let outcome = drive_by_hand(Solver::new(problem, config).unwrap(), f, |_| true);
                for pair in outcome.history.windows(2) {
                    let growth = pair[1].step_size / pair[0].step_size;
                    let rate = StormRate { rate: Some(0.5) };
                    let t = pair[0].iteration;
                    let beta = if name.contains("storm") {
                        (rate.beta(t + 1, m) / rate.beta(t, m)).sqrt()
                    } else {
                        1.0
                    };
                    assert!(
                        (1.0..=factor * beta * (1.0 + 1e-12)).contains(&growth),
                        "{name}: {growth} at {t}"
                    );
                }
                assert!(outcome.history.len() == 60);
            }
        }
    }
}

/// A toy classifier loss on a box: nonconvex, with a regulariser, everything multiplied by `s`.
fn scaled_run(s: f64, name: &str) -> Vec<f64> {
    let net = TanhNet::new(24, 12, 5, 9);
    let x0: Vec<f64> = (0..24).map(|i| testkit::noise::uniform(500 + i)).collect();
    let k = net.class(&x0);
    let problem = Problem::builder(24)
        .regulariser(Regulariser::elastic_net(0.01 * s, 0.02 * s))
        .set(Set::bounds(0.0, x0.clone()))
        .start(x0)
        .build()
        .unwrap();
    let mut config = Config { noise: Noise::None, ..iterations(quiet_config(name, 0), 30) };
    if let UpdateRule::Mirror(
        StepRule::Adaptive { initial } | StepRule::AdaptivePlus { initial } | StepRule::Storm { initial, .. },
    ) = &mut config.recipe.update
    {
        *initial = InitialWeight::ScaleFree(1.0);
    }
    let solver = Solver::new(problem, config).unwrap();
    drive_by_hand(solver, |x, _| s * net.positive_loss(x, k), |_| true).last.x
}

#[test]
fn scaling_the_objective_by_a_power_of_two_changes_no_bit_and_by_others_only_rounding() {
    for name in ["zo-ada-exp-grad", "zo-ada-exp-grad+", "zo-exp-storm", "zo-ada-p-norm+"] {
        let plain = scaled_run(1.0, name);
        for exponent in [-20, -3, 7, 20] {
            assert_eq!(plain, scaled_run(2.0_f64.powi(exponent), name), "{name} times 2^{exponent}");
        }
        for s in [1e-6, 0.3, 1e6] {
            let other = scaled_run(s, name);
            for (a, b) in plain.iter().zip(&other) {
                // Differences of values are divided by the radius: rounding of the values is magnified by 1/nu.
                assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{name} times {s}: {a} and {b}");
            }
        }
    }
}

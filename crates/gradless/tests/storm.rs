//! STORM: what the recursion must be on functions where everything is known.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::estimator::Difference;
use gradless::momentum::StormRate;
use gradless::{
    Answers, Ask, BatchSize, Config, Direction, Estimator, Method, Momentum, Outcome, Preset, Problem, Set,
    Solver,
};
use support::{drive_by_hand, iterations, on_box, quiet_config, seed_config};
use testkit::families::SparseTarget;

fn with_momentum(name: &str, momentum: Momentum, t: u64) -> Config {
    let mut config = iterations(quiet_config(name, 0), t);
    config.recipe.momentum = momentum;
    config
}

fn run(config: Config, f: impl FnMut(&[f64], u64) -> f64) -> Outcome {
    let problem = Problem::builder(16).set(Set::bounds(-1.0, 1.0)).build().unwrap();
    drive_by_hand(Solver::new(problem, config).unwrap(), f, |_| true)
}

#[test]
fn a_first_iteration_of_storm_is_plain() {
    let f = |x: &[f64], _| x.iter().map(|x| (x - 0.3).powi(2)).sum();
    let storm = run(with_momentum("zo-exp-storm", Momentum::Storm(StormRate::default()), 1), f);
    let plain = run(with_momentum("zo-exp-storm", Momentum::Plain, 1), f);
    assert_eq!(storm.last.x, plain.last.x);
}

/// The estimates $d_t$ of a first-order STORM whose gradients are given, read off through a constant linear step:
/// with the Euclidean geometry, weight 1 and no bounds, $x_{t+1} = x_t - d_t$.
fn estimates(gradient: impl Fn(&[f64], u64) -> Vec<f64>, rate: f64, t: u64) -> Vec<Vec<f64>> {
    let mut config = iterations(Config::new(Method::named("zo-psgd").unwrap(), Preset::Paper), t);
    config.recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(1) };
    config.recipe.momentum = Momentum::Storm(StormRate { rate: Some(rate) });
    let mut solver = Solver::new(Problem::builder(3).build().unwrap(), config).unwrap();
    let mut estimates = Vec::new();
    loop {
        let (points, samples): (Vec<f64>, Vec<u64>) = match solver.ask() {
            Ask::Gradient(queries) => {
                (queries.to_matrix(), (0..queries.len()).map(|row| queries.sample(row)).collect())
            }
            Ask::Evaluate(_) => panic!("gradients are asked for"),
            Ask::Stop(_) => return estimates,
        };
        assert!(samples.iter().all(|sample| *sample == samples[0]), "both points share the sample");
        let before = solver.point();
        let gradients: Vec<f64> =
            points.chunks(3).zip(&samples).flat_map(|(x, sample)| gradient(x, *sample)).collect();
        solver.tell(Answers::Gradients { gradients: &gradients, values: None }).unwrap();
        estimates.push(before.iter().zip(solver.point()).map(|(a, b)| a - b).collect());
    }
}

#[test]
fn on_a_linear_function_the_past_is_simply_averaged_in() {
    // The gradient does not depend on x, so d_t = gamma g_t + (1 - gamma) d_{t-1}.
    let g = |_: &[f64], sample: u64| (0..3).map(|i| testkit::noise::normal(10 * sample + i)).collect();
    let rate = StormRate { rate: Some(0.7) };
    let d = estimates(g, 0.7, 12);
    for t in 2..=12_usize {
        let gamma = rate.gamma(t as u64, 1);
        let now: Vec<f64> = g(&[], t as u64 - 1);
        for i in 0..3 {
            let expected = gamma * now[i] + (1.0 - gamma) * d[t - 2][i];
            assert!((d[t - 1][i] - expected).abs() < 1e-12, "t = {t}");
        }
    }
}

#[test]
fn with_exact_gradients_storm_is_exact() {
    let gradient =
        |x: &[f64], _: u64| x.iter().map(|x| 0.3 * (x - 1.0) + 0.1 * x.powi(3)).collect::<Vec<f64>>();
    let mut x = vec![0.0; 3];
    for d in estimates(gradient, 1.0, 15) {
        for (d, g) in d.iter().zip(gradient(&x, 0)) {
            assert!((d - g).abs() < 1e-12);
        }
        x.iter_mut().zip(&d).for_each(|(x, d)| *x -= d);
    }
}

#[test]
fn the_error_obeys_its_recursion() {
    // g(x; t) = (1 + 0.3 z_t) x: mean mu(x) = x. e_t = d_t - x_t must equal
    // (1 - gamma) e_{t-1} + gamma (g_t - mu_t) + (1 - gamma)(g_t - h_t - mu_t + mu_{t-1}).
    let noise = |t: u64| 0.3 * testkit::noise::normal(77 + t);
    let gradient =
        |x: &[f64], t: u64| x.iter().map(|x| 0.2 * (1.0 + noise(t)) * (x - 1.0)).collect::<Vec<f64>>();
    let mean = |x: f64| 0.2 * (x - 1.0);
    let rate = StormRate { rate: Some(0.5) };
    let d = estimates(gradient, 0.5, 12);
    let mut x = vec![0.0];
    for d in &d {
        x.push(x.last().unwrap() - d[0]);
    }
    let error = |t: usize| d[t - 1][0] - mean(x[t - 1]);
    for t in 2..=12_usize {
        let keep = 1.0 - rate.gamma(t as u64, 1);
        let sample = |point: f64| mean(point) * (1.0 + noise(t as u64 - 1));
        let (here, there) = (x[t - 1], x[t - 2]);
        let expected = keep * error(t - 1)
            + (1.0 - keep) * (sample(here) - mean(here))
            + keep * (sample(here) - sample(there) - mean(here) + mean(there));
        assert!((error(t) - expected).abs() < 1e-13, "t = {t}");
    }
}

#[test]
fn with_all_directions_zeroth_order_storm_is_plain() {
    // A whole Hadamard block with central differences gives the gradient of a quadratic exactly, so there is nothing to
    // correct; the weights of the steps are made the same.
    let f = |x: &[f64], _| x.iter().enumerate().map(|(i, x)| (1 + i) as f64 * (x - 0.3).powi(2)).sum();
    let run_with = |momentum| {
        let mut config = with_momentum("zo-ada-exp-grad+", momentum, 20);
        config.recipe = config
            .recipe
            .with_direction(Direction::Hadamard)
            .with_batch(BatchSize::Fixed(16))
            .with_difference(Difference::Central);
        run(config, f).last.x
    };
    let plain = run_with(Momentum::Plain);
    let storm = run_with(Momentum::Storm(StormRate { rate: Some(1.0) }));
    for (plain, storm) in plain.iter().zip(&storm) {
        assert!((plain - storm).abs() < 1e-9, "{plain} and {storm}");
    }
}

#[test]
fn both_points_of_an_estimate_are_perturbed_along_the_same_directions() {
    let problem = Problem::builder(16).set(Set::bounds(-1.0, 1.0)).build().unwrap();
    let mut solver = Solver::new(problem, iterations(seed_config("zo-exp-storm"), 4)).unwrap();
    let m = solver.batch();
    let mut round = 0;
    while let Ask::Evaluate(queries) = solver.ask() {
        let rows = queries.to_matrix();
        let row = |i: usize| &rows[16 * i..16 * (i + 1)];
        if round > 0 {
            assert_eq!(queries.len(), 2 * m + 1);
            for j in 0..m {
                let here: Vec<bool> = row(1 + j).iter().zip(row(0)).map(|(a, b)| a > b).collect();
                // The base row of the previous point is not asked again; two directions tell each other's signs.
                let there: Vec<f64> = row(m + 1 + j).iter().zip(row(m + 1)).map(|(a, b)| a - b).collect();
                let first: Vec<bool> = row(1).iter().zip(row(0)).map(|(a, b)| a > b).collect();
                for i in 0..16 {
                    assert_eq!(there[i] != 0.0, here[i] != first[i]);
                }
            }
        }
        let values: Vec<f64> = rows.chunks(16).map(|x| x.iter().map(|x| (x - 0.2).powi(2)).sum()).collect();
        solver.tell(Answers::Values(&values)).unwrap();
        round += 1;
    }
    assert_eq!(round, 4);
}

#[test]
fn zeroth_order_storm_reaches_the_minimum_of_a_sparse_quadratic() {
    let family = SparseTarget::quadratic(200, 0.01, 3);
    let solver = Solver::new(on_box(&family), quiet_config("zo-exp-storm", 20_000)).unwrap();
    let outcome = drive_by_hand(solver, |x, _| family.loss(x), |_| true);
    let gap =
        (outcome.objective().unwrap() - family.minimum()) / (family.start_objective() - family.minimum());
    assert!(gap < 0.02, "{gap}");
}

//! The theorems' bounds on runs with known constants. They hold with much slack and catch gross errors only; the sharp
//! facts are in `descent.rs`.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::estimator::kappa;
use gradless::prox::{Step, closed_form};
use gradless::{
    Answers, Ask, BatchSize, Config, Estimator, Geometry, Method, Noise, Preset, Radius, Regulariser, Set,
    Solver, vector,
};
use support::{iterations, on_box};
use testkit::families::SparseTarget;

const DIM: usize = 30;

/// What a theorem speaks of, collected along one run.
struct Run {
    /// $\sum_t\lVert\mathcal G(x_t, \nabla l(x_t), \eta_t)\rVert_1^2$ with $\eta_t = \alpha_t/(D+1)$.
    stationarity: f64,
    /// $\sum_t\lVert d_t - \nabla l(x_t)\rVert_\infty^2$; only known where gradients are told.
    error: f64,
    /// $\sum_t\eta_t(f(x_t) - f(x_{t+1}))$ and $\sum_t\eta_t(2L-\eta_t)\lVert x_{t+1}-x_t\rVert_1^2$.
    descent: f64,
    curvature: f64,
    /// $\max_t f(x_t)$ and $\max_t\lVert\nabla l(x_t)\rVert_2$.
    largest_objective: f64,
    largest_gradient: f64,
}

/// The $\ell_1$ radius of the box.
const D: f64 = DIM as f64;

fn run(family: &SparseTarget, config: Config, noise_level: f64) -> Run {
    let (r, k) = (Regulariser::elastic_net(family.l1, family.l2), Set::bounds(-1.0, 1.0));
    let prox = closed_form(&Geometry::Entropy.generator(DIM), &r, &k).unwrap();
    let mut solver = Solver::new(on_box(family), config).unwrap();
    let mut run = Run {
        stationarity: 0.0,
        error: 0.0,
        descent: 0.0,
        curvature: 0.0,
        largest_objective: 0.0,
        largest_gradient: 0.0,
    };
    let (mut gradient, mut v) = (vec![0.0; DIM], vec![0.0; DIM]);
    let mut round = 0;
    loop {
        let x = solver.point();
        family.gradient(&x, &mut gradient);
        let mut d = gradient.clone();
        match solver.ask() {
            Ask::Stop(_) => return run,
            Ask::Evaluate(queries) => {
                let values: Vec<f64> = queries.to_matrix().chunks(DIM).map(|x| family.loss(x)).collect();
                solver.tell(Answers::Values(&values)).unwrap();
            }
            Ask::Gradient(_) => {
                for (i, d) in d.iter_mut().enumerate() {
                    *d += noise_level * testkit::noise::normal(round * 100 + i as u64);
                }
                solver.tell(Answers::Gradients { gradients: &d, values: None }).unwrap();
            }
        }
        round += 1;
        let alpha = solver.history().last().unwrap().step_size;
        let eta = alpha / (D + 1.0);
        prox.step(&r, &k, Step { x: &x, g: &gradient, eta: alpha }, &mut v).unwrap();
        let next = solver.point();
        let moved = vector::distance_l1(&next, &x);
        run.stationarity += (eta * vector::distance_l1(&x, &v)).powi(2);
        run.error += d.iter().zip(&gradient).fold(0.0_f64, |m, (d, g)| m.max((d - g).abs())).powi(2);
        run.descent += eta * (family.objective(&x) - family.objective(&next));
        run.curvature += eta * (2.0 * family.smoothness() - eta) * moved * moved;
        run.largest_objective = run.largest_objective.max(family.objective(&x)).max(family.objective(&next));
        run.largest_gradient = run.largest_gradient.max(vector::norm_l2(&gradient));
    }
}

fn first_order(name: &str, t: u64) -> Config {
    let mut config = iterations(Config::new(Method::named(name).unwrap(), Preset::Seed), t);
    config.recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(1) };
    config
}

fn families() -> [SparseTarget; 2] {
    [SparseTarget::quadratic(DIM, 0.02, 4), SparseTarget::nonconvex(DIM, 0.02, 4)]
}

#[test]
fn any_weights_obey_the_general_bound() {
    for family in families() {
        for weight in [0.5, 1.0, 10.0, 100.0] {
            for noise_level in [0.0, 0.5] {
                let mut config = first_order("fo-exp-grad", 50);
                config.recipe = config.recipe.with_weight(weight);
                let run = run(&family, config, noise_level);
                let bound = 6.0 * run.error + 4.0 * run.descent + run.curvature;
                assert!(run.stationarity <= bound, "weight {weight}: {} > {bound}", run.stationarity);
            }
        }
    }
}

#[test]
fn adaptive_weights_obey_their_bounds() {
    let eta = 1.0 / (D + 1.0);
    for family in families() {
        let l = family.smoothness();
        for noise_level in [0.0, 0.5] {
            let adaptive = run(&family, first_order("fo-ada-exp-grad", 60), noise_level);
            let r = adaptive.largest_objective.max(0.5_f64.sqrt());
            let bound = 13.0 * adaptive.error + 33.0 * r * r + 64.0 * l * l * D * (1.0 + 2.0 * D * eta) / eta;
            assert!(adaptive.stationarity <= bound, "{} > {bound}", adaptive.stationarity);

            let plus = run(&family, first_order("fo-ada-exp-grad+", 60), noise_level);
            let r = plus.largest_objective;
            let bound = 10.0 * plus.error
                + 8.0 * r * r
                + 8.0 * r * eta
                + 16.0 * l * l / (eta * eta)
                + 2.0 * eta * eta;
            assert!(plus.stationarity <= bound, "{} > {bound}", plus.stationarity);
        }
    }
}

#[test]
fn zeroth_order_storm_obeys_its_bound_on_average() {
    let (t, m, c) = (60_u64, 20_usize, 1.0 / 20.0_f64);
    for family in families() {
        let l = family.smoothness();
        let runs: Vec<Run> = (0..4)
            .map(|seed| {
                let mut config =
                    iterations(Config::new(Method::named("zo-exp-storm").unwrap(), Preset::Seed), t);
                if let Estimator::Differences { batch, radius, .. } = &mut config.recipe.estimator {
                    (*batch, *radius) = (BatchSize::Fixed(m), Radius::Storm);
                }
                run(&family, Config { seed, noise: Noise::None, ..config }, 0.0)
            })
            .collect();
        let mean = runs.iter().map(|run| run.stationarity).sum::<f64>() / runs.len() as f64;
        let largest = |part: fn(&Run) -> f64| runs.iter().map(part).fold(0.0, f64::max);
        let (r, g) = (largest(|run| run.largest_objective), largest(|run| run.largest_gradient));
        let (t, eta) = (t as f64, 1.0 / (D + 1.0));
        let (big_m, c1, c2) = (2.0 * kappa(DIM), 3.0 * l * l, 1.5 * l * l * t.powf(-4.0 / 3.0));
        let variance = kappa(DIM) / m as f64 * (10.0 * g * g + 1.5 * l * l * t.powf(-4.0 / 3.0));
        let bias = l * l * t.powf(-4.0 / 3.0) / 4.0;
        let bound = 16.0 * r * r * (t + 1.0).cbrt()
            + 4.0 * eta * eta
            + 16.0 * r * eta
            + 32.0 * l * l / (eta * eta)
            + 648.0 * big_m * variance * t.cbrt() / (5.0 * c.powf(2.0 / 3.0))
            + 108.0 * big_m * c2 * t.powf(5.0 / 3.0) / 5.0
            + 36.0 * t * bias
            + 108.0 * c1 * big_m * t.cbrt() / (5.0 * eta * eta)
                * (54.0 * c1 * big_m * t.powf(2.0 / 3.0) / (5.0 * eta * eta)).ln();
        assert!(mean <= bound, "{mean} > {bound}");
    }
}

#[test]
fn the_seeds_constant_for_differences_of_estimates_is_too_small() {
    // d = 1, l' a triangle wave of slope +-1: x in the middle of a rising edge, y in the middle of a falling one, both with
    // l' = 0. The estimates differ by nu/2 - (-nu/2), so the squared difference is nu^2 and not at most 3/4 nu^2.
    let slope =
        |x: f64| if x.rem_euclid(4.0) < 2.0 { x.rem_euclid(4.0) - 1.0 } else { 3.0 - x.rem_euclid(4.0) };
    let l = |x: f64| (0..10_000).map(|i| slope(x * (f64::from(i) + 0.5) / 1e4)).sum::<f64>() * x / 1e4;
    let nu = 0.25;
    let estimate = |x: f64| (l(x + nu) - l(x)) / nu;
    let (x, y) = (1.0, 3.0);
    assert!(slope(x).abs() < 1e-12 && slope(y).abs() < 1e-12);
    let ratio = ((estimate(x) - estimate(y)) / nu).powi(2);
    assert!((ratio - 1.0).abs() < 1e-3 && ratio > 0.75, "{ratio}");
}

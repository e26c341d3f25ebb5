//! Parity with the update rules of the paper's authors on stored trajectories (see `reference/make.py`).
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::momentum::{AccZomSchedule, StormRate};
use gradless::step_size::StepRule;
use gradless::{
    Answers, Ask, BatchSize, Config, Estimator, Geometry, Method, Momentum, Preset, Problem, Regulariser,
    Set, Solver,
};
use support::iterations;

const C: [f64; 5] = [3.0, 1.0, 0.5, 2.0, 0.1];
const B: [f64; 5] = [0.6, -0.4, 0.05, -0.9, 0.3];

fn stored(name: &str) -> Vec<Vec<f64>> {
    let all: serde_json::Value = serde_json::from_str(include_str!("reference/trajectories.json")).unwrap();
    serde_json::from_value(all[name].clone()).unwrap()
}

fn follow(config: Config, expected: &[Vec<f64>]) {
    let problem = Problem::builder(5)
        .regulariser(Regulariser::elastic_net(0.05, 0.1))
        .set(Set::bounds(vec![-0.5, -0.3, -1.0, -0.7, 0.0], vec![0.5, 1.0, 1.0, 0.8, 0.2]))
        .start(vec![0.1, 0.0, -0.2, 0.3, 0.05])
        .build()
        .unwrap();
    let mut solver = Solver::new(problem, iterations(config, expected.len() as u64)).unwrap();
    for (t, expected) in expected.iter().enumerate() {
        let Ask::Gradient(queries) = solver.ask() else { panic!("gradients are asked for") };
        let mut gradients = queries.to_matrix();
        for row in gradients.chunks_mut(5) {
            for ((x, c), b) in row.iter_mut().zip(C).zip(B) {
                *x = (1.0 + 0.3 * (t as f64).sin()) * c * (*x - b);
            }
        }
        solver.tell(Answers::Gradients { gradients: &gradients, values: None }).unwrap();
        for (ours, theirs) in solver.point().iter().zip(expected) {
            assert!((ours - theirs).abs() <= 1e-12, "t = {t}: {ours} and {theirs}");
        }
    }
}

fn first_order(name: &str) -> Config {
    let mut config = Config::new(Method::named(name).unwrap(), Preset::Authors);
    config.recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(1) };
    config
}

#[test]
fn ada_exp_grad_plus_follows_the_authors() {
    follow(first_order("fo-ada-exp-grad+"), &stored("fo-ada-exp-grad+"));
}

#[test]
fn exp_storm_follows_the_authors_with_their_growth_of_the_weight() {
    let mut config = first_order("fo-exp-storm");
    config.recipe.momentum = Momentum::Storm(StormRate { rate: Some(0.5) });
    follow(config, &stored("fo-exp-storm"));
}

#[test]
fn acc_zom_follows_the_authors() {
    let mut config = first_order("acc-zom");
    config.recipe.update = StepRule::AccZom { gamma: 0.5, schedule: AccZomSchedule::default() }.into();
    follow(config, &stored("acc-zom"));
}

#[test]
fn ao_exp_grad_follows_the_authors() {
    follow(first_order("ao-exp-grad"), &stored("ao-exp-grad"));
}

#[test]
fn psgd_follows_the_authors() {
    let mut config = first_order("zo-psgd");
    assert_eq!(config.recipe.geometry, Geometry::Euclidean);
    config.recipe = config.recipe.with_weight(1.0 / 0.4);
    follow(config, &stored("psgd"));
}

//! How far the methods get on problems whose minimum is known, without tuning.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use gradless::{Budget, Config, Method, Outcome, Preset, Problem, Regulariser, minimize};
use testkit::counter::Counter;
use testkit::families::SparseTarget;
use testkit::noise;

/// The exp family without tuning; the constant step has the seed's batch, which its noise floor needs.
const EXP_FAMILY: [(&str, Preset); 7] = [
    ("zo-exp-grad", Preset::Seed),
    ("zo-ada-exp-grad", Preset::Seed),
    ("zo-ada-exp-grad+", Preset::Seed),
    ("zo-exp-storm", Preset::Seed),
    ("zo-ada-exp-grad", Preset::Practical),
    ("zo-ada-exp-grad+", Preset::Practical),
    ("zo-exp-storm", Preset::Practical),
];

fn reference_problem(family: &SparseTarget) -> Problem {
    Problem::builder(family.dim).regulariser(Regulariser::l1(family.l1)).build().unwrap()
}

fn config(name: &str, preset: Preset, seed: u64) -> Config {
    Config { budget: Budget::queries(20_000), seed, ..Config::new(Method::named(name).unwrap(), preset) }
}

fn true_objective(family: &SparseTarget, outcome: &Outcome) -> f64 {
    family.objective(outcome.x())
}

#[test]
fn the_sparse_quadratic_of_the_reference_page_is_solved_in_20000_queries() {
    for (name, preset) in EXP_FAMILY {
        for seed in 0..3 {
            let family = SparseTarget::reference_page(seed);
            let loss = |x: &[f64]| family.loss(x);
            let outcome = minimize(reference_problem(&family), &loss, config(name, preset, seed)).unwrap();
            let value = family.objective(&outcome.best.x);
            assert!(value <= 0.495, "{name}, seed {seed}: {value}");
            assert!(outcome.counts.queries <= 20_000);
        }
    }
}

#[test]
fn with_noise_on_every_value_it_is_still_solved_and_the_seeds_radius_fails() {
    for name in ["zo-ada-exp-grad", "zo-ada-exp-grad+"] {
        for seed in 0..3 {
            let family = SparseTarget::reference_page(seed);
            let run = |preset| {
                let calls = Counter::default();
                let noisy =
                    |x: &[f64]| family.loss(x) + 0.1 * noise::normal(calls.count() + 1_000_000 * seed);
                let config = config(name, preset, seed);
                true_objective(&family, &minimize(reference_problem(&family), &noisy, config).unwrap())
            };
            let (ours, seeds) = (run(Preset::Practical), run(Preset::Seed));
            assert!(ours <= 0.55, "{name}, seed {seed}: {ours}");
            assert!(seeds > 5.0, "{name}, seed {seed}: the seed's radius gives {seeds}");
        }
    }
}

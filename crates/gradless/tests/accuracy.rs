//! How far the methods get on problems whose minimum is known, without tuning.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use gradless::estimator::Difference;
use gradless::{
    Budget, Config, Method, Noise, Outcome, Preset, Problem, Radius, Regulariser, Set, StopRule, minimize,
};
use testkit::counter::Counter;
use testkit::families::SparseTarget;
use testkit::noise;

/// The exp family without tuning, with the paper's settings and with ours.
const EXP_FAMILY: [(&str, Preset); 8] = [
    ("zo-exp-grad", Preset::Paper),
    ("zo-ada-exp-grad", Preset::Paper),
    ("zo-ada-exp-grad+", Preset::Paper),
    ("zo-exp-storm", Preset::Paper),
    ("zo-exp-grad", Preset::Practical),
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
fn with_noise_on_every_value_it_is_still_solved_and_the_papers_radius_fails() {
    for name in ["zo-exp-grad", "zo-ada-exp-grad", "zo-ada-exp-grad+", "zo-exp-storm"] {
        for seed in 0..12 {
            let family = SparseTarget::reference_page(seed);
            let run = |preset| {
                let calls = Counter::default();
                let noisy =
                    |x: &[f64]| family.loss(x) + 0.1 * noise::normal(calls.count() + 1_000_000 * seed);
                let config = config(name, preset, seed);
                true_objective(&family, &minimize(reference_problem(&family), &noisy, config).unwrap())
            };
            let (ours, seeds) = (run(Preset::Practical), run(Preset::Paper));
            assert!(ours <= 0.55, "{name}, seed {seed}: {ours}");
            // F(0) = 5: its random iterate is the start at best.
            assert!(seeds >= 5.0, "{name}, seed {seed}: the paper's radius gives {seeds}");
        }
    }
}

#[test]
fn a_black_box_in_single_precision_wants_a_radius_that_knows_it() {
    // 1e5 is added, so values are multiples of 1/128: more than the paper's radius makes of a slope.
    for seed in 0..3 {
        let family = SparseTarget::reference_page(seed);
        #[expect(clippy::cast_possible_truncation, reason = "that is the point")]
        let single = |x: &[f64]| f64::from((1e5 + family.loss(x)) as f32);
        let run = |radius| {
            let mut config = config("zo-ada-exp-grad+", Preset::Practical, seed);
            config.recipe = config.recipe.with_radius(radius).with_difference(Difference::Central);
            true_objective(&family, &minimize(reference_problem(&family), &single, config).unwrap())
        };
        let (aware, rule) = (run(Radius::NoiseAware { largest: None }), run(Radius::MiniBatch));
        assert!(aware <= 0.55 && aware < rule, "seed {seed}: {aware} with the noise known, {rule} without");
    }
}

#[test]
fn the_random_iterate_is_uniform_over_the_iterates() {
    // Four iterates, told apart by their values; 400 seeds, four standard errors.
    let (t, seeds) = (4_u64, 400_u32);
    let mut counts = [0_u32; 4];
    for seed in 0..u64::from(seeds) {
        let problem = Problem::builder(3).set(Set::bounds(-1.0, 1.0)).build().unwrap();
        let config = Config {
            stop: StopRule::Iterations(t),
            noise: Noise::None,
            seed,
            ..Config::new(Method::of_the_paper(), Preset::Paper)
        };
        let outcome =
            minimize(problem, &|x: &[f64]| x.iter().map(|x| (x - 0.5).powi(2)).sum(), config).unwrap();
        let chosen = outcome.history.iter().position(|record| record.loss == outcome.random.loss).unwrap();
        counts[chosen] += 1;
    }
    let (n, p) = (f64::from(seeds), 1.0 / t as f64);
    let tolerance = 4.0 * (n * p * (1.0 - p)).sqrt();
    assert!(counts.iter().all(|&count| (f64::from(count) - n * p).abs() < tolerance), "{counts:?}");
}

//! Budgets are exact: no configuration hands out a query too many, and every step costs what the books say.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::estimator::Difference;
use gradless::policy::{Finish, PreviousValue};
use gradless::trace::Notice;
use gradless::{
    BatchSize, Budget, Config, Estimator, Method, Noise, Preset, Problem, Set, Solver, StopReason, minimize,
};
use proptest::prelude::*;
use support::{drive_by_hand, iterations, seed_config, value_methods};
use testkit::counter::Counter;

fn any_config() -> impl Strategy<Value = Config> {
    let names: Vec<&'static str> = value_methods().collect();
    (
        prop::sample::select(names),
        prop::sample::select(vec![Preset::Practical, Preset::Paper, Preset::Authors]),
        prop::sample::select(vec![Noise::Detect, Noise::None, Noise::Common, Noise::Independent]),
        prop::sample::select(vec![Difference::Auto, Difference::Forward, Difference::Central]),
        1_usize..20,
        0_u64..400,
        prop::option::of(0_u64..400),
        any::<u64>(),
    )
        .prop_map(|(name, preset, noise, difference, m, queries, sent, seed)| {
            let mut config = Config::new(Method::named(name).unwrap(), preset);
            if let Estimator::Differences { difference: d, batch, .. } = &mut config.recipe.estimator {
                *d = difference;
                *batch = BatchSize::Fixed(m);
            }
            let budget = Budget { queries: Some(queries), sent };
            Config { budget, noise, seed, horizon: Some(10), ..config }
        })
}

/// A black box with moods: repeatable or noisy, sometimes failing, sometimes flat.
fn moody(mood: u8, x: &[f64], call: u64) -> f64 {
    let smooth: f64 = x.iter().map(|x| (x - 0.3).powi(2)).sum();
    match mood {
        1 => smooth + 0.01 * testkit::noise::normal(call),
        2 if call % 3 == 1 => f64::NAN,
        3 => 1.0,
        4 if call % 7 < 5 => f64::INFINITY,
        _ => smooth,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_configuration_exceeds_a_budget(config in any_config(), mood in 0_u8..6) {
        let budget = config.budget;
        let problem = Problem::builder(6).set(Set::bounds(-1.0, 1.0)).build().unwrap();
        let solver = Solver::new(problem, config).unwrap();
        let mut asked = 0;
        let outcome = drive_by_hand(solver, |x, _| { asked += 1; moody(mood, x, asked) }, |_| true);
        prop_assert!(asked <= budget.queries.unwrap());
        prop_assert!(budget.sent.is_none_or(|sent| asked <= sent));
        prop_assert_eq!(outcome.counts.queries, asked);
        prop_assert_eq!(outcome.counts.sent, asked);
        prop_assert!(outcome.stop.is_some());
    }
}

/// Queries of `t` iterations by the books of the specification: per step, and what is different at the first.
fn cost(name: &str, noise: Noise, again: PreviousValue, m: u64, t: u64) -> u64 {
    let storm = name.contains("storm") || name == "acc-zom";
    if name == "auto" {
        // Rows of a block are a power of two.
        return t * (m.next_power_of_two() + 1);
    }
    match (storm, noise) {
        (false, Noise::None) => t * (m + 1),
        (false, _) => t * 2 * m,
        (true, Noise::None) => {
            (m + 1) + (t - 1) * if again == PreviousValue::Reuse { 2 * m + 1 } else { 2 * m + 2 }
        }
        (true, _) => 2 * m + (t - 1) * 4 * m,
    }
}

#[test]
fn every_method_costs_what_the_books_say() {
    for name in value_methods() {
        for noise in [Noise::None, Noise::Common] {
            if (name, noise) == ("auto", Noise::Common) {
                continue; // Another method runs.
            }
            for again in [PreviousValue::Reuse, PreviousValue::AskAgain] {
                let mut config = Config { noise, previous_value: again, ..iterations(seed_config(name), 5) };
                if let Estimator::Differences { batch, .. } = &mut config.recipe.estimator {
                    *batch = BatchSize::Fixed(7);
                }
                let calls = Counter::default();
                let problem = Problem::builder(9).set(Set::bounds(-1.0, 1.0)).build().unwrap();
                let f = |x: &[f64]| {
                    calls.count();
                    x.iter().map(|x| (x - 0.5).powi(2)).sum()
                };
                let outcome = minimize(problem, &f, config).unwrap();
                let expected = cost(name, noise, again, 7, 5);
                assert_eq!(
                    (calls.get(), outcome.counts.queries),
                    (expected, expected),
                    "{name} {noise:?} {again:?}"
                );
                assert_eq!(outcome.counts.iterations, 5);
            }
        }
    }
}

#[test]
fn central_differences_cost_two_per_direction_and_one_for_the_point() {
    for (name, expected) in
        [("zo-ada-exp-grad", 5 * (2 * 7 + 1)), ("zo-exp-storm", (2 * 7 + 1) + 4 * (4 * 7 + 1))]
    {
        for noise in [Noise::None, Noise::Common, Noise::Independent] {
            let mut config = Config { noise, ..iterations(seed_config(name), 5) };
            config.recipe =
                config.recipe.with_batch(BatchSize::Fixed(7)).with_difference(Difference::Central);
            let problem = Problem::builder(9).set(Set::bounds(-1.0, 1.0)).build().unwrap();
            let outcome = minimize(problem, &|x: &[f64]| x.iter().sum(), config).unwrap();
            assert_eq!(outcome.counts.queries, expected, "{name} {noise:?}");
        }
    }
}

#[test]
fn a_budget_below_one_iteration_evaluates_the_start_and_says_so() {
    let problem = Problem::builder(3).start(vec![1.0, 2.0, 3.0]).build().unwrap();
    let config = Config { budget: Budget::queries(5), ..Config::default() };
    let outcome = minimize(problem, &|x: &[f64]| x.iter().sum(), config).unwrap();
    assert_eq!(outcome.stop, Some(StopReason::Queries));
    assert_eq!(outcome.best.loss, Some(6.0));
    assert!(outcome.counts.queries <= 5);
    assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::BudgetTooSmall { .. })));
}

#[test]
fn points_sent_again_are_charged_to_their_own_budget() {
    let problem = Problem::builder(3).build().unwrap();
    let budget = Budget { queries: Some(1_000), sent: Some(40) };
    let config = Config {
        budget,
        noise: Noise::None,
        finish: Finish::Skip,
        ..Config::new(Method::of_the_paper(), Preset::Practical)
    };
    let solver = Solver::new(problem, config).unwrap();
    // Every batch of 10 (8 ln 3 directions and the base point) is sent twice: two batches fit, not three.
    let mut sent = 0;
    let outcome = drive_by_hand(
        solver,
        |x, _| {
            sent += 1;
            x[0]
        },
        |solver| solver.charge_resent(10),
    );
    assert_eq!((outcome.counts.queries, outcome.counts.sent), (20, 40));
    assert_eq!(outcome.stop, Some(StopReason::Sent));
}

#[test]
fn the_last_point_of_a_budget_may_be_sent_again_and_not_one_more() {
    let problem = Problem::builder(3).build().unwrap();
    let budget = Budget { queries: None, sent: Some(15) };
    let config =
        Config { budget, noise: Noise::None, ..Config::new(Method::of_the_paper(), Preset::Practical) };
    let solver = Solver::new(problem, config).unwrap();
    // A batch of 10 leaves 5.
    let outcome = drive_by_hand(
        solver,
        |x, _| x[0],
        |solver| {
            assert!(!solver.charge_resent(6) && solver.charge_resent(5) && !solver.charge_resent(1));
            true
        },
    );
    assert_eq!((outcome.counts.queries, outcome.counts.sent), (10, 15));
}

//! What several test files need: configurations, problems and a loop by hand.
#![allow(dead_code, reason = "every test file uses its own part of this")]

use gradless::{
    Answers, Ask, Budget, Config, Method, Noise, Outcome, Preset, Problem, Regulariser, Set, Solver, StopRule,
};
use testkit::families::SparseTarget;

/// A method by name with the paper's settings but a batch that suits small tests.
pub(crate) fn seed_config(name: &str) -> Config {
    Config::new(Method::named(name).expect("a named method"), Preset::Paper)
}

/// A method by name with practical settings and a known, noise-free black box.
pub(crate) fn quiet_config(name: &str, queries: u64) -> Config {
    let method = Method::named(name).expect("a named method");
    Config { budget: Budget::queries(queries), noise: Noise::None, ..Config::new(method, Preset::Practical) }
}

/// Runs for exactly `t` iterations.
pub(crate) fn iterations(mut config: Config, t: u64) -> Config {
    config.stop = StopRule::Iterations(t);
    config.budget = Budget::default();
    config
}

/// The problem of a family on its box, from 0.
pub(crate) fn on_box(family: &SparseTarget) -> Problem {
    Problem::builder(family.dim)
        .regulariser(Regulariser::elastic_net(family.l1, family.l2))
        .set(Set::bounds(-1.0, 1.0))
        .build()
        .expect("a valid problem")
}

/// Answers the batches of a solver one after the other until it stops or `round` says to stop.
pub(crate) fn drive_by_hand(
    mut solver: Solver,
    mut f: impl FnMut(&[f64], u64) -> f64,
    mut between: impl FnMut(&mut Solver) -> bool,
) -> Outcome {
    let mut x = vec![0.0; solver.dim()];
    loop {
        let values: Vec<f64> = match solver.ask() {
            Ask::Evaluate(queries) => (0..queries.len())
                .map(|row| {
                    queries.write(row, &mut x);
                    f(&x, queries.sample(row))
                })
                .collect(),
            Ask::Gradient(_) => panic!("this loop answers values"),
            Ask::Stop(_) => return solver.finish(),
        };
        solver.tell(Answers::Values(&values)).expect("as many answers as questions");
        if !between(&mut solver) {
            return solver.finish();
        }
    }
}

/// All named methods that work on values.
pub(crate) fn value_methods() -> impl Iterator<Item = &'static str> {
    gradless::METHODS.iter().map(|method| method.name).filter(|name| !name.starts_with("fo-"))
}

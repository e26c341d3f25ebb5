//! Trajectories pinned for a seed: a change here is a breaking change.
//!
//! `reference/paper.json` has the settings of the paper and of its authors and is never written again: those presets keep their
//! bits. `reference/practical.json` has ours; a change that is meant to move them writes the file anew with
//!
//! ```text
//! GRADLESS_PINS=write cargo test -p gradless --test stability practical
//! ```
//!
//! Bits are promised on one machine; across machines the last digits of `exp` and `ln` may differ, so the pins hold to
//! 1e-10 relative. Rounding of the black box moves none of them by more than 1e-12.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::path::PathBuf;

use gradless::method::UpdateRule;
use gradless::step_size::StepRule;
use gradless::trace::Record;
use gradless::{
    BatchSize, Budget, Config, Method, Noise, Outcome, Preset, Problem, Regulariser, Set, Solver,
};
use serde::{Deserialize, Serialize};
use support::{drive_by_hand, iterations, value_methods};

/// What is pinned of a run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pin {
    run: String,
    /// The first and the last weight of a step.
    weights: [f64; 2],
    best: f64,
    /// $\sum_i i x_i$ at the last iterate.
    last: f64,
    queries: u64,
}

impl Pin {
    fn is_close_to(&self, other: &Self) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
        let numbers = |pin: &Self| [pin.weights[0], pin.weights[1], pin.best, pin.last];
        self.run == other.run
            && self.queries == other.queries
            && numbers(self).into_iter().zip(numbers(other)).all(|(a, b)| close(a, b))
    }
}

/// Curved so much that a first weight of 1 is far too small, and one of the size of the first slopes is too small as well.
fn f(x: &[f64], _: u64) -> f64 {
    let square = |(i, x): (usize, &f64)| (1.0 + 0.5 * i as f64) * (x - 0.1 * (i % 7) as f64).powi(2);
    4.0 * x.iter().enumerate().map(square).sum::<f64>().ln_1p()
}

/// Steps of constant methods are tame with this weight; at 1 they jump about and magnify every rounding.
const TAME: f64 = 40.0;

fn run(name: &str, config: Config) -> (Outcome, Pin) {
    let problem = Problem::builder(12)
        .regulariser(Regulariser::elastic_net(0.04, 0.08))
        .set(Set::bounds(-0.25, 0.5))
        .start(vec![0.3; 12])
        .build()
        .unwrap();
    let mut config = Config { seed: 42, noise: Noise::None, ..config };
    if matches!(config.recipe.step(), Some(StepRule::Constant { .. } | StepRule::AccZom { .. })) {
        config.recipe = config.recipe.with_weight(TAME);
    }
    let outcome = drive_by_hand(Solver::new(problem, config).unwrap(), f, |_| true);
    let weight = |record: Option<&Record>| record.unwrap().step_size;
    let pin = Pin {
        run: name.to_owned(),
        weights: [weight(outcome.history.first()), weight(outcome.history.last())],
        best: outcome.best.objective().unwrap(),
        last: outcome.last.x.iter().zip(1..).map(|(x, i)| f64::from(i) * x).sum(),
        queries: outcome.counts.queries,
    };
    (outcome, pin)
}

/// An adaptive weight grows by at least this factor: a rule that stays where it began is not pinned by where a run ends.
const GROWS: f64 = 1.5;

fn assert_rule_was_used(rule: UpdateRule, outcome: &Outcome, pin: &Pin) {
    let [first, last] = pin.weights;
    match rule {
        UpdateRule::Mirror(StepRule::Constant { .. } | StepRule::AccZom { .. }) => {
            assert_eq!([first, last], [TAME; 2]);
        }
        UpdateRule::Auto { .. } => {
            let (mut shorter, mut longer) = (0, 0);
            for pair in outcome.history.windows(2) {
                shorter += usize::from(pair[1].step_size > pair[0].step_size);
                longer += usize::from(pair[1].step_size < pair[0].step_size);
            }
            assert!(shorter >= 3 && longer >= 10, "{}: {shorter} shorter, {longer} longer", pin.run);
        }
        _ => assert!(last >= GROWS * first, "{}: the weight goes from {first} to {last}", pin.run),
    }
}

/// The settings of a preset for 24 iterations, and for 60 with a batch so small that STORM's rate and growth are seen.
fn pins_of(presets: &[(Preset, &str)], names: impl Iterator<Item = &'static str>) -> Vec<Pin> {
    let mut pins = Vec::new();
    for (name, &(preset, word)) in names.flat_map(|name| presets.iter().map(move |preset| (name, preset))) {
        let own = Config::new(Method::named(name).unwrap(), preset);
        let own = match preset {
            Preset::Practical => Config { budget: Budget::queries(4_000), ..own },
            _ => iterations(own, 24),
        };
        let mut small = iterations(own.clone(), 60);
        small.recipe = small.recipe.with_batch(BatchSize::Fixed(8));
        for (config, batch) in [(own, "own batch"), (small, "batch of 8")] {
            let rule = config.recipe.update;
            let (outcome, pin) = run(&format!("{name}, {word}, {batch}"), config);
            assert_rule_was_used(rule, &outcome, &pin);
            pins.push(pin);
        }
    }
    pins
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

fn lines(pins: &[Pin]) -> String {
    let lines: Vec<String> = pins.iter().map(|pin| serde_json::to_string(pin).unwrap()).collect();
    format!("[{}]\n", lines.join(",\n "))
}

fn assert_pinned(found: &[Pin], name: &str) {
    let pinned: Vec<Pin> = serde_json::from_str(&std::fs::read_to_string(file(name)).unwrap()).unwrap();
    for (found, pinned) in found.iter().zip(&pinned) {
        assert!(found.is_close_to(pinned), "found {found:?}, pinned {pinned:?}");
    }
    assert_eq!(found.len(), pinned.len(), "all found: {}", lines(found));
}

#[test]
fn trajectories_of_the_paper_are_what_they_were() {
    let presets = [(Preset::Paper, "paper"), (Preset::Authors, "authors")];
    // `auto` is ours, whatever the preset.
    assert_pinned(&pins_of(&presets, value_methods().filter(|&name| name != "auto")), "paper.json");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "writes the pins where that is asked for")]
fn practical_trajectories_are_what_they_were() {
    let found = pins_of(&[(Preset::Practical, "practical")], value_methods());
    if std::env::var_os("GRADLESS_PINS").is_some_and(|wish| wish == "write") {
        std::fs::write(file("practical.json"), lines(&found)).unwrap();
    }
    assert_pinned(&found, "practical.json");
}

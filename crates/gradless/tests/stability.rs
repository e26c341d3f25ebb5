//! Trajectories pinned for a seed: a change here is a breaking change.
//!
//! Bits are promised on one machine; across machines the last digits of `exp` and `ln` may differ, so the pins hold to
//! 1e-10 relative.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::{Config, Noise, Problem, Regulariser, Set, Solver};
use support::{drive_by_hand, quiet_config, seed_config, value_methods};

fn f(x: &[f64], _: u64) -> f64 {
    x.iter().enumerate().map(|(i, x)| (x - 0.1 * (i % 7) as f64).powi(2)).sum::<f64>().ln_1p()
}

fn run(config: Config) -> (f64, f64, u64) {
    let problem = Problem::builder(12)
        .regulariser(Regulariser::elastic_net(0.01, 0.02))
        .set(Set::bounds(-0.25, 0.5))
        .build()
        .unwrap();
    let config = Config { seed: 42, noise: Noise::None, ..config };
    let outcome = drive_by_hand(Solver::new(problem, config).unwrap(), f, |_| true);
    let checksum = outcome.last.x.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x).sum();
    (outcome.best.objective().unwrap(), checksum, outcome.counts.queries)
}

#[test]
fn trajectories_are_what_they_were() {
    let pinned: Vec<(String, f64, f64, u64)> =
        serde_json::from_str(include_str!("reference/pinned.json")).unwrap();
    let runs = value_methods().flat_map(|name| {
        [
            (format!("{name}, practical"), quiet_config(name, 1_000)),
            (format!("{name}, seed"), seed_config(name)),
        ]
    });
    let mut found = Vec::new();
    for (name, config) in runs {
        let (objective, checksum, queries) = run(config);
        found.push((name, objective, checksum, queries));
    }
    for (found, pinned) in found.iter().zip(&pinned) {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
        let same = found.0 == pinned.0
            && close(found.1, pinned.1)
            && close(found.2, pinned.2)
            && found.3 == pinned.3;
        assert!(
            same,
            "found {found:?}, pinned {pinned:?}; all found: {}",
            serde_json::to_string(&found).unwrap()
        );
    }
    assert_eq!(found.len(), pinned.len(), "all found: {}", serde_json::to_string(&found).unwrap());
}

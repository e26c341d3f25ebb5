//! One seed, one trajectory, bit for bit: for any number of threads, whole or resumed, driven or by hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "the test plays the caller, who has files")]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};

use gradless::drive::Event;
use gradless::estimator::Difference;
use gradless::oracle::{Batched, Sampled};
use gradless::policy::Placement;
use gradless::{
    Ask, Budget, Config, Direction, Driver, Estimator, METHODS, Method, Noise, Outcome, Preset, Problem,
    Regulariser, Set, Solver, StopReason, solver::SnapshotError,
};
use proptest::prelude::*;
use support::{drive_by_hand, value_methods};
use testkit::noise;

fn problem() -> Problem {
    Problem::builder(40)
        .regulariser(Regulariser::elastic_net(0.02, 0.01))
        .set(Set::bounds(-1.0, (0..40).map(|i| if i % 5 == 0 { -1.0 } else { 1.0 }).collect::<Vec<_>>()))
        .start(vec![-1.0; 40])
        .build()
        .unwrap()
}

fn f(x: &[f64], sample: u64) -> f64 {
    let smooth: f64 = x.iter().enumerate().map(|(i, x)| (x - 0.3).powi(2) / (1.0 + i as f64)).sum();
    smooth * (1.0 + 0.1 * noise::normal(sample))
}

fn config(name: &str, preset: Preset, noise: Noise) -> Config {
    let method = Method::named(name).unwrap();
    Config { budget: Budget::queries(1_500), noise, seed: 7, ..Config::new(method, preset) }
}

fn run(config: &Config, threads: usize) -> Outcome {
    Driver::default().threads(threads).run(Solver::new(problem(), config.clone()).unwrap(), &Sampled(f))
}

/// All settings worth comparing: every method, both presets, with and without noise.
fn settings() -> Vec<Config> {
    let mut settings = Vec::new();
    for name in value_methods() {
        for (preset, noise) in [
            (Preset::Practical, Noise::Detect),
            (Preset::Practical, Noise::Common),
            (Preset::Paper, Noise::None),
            (Preset::Authors, Noise::Common),
        ] {
            settings.push(config(name, preset, noise));
        }
    }
    for direction in [Direction::Hadamard, Direction::Gaussian, Direction::Sphere, Direction::Coordinate] {
        let mut config = config("zo-ada-exp-grad+", Preset::Practical, Noise::Detect);
        if let Estimator::Differences { direction: d, difference, .. } = &mut config.recipe.estimator {
            (*d, *difference) = (direction, Difference::Central);
        }
        settings.push(config);
    }
    let inside = config("zo-exp-storm", Preset::Practical, Noise::None);
    settings.push(Config { placement: Placement::Inside, ..inside });
    settings
}

#[test]
fn threads_do_not_change_a_bit() {
    for config in settings() {
        let one = run(&config, 1);
        assert!(one.counts.iterations > 0);
        for threads in [2, 8] {
            assert_eq!(one, run(&config, threads), "{config:?}");
        }
    }
}

#[test]
fn gradients_are_the_same_on_any_number_of_threads_and_after_a_resume() {
    let gradient = |x: &[f64], sample: u64, out: &mut [f64]| {
        for (i, (x, out)) in x.iter().zip(out).enumerate() {
            *out = 2.0 * (x - 0.3) / (1.0 + i as f64) * (1.0 + 0.1 * noise::normal(sample));
        }
    };
    for method in METHODS.iter().filter(|method| method.name.starts_with("fo-")) {
        let config = config(method.name, Preset::Practical, Noise::Detect);
        let solver = Solver::new(problem(), config).unwrap();
        let one = Driver::default().run_gradient(solver.clone(), &gradient);
        for threads in [2, 8] {
            assert_eq!(one, Driver::default().threads(threads).run_gradient(solver.clone(), &gradient));
        }
        let cancel = AtomicBool::new(false);
        let mut steps = 0;
        let directory =
            std::env::temp_dir().join(format!("gradless-fo-{}-{}", method.name, std::process::id()));
        let mut stop_at_five = |event: &Event<'_>| {
            steps += u32::from(matches!(event, Event::Iteration { .. }));
            cancel.store(steps == 5, Ordering::Relaxed);
        };
        let halted = Driver::default()
            .cancelled_by(&cancel)
            .observe(&mut stop_at_five)
            .snapshots(&directory, 1)
            .run_gradient(solver, &gradient);
        assert_eq!((halted.stop, halted.counts.iterations), (Some(StopReason::Cancelled), 5));
        let resumed = Solver::restore(&std::fs::read(&directory).unwrap()).unwrap();
        assert_eq!(Driver::default().run_gradient(resumed, &gradient), one, "{}", method.name);
        std::fs::remove_file(&directory).unwrap();
    }
}

#[test]
fn the_size_of_the_chunks_does_not_change_a_bit() {
    let config = config("zo-ada-exp-grad+", Preset::Practical, Noise::Common);
    let evaluate = |batch: gradless::Batch<'_>, values: &mut [f64]| {
        for ((x, sample), value) in batch.rows().zip(values) {
            *value = f(x, sample);
        }
        Ok(())
    };
    let solver = Solver::new(problem(), config.clone()).unwrap();
    let outcome = Driver::default().threads(3).run(solver, &Batched { rows: 17, evaluate });
    assert_eq!(outcome, run(&config, 1));
}

#[test]
fn asking_by_hand_equals_being_driven() {
    for config in settings() {
        let by_hand = drive_by_hand(Solver::new(problem(), config.clone()).unwrap(), f, |_| true);
        assert_eq!(by_hand, run(&config, 1), "{config:?}");
    }
}

#[test]
fn asking_twice_gives_the_same_batch() {
    let mut solver =
        Solver::new(problem(), config("zo-exp-storm", Preset::Practical, Noise::Common)).unwrap();
    let batch = |solver: &mut Solver| match solver.ask() {
        Ask::Evaluate(queries) => queries.to_matrix(),
        _ => panic!("values are asked for"),
    };
    assert_eq!(batch(&mut solver), batch(&mut solver));
}

/// Takes a snapshot before every batch with probability `1/rarity`, sometimes between ask and tell, and goes on from it.
fn resumed(config: &Config, salt: u64, rarity: u64) -> Outcome {
    let mut round = 0;
    let solver = Solver::new(problem(), config.clone()).unwrap();
    drive_by_hand(solver, f, |solver| {
        round += 1;
        if noise::word(salt.wrapping_add(round)).is_multiple_of(rarity) {
            if round % 2 == 0 {
                let _ = solver.ask();
            }
            *solver = Solver::restore(&solver.snapshot()).unwrap();
        }
        true
    })
}

#[test]
fn a_run_resumed_anywhere_ends_in_the_same_bits() {
    for config in settings() {
        let mut whole = run(&config, 1);
        for (salt, rarity) in [(1, 1), (2, 3)] {
            let mut outcome = resumed(&config, salt, rarity);
            // A batch that was in flight at a snapshot is sent again, and only that is counted.
            assert!(outcome.counts.sent >= whole.counts.sent);
            (outcome.counts.sent, whole.counts.sent) = (0, 0);
            assert_eq!(outcome, whole, "{config:?}");
        }
    }
}

#[test]
fn snapshots_of_every_wrong_kind_are_refused() {
    let bytes = Solver::new(problem(), Config::default()).unwrap().snapshot();
    let refused = |bytes: &[u8]| Solver::restore(bytes).unwrap_err();
    assert_eq!(refused(b"something else"), SnapshotError::NotASnapshot);
    assert!(matches!(refused(&bytes[..20]), SnapshotError::Length { .. }));
    assert!(matches!(refused(&bytes[..bytes.len() - 1]), SnapshotError::Length { .. }));
    let mut version = bytes.clone();
    version[8] = 99;
    assert_eq!(refused(&version), SnapshotError::Version { found: 99 });
    let mut flipped = bytes.clone();
    flipped[100] ^= 1;
    assert_eq!(refused(&flipped), SnapshotError::Damaged);
    assert!(Solver::restore(&bytes).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// With the checksum made to fit again, whatever is inside must end in an error or a solver that runs, never a panic.
    #[test]
    fn hostile_bodies_end_in_an_error_or_a_run(
        phase in 0_usize..4,
        flips in prop::collection::vec((any::<u16>(), prop::option::of(any::<u8>())), 1..3),
    ) {
        let mut bytes = snapshot_in(phase);
        let len = bytes.len();
        for (at, value) in flips {
            bytes[24 + usize::from(at) % (len - 24)] = value.unwrap_or(0xff);
        }
        let checksum = crc32fast::hash(&bytes[24..]).to_le_bytes();
        bytes[20..24].copy_from_slice(&checksum);
        if let Ok(solver) = Solver::restore(&bytes).map_err(|error| error.to_string()) {
            let mut rounds = 0;
            if solver.batch() < 100_000 {
                drive_by_hand(solver, |x, _| x.iter().sum(), |_| { rounds += 1; rounds < 20 });
            }
        }
    }
}

/// A run that probes, measures its radius, waits for a base point asked again, or iterates.
fn snapshot_in(phase: usize) -> Vec<u8> {
    let (name, noise, failing) = [
        ("zo-ada-exp-grad+", Noise::Detect, false),
        ("zo-ada-exp-grad+", Noise::Independent, false),
        ("zo-exp-storm", Noise::None, true),
        ("ao-exp-grad", Noise::None, false),
    ][phase];
    let mut solver = Solver::new(problem(), config(name, Preset::Practical, noise)).unwrap();
    for round in 0..phase as u64 {
        let Ask::Evaluate(queries) = solver.ask() else { break };
        let mut values: Vec<f64> =
            (0..queries.len() as u64).map(|row| noise::normal(row + 1_000 * round)).collect();
        if failing && round + 1 == phase as u64 {
            values[0] = f64::NAN;
        }
        solver.tell(gradless::Answers::Values(&values)).unwrap();
    }
    solver.snapshot()
}

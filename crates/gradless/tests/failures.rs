//! Failures are values: a black box that misbehaves costs its own answers, never the run's.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::disallowed_methods, reason = "the test plays the caller, who has files")]

mod support;

use std::sync::atomic::{AtomicBool, Ordering};

use gradless::drive::{Event, JsonLines, Progress};
use gradless::estimator::Difference;
use gradless::oracle::{Batched, Sampled};
use gradless::policy::{FixedCoordinates, Outside, Placement};
use gradless::solver::TellError;
use gradless::trace::Notice;
use gradless::{
    Answers, Ask, BatchSize, Budget, Config, ConfigError, Direction, Driver, Estimator, Geometry, Method,
    Noise, OracleError, Preset, Problem, Radius, Regulariser, Set, Solver, StopReason, StopRule, minimize,
};
use support::{drive_by_hand, quiet_config};
use testkit::counter::Counter;
use testkit::noise;

fn bowl(x: &[f64]) -> f64 {
    x.iter().map(|x| (x - 0.5).powi(2)).sum()
}

fn problem(dim: usize) -> Problem {
    Problem::builder(dim).set(Set::bounds(-1.0, 1.0)).build().unwrap()
}

#[test]
fn a_tenth_of_failed_answers_is_dropped_counted_and_survived() {
    for failure in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let calls = Counter::default();
        let f = |x: &[f64]| if calls.count() % 10 == 9 { failure } else { bowl(x) };
        let outcome = minimize(problem(20), &f, quiet_config("zo-ada-exp-grad+", 5_000)).unwrap();
        assert_eq!(outcome.stop, Some(StopReason::Queries));
        assert_eq!(outcome.counts.failed, calls.get() / 10);
        assert!(outcome.objective().unwrap() < 0.05, "{:?}", outcome.objective());
        assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::AnswersFailed { .. })));
    }
}

#[test]
fn a_failed_base_point_is_asked_once_more() {
    let calls = Counter::default();
    // The first row of the first batch is the base point.
    let f = |x: &[f64]| if calls.count() == 0 { f64::NAN } else { bowl(x) };
    let outcome = minimize(problem(5), &f, quiet_config("zo-ada-exp-grad+", 500)).unwrap();
    assert_eq!((outcome.stop, outcome.counts.failed), (Some(StopReason::Queries), 1));
    assert_eq!(outcome.counts.queries, calls.get());
}

#[test]
fn a_base_point_that_fails_twice_ends_the_run_with_what_was_learnt() {
    let f = |x: &[f64]| if x[0] > 0.2 { f64::NAN } else { bowl(x) };
    let config = Config { budget: Budget::queries(5_000), ..quiet_config("zo-exp-grad", 5_000) };
    let outcome = minimize(problem(5), &f, config).unwrap();
    assert!(matches!(outcome.stop, Some(StopReason::BaseFailed { .. })), "{:?}", outcome.stop);
    assert!(outcome.best.objective().unwrap() <= bowl(&[0.0; 5]));
}

#[test]
fn too_many_failures_end_the_run() {
    let calls = Counter::default();
    // The base point is asked first in every batch of 25, and of the rest most fail.
    let f = |x: &[f64]| if calls.count() % 25 > 3 { f64::NAN } else { bowl(x) };
    let outcome = minimize(problem(20), &f, quiet_config("zo-ada-exp-grad", 5_000)).unwrap();
    assert!(matches!(outcome.stop, Some(StopReason::TooManyFailures { .. })), "{:?}", outcome.stop);
    assert!(outcome.counts.queries < 500);
}

#[test]
fn a_panic_an_error_and_a_cancellation_return_the_best_so_far() {
    let start = bowl(&[0.0; 10]);
    for threads in [1, 4] {
        let calls = Counter::default();
        let panics = |x: &[f64]| {
            assert!(calls.count() < 300, "the model is gone");
            bowl(x)
        };
        let solver = || Solver::new(problem(10), quiet_config("zo-ada-exp-grad+", 5_000)).unwrap();
        let outcome = Driver::default().threads(threads).run(solver(), &panics);
        let Some(StopReason::OraclePanicked { message }) = &outcome.stop else {
            panic!("{:?}", outcome.stop)
        };
        assert!(message.contains("the model is gone"));
        assert!(outcome.objective().unwrap() < start && outcome.counts.iterations > 5);

        let calls = Counter::default();
        let evaluate = |batch: gradless::Batch<'_>, values: &mut [f64]| {
            for ((x, _), value) in batch.rows().zip(values) {
                *value = bowl(x);
            }
            if calls.count() < 100 { Ok(()) } else { Err(OracleError::fatal("out of credit")) }
        };
        let outcome = Driver::default().threads(threads).run(solver(), &Batched { rows: 4, evaluate });
        assert_eq!(outcome.stop, Some(StopReason::OracleFailed { message: "out of credit".into() }));
        assert!(outcome.objective().unwrap() < start);

        let (calls, cancel) = (Counter::default(), AtomicBool::new(false));
        let cancels = |x: &[f64]| {
            cancel.store(calls.count() >= 300, Ordering::Relaxed);
            bowl(x)
        };
        let outcome = Driver::default().threads(threads).cancelled_by(&cancel).run(solver(), &cancels);
        assert_eq!(outcome.stop, Some(StopReason::Cancelled));
        assert!(outcome.objective().unwrap() < start);
    }
}

#[test]
fn an_error_about_some_points_drops_only_them() {
    let calls = Counter::default();
    let evaluate = |batch: gradless::Batch<'_>, values: &mut [f64]| {
        for ((x, _), value) in batch.rows().zip(values) {
            *value = bowl(x);
        }
        if calls.count() % 9 == 8 { Err(OracleError::points("timed out")) } else { Ok(()) }
    };
    let solver = Solver::new(problem(20), quiet_config("zo-ada-exp-grad+", 3_000)).unwrap();
    let outcome = Driver::default().run(solver, &Batched { rows: 2, evaluate });
    assert!(outcome.counts.failed > 100 && outcome.objective().unwrap() < 0.05);
}

#[test]
fn independent_noise_is_detected_and_no_base_value_is_shared() {
    let calls = Counter::default();
    let f = |x: &[f64]| bowl(x) + 0.01 * noise::normal(calls.count());
    let outcome = minimize(problem(20), &f, Config::default()).unwrap();
    assert_eq!(outcome.noise, Noise::Independent);
    assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::NotRepeatable { .. })));
    assert!(
        outcome.notices.iter().any(|notice| matches!(notice, Notice::RadiusChosen { noise: Some(_), .. }))
    );
}

#[test]
fn last_digits_that_differ_are_not_noise() {
    let calls = Counter::default();
    let f = |x: &[f64]| (1.0 + bowl(x)) * (1.0 + f64::EPSILON * (calls.count() % 3) as f64);
    let outcome = minimize(problem(20), &f, Config::default()).unwrap();
    assert_eq!(outcome.noise, Noise::None, "{:?}", outcome.notices);
    assert!(bowl(outcome.x()) < 1e-3, "{}", bowl(outcome.x()));
}

#[test]
fn common_random_numbers_are_detected() {
    let f = Sampled(|x: &[f64], sample| bowl(x) * (1.0 + 0.1 * noise::normal(sample)));
    let outcome = minimize(problem(20), &f, Config::default()).unwrap();
    assert_eq!(outcome.noise, Noise::Common);
    assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::CommonNoise { .. })));
    assert!(bowl(outcome.x()) < 0.1, "{}", bowl(outcome.x()));
}

#[test]
fn a_staircase_makes_the_radius_grow_until_it_sees_the_steps() {
    // Flat between multiples of 0.05, like a tree or an 8-bit input.
    let f = |x: &[f64]| x.iter().map(|x| ((x / 0.05).round() * 0.05 - 0.5).powi(2)).sum();
    let outcome = minimize(problem(200), &f, Config::default()).unwrap();
    assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::RadiusGrown { .. })));
    assert!(outcome.radius > 0.02, "{}", outcome.radius);
    assert!(outcome.objective().unwrap() < 0.5 * 50.0, "{:?}", outcome.objective());
}

#[test]
fn a_black_box_that_is_flat_everywhere_is_said_to_be_flat() {
    let outcome = minimize(problem(5), &|_: &[f64]| 3.0, Config::default()).unwrap();
    assert_eq!(outcome.objective(), Some(3.0));
    assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::Flat { .. })));
    assert_eq!(outcome.stop, Some(StopReason::Stagnation), "more queries would not pay");
    assert!(outcome.counts.queries < 2_000, "{:?}", outcome.counts);
}

#[test]
fn wrong_answers_are_refused_and_the_batch_can_still_be_answered() {
    let mut solver = Solver::new(problem(4), quiet_config("zo-ada-exp-grad+", 500)).unwrap();
    assert_eq!(solver.tell(Answers::Values(&[1.0])), Err(TellError::NothingAsked));
    let Ask::Evaluate(queries) = solver.ask() else { panic!("values are asked for") };
    let rows = queries.len();
    let wrong = TellError::WrongCount { what: "values", expected: rows, found: 1 };
    assert_eq!(solver.tell(Answers::Values(&[1.0])), Err(wrong));
    let gradients = Answers::Gradients { gradients: &[], values: None };
    assert_eq!(solver.tell(gradients), Err(TellError::WrongKind { expected: "values" }));
    assert_eq!(solver.tell(Answers::Values(&vec![1.0; rows])), Ok(()));
    assert_eq!(solver.tell(Answers::Values(&vec![1.0; rows])), Err(TellError::NothingAsked));
}

#[test]
fn the_callers_clock_ends_a_run_and_may_go_backwards() {
    let config = Config { stop: StopRule::Seconds(10.0), ..quiet_config("zo-ada-exp-grad+", 100_000) };
    let mut rounds = 0;
    let outcome = drive_by_hand(
        Solver::new(problem(4), config).unwrap(),
        |x, _| bowl(x),
        |solver| {
            rounds += 1;
            solver.set_elapsed(if rounds == 3 { 0.5 } else { f64::from(rounds) });
            true
        },
    );
    assert_eq!((outcome.stop, rounds), (Some(StopReason::Seconds), 10));
}

#[test]
fn a_run_that_nothing_would_end_is_refused() {
    let config = Config { budget: Budget::default(), ..Config::default() };
    assert_eq!(minimize(problem(4), &bowl, config).unwrap_err(), ConfigError::Endless);
}

#[test]
fn rules_and_batches_that_make_no_sense_are_refused() {
    for rule in [
        StopRule::Target(f64::NAN),
        StopRule::any([StopRule::Seconds(f64::NAN)]),
        StopRule::Stagnation { window: 0, tolerance: 0.1 },
    ] {
        let config = Config { stop: rule, ..Config::default() };
        assert!(matches!(Solver::new(problem(4), config), Err(ConfigError::BadRule { .. })));
    }
    for batch in [BatchSize::Fixed(usize::MAX), BatchSize::LogDim { factor: f64::INFINITY }] {
        let mut config = Config::default();
        config.recipe = config.recipe.with_batch(batch);
        assert!(matches!(Solver::new(problem(4), config), Err(ConfigError::HugeBatch { .. })));
    }
}

#[test]
fn a_step_that_overflows_ends_the_run_with_its_reason() {
    let free = Problem::builder(3).build().unwrap();
    let mut config = quiet_config("zo-exp-grad", 100);
    config.recipe = config.recipe.with_weight(1e-6);
    let outcome = minimize(free, &|x: &[f64]| 1e3 * x.iter().sum::<f64>(), config).unwrap();
    assert!(matches!(outcome.stop, Some(StopReason::Step(_))), "{:?}", outcome.stop);
    assert_eq!(outcome.best.loss, Some(0.0));
    assert_eq!(outcome.sparse.x, outcome.last.x, "a step without an answer leaves nothing behind");
}

#[test]
fn every_wrong_configuration_is_refused_with_what_is_wrong() {
    let with = |change: &dyn Fn(&mut Config)| {
        let mut config = Config::new(Method::of_the_paper(), Preset::Practical);
        change(&mut config);
        Solver::new(problem(4), config).unwrap_err()
    };
    let estimator = |direction, batch, radius| Estimator::Differences {
        direction,
        difference: Difference::Auto,
        batch: BatchSize::Fixed(batch),
        radius,
    };
    assert_eq!(
        with(&|c| c.recipe.estimator = estimator(Direction::Rademacher, 0, Radius::Auto)),
        ConfigError::EmptyBatch
    );
    assert_eq!(
        with(&|c| c.recipe.estimator = estimator(Direction::Rademacher, 5, Radius::Fixed(-1.0))),
        ConfigError::NotPositive { what: "the radius", value: -1.0 }
    );
    assert_eq!(
        with(&|c| {
            c.recipe.estimator = estimator(Direction::Rademacher, 5, Radius::Storm);
            c.budget = Budget::default();
        }),
        ConfigError::NoHorizon
    );
    assert_eq!(
        with(&|c| c.recipe = c.recipe.with_weight(0.0)),
        ConfigError::NotPositive { what: "the initial weight", value: 0.0 }
    );
    assert_eq!(with(&|c| c.failures.share = 2.0), ConfigError::BadShare { value: 2.0 });
}

#[test]
fn problems_and_methods_that_do_not_fit_are_refused() {
    let config = Config::new(Method::of_the_paper(), Preset::Practical);
    let fixed = Problem::builder(2).set(Set::bounds(1.0, 1.0)).start(vec![1.0; 2]).build().unwrap();
    assert_eq!(Solver::new(fixed, config.clone()).unwrap_err(), ConfigError::NothingFree);
    let group =
        Problem::builder(4).regulariser(Regulariser::group_l2(1.0, vec![0, 0, 1, 1])).build().unwrap();
    assert!(matches!(Solver::new(group.clone(), config.clone()), Err(ConfigError::NoClosedForm(_))));
    let mut euclidean = config.clone();
    euclidean.recipe.geometry = Geometry::Euclidean;
    assert!(Solver::new(group, euclidean).is_ok());
    let free = Problem::builder(4).build().unwrap();
    let optimistic = Config::new(Method::named("ao-exp-grad").unwrap(), Preset::Practical);
    assert_eq!(Solver::new(free, optimistic).unwrap_err(), ConfigError::Unbounded);
}

#[test]
fn a_start_outside_is_projected_where_that_is_asked_for() {
    let problem = Problem::builder(2)
        .set(Set::bounds(0.0, 1.0))
        .start(vec![2.0, 0.5])
        .outside(Outside::Project)
        .build()
        .unwrap();
    let solver = Solver::new(problem, Config::default()).unwrap();
    assert_eq!(solver.point(), [1.0, 0.5]);
    assert_eq!(solver.notices(), [Notice::StartProjected { distance: 1.0 }]);
}

#[test]
fn fixed_coordinates_never_move_and_are_always_there() {
    let upper: Vec<f64> = (0..10).map(|i| if i % 2 == 0 { 0.25 } else { 1.0 }).collect();
    let problem =
        || Problem::builder(10).set(Set::bounds(0.25, upper.clone())).start(vec![0.25; 10]).build().unwrap();
    for fixed in [FixedCoordinates::Remove, FixedCoordinates::Keep] {
        let config =
            Config { fixed, placement: Placement::Anywhere, ..quiet_config("zo-ada-exp-grad+", 800) };
        let solver = Solver::new(problem(), config).unwrap();
        let removed = fixed == FixedCoordinates::Remove;
        assert_eq!(solver.free_dim(), if removed { 5 } else { 10 });
        let mut moved = false;
        let outcome = drive_by_hand(
            solver,
            |x, _| {
                moved |= x.iter().step_by(2).any(|&x| x != 0.25);
                bowl(x)
            },
            |_| true,
        );
        assert_eq!(moved, !removed, "kept coordinates are perturbed, removed ones are not");
        for point in [&outcome.best, &outcome.last, &outcome.random, &outcome.sparse] {
            assert!(point.x.iter().step_by(2).all(|&x| x == 0.25));
        }
    }
}

#[test]
fn the_reduced_problem_is_the_problem_on_its_free_coordinates() {
    let bounds = |keep: bool| {
        let lower = [0.0, 0.5, 0.0, 0.1, 0.0];
        let upper = [1.0, 0.5, 1.0, 0.1, 1.0];
        let select = |side: [f64; 5]| if keep { side.to_vec() } else { vec![side[0], side[2], side[4]] };
        Set::bounds(select(lower), select(upper))
    };
    let f = |free: [f64; 3]| (free[0] - 0.7).powi(2) + free[1] * free[2] + free[2];
    let full = Problem::builder(5).set(bounds(true)).start(vec![0.5, 0.5, 0.5, 0.1, 0.5]).build().unwrap();
    let reduced = Problem::builder(3).set(bounds(false)).start(vec![0.5; 3]).build().unwrap();
    let config = quiet_config("zo-ada-exp-grad+", 500);
    let a = minimize(full, &|x: &[f64]| f([x[0], x[2], x[4]]), config.clone()).unwrap();
    let b = minimize(reduced, &|x: &[f64]| f([x[0], x[1], x[2]]), config).unwrap();
    assert_eq!([a.x()[0], a.x()[2], a.x()[4]], *b.x());
    assert_eq!(a.objective(), b.objective());
}

#[test]
fn observers_see_everything_in_order() {
    let mut seen = Vec::new();
    let mut listener = |event: &Event<'_>| {
        seen.push(match event {
            Event::Started { .. } => "started",
            Event::Iteration { .. } => "iteration",
            Event::Notice(_) => "notice",
            Event::Finished { .. } => "finished",
        });
    };
    let (mut json, mut progress) = (JsonLines::new(Vec::new()), Progress::to(Vec::new()));
    let solver = Solver::new(problem(5), quiet_config("zo-ada-exp-grad+", 100)).unwrap();
    let outcome =
        Driver::default().observe(&mut listener).observe(&mut json).observe(&mut progress).run(solver, &bowl);
    assert_eq!(seen.first(), Some(&"started"));
    assert_eq!(seen.last(), Some(&"finished"));
    assert_eq!(seen.iter().filter(|event| **event == "iteration").count() as u64, outcome.counts.iterations);
    let json = String::from_utf8(json.into_inner()).unwrap();
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), seen.len());
    assert_eq!(lines[1]["iteration"], 1);
    assert_eq!(lines.last().unwrap()["counts"]["queries"], outcome.counts.queries);
    let progress = String::from_utf8(progress.into_inner()).unwrap();
    assert!(progress.contains("/100 queries") && progress.contains("the budget of queries is used up"));
}

#[test]
fn a_closed_pipe_does_not_stop_a_run() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut json = JsonLines::new(Closed);
    let solver = Solver::new(problem(5), quiet_config("zo-ada-exp-grad+", 100)).unwrap();
    let outcome = Driver::default().observe(&mut json).run(solver, &bowl);
    assert_eq!(outcome.stop, Some(StopReason::Queries));
    assert!(json.error().is_some());
}

#[test]
fn snapshots_are_written_and_continue_to_the_same_bits() {
    let directory = std::env::temp_dir().join(format!("gradless-snapshot-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("run.snapshot");
    let config = quiet_config("zo-exp-storm", 2_000);
    let mut whole = minimize(problem(10), &bowl, config.clone()).unwrap();
    let calls = Counter::default();
    let dies = |x: &[f64]| {
        assert!(calls.count() < 900, "killed");
        bowl(x)
    };
    let solver = Solver::new(problem(10), config).unwrap();
    let broken = Driver::default().snapshots(&path, 3).run(solver, &dies);
    assert!(matches!(broken.stop, Some(StopReason::OraclePanicked { .. })));
    let solver = Solver::restore(&std::fs::read(&path).unwrap()).unwrap();
    let mut resumed = Driver::default().run(solver, &bowl);
    assert!(resumed.counts.sent > whole.counts.sent, "the batch in flight was sent twice");
    (resumed.counts.sent, whole.counts.sent) = (0, 0);
    assert_eq!(resumed, whole);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_snapshot_that_cannot_be_written_is_a_notice() {
    let solver = Solver::new(problem(5), quiet_config("zo-ada-exp-grad+", 200)).unwrap();
    let outcome = Driver::default().snapshots("/nowhere/at/all", 1).run(solver, &bowl);
    assert_eq!(outcome.stop, Some(StopReason::Queries));
    assert!(outcome.notices.iter().any(|notice| matches!(notice, Notice::SnapshotFailed { .. })));
}

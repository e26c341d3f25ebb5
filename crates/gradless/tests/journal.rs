//! A run through a journal is the run without one, and a run that was killed goes on to the same bits.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use gradless::drive::{Journal, JournalOptions, Recovered, Repeats};
use gradless::oracle::Batched;
use gradless::{
    Batch, Budget, Config, Driver, Noise, Oracle, OracleError, Outcome, Problem, Regulariser, Set, Solver,
    StopReason,
};

const PROBLEM: [u8; 32] = [1; 32];
const QUERIES: u64 = 400;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-journalled-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn open(&self, options: JournalOptions) -> Journal {
        Journal::open(&self.0, PROBLEM, 1, options).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn solver(noise: Noise) -> Solver {
    let problem =
        Problem::builder(30).regulariser(Regulariser::l1(0.01)).set(Set::bounds(-1.0, 1.0)).build().unwrap();
    let config = Config { budget: Budget::queries(QUERIES), noise, ..Config::default() };
    Solver::new(problem, config).unwrap()
}

fn value(x: &[f64]) -> f64 {
    (x[3] - 0.8).powi(2) + (x[20] + 0.5).powi(2)
}

/// What does not depend on how often a run was killed.
fn essence(mut outcome: Outcome) -> String {
    outcome.counts.sent = 0;
    format!("{outcome:?}")
}

/// A black box that counts its points, and dies when it has answered so many.
struct Mortal<O> {
    inner: O,
    asked: AtomicU64,
    lives: u64,
}

impl<O> Mortal<O> {
    fn new(inner: O, lives: u64) -> Self {
        Self { inner, asked: AtomicU64::new(0), lives }
    }
}

impl<O: Oracle> Oracle for Mortal<O> {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let rows = values.len() as u64;
        if self.asked.fetch_add(rows, Ordering::SeqCst) + rows > self.lives {
            return Err(OracleError::fatal("dead"));
        }
        self.inner.evaluate(batch, values)
    }

    fn preferred_rows(&self) -> usize {
        self.inner.preferred_rows()
    }
}

#[test]
fn through_a_journal_a_run_is_the_same_and_asks_nothing_when_it_is_repeated() {
    for (name, noise, repeats) in
        [("plain", Noise::Detect, Repeats::AskAgain), ("remember", Noise::None, Repeats::Remember)]
    {
        let expected = essence(Driver::default().run(solver(noise), &value));
        let scratch = Scratch::new(name);
        let options = JournalOptions { repeats, ..JournalOptions::default() };
        for threads in [1, 3] {
            let journal = scratch.open(options);
            let known = journal.recovered().answers;
            let black_box = Mortal::new(value, u64::MAX);
            let outcome = Driver::default().threads(threads).journal(&journal).run(solver(noise), &black_box);
            assert_eq!(outcome.counts.sent, journal.sent());
            assert_eq!(essence(outcome), expected);
            assert_eq!(black_box.asked.into_inner() == 0, known > 0);
            assert_eq!(journal.waiting(), 0);
        }
    }
}

/// A black box whose values differ every time it is asked, whatever it is asked.
struct Noisy(AtomicU64);

impl Oracle for Noisy {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        for ((x, _), out) in batch.rows().zip(values) {
            let time = self.0.fetch_add(1, Ordering::SeqCst);
            *out = value(x) + 1e-3 * ((time.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / 16_777_216.0);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        2
    }
}

#[test]
fn noise_is_still_noticed_and_replays_exactly_whatever_the_threads() {
    let scratch = Scratch::new("noise");
    let run = |threads| {
        let journal = scratch.open(JournalOptions::default());
        let oracle = Noisy(AtomicU64::new(0));
        let outcome =
            Driver::default().threads(threads).journal(&journal).run(solver(Noise::Detect), &oracle);
        (outcome, oracle.0.into_inner())
    };
    let (first, asked) = run(3);
    assert_eq!((first.noise, asked), (Noise::Independent, first.counts.queries));
    for threads in [1, 4] {
        let (again, asked) = run(threads);
        assert_eq!(asked, 0);
        assert_eq!(essence(again), essence(first.clone()));
    }
}

#[test]
fn killed_at_every_point_a_run_goes_on_to_the_same_bits_and_asks_nothing_twice() {
    let batched = || Batched {
        rows: 3,
        evaluate: |batch: Batch<'_>, values: &mut [f64]| {
            batch.rows().zip(values).for_each(|((x, _), out)| *out = value(x));
            Ok(())
        },
    };
    let expected = essence(Driver::default().run(solver(Noise::Detect), &batched()));
    let scratch = Scratch::new("killed");
    let (mut answered, mut starts) = (0, 0);
    loop {
        starts += 1;
        let journal = scratch.open(JournalOptions::default());
        let black_box = Mortal::new(batched(), 20);
        let outcome = Driver::default().threads(2).journal(&journal).run(solver(Noise::Detect), &black_box);
        let dead = matches!(outcome.stop, Some(StopReason::OracleFailed { .. }));
        assert_eq!(dead, !outcome.stop.as_ref().unwrap().is_planned());
        let sent = journal.sent();
        drop(journal);
        let Recovered { answers, .. } = scratch.open(JournalOptions::default()).recovered();
        assert!(answers > answered || !dead, "no answer was kept");
        answered = answers;
        if !dead {
            // Every start but the last lost what two threads had in flight.
            assert!(sent - outcome.counts.queries <= 6 * (starts - 1), "{sent} in {starts} starts");
            assert_eq!(answers, outcome.counts.queries);
            assert_eq!(essence(outcome), expected);
            break;
        }
    }
    assert!(starts > 15);
}

#[test]
fn failures_are_kept_too_and_the_cap_on_what_is_sent_holds_over_retries() {
    let fails = |x: &[f64]| x[0] > 0.0;
    let flaky = || Batched {
        rows: 1,
        evaluate: move |batch: Batch<'_>, values: &mut [f64]| {
            values[0] = value(batch.points);
            if fails(batch.points) { Err(OracleError::points("not here")) } else { Ok(()) }
        },
    };
    let expected = Driver::default().run(solver(Noise::Detect), &flaky());
    assert!(expected.counts.failed > 10);
    let scratch = Scratch::new("failures");
    let options = JournalOptions { retries: 2, ..JournalOptions::default() };
    for _ in 0..2 {
        let journal = scratch.open(options);
        let outcome = Driver::default().journal(&journal).run(solver(Noise::Detect), &flaky());
        assert_eq!(outcome.counts.sent, outcome.counts.queries + 2 * outcome.counts.failed);
        assert_eq!(essence(outcome), essence(expected.clone()));
    }
    let capped = Scratch::new("capped");
    for cap in [100, 100, 150] {
        let options = JournalOptions { max_sent: Some(cap), ..options };
        let black_box = Mortal::new(flaky(), u64::MAX);
        let journal = capped.open(options);
        let outcome = Driver::default().journal(&journal).run(solver(Noise::Detect), &black_box);
        assert_eq!((outcome.stop, outcome.counts.sent), (Some(StopReason::Sent), cap));
        assert_eq!(journal.recovered().sent + black_box.asked.into_inner(), cap);
    }
}

#[test]
fn half_a_record_at_the_end_is_told_and_taken_away() {
    let (whole, scratch) = (Scratch::new("whole"), Scratch::new("half"));
    let outcome =
        Driver::default().journal(&whole.open(JournalOptions::default())).run(solver(Noise::None), &value);
    let size = |scratch: &Scratch| std::fs::metadata(&scratch.0).unwrap().len();
    // The last record is an answer of 42 bytes.
    for missing in [1, 20, 41] {
        std::fs::copy(&whole.0, &scratch.0).unwrap();
        let killed = std::fs::OpenOptions::new().write(true).open(&scratch.0).unwrap();
        killed.set_len(size(&whole) - missing).unwrap();
        let Recovered { cut, answers, .. } = scratch.open(JournalOptions::default()).recovered();
        assert_eq!(answers, outcome.counts.queries - 1, "{missing} bytes are missing");
        assert!(
            cut > 0 && size(&scratch) + cut == size(&whole) - missing,
            "{missing} are missing, {cut} cut"
        );
        assert_eq!(scratch.open(JournalOptions::default()).recovered().cut, 0);
    }
}

//! A model through a journal answers as the model does, and is asked for nothing twice.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use gradless::drive::{Journal, JournalOptions, Outlives, Repeats};
use gradless::{Inputs, Model, ModelError};
use gradless_models::{Counted, Journalled};

/// Sums and differences of pairs; it fails where the first number is negative, as often as it is told to.
struct Pairs {
    failures: AtomicU64,
}

impl Pairs {
    fn failing(times: u64) -> Self {
        Self { failures: AtomicU64::new(times) }
    }
}

impl Model for Pairs {
    fn shape(&self) -> &[usize] {
        &[2]
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            if x[0] < 0.0
                && self
                    .failures
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
                    .is_ok()
            {
                return Err(ModelError::Inputs("not now".to_owned()));
            }
            scores.copy_from_slice(&[x[0] + x[1], x[0] - x[1]]);
        }
        Ok(())
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-model-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn open(&self, options: JournalOptions) -> Journal {
        Journal::open(&self.0, [9; 32], 2, options).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const REMEMBER: JournalOptions =
    JournalOptions { repeats: Repeats::Remember, retries: 0, max_sent: None, outlives: Outlives::Kill };

fn ask(model: &dyn Model, points: &[f64]) -> Result<Vec<f64>, ModelError> {
    let mut scores = vec![f64::NAN; points.len()];
    model.scores(Inputs { points, dim: 2 }, &mut scores)?;
    Ok(scores)
}

#[test]
fn only_what_is_new_is_sent_over_every_start() {
    let scratch = Scratch::new("new");
    let batch = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 5.0, 6.0];
    let expected = [3.0, -1.0, 7.0, -1.0, 3.0, -1.0, 11.0, -1.0];
    for (start, rows) in [(0, 3), (1, 0)] {
        let journal = scratch.open(REMEMBER);
        let counted = Counted::new(Pairs::failing(0));
        let model = Journalled { model: &counted, journal: &journal };
        for _ in 0..2 {
            assert_eq!(ask(&model, &batch).unwrap(), expected, "start {start}");
        }
        assert_eq!(counted.asked().rows, rows);
        assert_eq!(journal.sent(), 3);
    }
    let journal = scratch.open(REMEMBER);
    let model = Journalled { model: Pairs::failing(0), journal: &journal };
    assert_eq!(ask(&model, &[3.0, 4.0, 7.0, 7.0]).unwrap(), [7.0, -1.0, 14.0, 0.0]);
    assert_eq!(journal.sent(), 4);
}

#[test]
fn a_failure_is_kept_as_one_and_may_be_asked_about_again() {
    let scratch = Scratch::new("failure");
    for _ in 0..2 {
        let journal = scratch.open(REMEMBER);
        let model = Journalled { model: Pairs::failing(1), journal: &journal };
        assert!(matches!(ask(&model, &[-1.0, 0.0]), Err(ModelError::Inputs(_))));
        assert_eq!(ask(&model, &[-1.0, 0.0]).unwrap(), [-1.0, -1.0]);
        assert_eq!(journal.sent(), 2);
    }
    let again = Scratch::new("retried");
    let journal = again.open(JournalOptions { retries: 2, ..REMEMBER });
    let model = Journalled { model: Pairs::failing(2), journal: &journal };
    assert_eq!(ask(&model, &[-1.0, 0.0]).unwrap(), [-1.0, -1.0]);
    assert_eq!(journal.sent(), 3);
}

#[test]
fn the_cap_is_told_as_a_cap() {
    let scratch = Scratch::new("cap");
    let journal = scratch.open(JournalOptions { max_sent: Some(1), ..REMEMBER });
    let model = Journalled { model: Pairs::failing(0), journal: &journal };
    assert_eq!(ask(&model, &[1.0; 4]).unwrap(), [2.0, 0.0, 2.0, 0.0]);
    assert_eq!(ask(&model, &[2.0; 2]), Err(ModelError::Capped { cap: 1, used: 1, asked: 1 }));
}

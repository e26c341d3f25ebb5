//! The reference for changes that only add: the plain method from the middle of the set, at many fixed weights.
//!
//! Only whether any valid point was seen matters, so the weights go from the smallest, where one is likeliest, and the first
//! success ends the image. One line per image is appended to `--resume FILE`; images that have one are not run again.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use gradless::{Config, Method, Preset};
use gradless_explain::{Options, Progress, Start, Starts, Strategy, Watch};
use gradless_models::Onnx;

use crate::asked::{Asked, Question};
use crate::images::Subject;
use crate::{Fallible, explain, side_by_side};

/// Weights are $2^{-k}$, the same for both norms.
const EXPONENTS: std::ops::RangeInclusive<i32> = 2..=12;
const QUERIES: u64 = 40_000;

pub(crate) fn run(asked: &Asked, model: &Onnx, subjects: &[Subject]) -> Fallible<()> {
    let path = asked.resume.as_ref().ok_or("--reference needs --resume FILE")?;
    let known = read(path)?;
    let missing: Vec<&Subject> = subjects.iter().filter(|s| !known.contains_key(&s.index)).collect();
    let file = Mutex::new(std::fs::OpenOptions::new().create(true).append(true).open(path)?);
    side_by_side(&missing, asked.threads, |subject| {
        let success = first_success(asked, model, subject)?;
        let word = success.map_or("none".to_owned(), |k| k.to_string());
        let mut file = file.lock().map_err(|_| "a thread panicked")?;
        Ok(writeln!(file, "{} {word}", subject.index)?)
    })?;
    Ok(())
}

/// What is known: for every image the exponent at which the reference found a valid point, if it did.
pub(crate) fn read(path: &Path) -> Fallible<BTreeMap<usize, Option<i32>>> {
    let text = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
    let line = |line: &str| {
        let (index, word) = line.split_once(' ').ok_or("a line of the reference has no result")?;
        let success = if word == "none" { None } else { Some(word.parse()?) };
        Ok((index.parse()?, success))
    };
    text.lines().map(line).collect()
}

/// The exponent of the first weight at which a valid point is seen.
fn first_success(asked: &Asked, model: &Onnx, subject: &Subject) -> Fallible<Option<i32>> {
    for k in EXPONENTS.rev() {
        let weight = 0.5_f64.powi(k);
        let options = Options {
            config: Config { seed: asked.seed, ..Config::new(Method::of_the_paper(), Preset::Practical) },
            max_queries: QUERIES,
            l1: weight,
            l2: weight,
            kappa: None,
            strategy: Some(Strategy::Fixed),
            prune: false,
            starts: Starts::both(Start::Centre),
            ..asked.options(Question::Addition)
        };
        let found = AtomicBool::new(false);
        let progress = |progress: &Progress<'_>| {
            if progress.best.is_some() {
                found.store(true, Ordering::Relaxed);
            }
        };
        // What is found ends the search, too.
        explain(model, subject, &options, Watch { cancel: &found, progress: &progress })?;
        if found.load(Ordering::Relaxed) {
            return Ok(Some(k));
        }
    }
    Ok(None)
}

//! Progress for programs that watch: lines of JSON, appended to the file that `GRADLESS_PROGRESS` names.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gradless_explain::{Progress, SoFar};
use serde::Serialize;

/// The environment variable that names the file.
pub(crate) const VARIABLE: &str = "GRADLESS_PROGRESS";

/// Frames that are written as soon as the answer alters; later ones keep a distance.
const AT_ONCE: u64 = 400;
/// The distance: twenty a second.
const DISTANCE: Duration = Duration::from_millis(50);
/// Of inputs with more numbers than this only the features are written.
const MOST_NUMBERS: usize = 4096;

/// Writes progress to a file, if one is named.
pub(crate) struct Live {
    to: Option<Mutex<Frames>>,
}

/// The file, and what was written to it last.
struct Frames {
    file: File,
    written: u64,
    last: Instant,
    question: String,
    used: Option<Vec<usize>>,
    /// Whether the regions of the picture were written.
    mapped: bool,
}

/// One line.
#[derive(Serialize)]
struct Frame<'a> {
    question: &'a str,
    queries: u64,
    budget: u64,
    /// The features of the best so far, where [`Shown`] does not tell them.
    #[serde(skip_serializing_if = "Option::is_none")]
    used: Option<&'a [usize]>,
    /// What the model is shown for it: numbers that differ from an empty answer, and what they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<Shown>,
    /// The region of every pixel, once: each with how often it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<Vec<(i64, u32)>>,
}

#[derive(Serialize)]
struct Shown {
    at: Vec<usize>,
    to: Vec<f64>,
}

impl Live {
    /// Nothing is written where no file is named, or it cannot be opened: the search matters more.
    pub(crate) fn new() -> Self {
        let open = |path| OpenOptions::new().create(true).append(true).open(path).ok();
        Self { to: std::env::var_os(VARIABLE).and_then(open).map(|file| Mutex::new(Frames::to(file))) }
    }

    /// The search is so far.
    pub(crate) fn at(&self, progress: &Progress<'_>) {
        if let Some(to) = &self.to {
            to.lock().unwrap_or_else(PoisonError::into_inner).take(progress);
        }
    }
}

impl Frames {
    fn to(file: File) -> Self {
        Self { file, written: 0, last: Instant::now(), question: String::new(), used: None, mapped: false }
    }

    fn take(&mut self, progress: &Progress<'_>) {
        let question = progress.question.name();
        let is_due = self.last.elapsed() >= DISTANCE || self.question != question;
        if !is_due && self.written >= AT_ONCE {
            return;
        }
        let used = progress.so_far.map(|best| best.used());
        if !is_due && used == self.used {
            return;
        }
        let shown = progress.so_far.and_then(|best| shown(&best));
        let regions = progress.so_far.filter(|_| !self.mapped).and_then(|best| best.regions());
        self.mapped |= regions.is_some();
        let frame = Frame {
            question,
            queries: progress.queries,
            budget: progress.budget,
            used: used.as_deref().filter(|_| shown.is_none()),
            shown,
            regions: regions.map(|regions| run_lengths(&regions)),
        };
        let Ok(mut line) = serde_json::to_vec(&frame) else { return };
        line.push(b'\n');
        // A file that cannot be written to is no reason to end the search.
        let _ = self.file.write_all(&line);
        self.written += 1;
        self.last = Instant::now();
        question.clone_into(&mut self.question);
        self.used = used;
    }
}

fn shown(best: &SoFar<'_>) -> Option<Shown> {
    let input = best.input();
    if input.len() > MOST_NUMBERS {
        return None;
    }
    let origin = best.origin();
    let at: Vec<usize> = (0..input.len()).filter(|&i| input[i] != origin[i]).collect();
    let to = at.iter().map(|&i| (1e4 * input[i]).round() / 1e4).collect();
    Some(Shown { at, to })
}

/// The region of every pixel as pairs of a region (-1 for none) and how often it repeats.
fn run_lengths(regions: &[Option<u32>]) -> Vec<(i64, u32)> {
    let mut runs: Vec<(i64, u32)> = Vec::new();
    for region in regions.iter().map(|region| region.map_or(-1, i64::from)) {
        match runs.last_mut() {
            Some((last, count)) if *last == region => *count += 1,
            _ => runs.push((region, 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_written_as_runs() {
        let regions = [Some(3), Some(3), None, Some(0), Some(3)];
        assert_eq!(run_lengths(&regions), [(3, 2), (-1, 1), (0, 1), (3, 1)]);
        assert_eq!(run_lengths(&[]), []);
    }
}

//! What a line of progress says.

use gradless::trace::Record;
use gradless_explain::{Progress, SoFar};
use serde::Serialize;

/// Of inputs with more numbers than this only the features are written.
const MOST_NUMBERS: usize = 4096;

/// An answer that is forming.
#[derive(Serialize)]
pub(super) struct Forming<'a> {
    question: &'a str,
    queries: u64,
    budget: u64,
    /// How many features the best so far has.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<usize>,
    /// Which, where [`Shown`] does not tell them.
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

/// A step of a minimisation.
#[derive(Serialize)]
pub(super) struct Step {
    iteration: u64,
    queries: u64,
    /// Queries the method may use, if they are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<u64>,
    objective: Option<f64>,
    best: Option<f64>,
}

/// Inputs that are done.
#[derive(Serialize)]
pub(super) struct Inputs {
    pub(super) inputs: usize,
    pub(super) of: usize,
}

impl<'a> Forming<'a> {
    /// The frame of a search, with the regions of the picture if they were not told yet.
    pub(super) fn of(progress: &'a Progress<'_>, used: Option<&'a [usize]>, with_regions: bool) -> Self {
        let shown = progress.so_far.and_then(|best| shown(&best));
        let regions = progress.so_far.filter(|_| with_regions).and_then(|best| best.regions());
        Self {
            question: progress.question.name(),
            queries: progress.queries,
            budget: progress.budget,
            held: used.map(<[usize]>::len),
            used: used.filter(|_| shown.is_none()),
            shown,
            regions: regions.map(|regions| run_lengths(&regions)),
        }
    }

    pub(super) fn has_regions(&self) -> bool {
        self.regions.is_some()
    }
}

impl Step {
    pub(super) fn of(record: &Record, budget: Option<u64>) -> Self {
        let Record { iteration, queries, objective, best, .. } = *record;
        Self { iteration, queries, budget, objective, best }
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

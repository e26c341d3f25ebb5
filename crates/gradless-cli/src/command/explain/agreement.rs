//! How well the answers of several seeds agree.

use gradless_explain::{Answer, Task};
use serde::Serialize;

/// Answers of other seeds beside the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Agreement {
    /// Other seeds that were tried.
    pub(super) seeds: usize,
    /// What they asked, all together.
    pub(super) queries: u64,
    /// Whether all of them are the first over again: nothing was drawn at random.
    pub(super) identical: bool,
    /// Valid answers among them.
    pub(super) valid: usize,
    /// Answers that lead to the same class as the first.
    pub(super) same_class: usize,
    /// Places of their valid answers, fewest and most.
    pub(super) nonzeros: Option<[usize; 2]>,
    /// Median over the valid answers of the places shared with the first, as a share of all places of the two.
    pub(super) overlap: Option<f64>,
}

impl Agreement {
    pub(super) fn new(task: &Task, first: &Answer, others: &[Answer]) -> Self {
        let nothing = task.nothing();
        let places = |answer: &Answer| -> Vec<bool> {
            answer.unknown.iter().zip(&nothing).map(|(x, o)| x != o).collect()
        };
        let ours = places(first);
        let valid: Vec<&Answer> = others.iter().filter(|answer| answer.valid).collect();
        let mut overlaps: Vec<f64> = valid
            .iter()
            .map(|answer| {
                let theirs = places(answer);
                let both = ours.iter().zip(&theirs).filter(|&(&a, &b)| a && b).count();
                let either = ours.iter().zip(&theirs).filter(|&(&a, &b)| a || b).count();
                if either == 0 { 1.0 } else { both as f64 / either as f64 }
            })
            .collect();
        overlaps.sort_by(f64::total_cmp);
        let counts = || valid.iter().map(|answer| answer.nonzeros);
        Self {
            seeds: others.len(),
            identical: others.iter().all(|answer| answer.unknown == first.unknown),
            queries: others.iter().map(|answer| answer.queries).sum(),
            valid: valid.len(),
            same_class: others.iter().filter(|answer| answer.class == first.class).count(),
            nonzeros: counts().min().zip(counts().max()).map(|(fewest, most)| [fewest, most]),
            overlap: overlaps.get(overlaps.len() / 2).copied(),
        }
    }

    /// In words.
    pub(super) fn sentence(&self) -> String {
        let Self { seeds, valid, same_class, .. } = self;
        if self.identical {
            return format!(
                "{seeds} other seeds give exactly this answer: with so few places nothing is drawn at random, so that this says \
                 nothing about stability"
            );
        }
        let told =
            format!("{valid} of {seeds} other seeds found a valid answer, {same_class} with the same class");
        let (Some([fewest, most]), Some(overlap)) = (self.nonzeros, self.overlap) else { return told };
        let shared = 100.0 * overlap;
        format!("{told}; {fewest} to {most} places, {shared:.0} % of them shared with this one (median)")
    }
}

//! How well the answers of several seeds agree.

use serde::{Deserialize, Serialize};

/// Answers of other seeds beside the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Other seeds that were tried.
    pub seeds: usize,
    /// What they asked, all together.
    pub queries: u64,
    /// Whether all of them are the first over again.
    pub identical: bool,
    /// Valid answers among them.
    pub valid: usize,
    /// Answers that lead to the same class as the first.
    pub same_class: usize,
    /// Coordinates of their valid answers, fewest and most.
    pub nonzeros: Option<[usize; 2]>,
    /// Median over the valid answers of the coordinates shared with the first, as a share of all coordinates of the two.
    pub overlap: Option<f64>,
}

/// What is compared of an answer.
pub(crate) struct Compared {
    pub(crate) point: Vec<f64>,
    /// Coordinates that differ from the origin.
    pub(crate) moved: Vec<usize>,
    pub(crate) valid: bool,
    pub(crate) class: usize,
    pub(crate) queries: u64,
}

impl Agreement {
    pub(crate) fn new(first: &Compared, others: &[Compared]) -> Self {
        let valid: Vec<&Compared> = others.iter().filter(|other| other.valid).collect();
        let overlap = |other: &&Compared| {
            let both = first.moved.iter().filter(|i| other.moved.binary_search(i).is_ok()).count();
            let either = first.moved.len() + other.moved.len() - both;
            if either == 0 { 1.0 } else { both as f64 / either as f64 }
        };
        let mut overlaps: Vec<f64> = valid.iter().map(overlap).collect();
        overlaps.sort_by(f64::total_cmp);
        let counts = || valid.iter().map(|other| other.moved.len());
        Self {
            seeds: others.len(),
            identical: others.iter().all(|other| other.point == first.point),
            queries: others.iter().map(|other| other.queries).sum(),
            valid: valid.len(),
            same_class: others.iter().filter(|other| other.class == first.class).count(),
            nonzeros: counts().min().zip(counts().max()).map(|(fewest, most)| [fewest, most]),
            overlap: overlaps.get(overlaps.len() / 2).copied(),
        }
    }

    /// In words.
    pub fn sentence(&self) -> String {
        let Self { seeds, valid, same_class, .. } = self;
        if self.identical {
            return format!("{seeds} other seeds give exactly this answer");
        }
        let told =
            format!("{valid} of {seeds} other seeds found a valid answer, {same_class} with the same class");
        let (Some([fewest, most]), Some(overlap)) = (self.nonzeros, self.overlap) else { return told };
        let shared = 100.0 * overlap;
        format!("{told}; {fewest} to {most} values, {shared:.0} % of them shared with this one (median)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(moved: &[usize], valid: bool) -> Compared {
        Compared {
            point: moved.iter().map(|&i| i as f64).collect(),
            moved: moved.to_vec(),
            valid,
            class: 1,
            queries: 10,
        }
    }

    #[test]
    fn agreement_counts_what_is_shared() {
        let first = answer(&[1, 2, 3], true);
        let agreement = Agreement::new(&first, &[answer(&[2, 3, 4], true), answer(&[9], false)]);
        assert_eq!((agreement.seeds, agreement.valid, agreement.same_class), (2, 1, 2));
        assert_eq!((agreement.nonzeros, agreement.overlap), (Some([3, 3]), Some(0.5)));
        assert!(!agreement.identical && Agreement::new(&first, &[answer(&[1, 2, 3], true)]).identical);
    }
}

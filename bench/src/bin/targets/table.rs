//! The tables: one per task, one row per method.

use std::fmt::Write as _;

use bench::fit::quantile;
use bench::grouped;

use crate::asked::Asked;
use crate::run::{LOOKS, Row};

/// All tables of a run.
pub(crate) fn tables(asked: &Asked, rows: &[Row]) -> String {
    let mut out = String::new();
    for &task in &asked.tasks {
        let of_task: Vec<&Row> = rows.iter().filter(|row| row.subject.task == task).collect();
        let images = of_task.len() / asked.methods.len().max(1);
        let first = of_task.iter().filter(|row| asked.methods.first() == Some(&row.method));
        let valid = first.filter(|row| row.reference.valid).count();
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "### {}, {images} images\n\nThe class condition holds at the reference of {valid} of {images}.\n",
            task.name()
        );
        let looks = LOOKS.map(|queries| format!("best/ref. at {}", grouped(queries))).join(" | ");
        let _ = writeln!(
            out,
            "| method | queries, median (quartiles) | 90 % | never | best/ref. if never | valid | {looks} |"
        );
        let _ = writeln!(out, "|---|---|---|---|---|---|{}", "---|".repeat(LOOKS.len()));
        for method in &asked.methods {
            let rows: Vec<&Row> = of_task.iter().copied().filter(|row| row.method == *method).collect();
            let _ = writeln!(out, "| {method} | {} |", cells(&rows).join(" | "));
        }
        out.push('\n');
    }
    out
}

fn cells(rows: &[&Row]) -> Vec<String> {
    let queries = |share| {
        quantile(rows.iter().map(|row| row.queries.map_or(f64::INFINITY, |queries| queries as f64)), share)
    };
    let never: Vec<f64> = rows.iter().filter(|row| row.queries.is_none()).map(|row| row.best).collect();
    let mut cells = vec![
        format!("{} ({}, {})", count(queries(0.5)), count(queries(0.25)), count(queries(0.75))),
        count(queries(0.9)),
        format!("{} of {}", never.len(), rows.len()),
        if never.is_empty() { String::new() } else { ratio(quantile(never, 0.5)) },
        format!("{} of {}", rows.iter().filter(|row| row.valid).count(), rows.len()),
    ];
    cells.extend((0..LOOKS.len()).map(|look| ratio(quantile(rows.iter().map(|row| row.ratios[look]), 0.5))));
    cells
}

fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { "-".to_owned() }
}

fn count(queries: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    if queries.is_finite() { grouped(queries as u64) } else { "∞".to_owned() }
}

#[cfg(test)]
mod tests {
    use gradless_paper::reproduce::Chosen;

    use super::*;
    use crate::references::Reference;
    use crate::run::Subject;
    use crate::task::Task;

    #[test]
    fn a_run_that_never_gets_there_is_slower_than_every_other() {
        let words = "--tasks pp --methods zo-psgd,ao-exp-grad".split_whitespace().map(str::to_owned);
        let asked = Asked::read(words).unwrap();
        let row = |method: usize, index: usize, queries: Option<u64>| Row {
            subject: Subject { task: Task::Pp, image: Chosen { class: 0, rank: 0, index } },
            method: asked.methods[method],
            reference: Reference { value: 2.0, valid: index > 1 },
            queries,
            valid: method == 0,
            spent: 9,
            ratios: [f64::INFINITY, 3.0, 2.0, 1.25],
            best: if queries.is_some() { 1.04 } else { 1.25 },
        };
        let rows = [
            row(0, 1, Some(1_200)),
            row(0, 2, None),
            row(0, 3, None),
            row(1, 1, Some(40)),
            row(1, 2, Some(50)),
            row(1, 3, Some(12_345)),
        ];
        let text = tables(&asked, &rows);
        assert!(text.contains("### pp, 3 images") && text.contains("of 2 of 3."), "{text}");
        assert!(
            text.contains(
                "| zo-psgd | ∞ (1,200, ∞) | ∞ | 2 of 3 | 1.250 | 3 of 3 | - | 3.000 | 2.000 | 1.250 |"
            ),
            "{text}"
        );
        assert!(
            text.contains("| ao-exp-grad | 50 (40, 12,345) | 12,345 | 0 of 3 |  | 0 of 3 | - |"),
            "{text}"
        );
    }
}

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
            match numbers[..] {
                [one] => format!("{one:.digits$}"),
                _ => format!("{:.digits$} ({:.digits$}, {:.digits$})", at(0.5), at(0.25), at(0.75)),
            }
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
            scientific(&valid),
            quartiles(&|found| found.queries as f64, 0),
        );
    }
    out
}

/// Quartiles of the margins, which lie orders of magnitude apart.
fn scientific(valid: &[&Found]) -> String {
    let mut margins: Vec<f64> = valid.iter().map(|found| found.margin).collect();
    margins.sort_by(f64::total_cmp);
    let at = |share: f64| quantile(&margins, share);
    match margins[..] {
        [one] => format!("{one:.1e}"),
        _ => format!("{:.1e} ({:.1e}, {:.1e})", at(0.5), at(0.25), at(0.75)),
    }
}

/// A share of sorted numbers, between two neighbours by their distance.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len().max(1) - 1) as f64;
    let (below, above) = (at.floor(), at.ceil());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(f64::NAN);
    value(below) + (at - below) * (value(above) - value(below))
}

/// Writes the section of this run into the page, in place of the last one of its kind; the rest of the page stays.
pub(crate) fn write(out: &Path, asked: &Asked, sections: &[(Question, Vec<Found>)]) -> Fallible<()> {
    let page = if out.exists() { std::fs::read_to_string(out)? } else { START.to_owned() };
    let (begin, end) = (format!("<!-- begin {} -->", asked.kind()), format!("<!-- end {} -->", asked.kind()));
    let section = format!("{begin}\n{}{end}\n", section(asked, sections)?);
    let page = match (page.find(&begin), page.find(&end)) {
        (Some(from), Some(to)) if from < to => {
            format!(
                "{}{section}{}",
                &page[..from],
                page[to + end.len()..].trim_start_matches(' ').strip_prefix('\n').unwrap_or_default()
            )
        }
        _ => format!("{page}\n{section}"),
    };
    Ok(std::fs::write(out, page)?)
}

/// What stands on a page before its first section.
const START: &str = "# Explanations\n\nTables between `begin` and `end` are written by the command above them; the rest by hand.\n";

fn section(asked: &Asked, sections: &[(Question, Vec<Found>)]) -> Fallible<String> {
    let mut out = String::new();
    let images = match asked.only {
        Some(index) => format!("Test image {index}"),
        None => format!(
            "{} images: the first {} of each class that the network gets right among test images {}",
            sections.first().map_or(0, |(_, found)| found.len()),
            asked.per_class,
            if asked.tuning { "5,000 to 9,999, on which constants were chosen" } else { "0 to 4,999" }
        ),
    };
    let words: Vec<String> = std::env::args().skip(1).collect();
    let command = Asked::shown(&words);
    writeln!(out, "## {}, at most {} queries\n", asked.network.title(), asked.queries)?;
    writeln!(
        out,
        "Commit {}, seed {}, `cargo run --release -p bench --bin explanations -- {command}`.",
        bench::commit(),
        asked.seed
    )?;
    writeln!(
        out,
        "{images}.\nMedians and quartiles of the valid ones; valid: the class condition holds by more than {:e} for the exact\nvalues and for the 8-bit picture; 1-minimal: checked within the queries.\n",
        asked.network.floor()
    )?;
    out.push_str(&table(sections));
    if let Some(path) = &asked.resume {
        let reference = crate::reference::read(path)?;
        if let Some((_, found)) = sections.iter().find(|(question, _)| *question == Question::Addition) {
            let succeeds = |found: &&Found| reference.get(&found.index).is_some_and(Option::is_some);
            let known = found.iter().filter(|found| reference.contains_key(&found.index)).count();
            writeln!(
                out,
                "\nReference for pn-add (the plain method from the middle of the set, weights 2^-k for k = 12 down to 2, 40,000 queries\neach, until a valid point is seen): valid on {} of {known}; of these valid here: {}.",
                found.iter().filter(succeeds).count(),
                found.iter().filter(succeeds).filter(|found| found.valid).count(),
            )?;
        }
    }
    Ok(out)
}

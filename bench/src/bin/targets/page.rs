//! What is written: all runs as a table of numbers, the tables as a page, and a data profile.

use std::fmt::Write as _;
use std::path::Path;

use bench::Fallible;
use bench::profile;

use crate::asked::{Asked, Part};
use crate::run::{LOOKS, Row, SLACK};
use crate::table::tables;

pub(crate) fn write(out: &Path, asked: &Asked, rows: &[Row], commit: &str) -> Fallible<()> {
    std::fs::create_dir_all(out)?;
    std::fs::write(out.join("targets.csv"), csv(asked, rows))?;
    std::fs::write(out.join("targets.svg"), figure(asked, rows))?;
    std::fs::write(out.join("targets.md"), page(asked, rows, commit))?;
    Ok(())
}

fn csv(asked: &Asked, rows: &[Row]) -> String {
    let looks = LOOKS.map(|queries| format!("ratio_{queries}")).join(",");
    let mut out = format!(
        "set,part,task,image,class,method,reference,reference_valid,reached,queries,valid,spent,{looks},best_ratio\n"
    );
    for row in rows {
        let subject = &row.subject;
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            asked.set.name(),
            asked.part.name(),
            subject.task.name(),
            subject.image.index,
            subject.image.class,
            row.method,
            row.reference.value,
            row.reference.valid,
            row.queries.is_some(),
            row.queries.map_or(String::new(), |queries| queries.to_string()),
            row.valid,
            row.spent,
            row.ratios.map(|ratio| ratio.to_string()).join(","),
            row.best,
        );
    }
    out
}

fn figure(asked: &Asked, rows: &[Row]) -> String {
    let panel = |&task: &_| {
        let line = |method: &_| {
            let rows = rows.iter().filter(|row| row.subject.task == task && row.method == *method);
            (format!("{method}"), rows.map(|row| row.queries).collect())
        };
        (task.name().to_owned(), asked.methods.iter().map(line).collect())
    };
    let title = format!("{}: share of images at {SLACK} times the reference", asked.set.name());
    profile::figure(title, asked.tasks.iter().map(panel).collect(), asked.budget).to_svg()
}

fn page(asked: &Asked, rows: &[Row], commit: &str) -> String {
    let from = match asked.part {
        Part::Tuning => "training set, on which constants may be chosen",
        Part::HeldOut => "test set, on which no constant was chosen",
    };
    let first = match asked.at_most {
        Some(number) => format!(", and of these the first {number}"),
        None => String::new(),
    };
    let after = if asked.whole {
        "Every run used its whole budget."
    } else {
        "A run ends at its target, so ratios after that are upper bounds."
    };
    format!(
        "# Queries to the paper's value\n\n\
         Commit {commit}, seed {}, `{}`.\n\n\
         {} correctly classified images of each class from the {from}, in the order of a keyed hash{first}.\n\
         Reference: the objective at the last iterate of ZO-AdaExpGrad+ with the paper's settings (m = T = 200, all coordinates kept)\n\
         after 40,200 queries. Target: {SLACK} times that. A query counts when the solver's best objective is at most the target;\n\
         a run that never got there counts as ∞ (budget {} queries). {after}\n\
         Valid: the class condition holds at the best point; where it does not, a low value explains nothing.\n\n\
         {}\n![Share of images at the target against queries](targets.svg)\n",
        asked.seed,
        asked.command(),
        asked.per_class,
        asked.budget,
        tables(asked, rows),
    )
}

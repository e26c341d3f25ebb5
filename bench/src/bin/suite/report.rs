//! The page: medians, who is best, by how much ours ever lose, and data profiles.

use std::fmt::Write as _;
use std::path::Path;

use bench::{Fallible, profile};

use crate::measured::LOOKS;
use crate::merged::{Group, Merged, is_seed};

/// The looks that tables tell of: 500, 2,000, 10,000 and 40,000 queries.
const TOLD: [usize; 4] = [2, 4, 6, 8];
/// What is left of the way where a data profile counts a run, and the file it is drawn in.
const PROFILES: [(f64, &str); 2] = [(0.1, "peers-profile-10.svg"), (0.01, "peers-profile-1.svg")];

pub(crate) fn write(out: &Path, merged: &Merged, commit: &str) -> Fallible<()> {
    std::fs::create_dir_all(out)?;
    std::fs::write(out.join("peers.md"), page(merged, commit))?;
    for (share, name) in PROFILES {
        std::fs::write(out.join(name), figure(merged, share))?;
    }
    Ok(())
}

fn page(merged: &Merged, commit: &str) -> String {
    let mut out = format!(
        "# Ours and other people's optimisers\n\n\
         Commit {commit}, `bench/peers/run`. Everybody minimises the same $l + r$ over the same box from the same start and is\n\
         charged for every value. Numbers are medians over seeds (and images) of the best objective within so many queries; where\n\
         values are noisy, of the true objective at the point that would be returned. A dash: not run, or ended before by its limit of\n\
         time for more than half of the seeds. Seeds per problem: {}.\n\n\
         ## Who is best\n\n{}\n\
         ## Never lose\n\n{}\n\
         ## Data profiles\n\n\
         Share of runs that have gone 90 % and 99 % of the way from the start to the least objective known, as seen after\n{} queries. Dimensions and images on which a\n\
         method was not run, or was skipped because it is slow, count as never.\n\n",
        seeds(merged),
        winners(merged),
        never_lose(merged),
        LOOKS.map(|look| look.to_string()).join(", "),
    );
    for (share, name) in PROFILES {
        let gone = 100.0 * (1.0 - share);
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "![Share of runs that have gone {gone:.0} % of the way, against queries]({name})\n"
        );
    }
    out.push_str("## Medians\n\n");
    for group in merged.groups() {
        let _ = writeln!(out, "{}", medians(merged, &group));
    }
    out.push_str(&notes(merged));
    out
}

/// How many seeds every method was run with, where it was run.
fn seeds(merged: &Merged) -> String {
    let groups = merged.groups();
    let of = |method: &str| {
        let count = |group: &Group| {
            let mut seeds: Vec<u64> =
                merged.of(group).filter(|row| row.method == method).map(|row| row.seed).collect();
            seeds.sort_unstable();
            seeds.dedup();
            seeds.len()
        };
        let counts: Vec<usize> = groups.iter().map(count).filter(|&count| count > 0).collect();
        let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
        match (least, most) {
            (Some(least), Some(most)) if least < most => format!("{method} {least} to {most}"),
            (_, most) => format!("{method} {}", most.unwrap_or(0)),
        }
    };
    merged.methods().into_iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Which of the looks anybody has reached.
fn told(merged: &Merged, group: &Group) -> Vec<usize> {
    TOLD.into_iter().filter(|&look| merged.of(group).any(|row| row.best[look].is_finite())).collect()
}

/// All methods on one problem.
fn medians(merged: &Merged, group: &Group) -> String {
    let looks = told(merged, group);
    let start = bench::fit::quantile(merged.of(group).map(|row| row.start), 0.5);
    let mut out = format!("### {}, d = {}, from {}\n\n", group.problem, group.dim, number(start));
    let heads: Vec<String> = looks.iter().map(|&look| LOOKS[look].to_string()).collect();
    let _ = writeln!(out, "| method | {} |\n|---|{}", heads.join(" | "), "---|".repeat(looks.len()));
    for method in merged.methods() {
        if merged.of(group).any(|row| row.method == method) {
            let cell = |&look: &usize| {
                let best = merged.best(group, look, |_| true).is_some_and(|(best, _)| best == method);
                let median = number(merged.median(group, method, look));
                if best { format!("**{median}**") } else { median }
            };
            let _ =
                writeln!(out, "| {method} | {} |", looks.iter().map(cell).collect::<Vec<_>>().join(" | "));
        }
    }
    out
}

fn winners(merged: &Merged) -> String {
    let heads = TOLD.map(|look| format!("{} queries", LOOKS[look])).join(" | ");
    let mut out = format!("| problem | d | {heads} |\n|---|---|{}\n", "---|".repeat(TOLD.len()));
    for group in merged.groups() {
        let cell = |look| match merged.best(&group, look, |_| true) {
            Some((method, median)) => format!("{method} ({})", number(median)),
            None => "-".to_owned(),
        };
        let _ = writeln!(out, "| {} | {} | {} |", group.problem, group.dim, TOLD.map(cell).join(" | "));
    }
    out
}

/// For every problem and number of queries, each method's median over that of the best method with the paper's settings.
pub(crate) fn never_lose(merged: &Merged) -> String {
    let others: Vec<&str> = merged.methods().into_iter().filter(|method| !is_seed(method)).collect();
    if others.len() == merged.methods().len() {
        return "No method was run with the paper's settings, so there is nothing to compare with.\n"
            .to_owned();
    }
    let mut out = format!(
        "Median of each method over the median of the best method with the paper's settings; above 1 it has lost.\n\n\
         | problem | d | queries | best of the paper | {} |\n|---|---|---|---|{}\n",
        others.join(" | "),
        "---|".repeat(others.len())
    );
    for group in merged.groups() {
        for look in told(merged, &group) {
            let Some((seed, least)) = merged.best(&group, look, is_seed) else { continue };
            let cell = |method: &&str| ratio(merged.median(&group, method, look) / least);
            let cells: Vec<String> = others.iter().map(cell).collect();
            let _ = writeln!(
                out,
                "| {} | {} | {} | {seed} ({}) | {} |",
                group.problem,
                group.dim,
                LOOKS[look],
                number(least),
                cells.join(" | ")
            );
        }
    }
    out
}

fn figure(merged: &Merged, share: f64) -> String {
    let mut problems: Vec<String> = merged.groups().into_iter().map(|group| group.problem).collect();
    problems.dedup();
    let panel = |problem: String| {
        let line = |method: &str| (method.to_owned(), merged.successes(&problem, method, share));
        let lines = merged.methods().into_iter().map(line).filter(|(_, runs)| !runs.is_empty()).collect();
        (problem, lines)
    };
    let title = format!("Share of runs that have gone {:.0} % of the way", 100.0 * (1.0 - share));
    let panels = problems.into_iter().map(panel).collect();
    profile::figure(title, panels, merged.budget()).to_svg()
}

/// What was skipped or ended early.
fn notes(merged: &Merged) -> String {
    let mut notes: Vec<String> = Vec::new();
    for group in merged.groups() {
        for row in merged.of(&group).filter(|row| !row.note.is_empty()) {
            let note = format!("{}, d = {}, {}: {}", group.problem, group.dim, row.method, row.note);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    if notes.is_empty() {
        return String::new();
    }
    format!("## Skipped or ended early\n\n- {}\n", notes.join("\n- "))
}

fn number(value: f64) -> String {
    match value {
        value if !value.is_finite() => "-".to_owned(),
        value if value != 0.0 && !(1e-3..1e5).contains(&value.abs()) => format!("{value:.3e}"),
        value => format!("{value:.4}"),
    }
}

fn ratio(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::measured::{self, example};

    /// Two tables on the disk, as the two programs leave them; each caller has a folder of its own,
    /// since tests run side by side.
    fn merged(test: &str) -> Merged {
        let folder = std::env::temp_dir().join(format!("suite-report-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, rows: &[measured::Measured]| {
            let lines: String = rows.iter().map(measured::Measured::line).collect();
            std::fs::write(folder.join(name), measured::header() + &lines).unwrap();
        };
        let mut slow = example("quadratic", "pycma", 0, f64::INFINITY);
        slow.best[6..].fill(f64::INFINITY);
        slow.note = "time limit".into();
        write(
            measured::OURS,
            &[
                example("quadratic", "zo-psgd:seed", 0, 0.8),
                example("quadratic", "zo-psgd:seed", 1, 0.9),
                example("quadratic", "zo-psgd:seed", 2, 1.0),
                example("quadratic", "ours", 0, 0.45),
            ],
        );
        write(measured::PEERS, &[slow]);
        let mut rows = measured::read(&folder.join(measured::OURS)).unwrap();
        rows.extend(measured::read(&folder.join(measured::PEERS)).unwrap());
        assert!(measured::read(&folder.join("nothing.csv")).unwrap().is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
        Merged::new(rows, HashMap::new())
    }

    #[test]
    fn both_tables_are_on_the_page_with_medians_and_the_best_of_them() {
        let page = page(&merged("page"), "abc");
        assert!(page.contains("### quadratic, d = 100, from 5.0000"), "{page}");
        assert!(page.contains("| ours | 3.0000 | 2.0000 | 2.0000 | **0.4500** |"), "{page}");
        assert!(page.contains("| zo-psgd:seed | **3.0000** | **2.0000** | **2.0000** | 0.9000 |"), "{page}");
        assert!(page.contains("| pycma | 3.0000 | 2.0000 | - | - |"), "{page}");
        assert!(page.contains("ours (0.4500) |\n") && page.contains("pycma: time limit"), "{page}");
    }

    #[test]
    fn losing_is_measured_against_the_best_of_the_paper() {
        let table = never_lose(&merged("lose"));
        assert!(table.contains("| quadratic | 100 | 40000 | zo-psgd:seed (0.9000) | 0.500 | - |"), "{table}");
        assert!(
            table.contains("| quadratic | 100 | 500 | zo-psgd:seed (3.0000) | 1.000 | 1.000 |"),
            "{table}"
        );
    }

    #[test]
    fn a_profile_has_every_method_once_in_its_legend() {
        let svg = figure(&merged("figure"), 0.1);
        assert!(svg.matches(">ours<").count() == 1 && svg.contains(">pycma<"), "{svg}");
    }
}

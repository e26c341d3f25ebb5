//! The tables of `docs/benchmarks/onnx-operators.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use bench::Fallible;
use gradless_models::Problem;

use crate::case::{Case, Group, Listing, Outcome};

const BEGIN: &str = "<!-- begin tables: written by `bench/operators/run` -->\n";
const END: &str = "<!-- end tables -->";

/// What both engines made of a case, in the order of `ENGINES`.
pub(crate) type Result2 = [Outcome; 2];

/// Puts the tables between the markers of a page.
pub(crate) fn replace(page: &Path, tables: &str) -> Fallible<()> {
    let text = std::fs::read_to_string(page)?;
    let parts = text.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("{} has no markers", page.display()))?;
    Ok(std::fs::write(page, format!("{before}{BEGIN}{tables}{END}{after}"))?)
}

pub(crate) fn tables(listing: &Listing, results: &[Result2]) -> String {
    let pairs: Vec<(&Case, &Result2)> = listing.cases.iter().zip(results).collect();
    let of = |group: Group| pairs.iter().filter(move |(case, _)| case.group == group).copied();
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "Commit {}, onnx {}, onnxruntime {}.\n",
        bench::commit(),
        listing.onnx,
        listing.onnxruntime
    );
    let left_out: Vec<String> =
        listing.left_out.iter().map(|(why, count)| format!("{count} with {why}")).collect();
    let _ = writeln!(out, "{} Left out: {}.\n", sums("operators", of(Group::Node)), left_out.join(", "));
    table(&mut out, "operator", of(Group::Node));
    let _ = writeln!(out, "\n## What onnxruntime fails on\n");
    for (reason, cases) in reasons(of(Group::Node), 1) {
        let _ = writeln!(out, "- {reason}: {}", by_operator(&cases));
    }
    let _ = writeln!(out, "\n## Layers of PyTorch, opset 6 to 9\n\n{}\n", sums("layers", of(Group::Layer)));
    for (engine, index) in [("rten", 0), ("onnxruntime", 1)] {
        let _ = writeln!(out, "`{engine}` fails on:\n");
        for (reason, cases) in reasons(of(Group::Layer), index) {
            let _ = writeln!(out, "- {reason}: {}", by_operator(&cases));
        }
        let _ = writeln!(out);
    }
    let _ = writeln!(out, "## Networks\n\n{}\n", sums("networks", of(Group::Network)));
    table(&mut out, "network", of(Group::Network));
    out
}

fn passed<'a>(results: impl Iterator<Item = (&'a Case, &'a Result2)>) -> [usize; 3] {
    results.fold([0; 3], |[cases, first, second], (_, result)| {
        let is = |outcome: &Outcome| usize::from(matches!(outcome, Outcome::Passed));
        [cases + 1, first + is(&result[0]), second + is(&result[1])]
    })
}

fn sums<'a>(what: &str, results: impl Iterator<Item = (&'a Case, &'a Result2)> + Clone) -> String {
    let kinds: std::collections::BTreeSet<&str> =
        results.clone().map(|(case, _)| case.operator.as_str()).collect();
    let [cases, rten, ort] = passed(results);
    format!("{cases} cases of {} {what}: `rten` passes {rten}, onnxruntime {ort}.", kinds.len())
}

/// One row per operator, with the reasons why `rten` fails.
fn table<'a>(out: &mut String, what: &str, results: impl Iterator<Item = (&'a Case, &'a Result2)>) {
    let mut rows: BTreeMap<&str, Vec<(&Case, &Result2)>> = BTreeMap::new();
    for (case, result) in results {
        rows.entry(&case.operator).or_default().push((case, result));
    }
    let _ =
        writeln!(out, "| {what} | cases | rten | onnxruntime | why not by rten |\n|---|---:|---:|---:|---|");
    for (operator, results) in rows {
        let [cases, rten, ort] = passed(results.iter().copied());
        let why: Vec<String> = reasons(results.into_iter(), 0)
            .into_iter()
            .map(
                |(reason, failed)| {
                    if failed.len() == cases { reason } else { format!("{}: {reason}", failed.len()) }
                },
            )
            .collect();
        let _ = writeln!(out, "| {operator} | {cases} | {rten} | {ort} | {} |", why.join("; "));
    }
}

/// The cases on which an engine fails, by the reason.
fn reasons<'a>(
    results: impl Iterator<Item = (&'a Case, &'a Result2)>,
    engine: usize,
) -> BTreeMap<String, Vec<&'a Case>> {
    let mut reasons: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for (case, result) in results {
        if let Some(reason) = reason(&result[engine]) {
            reasons.entry(reason).or_default().push(case);
        }
    }
    reasons
}

/// Why a case failed, without what differs from case to case.
fn reason(outcome: &Outcome) -> Option<String> {
    let words = match outcome {
        Outcome::Passed => return None,
        Outcome::Wrong(difference) => return Some(format!("**wrong**, as {difference}")),
        Outcome::Refused(Problem::Operator { .. }) => return Some("not in this engine".to_owned()),
        Outcome::Refused(Problem::Refused { message, .. }) => message.clone(),
        Outcome::Refused(other) => other.to_string(),
    };
    // `rten`: "Conv (output "y") failed: …. Inputs were (…)" and "in Conv (output "y"): operator error: …".
    let words = words.split(". Inputs were ").next().unwrap_or_default();
    let words = ["\") failed: ", "\"): operator error: ", "\"): ", "Status Message: "]
        .iter()
        .fold(words, |words, mark| words.split_once(mark).map_or(words, |(_, rest)| rest));
    // onnxruntime: the signature of the node, then what is wrong with it.
    let words = words.split_once(", Error ").map_or(words, |(_, rest)| rest);
    // onnxruntime: the place in its source, then what it expected.
    let words = words.split(" was false. ").last().unwrap_or_default();
    let words = words.rsplit_once(") ").filter(|_| words.starts_with('/')).map_or(words, |(_, rest)| rest);
    let words: String = words.chars().take(160).map(|c| if c == '|' { '/' } else { c }).collect();
    Some(words.trim_end_matches('.').to_owned())
}

/// "Mod 11, OneHot 5".
fn by_operator(cases: &[&Case]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases {
        *counts.entry(&case.operator).or_default() += 1;
    }
    let words = counts.iter().map(|(operator, count)| match count {
        1 => (*operator).to_owned(),
        count => format!("{operator} {count}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

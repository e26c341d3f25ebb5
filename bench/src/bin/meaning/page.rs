//! The tables, and the page they are on.

use bench::{Fallible, commit, page};

use crate::asked::{Asked, Set};
use crate::judged::Judged;
use crate::kinds::Kind;
use crate::subjects::Subjects;

/// One row of the table.
pub(crate) fn row(kind: Kind, judged: &[Judged], subjects: &Subjects) -> String {
    let count = judged.len() as f64;
    let valid = judged.iter().filter(|one| one.answer.valid).count();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let agree = |judge: usize| percent(judged.iter().filter(|one| one.agrees[judge]).count() as f64 / count);
    let relative = |pick: &dyn Fn(&Judged) -> [f64; 2]| {
        let sum = |side: usize| judged.iter().map(|one| pick(one)[side]).sum::<f64>();
        format!("{:.1} %", 100.0 * sum(0) / sum(1))
    };
    let quartiles = |pick: &dyn Fn(&Judged) -> f64, digits: usize| {
        let mut numbers: Vec<f64> = judged.iter().filter(|one| one.answer.valid).map(pick).collect();
        numbers.sort_by(f64::total_cmp);
        let at = |share: f64| quantile(&numbers, share);
        format!("{:.digits$} ({:.digits$}, {:.digits$})", at(0.5), at(0.25), at(0.75))
    };
    let judges: Vec<String> = (0..subjects.judges.len()).map(agree).collect();
    format!(
        "| {} | {valid} of {} | {} | {} | {} | {} | {} | {} | {} |",
        kind.title(),
        judged.len(),
        judges.join(" | "),
        relative(&|one| one.noise),
        relative(&|one| one.shift),
        quartiles(&|one| one.answer.pixels as f64, 0),
        quartiles(&|one| one.answer.confidence.share.unwrap_or(f64::NAN), 2),
        quartiles(&|one| one.answer.queries as f64, 0),
        quartiles(&|one| one.answer.seconds, 2),
    )
}

/// What the first judge says, the median number of pixels, and of queries.
pub(crate) fn cell(judged: &[Judged]) -> String {
    let agree = judged.iter().filter(|one| one.agrees[0]).count() as f64 / judged.len() as f64;
    let median = |pick: &dyn Fn(&Judged) -> f64| {
        let mut numbers: Vec<f64> = judged.iter().filter(|one| one.answer.valid).map(pick).collect();
        numbers.sort_by(f64::total_cmp);
        quantile(&numbers, 0.5)
    };
    let pixels = median(&|one| one.answer.pixels as f64);
    let queries = median(&|one| one.answer.queries as f64);
    format!("{:.0} %, {pixels:.0}, {queries:.0}", 100.0 * agree)
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let at = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// Puts the table into the page.
pub(crate) fn write(asked: &Asked, subjects: &Subjects, rows: &[(Kind, Vec<Judged>)]) -> Fallible<()> {
    let names: Vec<String> = asked
        .judges
        .iter()
        .map(|path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    let judges: Vec<String> = names.iter().map(|name| format!(" {name} agrees |")).collect();
    let judges = judges.concat();
    let lines: Vec<String> = rows.iter().map(|(kind, judged)| row(*kind, judged, subjects)).collect();
    let table = format!(
        "| | valid |{judges} holds with noise .05 | holds when moved | pixels | share of the margin | queries | seconds |\n\
         |---|---|{}---|---|---|---|---|---|\n{}",
        "---|".repeat(names.len()),
        lines.join("\n")
    );
    let name = match asked.set {
        Set::Mnist => "digits".to_owned(),
        Set::Cifar10 => format!("photographs of {}", folder(asked)),
    };
    tell(asked, &name, &table)?;
    agreement(asked, rows)
}

/// What the README says of digits: how often the first judge agrees.
fn agreement(asked: &Asked, rows: &[(Kind, Vec<Judged>)]) -> Fallible<()> {
    if asked.set != Set::Mnist || !asked.write || asked.tuning {
        return Ok(());
    }
    let share = |kind: Kind| {
        let (_, judged) =
            rows.iter().find(|(found, _)| *found == kind).ok_or("run all kinds to write the README")?;
        let agree = judged.iter().filter(|one| one.agrees[0]).count();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(format!(
            "{:.0} %",
            100.0 * agree as f64 / judged.len() as f64
        ))
    };
    let text = format!(
        "{} of the parts and {} of the changes (of the smallest answers that have the class at all, which most tools look for: {} and {})",
        share(Kind::Part)?,
        share(Kind::ChangeWithExamples)?,
        share(Kind::SmallestPart)?,
        share(Kind::SmallestChange)?
    );
    page::put(&page::of_repository("README.md"), "agreement", &text)
}

/// Whose network it is: the folder of its file.
fn folder(asked: &Asked) -> String {
    let parent = asked.model.parent().and_then(|parent| parent.file_name()).unwrap_or_default();
    parent.to_string_lossy().into_owned()
}

/// Prints a text, and puts it between its markers in the page if that is asked.
#[expect(clippy::print_stdout, reason = "a program that reports")]
pub(crate) fn tell(asked: &Asked, name: &str, text: &str) -> Fallible<()> {
    println!("{text}");
    if !asked.write {
        return Ok(());
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let command = shown(&words);
    let told = format!(
        "\n{text}\n\n(commit {}, seed {}, `cargo run --release -p bench --bin meaning -- {command}`)\n",
        commit(),
        asked.seed
    );
    page::put(&page::of_repository("docs/benchmarks/meaning.md"), name, &told)
}

/// The words of the command without folders of one machine.
fn shown(words: &[String]) -> String {
    let mut shown = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--data" | "--threads" | "--save" => {
                words.next();
            }
            "--model" | "--judge" => {
                let path = words.next().map_or_else(|| std::path::Path::new(""), std::path::Path::new);
                let tail: Vec<_> = path.components().rev().take(2).collect();
                let tail: std::path::PathBuf = tail.into_iter().rev().collect();
                shown.push(format!("{word} {}", tail.display()));
            }
            word => shown.push(word.to_owned()),
        }
    }
    shown.join(" ")
}

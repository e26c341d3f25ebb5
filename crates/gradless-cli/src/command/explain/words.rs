//! What was found, or why nothing was and what to try, in plain sentences.

use gradless_explain::{Change, Minimal, Mode, Search};

use super::subject::{Explained, Found, Job};
use crate::model::Answers;

/// The sentence of an answer.
pub(super) fn sentence(job: &Job, explained: &Explained, found: &Found) -> String {
    let answer = &found.answer;
    if !answer.valid {
        return missed(job, explained, found);
    }
    let class = class_name(job, answer.class);
    let things = things(job, found);
    match found.mode {
        Mode::PertinentPositive if answer.nonzeros == 0 && !job.frozen.is_empty() => {
            format!(
                "Nothing of the input is needed beside what is frozen: the model says {class} to that alone."
            )
        }
        Mode::PertinentPositive if answer.nonzeros == 0 => {
            format!("Nothing of the input is needed: the model says {class} to an empty one.")
        }
        Mode::PertinentPositive => {
            format!("{things} {} enough for {class}.", if_one(found, job, "is", "are"))
        }
        Mode::PertinentNegative => {
            let way = match job.settings.set {
                Change::Add => "Adding to",
                Change::TwoSided => "Changing",
            };
            let things = lower_first(&things);
            format!("{way} {things} makes it {class}.")
        }
    }
}

/// What to try where the answer may disappoint.
pub(super) fn hint(found: &Found) -> Option<&'static str> {
    let empty = found.mode == Mode::PertinentPositive && found.answer.valid && found.answer.nonzeros == 0;
    empty.then_some("another --background asks a harder question")
}

/// The name of a class as a sentence has it.
pub(super) fn class_name(job: &Job, class: usize) -> String {
    let name = job.loaded.onnx.class_name(class);
    if name == class.to_string() { format!("class {name}") } else { format!("\"{name}\"") }
}

/// Pixels (or numbers) that differ from nothing.
pub(super) fn pixels(job: &Job, found: &Found) -> usize {
    let pixels = pixels_of(job);
    let nothing = found.task.nothing();
    let differs: Vec<bool> = found.answer.unknown.iter().zip(&nothing).map(|(x, o)| x != o).collect();
    (0..pixels).filter(|&pixel| differs[pixel..].iter().step_by(pixels).any(|&differs| differs)).count()
}

/// Pixels of an input; of what is not a picture, its numbers.
pub(super) fn pixels_of(job: &Job) -> usize {
    use gradless::Model;
    match job.loaded.onnx.shape() {
        [_, rows, columns] => rows * columns,
        other => other.iter().product(),
    }
}

fn things(job: &Job, found: &Found) -> String {
    use gradless::Model;
    let (count, all) = (pixels(job, found), pixels_of(job));
    let kind = if job.loaded.onnx.shape().len() == 3 { "pixel" } else { "number" };
    if count == 1 { format!("This 1 of {all} {kind}s") } else { format!("These {count} of {all} {kind}s") }
}

fn if_one(found: &Found, job: &Job, one: &'static str, many: &'static str) -> &'static str {
    if pixels(job, found) == 1 { one } else { many }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Why nothing was found, and what to try.
fn missed(job: &Job, explained: &Explained, found: &Found) -> String {
    let answer = &found.answer;
    let original = class_name(job, answer.original_class);
    let floor = explained.floor.margin;
    let what = match found.mode {
        Mode::PertinentPositive => format!("No part of the input was found that suffices for {original}"),
        Mode::PertinentNegative => match found.task.target {
            Some(target) => format!("No change was found that makes it {}", class_name(job, target)),
            None => format!("No change was found that makes it something else than {original}"),
        },
    };
    let why = if answer.margin > 0.0 {
        format!(
            "the closest point meets the condition by {:.2e}, which is not above the noise floor of {floor:.2e}",
            answer.margin
        )
    } else {
        format!("the closest point misses by {}", margin(answer.margin.abs()))
    };
    let attempts = attempts(job, explained, found);
    format!("{what}: {why}. Try {}.", attempts.join(", or "))
}

/// What may help, the most promising first.
fn attempts(job: &Job, explained: &Explained, found: &Found) -> Vec<String> {
    let settings = &job.settings;
    let change = found.mode == Mode::PertinentNegative;
    let mut attempts = Vec::new();
    if change && settings.set == Change::Add {
        attempts.push("`--set two-sided`, which may remove things too".to_owned());
    }
    if found.task.target.is_some() {
        attempts.push("another `--target`, or none".to_owned());
    }
    if !job.frozen.is_empty() {
        attempts.push("to freeze less".to_owned());
    }
    let [low, high] = job.loaded.onnx.description().range;
    if change && (job.lower != low.into() || job.upper != high.into()) {
        attempts.push("wider bounds (`--lower`, `--upper`)".to_owned());
    }
    if settings.search == Search::Off {
        attempts.push(format!("smaller weights (`--l1 {}`), or `--search on`", settings.l1 / 8.0));
    }
    if explained.answers == Answers::Labels {
        attempts.push("a model that tells its scores".to_owned());
    }
    attempts.push(format!("more queries (`--max-queries {}`)", settings.max_queries.saturating_mul(4)));
    attempts.truncate(3);
    attempts
}

/// A margin with the digits that count, however small.
pub(super) fn margin(margin: f64) -> String {
    if margin == 0.0 || margin.abs() >= 0.01 { format!("{margin:.3}") } else { format!("{margin:.1e}") }
}

/// Whether every part of an answer is needed, in words.
pub(super) fn minimal(minimal: Minimal) -> &'static str {
    match minimal {
        Minimal::Checked => "no part of it can go",
        Minimal::BudgetEnded => "the search ended before all of its parts were tried",
        Minimal::NotAsked => "not pruned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_margin_is_not_shown_as_nothing() {
        assert_eq!([0.0, 1.23456, 0.01, -0.25].map(margin), ["0.000", "1.235", "0.010", "-0.250"]);
        assert_eq!([0.000_12, -3.4e-7].map(margin), ["1.2e-4", "-3.4e-7"]);
    }
}

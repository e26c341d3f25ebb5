//! A run on disk: what became of it, as its files tell.

use std::fs::{self, File};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Serialize;
use serde_json::Value;

use crate::folder::{Folder, Name};
use crate::words::Call;

/// The most that is read of a file that is meant for people.
const MOST_WORDS: usize = 4_000;

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It is searching.
    Running,
    /// It was searched to the end.
    Done,
    /// It was stopped, or its time was up: what it found until then is there, and it can go on.
    Stopped,
    /// It was killed before it wrote a result; its answers are in the journal, and it can go on.
    Killed,
    /// The command refused it, or broke off.
    Failed,
}

/// A run as the page lists it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) state: State,
    /// `explain`, `attack` or `minimize`.
    pub(crate) kind: String,
    /// The command that began it.
    pub(crate) command: Option<String>,
    /// The same from Python, for runs that were begun here.
    pub(crate) python: Option<String>,
    /// What the command said, where it failed.
    pub(crate) error: Option<String>,
    /// The answers without their arrays, or the result of a minimisation.
    pub(crate) result: Option<Value>,
    /// When it was begun, in seconds of Unix time.
    pub(crate) begun: u64,
    /// Whether it has a page of its own.
    pub(crate) has_report: bool,
}

impl Listed {
    /// Looks at the files of a run; whether it runs is known by who started it, else by who holds its journal.
    pub(crate) fn read(folder: &Folder, name: &Name, runs_here: bool) -> Self {
        let place = folder.run(name);
        let config =
            read_json(&place.join("config.json.next")).or_else(|| read_json(&place.join("config.json")));
        let result = read_json(&place.join("result.json"));
        let call = call(folder, name);
        let runs = runs_here || is_locked(&place.join("journal"));
        let state = match (&config, &result) {
            _ if runs => State::Running,
            (_, Some(result)) if was_stopped(result) => State::Stopped,
            (_, Some(_)) => State::Done,
            (Some(_), None) if place.join("journal").is_file() => State::Killed,
            _ => State::Failed,
        };
        let schema = config.as_ref().and_then(|config| config["schema"].as_str()).unwrap_or_default();
        let first = config.as_ref().and_then(|config| config["arguments"][0].as_str());
        let kind = first.unwrap_or(if schema.contains("minimize") { "minimize" } else { "explain" });
        let told = || fs::read(folder.note(name, "err")).ok().map(|bytes| last_words(&bytes));
        Self {
            name: name.as_str().to_owned(),
            state,
            kind: kind.to_owned(),
            command: call
                .as_ref()
                .map(|call| call.command.clone())
                .or_else(|| config.as_ref()?["command"].as_str().map(str::to_owned)),
            python: call.map(|call| call.python),
            error: if state == State::Failed { told() } else { None },
            result,
            begun: begun(&place, &folder.note(name, "json")),
            has_report: place.join("report.html").is_file(),
        }
    }
}

/// How a run was begun here, if it was.
pub(crate) fn call(folder: &Folder, name: &Name) -> Option<Call> {
    serde_json::from_slice(&fs::read(folder.note(name, "json")).ok()?).ok()
}

/// JSON of a file, if it is there and whole.
pub(crate) fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Whether somebody holds the journal: a run that searches.
pub(crate) fn is_locked(journal: &Path) -> bool {
    let Ok(file) = File::open(journal) else { return false };
    matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
}

/// Whether an answer was cut off, or one is missing because of it.
fn was_stopped(result: &Value) -> bool {
    let answers = result.as_array().cloned().unwrap_or_else(|| vec![result.clone()]);
    let cut_off = |answer: &Value| {
        matches!(answer["stop_reason"].as_str(), Some("interrupted" | "the time is up" | "cancelled"))
    };
    answers.is_empty() || answers.iter().any(cut_off)
}

/// The end of what a command said.
fn last_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MOST_WORDS)..]).trim().to_owned();
    text.rsplit_once("error: ").map_or(text.clone(), |(_, error)| error.to_owned())
}

fn begun(place: &Path, note: &Path) -> u64 {
    let time = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let begun = time(&place.join("config.json")).or_else(|| time(note)).or_else(|| time(place));
    begun.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_run_is_stopped_if_one_of_its_answers_was_cut_off() {
        assert!(was_stopped(
            &json!([{"stop_reason": "the search was over"}, {"stop_reason": "interrupted"}])
        ));
        assert!(was_stopped(&json!({"stop_reason": "the time is up"})));
        assert!(!was_stopped(&json!([{"stop_reason": "the search was over"}])));
    }

    #[test]
    fn the_error_of_a_command_is_told_without_its_notes() {
        assert_eq!(last_words(b"note: a\nerror: there is no class '12'\n"), "there is no class '12'");
        assert_eq!(last_words(b"killed"), "killed");
    }
}

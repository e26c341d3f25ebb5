//! A run on disk: what became of it, as its files tell.

use std::fs::{self, File};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Serialize;
use serde_json::Value;

use crate::folder::{Folder, Name};
use crate::words::{self, Call};

/// The most that is read of a file that is meant for people.
const MOST_WORDS: usize = 4_000;

/// The file in the folder of a run that is there as long as it goes on.
pub(crate) const PROGRESS: &str = "progress";
/// The folder of the inputs of a run over many.
const ITEMS: &str = "items";
/// Pictures of answers in the folder of a run, and what the page calls them.
const PICTURES: [(&str, &str); 3] = [
    ("overlay.png", "overlay.png"),
    ("pp/overlay.png", "pp.overlay.png"),
    ("pn/overlay.png", "pn.overlay.png"),
];

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
    /// Whether it is over many inputs.
    pub(crate) is_many: bool,
    /// The command that began it.
    pub(crate) command: Option<String>,
    /// The same from Python.
    pub(crate) python: Option<String>,
    /// What the command said, where it failed.
    pub(crate) error: Option<String>,
    /// The answers without their arrays, or the result of a minimisation or of many inputs.
    pub(crate) result: Option<Value>,
    /// When it was begun, in seconds of Unix time.
    pub(crate) begun: u64,
    /// Its page of its own, if it has one.
    pub(crate) report: Option<&'static str>,
    /// Pictures of its answers.
    pub(crate) pictures: Vec<&'static str>,
}

impl Listed {
    /// Looks at the files of a run; whether it runs is known by who started it, else by who holds its files.
    pub(crate) fn read(folder: &Folder, name: &Name, runs_here: bool) -> Self {
        let place = folder.run(name);
        let config =
            read_json(&place.join("config.json.next")).or_else(|| read_json(&place.join("config.json")));
        let result = read_json(&place.join("result.json"));
        let call = call(folder, name);
        let is_many = place.join(ITEMS).is_dir();
        let runs = runs_here || is_at_work(&place);
        let state = match (&config, &result) {
            _ if runs => State::Running,
            (_, Some(result)) if was_stopped(result) => State::Stopped,
            (_, Some(_)) => State::Done,
            (Some(_), None) if is_many || place.join("journal").is_file() => State::Killed,
            _ => State::Failed,
        };
        let told = || fs::read(folder.note(name, "err")).ok().map(|bytes| last_words(&bytes));
        let typed = || config.as_ref()?["command"].as_str().map(str::to_owned);
        let command = call.as_ref().map(|call| call.command.clone()).or_else(typed);
        let python = match call {
            Some(call) => Some(call.python),
            None => command.as_deref().map(words::python_of_line),
        };
        let is_there = |file: &&str| place.join(file).is_file();
        Self {
            name: name.as_str().to_owned(),
            state,
            kind: config.as_ref().map_or("explain", kind).to_owned(),
            is_many,
            command,
            python,
            error: if state == State::Failed { told() } else { None },
            result,
            begun: begun(&place, &folder.note(name, "json")),
            report: ["report.html", "index.html"].into_iter().find(is_there),
            pictures: PICTURES.iter().filter(|(path, _)| is_there(path)).map(|(_, shown)| *shown).collect(),
        }
    }
}

/// Which command began a run, by its configuration.
fn kind(config: &Value) -> &'static str {
    let is_word =
        |word: &str| config["arguments"].as_array().is_some_and(|words| words.iter().any(|one| one == word));
    match config["schema"].as_str() {
        Some(schema) if schema.contains("minimize") => "minimize",
        _ if is_word("attack") => "attack",
        _ => "explain",
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

/// Whether somebody holds the journal of a run, or of a run over many inputs its progress.
pub(crate) fn is_at_work(place: &Path) -> bool {
    let is_locked = |file: &str| {
        let Ok(file) = File::open(place.join(file)) else { return false };
        matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
    };
    is_locked("journal") || is_locked(PROGRESS)
}

/// The process that has written progress last.
pub(crate) fn process(progress: &Path) -> Option<u32> {
    let text = fs::read_to_string(progress).ok()?;
    let line = text.lines().rev().find(|line| line.starts_with("{\"process\":"))?;
    serde_json::from_str::<Value>(line).ok()?["process"].as_u64()?.try_into().ok()
}

/// Whether an answer was cut off, or one is missing because of it.
fn was_stopped(result: &Value) -> bool {
    let answers = result.as_array().cloned().unwrap_or_else(|| vec![result.clone()]);
    let cut_off = |answer: &Value| {
        let reason = answer["stop_reason"].as_str();
        matches!(reason, Some("interrupted" | "the time is up" | "cancelled")) || answer["finished"] == false
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
        assert!(was_stopped(&json!({"stop_reason": "the program is gone", "finished": false})));
        assert!(!was_stopped(&json!([{"stop_reason": "the search was over"}])));
    }

    #[test]
    fn the_command_of_a_run_is_known_wherever_its_word_stands() {
        for (config, expected) in [
            (json!({"schema": "gradless-minimize-1", "command": "gradless minimize"}), "minimize"),
            (json!({"arguments": ["--format", "json", "attack", "--norm=l2"]}), "attack"),
            (json!({"arguments": ["explain"]}), "explain"),
        ] {
            assert_eq!(kind(&config), expected);
        }
    }

    #[test]
    fn the_process_that_wrote_last_is_the_one_to_interrupt() {
        let path = std::env::temp_dir().join(format!("gradless-studio-process-{}", std::process::id()));
        fs::write(&path, "{\"process\":7}\n{\"queries\":1}\n{\"process\":8}\n{\"queries\":2}\n").unwrap();
        assert_eq!(process(&path), Some(8));
        fs::write(&path, "{\"queries\":1}\n").unwrap();
        assert_eq!(process(&path), None);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn the_error_of_a_command_is_told_without_its_notes() {
        assert_eq!(last_words(b"note: a\nerror: there is no class '12'\n"), "there is no class '12'");
        assert_eq!(last_words(b"killed"), "killed");
    }
}

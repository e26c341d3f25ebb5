//! What is on the screen as the words of a command, and as lines of Python.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::folder::{Folder, Name};
use crate::picture;

/// The sides of a drawing.
const SIDE: u32 = 28;
/// The most that a request may name of anything.
const MOST: usize = 10_000;
/// The longest word of a request.
const LONGEST: usize = 200;

/// A search that is asked for.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    pub(crate) input: Asked,
    #[serde(default)]
    pub(crate) question: Question,
    /// The class a change should lead to.
    #[serde(default)]
    pub(crate) target: Option<String>,
    /// What stays as it is.
    #[serde(default)]
    pub(crate) keep: Keep,
    #[serde(default)]
    pub(crate) seed: u64,
    #[serde(default)]
    pub(crate) max_queries: Option<u64>,
    /// Different answers to each question.
    #[serde(default)]
    pub(crate) count: Option<u32>,
}

/// What is explained.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Asked {
    /// A drawing: 28 x 28 grey levels, row after row.
    Drawing(Vec<u8>),
    /// A file among the inputs; of a table, one of its rows.
    File {
        name: String,
        #[serde(default)]
        row: Option<u32>,
        #[serde(default)]
        drop: Vec<String>,
        /// Rows like it, where it is a table of its own.
        #[serde(default)]
        data: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Question {
    Part,
    Change,
    #[default]
    Both,
}

/// What stays as it is.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Keep {
    #[default]
    Nothing,
    /// Pixels of a drawing.
    Pixels(Vec<usize>),
    /// Columns of a table, or words of a text.
    Names(Vec<String>),
}

/// A request that cannot become a command: why, for people.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("{0}")]
    Sense(&'static str),
    #[error("the folder of the studio cannot be written to: {0}")]
    Folder(#[from] std::io::Error),
}

/// How a run is begun: words for the program, a line for a shell, lines of Python.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Call {
    pub(crate) words: Vec<String>,
    pub(crate) command: String,
    pub(crate) python: String,
    /// The input, by its name in the folder.
    pub(crate) input: String,
    /// What was asked for on the page, so that it can be shown again.
    pub(crate) request: Request,
}

impl Request {
    /// The command that answers it in the folder of a run, with the words that name the model. Drawings and masks become files.
    pub(crate) fn call(&self, folder: &Folder, run: &Name, model: &[String]) -> Result<Call, Refused> {
        self.check()?;
        let mut words = vec!["explain".to_owned()];
        let mut push = |flag: &str, value: String| words.push(format!("--{flag}={value}"));
        let known = |name: &String| {
            let name = Name::parse(name).filter(|name| folder.input(name).is_file());
            name.ok_or(Refused::Sense("there is no such input"))
        };
        let (input, row, drop, data) = match &self.input {
            Asked::Drawing(pixels) => {
                let file = picture::grey_png(SIDE, SIDE, pixels)
                    .ok_or(Refused::Sense("a drawing has 28 x 28 pixels"))?;
                (folder.keep_input("digit", "png", &file)?, None, &[][..], None)
            }
            Asked::File { name, row, drop, data } => {
                (known(name)?, *row, &drop[..], data.as_ref().map(known).transpose()?)
            }
        };
        push("input", shown(&folder.input(&input)));
        if let Some(row) = row {
            push("row", row.to_string());
        }
        if let Some(data) = data {
            push("data", shown(&folder.input(&data)));
        }
        if !drop.is_empty() {
            push("drop", listed(drop)?);
        }
        match self.question {
            Question::Both => (),
            Question::Part => push("question", "part".to_owned()),
            Question::Change => push("question", "change".to_owned()),
        }
        if let Some(target) = &self.target {
            push("target", target.clone());
        }
        match &self.keep {
            Keep::Pixels(places) if !places.is_empty() => {
                let mask = picture::mask_png(SIDE, SIDE, places)
                    .ok_or(Refused::Sense("a drawing has 28 x 28 pixels"))?;
                push("freeze", shown(&folder.input(&folder.keep_input("mask", "png", &mask)?)));
            }
            Keep::Names(names) if !names.is_empty() => push("freeze", listed(names)?),
            _ => (),
        }
        if let Some(queries) = self.max_queries {
            push("max-queries", queries.to_string());
        }
        if let Some(count) = self.count {
            push("count", count.to_string());
        }
        push("seed", self.seed.to_string());
        push("out", shown(&folder.run(run)));
        // A program as the model stands behind two dashes, at the end.
        words.extend_from_slice(model);
        let command = std::iter::once("gradless").chain(words.iter().map(String::as_str));
        let command = command.map(quoted).collect::<Vec<_>>().join(" ");
        let python = python(&words, &folder.run(run));
        Ok(Call { words, command, python, input: input.as_str().to_owned(), request: self.clone() })
    }

    fn check(&self) -> Result<(), Refused> {
        let texts = self.target.iter().chain(match &self.keep {
            Keep::Names(names) => &names[..],
            _ => &[],
        });
        if texts.into_iter().any(|text| text.len() > LONGEST || text.chars().any(char::is_control)) {
            return Err(Refused::Sense("a name is too long, or not a line of text"));
        }
        let many = match &self.keep {
            Keep::Nothing => 0,
            Keep::Pixels(places) => places.len(),
            Keep::Names(names) => names.len(),
        };
        if many > MOST {
            return Err(Refused::Sense("more is kept than there is"));
        }
        if self.count.is_some_and(|count| !(1..=10).contains(&count)) {
            return Err(Refused::Sense("one to ten different answers can be asked for"));
        }
        if self.target.is_some() && matches!(self.question, Question::Part) {
            return Err(Refused::Sense("a part keeps the class: a target is for changes"));
        }
        Ok(())
    }
}

/// Names as the command takes them.
fn listed(names: &[String]) -> Result<String, Refused> {
    if names.iter().any(|name| name.contains(',') || name.is_empty()) {
        return Err(Refused::Sense("a name with a comma cannot be given to the command"));
    }
    Ok(names.join(","))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=+:%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The same from Python: the command is in the package, and its result a file.
fn python(words: &[String], run: &Path) -> String {
    let literal = |word: &str| serde_json::to_string(word).unwrap_or_default();
    let words: Vec<String> = words.iter().map(|word| format!("    {},", literal(word))).collect();
    let words = words.join("\n");
    let result = literal(&shown(&run.join("result.json")));
    format!(
        "import json, subprocess, sys\n\nsubprocess.run([\n    sys.executable, \"-m\", \"gradless\",\n{words}\n])\nanswers = json.load(open({result}))\n"
    )
}

/// A line that was typed in a terminal, from Python.
pub(crate) fn python_of_line(line: &str) -> String {
    let line = serde_json::to_string(line).unwrap_or_default();
    format!(
        "import shlex, subprocess, sys\n\nwords = shlex.split({line})\nsubprocess.run([sys.executable, \"-m\", \"gradless\", *words[1:]])\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gradless-studio-{name}-{}", std::process::id()));
        Folder::make(&path).unwrap()
    }

    fn request(json: &str) -> Request {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_same_drawing_is_the_same_command() {
        let folder = folder("same");
        let drawing =
            format!(r#"{{"input": {{"drawing": {:?}}}, "target": "3", "question": "change"}}"#, [7; 784]);
        let run = Name::parse("explain-1").unwrap();
        let call = request(&drawing).call(&folder, &run, &[]).unwrap();
        let again = request(&drawing).call(&folder, &run, &[]).unwrap();
        assert_eq!(call.words, again.words);
        assert_eq!(call.words[0], "explain");
        assert!(call.words.contains(&"--target=3".to_owned()) && call.words.contains(&"--seed=0".to_owned()));
        assert!(call.command.starts_with("gradless explain --input="), "{}", call.command);
        std::fs::remove_dir_all(folder.root()).unwrap();
    }

    #[test]
    fn nothing_from_outside_becomes_a_flag_of_its_own() {
        let folder = folder("flags");
        let run = Name::parse("explain-1").unwrap();
        let drawing = format!(r#"{{"input": {{"drawing": {:?}}}, "target": "--out=/tmp/x"}}"#, [7; 784]);
        let call = request(&drawing).call(&folder, &run, &[]).unwrap();
        assert!(call.words.contains(&"--target=--out=/tmp/x".to_owned()), "{:?}", call.words);
        for wrong in [
            r#"{"input": {"file": {"name": "../../etc/passwd"}}}"#,
            r#"{"input": {"file": {"name": "missing.png"}}}"#,
            r#"{"input": {"drawing": [1, 2, 3]}}"#,
        ] {
            assert!(request(wrong).call(&folder, &run, &[]).is_err(), "{wrong}");
        }
        assert!(serde_json::from_str::<Request>(r#"{"input": {"drawing": []}, "out": "/tmp"}"#).is_err());
        std::fs::remove_dir_all(folder.root()).unwrap();
    }

    #[test]
    fn a_shell_reads_a_word_as_it_was() {
        assert_eq!(quoted("--input=a/b.png"), "--input=a/b.png");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}

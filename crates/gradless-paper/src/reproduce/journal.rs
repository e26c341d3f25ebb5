//! Results on disk: a line saying what they belong to, then one line per finished job, only ever appended.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::experiment::Identity;
use super::run::Run;

/// The name of the file in a run's folder.
pub const NAME: &str = "runs.jsonl";
/// A complete run of the paper's experiments on one data set is below 60 MB.
const LARGEST: u64 = 1 << 30;

/// A file of results, open at its end.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// What to do with results of another experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Leave them alone and say so.
    Refuse,
    /// Begin again.
    Replace,
}

impl Journal {
    /// Opens the journal in a folder, or begins it; returns what it holds. A line that was cut short is removed.
    pub fn open(
        folder: &Path,
        identity: &Identity,
        others: Others,
    ) -> Result<(Self, Vec<Run>), JournalError> {
        let path = folder.join(NAME);
        let failed =
            |error: std::io::Error| JournalError::File { path: path.clone(), message: error.to_string() };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        let mut text = String::new();
        (&file).take(LARGEST).read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let runs = match parse(&text[..whole], identity) {
            Ok(runs) => runs,
            Err(_) if others == Others::Replace => None,
            Err(problem) => return Err(JournalError::Unusable { path, problem }),
        };
        let keep = if runs.is_some() { whole } else { 0 };
        file.set_len(keep as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        let mut journal = Self { path, file };
        if runs.is_none() {
            journal.line(&serde_json::to_string(identity))?;
        }
        Ok((journal, runs.unwrap_or_default()))
    }

    /// Adds a result; when it returns, the result is on the disk.
    pub fn append(&mut self, run: &Run) -> Result<(), JournalError> {
        self.line(&serde_json::to_string(run))
    }

    fn line(&mut self, line: &serde_json::Result<String>) -> Result<(), JournalError> {
        let written = match line {
            Ok(line) => {
                self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.sync_data())
            }
            Err(error) => Err(std::io::Error::other(error.to_string())),
        };
        written.map_err(|error| JournalError::File { path: self.path.clone(), message: error.to_string() })
    }
}

/// The runs of a journal's whole lines; `None` if it has not begun.
fn parse(text: &str, identity: &Identity) -> Result<Option<Vec<Run>>, Unusable> {
    let mut lines = text.lines().enumerate();
    let Some((_, header)) = lines.next() else { return Ok(None) };
    let found: Identity = serde_json::from_str(header).map_err(|_| Unusable::Header)?;
    if let Some((entry, theirs, ours)) = found.difference(identity) {
        return Err(Unusable::Another { entry, theirs, ours });
    }
    let run = |(number, line)| {
        serde_json::from_str(line)
            .map_err(|error| Unusable::Line { number: number + 1, message: error.to_string() })
    };
    lines.map(run).collect::<Result<_, _>>().map(Some)
}

/// A journal that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum JournalError {
    #[error("{}: {message}", path.display())]
    File { path: PathBuf, message: String },
    #[error("{}: {problem}", path.display())]
    Unusable { path: PathBuf, problem: Unusable },
}

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum Unusable {
    #[error("does not begin as a journal of results does")]
    Header,
    #[error("holds another run: its {entry} is {theirs}, asked for is {ours}")]
    Another { entry: &'static str, theirs: String, ours: String },
    #[error("line {number} is damaged ({message}): remove it, and its job is done again")]
    Line { number: usize, message: String },
}

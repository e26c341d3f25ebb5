//! What can be wrong with a journal, and what to do about it.

use std::path::{Path, PathBuf};

use crate::model::ModelError;

/// A journal that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file system refused.
    #[error("the journal {} cannot be {doing}: {message}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What could not be done with it.
        doing: &'static str,
        /// The kind of error, for programs.
        kind: std::io::ErrorKind,
        /// The system's words.
        message: String,
    },
    /// Another process holds it.
    #[error(
        "another process is working with the journal {}: wait until it has ended, or stop it",
        path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// It does not begin like one.
    #[error("{} is not a journal of gradless", path.display())]
    NotAJournal {
        /// The file.
        path: PathBuf,
    },
    /// It was written in another format.
    #[error(
        "the journal {} has format version {found}, this program reads version {}: use the version of gradless that wrote it",
        path.display(),
        super::format::VERSION
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// It belongs to another problem, or to another version of the method.
    #[error(
        "the journal {} belongs to another problem, other settings or another version of gradless: its answers are not used; begin a new run in another folder",
        path.display()
    )]
    OtherProblem {
        /// The file.
        path: PathBuf,
    },
    /// A record before the end is damaged.
    #[error(
        "the journal {} is damaged at byte {position}, with whole records behind it: restore the file from a copy, or begin a new run",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damaged record begins.
        position: u64,
    },
    /// Sending more would exceed the cap.
    #[error(
        "{asked} more points would exceed the cap of {cap} points sent: {used} have been sent. Raise the cap to go on"
    )]
    Spent {
        /// Points allowed.
        cap: u64,
        /// Points sent so far.
        used: u64,
        /// Points that were to be sent.
        asked: u64,
    },
}

impl From<JournalError> for ModelError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Spent { cap, used, asked } => Self::Capped { cap, used, asked },
            other => Self::Gone(other.to_string()),
        }
    }
}

impl JournalError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, doing, kind: error.kind(), message: error.to_string() }
    }
}

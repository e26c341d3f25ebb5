//! What the runs of all commands share: their folder, the words they were called with, Ctrl-C and the clock, and the trace.

pub(crate) mod clock;
pub(crate) mod folder;
pub(crate) mod interrupt;
pub(crate) mod trace;
pub(crate) mod words;

/// What may be changed when a run goes on: nothing that decides its result.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overrides {
    pub(crate) max_sent: Option<u64>,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) threads: Option<usize>,
    pub(crate) timeout: Option<f64>,
}

/// The code of a command that did what was asked.
pub(crate) const DONE: u8 = 0;
/// The code of a search that did not find all it was asked for.
const NOT_FOUND: u8 = 1;

/// How a command that did not fail has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All that was asked for was done or found.
    Done,
    /// It was searched, and something was not found.
    NotFound,
}

impl Outcome {
    /// What the program ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => DONE,
            Self::NotFound => NOT_FOUND,
        }
    }
}

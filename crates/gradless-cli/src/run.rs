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

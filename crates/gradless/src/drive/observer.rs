//! Observers: who is told what happens, as typed events.

use std::io::Write;

use serde::Serialize;

use crate::solver::{Outcome, Solver};
use crate::stop::StopReason;
use crate::trace::{Counts, Notice, Record};

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// The run begins, or goes on from a snapshot.
    Started {
        /// The solver before its first question.
        solver: &'a Solver,
    },
    /// A step was taken.
    Iteration {
        /// What it was.
        record: &'a Record,
        /// The solver after it.
        solver: &'a Solver,
    },
    /// Something the user should know.
    Notice(&'a Notice),
    /// The run has ended.
    Finished {
        /// Its result.
        outcome: &'a Outcome,
    },
}

/// Is told what happens.
pub trait Observer {
    /// Called for every event, in order, between two batches.
    fn on(&mut self, event: &Event<'_>);
}

impl<F: FnMut(&Event<'_>)> Observer for F {
    fn on(&mut self, event: &Event<'_>) {
        self(event);
    }
}

/// Writes one JSON object per event.
///
/// A writer that fails (a closed pipe, a full disk) is not written to again; the run goes on, and
/// [`error`](Self::error) tells.
#[derive(Debug)]
pub struct JsonLines<W> {
    writer: W,
    error: Option<std::io::Error>,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Started { dim: usize, free_dim: usize, batch: usize, seed: u64 },
    Iteration(&'a Record),
    Notice { message: String },
    Finished { stop: Option<&'a StopReason>, objective: Option<f64>, counts: Counts },
}

impl<W: Write> JsonLines<W> {
    /// Writes to `writer`, flushing after every line.
    pub fn new(writer: W) -> Self {
        Self { writer, error: None }
    }

    /// Why writing stopped, if it did.
    pub fn error(&self) -> Option<&std::io::Error> {
        self.error.as_ref()
    }

    /// The writer back.
    pub fn into_inner(self) -> W {
        self.writer
    }

    fn write(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        serde_json::to_writer(&mut self.writer, line)?;
        self.writer.write_all(b"\n")?;
        self.writer.flush()
    }
}

impl<W: Write> Observer for JsonLines<W> {
    fn on(&mut self, event: &Event<'_>) {
        if self.error.is_some() {
            return;
        }
        let line = match event {
            Event::Started { solver } => Line::Started {
                dim: solver.dim(),
                free_dim: solver.free_dim(),
                batch: solver.batch(),
                seed: solver.config().seed,
            },
            Event::Iteration { record, .. } => Line::Iteration(record),
            Event::Notice(notice) => Line::Notice { message: notice.to_string() },
            Event::Finished { outcome } => Line::Finished {
                stop: outcome.stop.as_ref(),
                objective: outcome.objective(),
                counts: outcome.counts,
            },
        };
        self.error = self.write(&line).err();
    }
}

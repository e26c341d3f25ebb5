//! Any program as the black box: it reads points and writes values, one JSON object per line.

mod child;
mod classifier;
mod pool;
mod protocol;
mod tail;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gradless::{Batch, Oracle, OracleError};

pub use classifier::Program;
use pool::Pool;
pub use protocol::SCHEMA;

/// How programs are run.
#[derive(Clone, Copy, Debug)]
pub struct ProcessOptions {
    /// Points per request.
    pub rows: usize,
    /// How long an answer may take; the program is then killed and replaced. As long as it likes if `None`.
    pub timeout: Option<Duration>,
    /// Requests in a row, over all programs, that may stay without an answer; one more ends the run.
    pub patience: u32,
    /// Bytes of one line of an answer.
    pub longest_line: usize,
    /// Set from outside to stop waiting.
    pub cancel: Option<&'static AtomicBool>,
}

impl Default for ProcessOptions {
    fn default() -> Self {
        Self { rows: 1, timeout: None, patience: 5, longest_line: 1 << 20, cancel: None }
    }
}

/// A black box that is a program, or several of the same: each is started when a thread needs it, is given one request at a
/// time and stays until the end. The lines are described in `docs/minimize.md`.
///
/// A program that dies, takes too long or does not keep to the protocol is killed, with all it has started, and replaced;
/// the points of that request have failed and may be sent again. After [`ProcessOptions::patience`] such requests in a row
/// the black box is gone, and its last words on stderr are told.
///
/// ```
/// # #[cfg(unix)] {
/// use gradless::{Config, Driver, Problem, Solver};
/// use gradless_models::{Process, ProcessOptions};
///
/// // A black box in a shell: every point is worth 1.
/// let script = r#"while read -r line; do
///   id=${line#*\"id\":}; echo "{\"id\":${id%%,*},\"values\":[1.0]}"
/// done"#;
/// let black_box = Process::new(["sh", "-c", script], ProcessOptions::default());
/// let solver = Solver::new(Problem::builder(3).build()?, Config::default())?;
/// let outcome = Driver::default().threads(2).run(solver, &black_box);
/// assert_eq!(outcome.objective(), Some(1.0));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Process {
    pool: Pool,
}

/// What happened beside the answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Incidents {
    /// Programs that had to be replaced.
    pub replaced: u64,
    /// Lines that answered a request nobody was waiting for any more, or the same a second time; they were not used.
    pub strays: u64,
}

impl Process {
    /// The program and its arguments. Nothing is started yet.
    pub fn new<W: Into<OsString>>(command: impl IntoIterator<Item = W>, options: ProcessOptions) -> Self {
        Self { pool: Pool::new(command.into_iter().map(Into::into).collect(), options) }
    }

    /// The same, started in this folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.pool.folder = Some(folder.into());
        self
    }

    /// Starts one, to see whether it can be.
    pub fn start(&self) -> Result<(), OracleError> {
        self.pool.start()
    }

    /// What happened beside the answers so far.
    pub fn incidents(&self) -> Incidents {
        self.pool.incidents()
    }
}

impl Oracle for Process {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let rows = values.len();
        let answers =
            self.pool.ask(|id| protocol::request(id, batch), |line| protocol::answer(line, rows))?;
        match answers {
            Some(answers) => values.copy_from_slice(&answers),
            None => values.fill(f64::NAN),
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.pool.options.rows.max(1)
    }
}

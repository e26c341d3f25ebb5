//! Any program as the black box: it reads points and writes values, one JSON object per line.

mod child;
mod protocol;
mod tail;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gradless::{Batch, Oracle, OracleError};

use child::{Child, Trouble};
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
    command: Vec<OsString>,
    folder: Option<PathBuf>,
    options: ProcessOptions,
    idle: Mutex<Vec<Child>>,
    next: AtomicU64,
    /// Requests without an answer since the last answer.
    troubles: AtomicU32,
    replaced: AtomicU64,
    strays: AtomicU64,
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
        Self {
            command: command.into_iter().map(Into::into).collect(),
            folder: None,
            options,
            idle: Mutex::default(),
            next: AtomicU64::new(1),
            troubles: AtomicU32::new(0),
            replaced: AtomicU64::new(0),
            strays: AtomicU64::new(0),
        }
    }

    /// The same, started in this folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Starts one, to see whether it can be.
    pub fn start(&self) -> Result<(), OracleError> {
        let child = self.spawn()?;
        self.idle().push(child);
        Ok(())
    }

    /// What happened beside the answers so far.
    pub fn incidents(&self) -> Incidents {
        Incidents {
            replaced: self.replaced.load(Ordering::Relaxed),
            strays: self.strays.load(Ordering::Relaxed),
        }
    }

    fn spawn(&self) -> Result<Child, OracleError> {
        let name = self.command.first().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Child::spawn(&self.command, self.folder.as_deref(), self.options.longest_line)
            .map_err(|error| OracleError::fatal(format!("the program '{name}' cannot be started: {error}")))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Child>> {
        // A list of children is whole at any moment.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request that stayed without an answer: its points may be sent again, unless too many were lost before it.
    fn trouble(&self, child: Child, trouble: Trouble) -> OracleError {
        if trouble == Trouble::Cancelled {
            return OracleError::fatal("interrupted while an answer was waited for");
        }
        self.replaced.fetch_add(1, Ordering::Relaxed);
        let told = child.last_words(trouble);
        let troubles = self.troubles.fetch_add(1, Ordering::Relaxed) + 1;
        if troubles > self.options.patience {
            OracleError::fatal(format!("{troubles} requests in a row stayed without an answer: {told}"))
        } else {
            OracleError::points(told)
        }
    }
}

impl Oracle for Process {
    fn evaluate(&self, batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
        let idle = self.idle().pop();
        let mut child = idle.map_or_else(|| self.spawn(), Ok)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let line = protocol::request(id, batch);
        match child.ask(line, id, values.len(), &self.options, &self.strays) {
            Ok(answers) => {
                self.troubles.store(0, Ordering::Relaxed);
                self.idle().push(child);
                values.copy_from_slice(&answers);
                Ok(())
            }
            Err(trouble) => Err(self.trouble(child, trouble)),
        }
    }

    fn preferred_rows(&self) -> usize {
        self.options.rows.max(1)
    }
}

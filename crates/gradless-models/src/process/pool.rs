//! Programs that wait for requests: each is started when a thread needs it, is given one request at a time and stays until the end.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gradless::OracleError;

use super::child::{Child, Trouble};
use super::protocol::Line;
use super::{Incidents, ProcessOptions};

/// Some of the same program, as many as there are threads that ask.
#[derive(Debug)]
pub(super) struct Pool {
    command: Vec<OsString>,
    pub(super) folder: Option<PathBuf>,
    pub(super) options: ProcessOptions,
    idle: Mutex<Vec<Child>>,
    next: AtomicU64,
    /// Requests without an answer since the last answer.
    troubles: AtomicU32,
    replaced: AtomicU64,
    strays: AtomicU64,
}

impl Pool {
    pub(super) fn new(command: Vec<OsString>, options: ProcessOptions) -> Self {
        Self {
            command,
            folder: None,
            options,
            idle: Mutex::default(),
            next: AtomicU64::new(1),
            troubles: AtomicU32::new(0),
            replaced: AtomicU64::new(0),
            strays: AtomicU64::new(0),
        }
    }

    /// Starts one, to see whether it can be.
    pub(super) fn start(&self) -> Result<(), OracleError> {
        let child = self.spawn()?;
        self.idle().push(child);
        Ok(())
    }

    pub(super) fn incidents(&self) -> Incidents {
        Incidents {
            replaced: self.replaced.load(Ordering::Relaxed),
            strays: self.strays.load(Ordering::Relaxed),
        }
    }

    /// Sends a request, which `write` makes for its number, and gives what `read` makes of the answer; `None` where the program says that
    /// it failed.
    pub(super) fn ask<T>(
        &self,
        write: impl FnOnce(u64) -> String,
        read: impl Fn(&str) -> Result<Line<T>, String>,
    ) -> Result<Option<T>, OracleError> {
        let idle = self.idle().pop();
        let mut child = idle.map_or_else(|| self.spawn(), Ok)?;
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        match child.ask(write(id), id, read, &self.options, &self.strays) {
            Ok(answer) => {
                self.troubles.store(0, Ordering::Relaxed);
                self.idle().push(child);
                Ok(answer)
            }
            Err(trouble) => Err(self.trouble(child, trouble)),
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

//! Runs: begun, stopped and continued, each a program of its own that outlives the studio.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::folder::{Folder, Name, put};
use crate::run::{self, Listed, State};
use crate::words::{Call, Refused, Request};

/// Runs at once, at most.
const MOST: usize = 8;

/// Why a run cannot be begun, stopped or continued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("{MOST} searches are running: stop one, or wait")]
    Busy,
    #[error("there is no such run")]
    Missing,
    #[error("it is not running")]
    Idle,
    #[error("it is running")]
    Running,
    #[error("the command cannot be started: {0}")]
    Program(#[from] io::Error),
}

/// All runs of the folder.
pub(crate) struct Runs {
    pub(crate) folder: Folder,
    /// How the command is started.
    program: Vec<OsString>,
    /// The environment variable that names the file for progress.
    variable: &'static str,
    running: Arc<Mutex<HashMap<Name, u32>>>,
}

impl Runs {
    pub(crate) fn new(folder: Folder, program: Vec<OsString>, variable: &'static str) -> Self {
        Self { folder, program, variable, running: Arc::default() }
    }

    /// Begins a search.
    pub(crate) fn begin(&self, request: &Request, model: &[String]) -> Result<Listed, RunError> {
        if self.running().len() >= MOST {
            return Err(RunError::Busy);
        }
        let name = self.folder.fresh_run()?;
        let begun = request.call(&self.folder, &name, model).map_err(RunError::from).and_then(|call| {
            put(&self.folder.note(&name, "json"), &serde_json::to_vec(&call).map_err(io::Error::other)?)?;
            self.start(&name, &call.words)
        });
        if begun.is_err() {
            // Only an empty folder goes.
            let _ = fs::remove_dir(self.folder.run(&name));
            let _ = fs::remove_file(self.folder.note(&name, "json"));
        }
        begun?;
        Ok(Listed::read(&self.folder, &name, true))
    }

    /// Goes on with a run that was stopped or killed, from its journal.
    pub(crate) fn resume(&self, name: &Name) -> Result<Listed, RunError> {
        match self.look(name)?.state {
            State::Running => return Err(RunError::Running),
            State::Done | State::Failed => return Err(RunError::Idle),
            State::Stopped | State::Killed => (),
        }
        self.start(name, &["resume".to_owned(), self.folder.run(name).display().to_string()])?;
        Ok(Listed::read(&self.folder, name, true))
    }

    /// Goes on with all runs that were begun here and killed with the studio.
    pub(crate) fn resume_killed(&self) -> Vec<Name> {
        let begun_here = |name: &Name| self.folder.note(name, "json").is_file();
        let names = self.folder.runs().into_iter().filter(begun_here);
        let killed = names.filter(|name| self.look(name).is_ok_and(|run| run.state == State::Killed));
        killed.filter(|name| self.resume(name).is_ok()).collect()
    }

    /// Asks a run to stop and keep what it has, as Ctrl-C does.
    pub(crate) fn stop(&self, name: &Name) -> Result<(), RunError> {
        if self.look(name)?.state != State::Running {
            return Err(RunError::Idle);
        }
        // Who began elsewhere says who it is in its progress; that it still runs, by the lock it holds.
        let told = || run::process(&self.progress(name));
        let number = self.running().get(name).copied().or_else(told).ok_or(RunError::Idle)?;
        interrupt(number)?;
        Ok(())
    }

    /// One run.
    pub(crate) fn look(&self, name: &Name) -> Result<Listed, RunError> {
        let runs_here = self.running().contains_key(name);
        let place = self.folder.run(name);
        if !runs_here && !self.folder.note(name, "json").is_file() && !place.join("config.json").is_file() {
            return Err(RunError::Missing);
        }
        Ok(Listed::read(&self.folder, name, runs_here))
    }

    /// All of them, the latest first.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let mut runs: Vec<Listed> =
            self.folder.runs().iter().filter_map(|name| self.look(name).ok()).collect();
        let number = |name: &str| name.rsplit('-').next().and_then(|text| text.parse::<u64>().ok());
        runs.sort_by_key(|run| std::cmp::Reverse((run.begun, number(&run.name))));
        runs
    }

    /// Whether it is searching.
    pub(crate) fn is_running(&self, name: &Name) -> bool {
        self.running().contains_key(name) || run::is_at_work(&self.folder.run(name))
    }

    /// Where a run writes its progress: what was begun here to a note, what was begun in a terminal to its own folder. A run may have
    /// gone on elsewhere than it was begun: the later of the two counts.
    pub(crate) fn progress(&self, name: &Name) -> PathBuf {
        let note = self.folder.note(name, "progress");
        let own = self.folder.run(name).join(run::PROGRESS);
        let written = |path: &PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
        if written(&own) > written(&note) { own } else { note }
    }

    /// How a run was begun, if it was begun here.
    pub(crate) fn call(&self, name: &Name) -> Option<Call> {
        run::call(&self.folder, name)
    }

    fn start(&self, name: &Name, words: &[String]) -> Result<(), RunError> {
        let to = |ending: &str| File::create(self.folder.note(name, ending));
        // A run that goes on adds to what it told before. It may go on in another folder than this one.
        let progress = std::path::absolute(self.folder.note(name, "progress"))?;
        File::options().create(true).append(true).open(&progress)?;
        let [program, before @ ..] = &self.program[..] else {
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        };
        let mut command = Command::new(program);
        command
            .args(before)
            .args(words)
            .env(self.variable, progress)
            .stdin(Stdio::null())
            .stdout(to("out")?)
            .stderr(to("err")?);
        detach(&mut command);
        let child = command.spawn()?;
        self.running().insert(name.clone(), child.id());
        self.wait_for(name.clone(), child);
        Ok(())
    }

    /// Waits for the end of a run, on a thread of its own.
    fn wait_for(&self, name: Name, mut child: Child) {
        let running = Arc::clone(&self.running);
        thread::spawn(move || {
            let _ = child.wait();
            running.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
        });
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Name, u32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ctrl-C in the terminal of the studio is not meant for its runs.
#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn detach(_: &mut Command) {}

#[cfg(unix)]
fn interrupt(number: u32) -> io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(number).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
    Ok(kill_process(pid, Signal::INT)?)
}

#[cfg(not(unix))]
fn interrupt(_: u32) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a search cannot be stopped from here on this system"))
}

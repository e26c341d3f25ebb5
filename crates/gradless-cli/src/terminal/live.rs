//! Progress for programs that watch: lines of JSON, appended to the file that `GRADLESS_PROGRESS` names, else to `progress` in the folder
//! of the run, which is there as long as the run goes on.

mod frame;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gradless::trace::Record;
use gradless_explain::Progress;
use serde::Serialize;

use crate::run::folder::PROGRESS;
use frame::{Forming, Inputs, Step};

/// The environment variable that names the file.
pub(crate) const VARIABLE: &str = "GRADLESS_PROGRESS";

/// Frames that are written as soon as an answer alters, where somebody asked for them; all others keep a distance.
const AT_ONCE: u64 = 400;
/// The distance: twenty a second.
const DISTANCE: Duration = Duration::from_millis(50);
/// In a run that takes hours frames may be rarer: the distance is this share of the time so far.
const SHARE: u32 = 2_000;
/// How often the lock of the file is tried, and how long somebody may have it who only looks.
const LOOKS: u32 = 20;
const LOOK: Duration = Duration::from_millis(5);

/// Writes progress to a file.
pub(crate) struct Live {
    to: Option<Mutex<Lines>>,
    /// The file in the folder of the run, which goes when the run ends.
    own: Option<PathBuf>,
}

/// The first line of every start: whom to interrupt.
#[derive(Serialize)]
struct Process {
    process: u32,
}

impl Live {
    /// Progress of the run in a folder. Nothing is written where the file cannot be opened: the run matters more.
    pub(crate) fn of(folder: &Path) -> Self {
        let named = std::env::var_os(VARIABLE).map(PathBuf::from);
        let path = named.clone().unwrap_or_else(|| folder.join(PROGRESS));
        let Ok(file) = OpenOptions::new().create(true).append(true).open(&path) else {
            return Self { to: None, own: None };
        };
        // Who holds the file runs. Somebody who looks whether it is held may hold it for a moment.
        for _ in 0..LOOKS {
            if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let at_once = if named.is_some() { AT_ONCE } else { 0 };
        let mut lines = Lines::to(file, at_once);
        lines.append(&Process { process: std::process::id() });
        Self { to: Some(Mutex::new(lines)), own: named.is_none().then_some(path) }
    }

    /// A search is so far.
    pub(crate) fn at(&self, progress: &Progress<'_>) {
        self.with(|lines| lines.take(progress));
    }

    /// A minimisation has taken a step.
    pub(crate) fn step(&self, record: &Record, budget: Option<u64>) {
        self.with(|lines| {
            if lines.is_due() {
                lines.write(&Step::of(record, budget));
            }
        });
    }

    /// So many of the inputs are done.
    pub(crate) fn inputs(&self, inputs: usize, of: usize) {
        self.with(|lines| {
            if lines.is_due() || inputs == of {
                lines.write(&Inputs { inputs, of });
            }
        });
    }

    fn with(&self, work: impl FnOnce(&mut Lines)) {
        if let Some(to) = &self.to {
            work(&mut to.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(path) = &self.own {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The file, and what was written to it last.
struct Lines {
    file: File,
    begun: Instant,
    last: Instant,
    written: u64,
    at_once: u64,
    question: &'static str,
    used: Option<Vec<usize>>,
    /// Whether the regions of the picture were written.
    mapped: bool,
}

impl Lines {
    fn to(file: File, at_once: u64) -> Self {
        let begun = Instant::now();
        // The first frame is due at once.
        let last = begun.checked_sub(DISTANCE).unwrap_or(begun);
        Self { file, begun, last, written: 0, at_once, question: "", used: None, mapped: false }
    }

    fn is_due(&self) -> bool {
        is_due(self.last.elapsed(), self.begun.elapsed())
    }

    fn take(&mut self, progress: &Progress<'_>) {
        let question = progress.question.name();
        let is_due = self.question != question || self.is_due();
        if !is_due && self.written >= self.at_once {
            return;
        }
        let used = progress.so_far.map(|best| best.used());
        if !is_due && used == self.used {
            return;
        }
        let frame = Forming::of(progress, used.as_deref(), !self.mapped);
        self.mapped |= frame.has_regions();
        self.write(&frame);
        self.question = question;
        self.used = used;
    }

    fn write(&mut self, frame: &impl Serialize) {
        self.append(frame);
        self.written += 1;
        self.last = Instant::now();
    }

    fn append(&mut self, line: &impl Serialize) {
        let Ok(mut line) = serde_json::to_vec(line) else { return };
        line.push(b'\n');
        // A file that cannot be written to is no reason to end the run.
        let _ = self.file.write_all(&line);
    }
}

/// Whether the next frame is due, so long after the last one and after the beginning.
fn is_due(since_last: Duration, since_begun: Duration) -> bool {
    since_last >= DISTANCE.max(since_begun / SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Folder;

    #[test]
    fn ten_hours_take_no_more_than_thirty_thousand_frames() {
        let (mut time, mut last, mut frames) = (Duration::ZERO, Duration::ZERO, 0);
        while time < Duration::from_hours(10) {
            time += Duration::from_millis(25);
            if is_due(time.saturating_sub(last), time) {
                (last, frames) = (time, frames + 1);
            }
        }
        assert!((10_000..30_000).contains(&frames), "{frames}");
        assert!(!is_due(Duration::from_millis(49), Duration::from_secs(1)));
    }

    #[test]
    fn the_file_in_the_folder_is_there_as_long_as_the_run() {
        let folder = Folder::new("live");
        let path = folder.0.join(PROGRESS);
        let live = Live::of(&folder.0);
        live.inputs(1, 2);
        live.inputs(2, 2);
        let text = std::fs::read_to_string(&path).unwrap();
        let process = format!("{{\"process\":{}}}", std::process::id());
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [&process, "{\"inputs\":1,\"of\":2}", "{\"inputs\":2,\"of\":2}"]
        );
        assert!(File::open(&path).unwrap().try_lock_shared().is_err());
        drop(live);
        assert!(!path.exists());
    }
}

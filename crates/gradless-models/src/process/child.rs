//! One running program: a thread writes to it, two read from it, and nobody waits longer than allowed.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::ProcessOptions;
use super::protocol::Line;
use super::tail::Tail;

/// How often a long wait looks up.
const GLANCE: Duration = Duration::from_millis(50);
/// How long a program that has closed its stdout may take to end, and one whose stdin was closed.
const FAREWELL: Duration = Duration::from_millis(500);
/// Lines read ahead: a program that floods its stdout waits, and no memory is eaten.
const AHEAD: usize = 16;

/// A running program.
#[derive(Debug)]
pub(super) struct Child {
    process: process::Child,
    requests: Option<Sender<String>>,
    /// The first request it was given.
    first: Option<u64>,
    lines: Receiver<Heard>,
    stderr: Option<Tail>,
}

/// What was read from a program.
#[derive(Debug)]
enum Heard {
    Line(String),
    TooLong,
    /// The end, in the middle of a line or not.
    End {
        cut: bool,
    },
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    Ended { cut: bool },
    Late(Duration),
    Wrong(String),
    Cancelled,
}

impl Child {
    pub(super) fn spawn(
        command: &[OsString],
        folder: Option<&Path>,
        longest_line: usize,
    ) -> io::Result<Self> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is given"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        // A group of its own: what it starts is killed with it, and Ctrl-C is for us to handle.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn()?;
        let (requests, to_write) = channel::<String>();
        if let Some(mut stdin) = process.stdin.take() {
            thread::spawn(move || {
                for line in to_write {
                    if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        let (found, lines) = sync_channel(AHEAD);
        if let Some(stdout) = process.stdout.take() {
            thread::spawn(move || read_lines(stdout, longest_line, &found));
        }
        let stderr = process.stderr.take().map(Tail::of);
        Ok(Self { process, requests: Some(requests), first: None, lines, stderr })
    }

    /// Sends a request and waits for its answer, which `read` understands; answers to others are counted and not used. `None` where the
    /// program says that it failed.
    pub(super) fn ask<T>(
        &mut self,
        line: String,
        id: u64,
        read: impl Fn(&str) -> Result<Line<T>, String>,
        options: &ProcessOptions,
        strays: &AtomicU64,
    ) -> Result<Option<T>, Trouble> {
        let begun = Instant::now();
        let first = *self.first.get_or_insert(id);
        if let Some(requests) = &self.requests {
            // Where nobody writes any more the program has closed its stdin, and its stdout will say the rest.
            let _ = requests.send(line);
        }
        loop {
            let left = options.timeout.map(|timeout| timeout.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(Trouble::Late(begun.elapsed()));
            }
            let line = match self.lines.recv_timeout(left.map_or(GLANCE, |left| left.min(GLANCE))) {
                Ok(Heard::Line(line)) => line,
                Ok(Heard::TooLong) => {
                    return Err(Trouble::Wrong(format!(
                        "it wrote a line of more than {} bytes",
                        options.longest_line
                    )));
                }
                Ok(Heard::End { cut }) => return Err(Trouble::Ended { cut }),
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Ended { cut: false }),
                Err(RecvTimeoutError::Timeout) => {
                    if options.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
                        return Err(Trouble::Cancelled);
                    }
                    continue;
                }
            };
            let Line { id: found, said } = read(&line).map_err(Trouble::Wrong)?;
            if !(first..=id).contains(&found) {
                return Err(Trouble::Wrong(format!("it answered request {found}, which it was not given")));
            }
            if found == id {
                return said.map_err(Trouble::Wrong);
            }
            strays.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends the program and says what happened, with the last it wrote to stderr.
    pub(super) fn last_words(mut self, trouble: Trouble) -> String {
        let what = match trouble {
            Trouble::Ended { cut } => {
                let half = if cut { ", in the middle of a line" } else { "" };
                match self.farewell() {
                    Some(status) => format!("the program ended ({status}) before it answered{half}"),
                    None => format!("the program closed its stdout before it answered{half}"),
                }
            }
            Trouble::Late(after) => {
                format!("no answer came within {:.3} s, the program was killed", after.as_secs_f64())
            }
            Trouble::Wrong(what) => format!("the program does not keep to the protocol: {what}"),
            Trouble::Cancelled => "interrupted".to_owned(),
        };
        self.kill();
        match self.stderr.take().map(Tail::into_lines) {
            Some(words) if !words.is_empty() => format!("{what}; its last words on stderr:\n{words}"),
            _ => format!("{what}; it wrote nothing to stderr"),
        }
    }

    /// The exit status of a program that is about to end by itself.
    fn farewell(&mut self) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some(status);
            }
            if begun.elapsed() >= FAREWELL {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills it and all it has started.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw) {
            // Where nobody is left in the group there is nobody to kill.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The end of its stdin asks it to end; it has a moment to do so.
        if self.requests.take().is_some() {
            self.farewell();
        }
        self.kill();
    }
}

/// Reads line by line, none longer than allowed.
fn read_lines(stream: impl Read, longest: usize, found: &SyncSender<Heard>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while let Ok(bytes) = stream.fill_buf() {
        if bytes.is_empty() {
            break;
        }
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        line.extend_from_slice(&bytes[..end.unwrap_or(taken)]);
        stream.consume(taken);
        if line.len() > longest {
            let _ = found.send(Heard::TooLong);
            return;
        }
        if end.is_some() {
            let text = String::from_utf8_lossy(&std::mem::take(&mut line)).into_owned();
            if found.send(Heard::Line(text)).is_err() {
                return;
            }
        }
    }
    let _ = found.send(Heard::End { cut: !line.is_empty() });
}

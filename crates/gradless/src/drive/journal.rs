//! The journal: every question before it is sent, every answer before it is used, so that a run that was killed goes on
//! without asking for an answer it has paid for.
//!
//! Questions are known by their content, not by their order, so a replay does not depend on threads: the solver starts from
//! the beginning with its seed, and each answer that is in the file comes from there. What was sent and not answered when
//! the run was killed is sent again, and counts as sent again.

mod error;
mod format;
mod memory;
mod question;
mod storage;

pub use error::JournalError;
pub use memory::Repeats;
pub use question::{Key, Question};
pub use storage::Outlives;

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use format::{HEADER, Record};
use memory::{Found, Memory};
use storage::Storage;

/// How often and how long is waited for whoever holds the file.
const GLANCES: usize = 25;
const GLANCE: Duration = Duration::from_millis(20);

/// An append-only file of questions and answers, held by one process at a time.
///
/// ```
/// use gradless::drive::{Journal, JournalOptions};
/// use gradless::{Config, Driver, Problem, Solver};
///
/// let path = std::env::temp_dir().join(format!("gradless-doc-{}.journal", std::process::id()));
/// let problem = Problem::builder(10).build()?;
/// let solver = || Solver::new(problem.clone(), Config::default());
/// let parabola = |x: &[f64]| x.iter().map(|v| (v - 1.0).powi(2)).sum::<f64>();
///
/// let journal = Journal::open(&path, [7; 32], 1, JournalOptions::default())?;
/// let first = Driver::default().journal(&journal).run(solver()?, &parabola);
/// drop(journal);
///
/// // Once more: every answer is in the file, the black box is not asked.
/// let journal = Journal::open(&path, [7; 32], 1, JournalOptions::default())?;
/// let again = Driver::default().journal(&journal).run(solver()?, &|_: &[f64]| unreachable!());
/// assert_eq!(first.x(), again.x());
/// assert_eq!(journal.sent(), first.counts.sent);
/// # drop(journal); std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    options: JournalOptions,
    width: usize,
    found: Recovered,
    inner: Mutex<Inner>,
}

/// How a journal is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalOptions {
    /// What is done when a point is asked for again.
    pub repeats: Repeats,
    /// How often a question to which no answer came is sent again before it counts as failed.
    pub retries: u32,
    /// Points that may be sent in all, over every start of the run; no limit if `None`.
    pub max_sent: Option<u64>,
    /// What an answer outlives once it is used.
    pub outlives: Outlives,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self { repeats: Repeats::AskAgain, retries: 0, max_sent: None, outlives: Outlives::PowerLoss }
    }
}

/// What a journal held when it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Answers, failures included.
    pub answers: u64,
    /// Points sent, repeats included.
    pub sent: u64,
    /// Bytes of a record that was being written when the run was killed; they are gone.
    pub cut: u64,
    /// Whether the run had come to its end.
    pub ended: bool,
}

#[derive(Debug)]
struct Inner {
    storage: Box<dyn Storage>,
    /// The end of the last whole record.
    length: u64,
    sent: u64,
    memory: Memory,
    /// Why nothing can be written any more.
    broken: Option<JournalError>,
}

impl Journal {
    /// Opens the journal of a problem, or begins it.
    ///
    /// `fingerprint` tells problems apart (a hash of all that decides the trajectory), `width` is the number of numbers per
    /// answer: 1 for values, the number of classes for scores. A journal of another problem or version, one damaged before
    /// its end, and one that another process holds are refused; a record that was cut at the end is taken away.
    pub fn open(
        path: impl Into<PathBuf>,
        fingerprint: [u8; 32],
        width: usize,
        options: JournalOptions,
    ) -> Result<Self, JournalError> {
        let path = path.into();
        let wrong = |doing| JournalError::io(&path, doing);
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(wrong("opened"))?;
        // A device or a pipe has no end to read to.
        if !file.metadata().map_err(wrong("opened"))?.is_file() {
            return Err(JournalError::NotAJournal { path });
        }
        lock(&file, &path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(wrong("read"))?;
        let header = format::header(&fingerprint, u32::try_from(width).unwrap_or(u32::MAX));
        let (memory, found, length) = if header.starts_with(&bytes) && bytes.len() < HEADER {
            // New, or killed before anything was asked.
            begin(&mut file, &header, &path).map_err(wrong("written"))?;
            (Memory::default(), Recovered { cut: bytes.len() as u64, ..Recovered::default() }, HEADER as u64)
        } else {
            let (memory, found, length) = read(&bytes, &header, width, &path)?;
            if found.cut > 0 {
                file.set_len(length).and_then(|()| file.sync_all()).map_err(wrong("cut"))?;
            }
            (memory, found, length)
        };
        file.seek(SeekFrom::Start(length)).map_err(wrong("read"))?;
        let inner = Inner { storage: Box::new(file), length, sent: found.sent, memory, broken: None };
        Ok(Self { path, options, width, found, inner: Mutex::new(inner) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is kept.
    pub fn options(&self) -> JournalOptions {
        self.options
    }

    /// What it held when it was opened.
    pub fn recovered(&self) -> Recovered {
        self.found
    }

    /// Points sent so far, over every start of the run.
    pub fn sent(&self) -> u64 {
        self.inner().sent
    }

    /// Answers of earlier starts that have not been asked for yet: none once the run has caught up.
    pub fn waiting(&self) -> usize {
        self.inner().memory.waiting()
    }

    /// Where the answer to the next asking of each point comes from, in the order of the points.
    ///
    /// Where answers are remembered, a point that occurs twice among them is sent once.
    pub fn look_up(&self, keys: &[Key]) -> Vec<Source> {
        let mut inner = self.inner();
        let mut first = std::collections::HashMap::new();
        let mut sources = Vec::with_capacity(keys.len());
        for (row, &key) in keys.iter().enumerate() {
            if self.options.repeats == Repeats::Remember
                && let Some(&other) = first.get(&key)
            {
                sources.push(Source::SameAs(other));
                continue;
            }
            first.insert(key, row);
            sources.push(match inner.memory.ask(key, self.options.repeats) {
                Found::Known(told) => Source::Known(told),
                Found::ToSend(question) => Source::ToSend(question),
            });
        }
        sources
    }

    /// Writes that these questions are about to be sent. What the cap does not cover is refused, and nothing is written.
    pub fn sending(&self, questions: &[Question]) -> Result<(), JournalError> {
        let mut inner = self.inner();
        let asked = questions.len() as u64;
        self.check_cap(&inner, asked)?;
        self.append(&mut inner, &Record::Sent(questions.to_vec()), self.options.outlives)?;
        inner.sent = inner.sent.saturating_add(asked);
        Ok(())
    }

    /// Writes that this many points are about to be sent once more, by a black box that repeats what got lost on its way.
    pub fn repeating(&self, points: u64) -> Result<(), JournalError> {
        let mut inner = self.inner();
        self.check_cap(&inner, points)?;
        self.append(&mut inner, &Record::Repeated(points), self.options.outlives)?;
        inner.sent = inner.sent.saturating_add(points);
        Ok(())
    }

    fn check_cap(&self, inner: &Inner, asked: u64) -> Result<(), JournalError> {
        match self.options.max_sent.filter(|&cap| inner.sent.saturating_add(asked) > cap) {
            Some(cap) => Err(JournalError::Spent { cap, used: inner.sent, asked }),
            None => Ok(()),
        }
    }

    /// Writes the answers to these questions: `numbers` one answer after the other, or `None` if none came. They may be used
    /// when this has returned.
    pub fn answered(&self, questions: &[Question], numbers: Option<&[f64]>) -> Result<(), JournalError> {
        let answer =
            |row: usize| numbers.and_then(|numbers| numbers.get(row * self.width..)?.get(..self.width));
        let answers: Vec<_> = questions
            .iter()
            .enumerate()
            .map(|(row, &question)| (question, answer(row).map(Into::into)))
            .collect();
        let record = Record::Answers(answers);
        let mut inner = self.inner();
        self.append(&mut inner, &record, self.options.outlives)?;
        for (row, &question) in questions.iter().enumerate() {
            inner.memory.keep(question, answer(row), self.options.repeats);
        }
        Ok(())
    }

    /// Writes that the run has come to its end.
    pub fn end(&self) -> Result<(), JournalError> {
        if self.found.ended {
            return Ok(());
        }
        self.append(&mut self.inner(), &Record::End, Outlives::PowerLoss)
    }

    fn append(&self, inner: &mut Inner, record: &Record, outlives: Outlives) -> Result<(), JournalError> {
        if let Some(error) = &inner.broken {
            return Err(error.clone());
        }
        let bytes = format::record(inner.length, record);
        match inner.storage.append(&bytes, outlives) {
            Ok(()) => {
                inner.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Half a record may stand there; nothing may follow it. Opening the journal again cuts it off.
                let error = JournalError::io(&self.path, "written")(error);
                inner.broken = Some(error.clone());
                Err(error)
            }
        }
    }

    /// What is stored is whole at any moment, whatever became of another thread.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// From the journal; `None` if the black box failed there.
    Known(Option<Box<[f64]>>),
    /// From the black box.
    ToSend(Question),
    /// The same as that of an earlier row.
    SameAs(usize),
}

/// Holds the file, if nobody else does.
///
/// A run that was killed while it started a program leaves a copy of itself for a moment, which holds the lock until it
/// becomes that program.
fn lock(file: &std::fs::File, path: &Path) -> Result<(), JournalError> {
    let mut glances = (0..GLANCES).map(|_| std::thread::sleep(GLANCE));
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(std::fs::TryLockError::Error(error)) => return Err(JournalError::io(path, "locked")(error)),
            Err(std::fs::TryLockError::WouldBlock) if glances.next().is_some() => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(JournalError::Locked { path: path.to_owned() });
            }
        }
    }
}

/// Writes the header so that it outlives a crash, the file's name included.
fn begin(file: &mut std::fs::File, header: &[u8], path: &Path) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.append(header, Outlives::PowerLoss)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        std::fs::File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// What the bytes of a journal say: answers, counts, and where the last whole record ends.
fn read(
    bytes: &[u8],
    expected: &[u8; HEADER],
    width: usize,
    path: &Path,
) -> Result<(Memory, Recovered, u64), JournalError> {
    check_header(bytes, expected, path)?;
    let mut memory = Memory::default();
    let mut found = Recovered::default();
    let mut at = HEADER;
    while at < bytes.len() {
        let Some((record, length)) = format::parse(at as u64, &bytes[at..], width) else {
            // Something whole behind it means that this was whole once.
            if format::is_followed(bytes, at + 1, width) {
                return Err(JournalError::Damaged { path: path.to_owned(), position: at as u64 });
            }
            found.cut = (bytes.len() - at) as u64;
            break;
        };
        match record {
            Record::Sent(questions) => found.sent = found.sent.saturating_add(questions.len() as u64),
            Record::Answers(answers) => {
                found.answers += answers.len() as u64;
                for (question, told) in answers {
                    memory.load(question, told);
                }
            }
            Record::Repeated(points) => found.sent = found.sent.saturating_add(points),
            Record::End => found.ended = true,
        }
        at += length;
    }
    Ok((memory, found, at as u64))
}

fn check_header(bytes: &[u8], expected: &[u8; HEADER], path: &Path) -> Result<(), JournalError> {
    let path = path.to_owned();
    let Some(header) = bytes.get(..HEADER).filter(|header| header.starts_with(format::MAGIC)) else {
        return Err(JournalError::NotAJournal { path });
    };
    let found = format::word(&header[8..]).unwrap_or(0);
    if found != format::VERSION {
        return Err(JournalError::Version { path, found });
    }
    if format::word(&header[48..]) != Some(crc32fast::hash(&header[..48])) {
        return Err(JournalError::Damaged { path, position: 0 });
    }
    if header == expected { Ok(()) } else { Err(JournalError::OtherProblem { path }) }
}

#[cfg(test)]
mod tests;

//! Evaluates a batch: rows to chunks, chunks to threads, failures and panics to values; through a journal if there is one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::journal::{Journal, JournalError, Key, Question, Repeats, Source};
use crate::oracle::{Batch, GradientOracle, Oracle, OracleError, Recovery};
use crate::query::Queries;
use crate::stop::StopReason;

/// Why a batch was not answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Halt {
    Cancelled,
    /// No more points may be sent.
    Spent,
    /// The journal cannot be written.
    Unwritten(String),
    Failed(String),
    Panicked(String),
}

impl From<JournalError> for Halt {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Spent { .. } => Self::Spent,
            other => Self::Unwritten(other.to_string()),
        }
    }
}

impl Halt {
    pub(super) fn reason(self) -> StopReason {
        match self {
            Self::Cancelled => StopReason::Cancelled,
            Self::Spent => StopReason::Sent,
            Self::Unwritten(message) => StopReason::JournalFailed { message },
            Self::Failed(message) => StopReason::OracleFailed { message },
            Self::Panicked(message) => StopReason::OraclePanicked { message },
        }
    }
}

/// How a batch is worked off.
#[derive(Clone, Copy)]
pub(super) struct Crew<'a> {
    pub(super) threads: usize,
    pub(super) cancel: Option<&'a AtomicBool>,
}

impl Crew<'_> {
    /// Does `work` on every job, until there is none left, one fails or somebody cancels.
    fn work_off<J: Send>(
        self,
        jobs: impl ExactSizeIterator<Item = J> + Send,
        work: impl Fn(J, &mut Buffers) -> Result<(), Halt> + Sync,
    ) -> Result<(), Halt> {
        let threads = self.threads.min(jobs.len());
        let jobs = Mutex::new(jobs);
        let halt = Mutex::new(None);
        let worker = || {
            let mut buffers = Buffers::default();
            while halt.lock().is_ok_and(|halt| halt.is_none()) {
                let Some(job) = jobs.lock().ok().and_then(|mut jobs| jobs.next()) else { return };
                let cancelled = || self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
                let done = if cancelled() { Err(Halt::Cancelled) } else { work(job, &mut buffers) };
                let done = match done {
                    // A black box that was told to stop waiting has not failed.
                    Err(Halt::Failed(_)) if cancelled() => Err(Halt::Cancelled),
                    done => done,
                };
                if let (Err(reason), Ok(mut halt)) = (done, halt.lock()) {
                    halt.get_or_insert(reason);
                }
            }
        };
        if threads <= 1 {
            worker();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(worker);
                }
            });
        }
        match halt.into_inner() {
            Ok(Some(halt)) => Err(halt),
            _ => Ok(()),
        }
    }
}

/// What a thread keeps from one job to the next.
#[derive(Default)]
struct Buffers {
    points: Vec<f64>,
    samples: Vec<u64>,
}

/// Fills `values`, one per row; rows the black box could not answer become NaN.
pub(super) fn evaluate(
    queries: &Queries<'_>,
    oracle: &dyn Oracle,
    crew: Crew<'_>,
    values: &mut Vec<f64>,
) -> Result<(), Halt> {
    values.clear();
    values.resize(queries.len(), f64::NAN);
    let rows = oracle.preferred_rows().clamp(1, queries.len().max(1));
    crew.work_off(values.chunks_mut(rows).enumerate(), |(chunk, values), Buffers { points, samples }| {
        let range = chunk * rows..chunk * rows + values.len();
        points.resize(values.len() * queries.dim(), 0.0);
        queries.write_rows(range.clone(), points);
        samples.clear();
        samples.extend(range.map(|row| queries.sample(row)));
        answer(oracle, Batch { points, dim: queries.dim(), samples }, values)
    })
}

/// Fills `values` as [`evaluate`] does, from the journal where it has the answer. What is sent is written before it is sent,
/// what is answered before it is used.
///
/// The chunks are those of a run without a journal, without the rows that are known; as a chunk is written as a whole, a
/// run that was killed sends the same chunks as one that was not.
pub(super) fn evaluate_through(
    journal: &Journal,
    queries: &Queries<'_>,
    oracle: &dyn Oracle,
    crew: Crew<'_>,
    values: &mut Vec<f64>,
) -> Result<(), Halt> {
    values.clear();
    values.resize(queries.len(), f64::NAN);
    let mut point = vec![0.0; queries.dim()];
    let key = |row: usize| {
        queries.write(row, &mut point);
        // A black box that repeats itself does so whatever the sample.
        let sample = match journal.options().repeats {
            Repeats::Remember => 0,
            Repeats::AskAgain => queries.sample(row),
        };
        Key::new(sample, &point)
    };
    let keys: Vec<Key> = (0..queries.len()).map(key).collect();
    let sources = journal.look_up(&keys);
    let rows = oracle.preferred_rows().clamp(1, queries.len().max(1));
    let chunks = values.chunks_mut(rows).zip(sources.chunks(rows)).enumerate();
    crew.work_off(chunks, |(chunk, (values, sources)), Buffers { points, samples }| {
        let mut sent: Vec<(usize, Question)> = Vec::new();
        for (row, source) in sources.iter().enumerate() {
            match source {
                Source::Known(told) => values[row] = told.as_ref().map_or(f64::NAN, |told| told[0]),
                Source::ToSend(question) => sent.push((row, *question)),
                Source::SameAs(_) => {}
            }
        }
        if sent.is_empty() {
            return Ok(());
        }
        points.resize(sent.len() * queries.dim(), 0.0);
        samples.clear();
        for (&(row, _), point) in sent.iter().zip(points.chunks_exact_mut(queries.dim())) {
            let row = chunk * rows + row;
            queries.write(row, point);
            samples.push(queries.sample(row));
        }
        let questions: Vec<Question> = sent.iter().map(|&(_, question)| question).collect();
        let answers =
            ask_through(journal, &questions, oracle, Batch { points, dim: queries.dim(), samples })?;
        for (&(row, _), answer) in sent.iter().zip(answers) {
            values[row] = answer;
        }
        Ok(())
    })?;
    for row in 0..values.len() {
        if let Source::SameAs(other) = sources[row] {
            values[row] = values[other];
        }
    }
    Ok(())
}

/// Sends questions until they are answered or have been sent as often as they may be; failed answers are NaN.
fn ask_through(
    journal: &Journal,
    questions: &[Question],
    oracle: &dyn Oracle,
    batch: Batch<'_>,
) -> Result<Vec<f64>, Halt> {
    let mut answers = vec![f64::NAN; questions.len()];
    for _ in 0..=journal.options().retries {
        journal.sending(questions)?;
        match guarded(|| oracle.evaluate(batch, &mut answers))? {
            Ok(()) => {
                journal.answered(questions, Some(&answers))?;
                return Ok(answers);
            }
            Err(OracleError { recovery: Recovery::Possible, .. }) => {}
            Err(OracleError { recovery: Recovery::Impossible, message }) => {
                return Err(Halt::Failed(message));
            }
        }
    }
    journal.answered(questions, None)?;
    answers.fill(f64::NAN);
    Ok(answers)
}

/// One call of the black box. What it wrote before it failed is not trusted.
fn answer(oracle: &dyn Oracle, batch: Batch<'_>, values: &mut [f64]) -> Result<(), Halt> {
    match guarded(|| oracle.evaluate(batch, values))? {
        Ok(()) => Ok(()),
        Err(OracleError { recovery: Recovery::Possible, .. }) => {
            values.fill(f64::NAN);
            Ok(())
        }
        Err(OracleError { recovery: Recovery::Impossible, message }) => Err(Halt::Failed(message)),
    }
}

/// Gradients of a batch, one after the other.
pub(super) struct Gradients {
    pub(super) gradients: Vec<f64>,
    /// All values, if every row that was answered had one.
    pub(super) values: Option<Vec<f64>>,
}

/// Asks for the gradients row by row; rows that fail become NaN.
pub(super) fn gradients(
    queries: &Queries<'_>,
    oracle: &dyn GradientOracle,
    crew: Crew<'_>,
) -> Result<Gradients, Halt> {
    let dim = queries.dim();
    let mut gradients = vec![f64::NAN; queries.len() * dim];
    let mut values: Vec<Option<f64>> = vec![None; queries.len()];
    let jobs: Vec<_> = gradients.chunks_exact_mut(dim).zip(&mut values).enumerate().collect();
    crew.work_off(jobs.into_iter(), |(row, (gradient, value)), Buffers { points, .. }| {
        points.resize(dim, 0.0);
        queries.write(row, points);
        *value = match guarded(|| oracle.gradient(points, queries.sample(row), gradient))? {
            Ok(value) => value,
            Err(OracleError { recovery: Recovery::Possible, .. }) => {
                gradient.fill(f64::NAN);
                Some(f64::NAN)
            }
            Err(OracleError { recovery: Recovery::Impossible, message }) => {
                return Err(Halt::Failed(message));
            }
        };
        Ok(())
    })?;
    Ok(Gradients { gradients, values: values.into_iter().collect() })
}

fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Halt> {
    // The buffers a panic may leave half written are thrown away with the batch.
    catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        Halt::Panicked(
            text.or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a panic without words".to_owned()),
        )
    })
}

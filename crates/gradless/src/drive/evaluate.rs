//! Evaluates a batch: rows to chunks, chunks to threads, failures and panics to values.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::oracle::{Batch, GradientOracle, Oracle, OracleError, Recovery};
use crate::query::Queries;
use crate::stop::StopReason;

/// Why a batch was not answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Halt {
    Cancelled,
    Failed(String),
    Panicked(String),
}

impl Halt {
    pub(super) fn reason(self) -> StopReason {
        match self {
            Self::Cancelled => StopReason::Cancelled,
            Self::Failed(message) => StopReason::OracleFailed { message },
            Self::Panicked(message) => StopReason::OraclePanicked { message },
        }
    }
}

/// Fills `values`, one per row; rows the black box could not answer become NaN.
pub(super) fn evaluate(
    queries: &Queries<'_>,
    oracle: &dyn Oracle,
    threads: usize,
    cancel: Option<&AtomicBool>,
    values: &mut Vec<f64>,
) -> Result<(), Halt> {
    values.clear();
    values.resize(queries.len(), f64::NAN);
    let rows = oracle.preferred_rows().clamp(1, queries.len().max(1));
    let threads = threads.min(queries.len().div_ceil(rows));
    let chunks = Mutex::new(values.chunks_mut(rows).enumerate());
    let halt = Mutex::new(None);
    let work = || {
        let mut points = Vec::new();
        let mut samples = Vec::new();
        loop {
            if halt.lock().is_ok_and(|halt| halt.is_some()) {
                return;
            }
            let Some((chunk, values)) = chunks.lock().ok().and_then(|mut chunks| chunks.next()) else {
                return;
            };
            let outcome = if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                Err(Halt::Cancelled)
            } else {
                let first = chunk * rows;
                points.resize(values.len() * queries.dim(), 0.0);
                queries.write_rows(first..first + values.len(), &mut points);
                samples.clear();
                samples.extend((first..first + values.len()).map(|row| queries.sample(row)));
                let batch = Batch { points: &points, dim: queries.dim(), samples: &samples };
                answer(oracle, batch, values)
            };
            if let (Err(reason), Ok(mut halt)) = (outcome, halt.lock()) {
                halt.get_or_insert(reason);
            }
        }
    };
    if threads <= 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
    match halt.into_inner() {
        Ok(Some(halt)) => Err(halt),
        _ => Ok(()),
    }
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
    cancel: Option<&AtomicBool>,
) -> Result<Gradients, Halt> {
    let dim = queries.dim();
    let mut gradients = vec![f64::NAN; queries.len() * dim];
    let mut values = Some(Vec::with_capacity(queries.len()));
    let mut x = vec![0.0; dim];
    for (row, gradient) in gradients.chunks_exact_mut(dim).enumerate() {
        if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Halt::Cancelled);
        }
        queries.write(row, &mut x);
        let value = match guarded(|| oracle.gradient(&x, queries.sample(row), gradient))? {
            Ok(value) => value,
            Err(OracleError { recovery: Recovery::Possible, .. }) => {
                gradient.fill(f64::NAN);
                Some(f64::NAN)
            }
            Err(OracleError { recovery: Recovery::Impossible, message }) => {
                return Err(Halt::Failed(message));
            }
        };
        values = values.zip(value).map(|(mut values, value)| {
            values.push(value);
            values
        });
    }
    Ok(Gradients { gradients, values })
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

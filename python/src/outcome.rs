//! Results as dictionaries of numbers and arrays; the Python package makes classes of them.

use gradless::policy::Output;
use gradless::solver::Point;
use gradless::trace::Record;
use gradless::{Noise, Outcome, StopReason};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Everything a run has learnt.
pub(crate) fn to_dict(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let stop = outcome.stop.as_ref();
    dict.set_item("stop", stop.map(kind))?;
    dict.set_item("message", stop.map(ToString::to_string))?;
    dict.set_item("planned", stop.is_some_and(StopReason::is_planned))?;
    dict.set_item("queries", outcome.counts.queries)?;
    dict.set_item("sent", outcome.counts.sent)?;
    dict.set_item("failed", outcome.counts.failed)?;
    dict.set_item("iterations", outcome.counts.iterations)?;
    dict.set_item("stationarity", outcome.stationarity)?;
    dict.set_item("radius", outcome.radius)?;
    dict.set_item(
        "noise",
        match outcome.noise {
            Noise::Detect => "unknown",
            Noise::None => "none",
            Noise::Common => "common",
            Noise::Independent => "independent",
        },
    )?;
    dict.set_item(
        "output",
        match outcome.output {
            Output::Auto | Output::Best => "best",
            Output::Last => "last",
            Output::Averaged => "averaged",
            Output::Random => "random",
            Output::Sparse => "sparse",
        },
    )?;
    dict.set_item("notices", outcome.notices.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    dict.set_item("history", history(py, &outcome.history)?)?;
    let Outcome { best, last, averaged, random, sparse, .. } = outcome;
    let points =
        [("best", best), ("last", last), ("averaged", averaged), ("random", random), ("sparse", sparse)];
    for (name, point) in points {
        dict.set_item(name, located(py, point)?)?;
    }
    Ok(dict)
}

/// A point and what is known of it: coordinates, loss, penalty.
fn located(py: Python<'_>, point: Point) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("fun", point.objective())?;
    dict.set_item("loss", point.loss)?;
    dict.set_item("penalty", point.regulariser)?;
    dict.set_item("x", point.x.into_pyarray(py))?;
    Ok(dict)
}

/// One array per column; NaN where nothing is known.
fn history<'py>(py: Python<'py>, records: &[Record]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let whole =
        |column: fn(&Record) -> u64| records.iter().map(column).collect::<Vec<u64>>().into_pyarray(py);
    let real = |column: fn(&Record) -> f64| records.iter().map(column).collect::<Vec<f64>>().into_pyarray(py);
    dict.set_item("nit", whole(|record| record.iteration))?;
    dict.set_item("nfev", whole(|record| record.queries))?;
    dict.set_item("fun", real(|record| record.objective.unwrap_or(f64::NAN)))?;
    dict.set_item("loss", real(|record| record.loss.unwrap_or(f64::NAN)))?;
    dict.set_item("penalty", real(|record| record.regulariser))?;
    dict.set_item("best", real(|record| record.best.unwrap_or(f64::NAN)))?;
    dict.set_item("norm_l1", real(|record| record.norm_l1))?;
    dict.set_item("norm_l2", real(|record| record.norm_l2))?;
    dict.set_item("nonzeros", whole(|record| record.nonzeros as u64))?;
    dict.set_item("step_size", real(|record| record.step_size))?;
    dict.set_item("radius", real(|record| record.radius))?;
    dict.set_item("stationarity", real(|record| record.stationarity))?;
    dict.set_item("kept", whole(|record| record.kept as u64))?;
    Ok(dict)
}

/// One iteration, for callbacks.
pub(crate) fn record<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("nit", record.iteration)?;
    dict.set_item("nfev", record.queries)?;
    dict.set_item("fun", record.objective)?;
    dict.set_item("loss", record.loss)?;
    dict.set_item("best", record.best)?;
    dict.set_item("nonzeros", record.nonzeros)?;
    dict.set_item("step_size", record.step_size)?;
    Ok(dict)
}

/// In a word.
pub(crate) fn kind(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Queries => "queries",
        StopReason::Sent => "sent",
        StopReason::Iterations => "iterations",
        StopReason::Seconds => "seconds",
        StopReason::Target => "target",
        StopReason::Stagnation => "stagnation",
        StopReason::Cancelled => "cancelled",
        StopReason::OracleFailed { .. } | StopReason::OraclePanicked { .. } => "failed",
        _ => "broken",
    }
}

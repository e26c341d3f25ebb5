//! The Rust driver on a function written in Rust: what the Python loop is compared with, in bits and in time.

use std::time::Instant;

use gradless::oracle::Batched;
use gradless::{Batch, Config, Driver, OracleError, Problem, Solver};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::config::Settings;
use crate::outcome;
use crate::problem::Parts;
use crate::words::value_error;

/// Minimises the sum of `(x[i] - (i % 7) / 10)**2`, added up from left to right, by the Rust driver. Gives the result and the
/// seconds it took.
#[pyfunction]
#[pyo3(signature = (problem, settings, rows=1, threads=1))]
pub(crate) fn reference_run<'py>(
    py: Python<'py>,
    problem: Parts<'py>,
    settings: Settings,
    rows: usize,
    threads: usize,
) -> PyResult<(Bound<'py, PyDict>, f64)> {
    let (problem, config) = (Problem::try_from(problem)?, Config::try_from(settings)?);
    let solver = Solver::new(problem, config).map_err(value_error)?;
    let (outcome, seconds) = py.detach(|| {
        let begun = Instant::now();
        let outcome = Driver::default().threads(threads).run(solver, &Batched { rows, evaluate: squares });
        (outcome, begun.elapsed().as_secs_f64())
    });
    Ok((outcome::to_dict(py, outcome)?, seconds))
}

/// The seconds that so many values of the function of [`reference_run`] take by themselves, `rows` at a time.
#[pyfunction]
pub(crate) fn reference_function(py: Python<'_>, dim: usize, rows: usize, count: usize) -> f64 {
    let points = vec![0.25; dim * rows];
    let (samples, mut values) = (vec![0; rows], vec![0.0; rows]);
    py.detach(|| {
        let begun = Instant::now();
        for _ in 0..count.div_ceil(rows.max(1)) {
            let batch = Batch { points: std::hint::black_box(&points), dim, samples: &samples };
            // It cannot fail; what it says is not needed.
            let _ = squares(batch, std::hint::black_box(&mut values));
        }
        begun.elapsed().as_secs_f64()
    })
}

#[expect(clippy::unnecessary_wraps, reason = "as the driver wants it")]
fn squares(batch: Batch<'_>, values: &mut [f64]) -> Result<(), OracleError> {
    for ((x, _), value) in batch.rows().zip(values) {
        *value = x.iter().enumerate().map(|(i, x)| (x - (i % 7) as f64 / 10.0).powi(2)).sum();
    }
    Ok(())
}

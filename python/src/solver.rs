//! One run: asks for batches and is told the answers, with Python's lock released while it thinks.

use gradless::query::Queries;
use gradless::solver::TellError;
use gradless::{Answers, Ask, Config, Problem, Solver as Core, StopReason};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::config::Settings;
use crate::outcome;
use crate::problem::Parts;
use crate::words::value_error;

/// The next batch: points, samples, and whether gradients are asked for.
type Asked<'py, T> = Option<(Bound<'py, PyArray2<T>>, Bound<'py, PyArray1<u64>>, bool)>;

/// One run of one method on one problem.
#[pyclass(module = "gradless._gradless", freelist = 4)]
pub(crate) struct Solver {
    core: Core,
    /// The last batch of points, used again if nobody else holds it: fresh memory costs more than filling it.
    doubles: Option<Py<PyArray2<f64>>>,
    singles: Option<Py<PyArray2<f32>>>,
}

#[pymethods]
impl Solver {
    #[new]
    fn new(py: Python<'_>, problem: Parts<'_>, settings: Settings) -> PyResult<Self> {
        let (problem, config) = (Problem::try_from(problem)?, Config::try_from(settings)?);
        let core = py.detach(|| Core::new(problem, config)).map_err(value_error)?;
        Ok(Self::of(core))
    }

    /// The run a snapshot was taken of.
    #[staticmethod]
    fn restore(py: Python<'_>, snapshot: &[u8]) -> PyResult<Self> {
        py.detach(|| Core::restore(snapshot)).map(Self::of).map_err(value_error)
    }

    /// The whole run as bytes.
    fn snapshot<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.core.snapshot());
        PyBytes::new(py, &bytes)
    }

    /// The next batch in double precision, or `None` at the end.
    fn ask<'py>(&mut self, py: Python<'py>) -> Asked<'py, f64> {
        let kept = self.doubles.take();
        let asked = ask(py, &mut self.core, kept, |queries, out| {
            queries.write_rows(0..queries.len(), out);
        })?;
        self.doubles = Some(asked.0.clone().unbind());
        Some(asked)
    }

    /// The next batch in single precision, or `None` at the end.
    fn ask_single<'py>(&mut self, py: Python<'py>) -> Asked<'py, f32> {
        let kept = self.singles.take();
        let asked = ask(py, &mut self.core, kept, |queries, out: &mut [f32]| {
            let mut point = vec![0.0; queries.dim()];
            for (row, out) in out.chunks_exact_mut(queries.dim()).enumerate() {
                queries.write(row, &mut point);
                for (single, double) in out.iter_mut().zip(&point) {
                    *single = narrowed(*double);
                }
            }
        })?;
        self.singles = Some(asked.0.clone().unbind());
        Some(asked)
    }

    /// Takes one value per point.
    fn tell(&mut self, py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let values = values.as_slice()?;
        let core = &mut self.core;
        py.detach(|| core.tell(Answers::Values(values))).map_err(|error| refused(&error))
    }

    /// Takes one gradient per point, and the values if they are known.
    #[pyo3(signature = (gradients, values=None))]
    fn tell_gradients(
        &mut self,
        py: Python<'_>,
        gradients: PyReadonlyArray2<'_, f64>,
        values: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let gradients = gradients.as_slice()?;
        let values = values.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let core = &mut self.core;
        py.detach(|| core.tell(Answers::Gradients { gradients, values })).map_err(|error| refused(&error))
    }

    /// Ends the run: somebody asked for it, or the black box is gone.
    #[pyo3(signature = (failure=None))]
    fn stop(&mut self, failure: Option<String>) {
        let reason = failure.map_or(StopReason::Cancelled, |message| StopReason::OracleFailed { message });
        self.core.stop(reason);
    }

    /// Tells the clock, in seconds since the run began.
    fn set_elapsed(&mut self, seconds: f64) {
        self.core.set_elapsed(seconds);
    }

    #[getter]
    fn elapsed(&self) -> f64 {
        self.core.elapsed()
    }

    /// Everything known so far, as a dictionary.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outcome = py.detach(|| self.core.clone().finish());
        outcome::to_dict(py, outcome)
    }

    /// The notices from this number on.
    fn notices(&self, first: usize) -> Vec<String> {
        self.core.notices().iter().skip(first).map(ToString::to_string).collect()
    }

    /// The record of the last iteration, as a dictionary.
    fn last_record<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.core.history().last().map(|record| outcome::record(py, record)).transpose()
    }

    /// The current iterate.
    fn point<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.point().into_pyarray(py)
    }

    #[getter]
    fn dim(&self) -> usize {
        self.core.dim()
    }

    #[getter]
    fn free_dim(&self) -> usize {
        self.core.free_dim()
    }

    #[getter]
    fn batch(&self) -> usize {
        self.core.batch()
    }

    #[getter]
    fn iterations(&self) -> usize {
        self.core.history().len()
    }

    #[getter]
    fn queries(&self) -> u64 {
        self.core.counts().queries
    }

    #[getter]
    fn best(&self) -> Option<f64> {
        self.core.best_objective()
    }
}

impl Solver {
    fn of(core: Core) -> Self {
        Self { core, doubles: None, singles: None }
    }
}

/// Asks, and lets `write` fill an array with the points.
fn ask<'py, T: Element + Send>(
    py: Python<'py>,
    core: &mut Core,
    kept: Option<Py<PyArray2<T>>>,
    write: impl Fn(&Queries<'_>, &mut [T]) + Send + Sync,
) -> Asked<'py, T> {
    let (rows, dim, gradients) = py.detach(|| match core.ask() {
        Ask::Stop(_) => None,
        Ask::Evaluate(queries) => Some((queries.len(), queries.dim(), false)),
        Ask::Gradient(queries) => Some((queries.len(), queries.dim(), true)),
    })?;
    let array = reused(py, kept, [rows, dim]);
    let samples = {
        let mut writable = array.readwrite();
        // A new array is contiguous, and one that came back is one of ours.
        let out = writable.as_slice_mut().ok()?;
        // Asking again gives the same batch again.
        py.detach(|| match core.ask() {
            Ask::Evaluate(queries) | Ask::Gradient(queries) => {
                write(&queries, out);
                Some((0..queries.len()).map(|row| queries.sample(row)).collect::<Vec<u64>>())
            }
            Ask::Stop(_) => None,
        })?
    };
    Some((array, samples.into_pyarray(py), gradients))
}

/// The array that was filled last time if nobody else holds it, views included; else a new one.
#[expect(deprecated, reason = "the way that is recommended instead is unsafe")]
fn reused<'py, T: Element>(
    py: Python<'py>,
    kept: Option<Py<PyArray2<T>>>,
    shape: [usize; 2],
) -> Bound<'py, PyArray2<T>> {
    let kept = kept.map(|kept| kept.into_bound(py));
    // Views of it hold a reference each.
    let free = |array: &Bound<'py, PyArray2<T>>| array.get_refcnt() == 1 && array.shape() == shape;
    kept.filter(free).unwrap_or_else(|| PyArray2::zeros(py, shape, false))
}

#[expect(clippy::cast_possible_truncation, reason = "the user asked for single precision")]
fn narrowed(value: f64) -> f32 {
    value as f32
}

fn refused(error: &TellError) -> PyErr {
    match error {
        TellError::NothingAsked => PyRuntimeError::new_err(error.to_string()),
        other => value_error(other),
    }
}

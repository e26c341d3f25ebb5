//! Models for a search: a Python callable, or an ONNX file that Rust runs itself.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gradless::{Inputs, Model, ModelError};
use gradless_models::{Engine, Onnx as OnnxModel, OnnxOptions, Resize, ScoreKind};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::words::{choose, value_error};

/// A classifier in an ONNX file, run by Rust.
#[pyclass(frozen, module = "gradless._gradless")]
pub(crate) struct Onnx {
    pub(crate) model: OnnxModel,
    path: PathBuf,
}

#[pymethods]
impl Onnx {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, engine: &str) -> PyResult<Self> {
        let engines = [("auto", None), ("ort", Some(Engine::Ort)), ("rten", Some(Engine::Rten))];
        let engine = choose("engine", engine, &engines)?;
        let load = || {
            let engine = engine.unwrap_or_else(Engine::fastest);
            OnnxModel::load_with(&path, &OnnxOptions { engine, ..OnnxOptions::default() })
        };
        let model = py.detach(load).map_err(value_error)?;
        Ok(Self { model, path })
    }

    #[getter]
    fn engine(&self) -> &'static str {
        self.model.engine().name()
    }

    /// The scores of inputs, one row each.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        inputs: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, dim) = (inputs.shape()[0], inputs.shape()[1]);
        let points = inputs.as_slice()?;
        let scores = py.detach(|| {
            let mut scores = vec![0.0; rows * self.model.classes()];
            self.model.scores(Inputs { points, dim }, &mut scores).map(|()| scores)
        });
        scores.map_err(value_error)?.into_pyarray(py).reshape([rows, self.model.classes()])
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.model.shape().to_vec()
    }

    #[getter]
    fn classes(&self) -> usize {
        self.model.classes()
    }

    #[getter]
    fn range(&self) -> (f64, f64) {
        self.model.description().range.into()
    }

    #[getter]
    fn resize(&self) -> Option<&'static str> {
        self.model.description().resize.map(Resize::name)
    }

    #[getter]
    fn labels(&self) -> Vec<String> {
        self.model.description().classes.clone()
    }

    #[getter]
    fn probabilities(&self) -> bool {
        self.model.score_kind() == ScoreKind::Probabilities
    }
}

/// Where this Python has onnxruntime.
#[pyfunction]
pub(crate) fn look_for_onnxruntime_in(package: PathBuf) {
    Engine::look_for_onnxruntime_in(package);
}

/// The same, held by Python too.
pub(crate) struct Shared(pub(crate) Py<Onnx>);

impl Model for Shared {
    fn shape(&self) -> &[usize] {
        self.0.get().model.shape()
    }

    fn classes(&self) -> usize {
        self.0.get().model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.get().model.scores(inputs, scores)
    }
}

/// What a Python callable answered, or why it did not.
#[derive(Default)]
pub(crate) struct Failure(Mutex<Option<PyErr>>);

impl Failure {
    /// The first exception.
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps the first exception and ends the search.
    pub(crate) fn keep(&self, error: PyErr, cancel: &AtomicBool) {
        cancel.store(true, Ordering::Relaxed);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// A Python callable as a model: an array of inputs in, an array of scores out.
pub(crate) struct Callable<'a> {
    pub(crate) predict: Py<PyAny>,
    pub(crate) shape: Vec<usize>,
    pub(crate) classes: usize,
    pub(crate) rows: usize,
    /// Inputs it was asked about already, and what it said: given once instead of asking again.
    pub(crate) first: Mutex<Option<(Vec<f64>, Vec<f64>)>>,
    pub(crate) failure: &'a Failure,
    pub(crate) cancel: &'a AtomicBool,
}

impl Model for Callable<'_> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn preferred_rows(&self) -> usize {
        self.rows
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((_, known)) = first.filter(|(points, _)| points == inputs.points) {
            scores.copy_from_slice(&known);
            return Ok(());
        }
        let asked = Python::attach(|py| {
            py.check_signals()?;
            let answer = ask(py, &self.predict, inputs)?;
            let answer = answer.as_slice()?;
            if answer.len() != scores.len() {
                return Err(value_error(format!(
                    "predict returned {} scores for {} inputs of {} classes",
                    answer.len(),
                    inputs.len(),
                    self.classes
                )));
            }
            scores.copy_from_slice(answer);
            Ok(())
        });
        asked.map_err(|error: PyErr| {
            let told = ModelError::Gone(error.to_string());
            self.failure.keep(error, self.cancel);
            told
        })
    }
}

/// Calls `predict` with an array of inputs.
pub(crate) fn ask<'py>(
    py: Python<'py>,
    predict: &Py<PyAny>,
    inputs: Inputs<'_>,
) -> PyResult<PyReadonlyArray2<'py, f64>> {
    let points = inputs.points.to_vec().into_pyarray(py).reshape([inputs.len(), inputs.dim])?;
    predict.bind(py).call1((points,))?.extract()
}

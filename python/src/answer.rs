//! An answer of a session, for Python: the one record, serialised, and its arrays.

use gradless_explain::Step;
use gradless_explain::answer::Heat;
use gradless_report::Frame;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::drawing::Shades;
use crate::words::value_error;

/// The region of every pixel, and maps of importance and its error.
type Located<'py> =
    (Bound<'py, PyArray1<i64>>, Option<Bound<'py, PyArray1<f64>>>, Option<Bound<'py, PyArray1<f64>>>);

/// One question about one input, and its answer. It is pickled as its JSON.
#[pyclass(frozen, module = "gradless._gradless")]
pub(crate) struct Answer {
    pub(crate) record: gradless_explain::Answer,
}

impl From<gradless_explain::Answer> for Answer {
    fn from(record: gradless_explain::Answer) -> Self {
        Self { record }
    }
}

#[pymethods]
impl Answer {
    #[new]
    fn new(json: &str) -> PyResult<Self> {
        serde_json::from_str(json).map(|record| Self { record }).map_err(value_error)
    }

    /// The record as JSON, with its arrays or without.
    #[pyo3(signature = (arrays=true))]
    fn json(&self, arrays: bool) -> PyResult<String> {
        let text = if arrays {
            serde_json::to_string(&self.record)
        } else {
            serde_json::to_string(&self.record.without_arrays())
        };
        text.map_err(value_error)
    }

    /// The question in a word: `part` or `change`.
    #[getter]
    fn question(&self) -> &'static str {
        self.record.question.name()
    }

    /// The part itself, or the change.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.record.x.clone().into_pyarray(py)
    }

    /// What the model was shown.
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.record.after.clone().into_pyarray(py)
    }

    /// How far the answer is from nothing.
    #[getter]
    fn change<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.record.change.clone().into_pyarray(py)
    }

    /// What the question asks, in a few words.
    #[getter]
    fn title(&self) -> &'static str {
        self.record.question.title()
    }

    /// The region of every pixel (-1 for none), and maps of how much each matters and of its standard error, where it is made of regions.
    #[getter]
    fn located<'py>(&self, py: Python<'py>) -> Option<Located<'py>> {
        let located = self.record.located.as_ref()?;
        let regions: Vec<i64> = located.regions.iter().map(|region| region.map_or(-1, i64::from)).collect();
        let map = |numbers: &[f64]| Heat::map(numbers, &located.regions).into_pyarray(py);
        let heat = located.heat.as_ref();
        Some((
            regions.into_pyarray(py),
            heat.map(|heat| map(&heat.importance)),
            heat.map(|heat| map(&heat.error)),
        ))
    }

    /// How much every region matters, drawn on the input as a PNG file; `None` if that is not known.
    fn heat<'py>(
        &self,
        py: Python<'py>,
        shades: Shades,
        input: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some(located) = &self.record.located else { return Ok(None) };
        let drawn = Frame::from(shades).heat(input.as_slice()?, located).transpose().map_err(value_error)?;
        Ok(drawn.map(|picture| PyBytes::new(py, &picture.to_png())))
    }

    /// How the search went: one array per column; NaN where nothing is known.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let history = PyDict::new(py);
        let steps = &self.record.steps;
        let real = |column: fn(&Step) -> f64| steps.iter().map(column).collect::<Vec<f64>>().into_pyarray(py);
        let queries: Vec<u64> = steps.iter().map(|step| step.queries).collect();
        history.set_item("nfev", queries.into_pyarray(py))?;
        history.set_item("fun", real(|step| step.objective.unwrap_or(f64::NAN)))?;
        history.set_item("loss", real(|step| step.loss.unwrap_or(f64::NAN)))?;
        history.set_item("norm_l1", real(|step| step.norm_l1))?;
        history.set_item("norm_l2", real(|step| step.norm_l2))?;
        history.set_item("nonzeros", real(|step| step.nonzeros as f64))?;
        history.set_item("best", real(|step| step.best.unwrap_or(f64::NAN)))?;
        Ok(history)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().into_any(), (slf.get().json(true)?,)))
    }
}

//! Texts and what is known of columns, for the front end: cut, put together and surveyed by the crate that explains.

use gradless_explain::features::{self, LevelSurvey, NumberSurvey, Rule, Unit, step};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::features::RuleRequest;
use crate::words::{choose, value_error};

/// A text cut into pieces, each of which belongs to a switch.
#[pyclass(frozen, module = "gradless._gradless")]
pub(crate) struct Text {
    text: features::Text,
    /// What it was made of, to make it again in another process.
    made_of: MadeOf,
}

/// Unit, places of the pieces in characters, whether occurrences belong together, mask, candidates by name.
type MadeOf = (String, Option<Vec<(usize, usize)>>, bool, Option<String>, Candidates);
/// For all words, and by word.
type Candidates = (Vec<String>, Vec<(String, Vec<String>)>);

#[pymethods]
impl Text {
    #[new]
    fn new(
        text: &str,
        unit: String,
        spans: Option<Vec<(usize, usize)>>,
        together: bool,
        mask: Option<String>,
        candidates: Candidates,
    ) -> PyResult<Self> {
        let cut = match &spans {
            Some(spans) => Unit::Spans(in_bytes(text, spans)),
            None => choose("unit", &unit, &[("words", false), ("sentences", true)])
                .map(|sentences| if sentences { Unit::Sentences } else { Unit::Words })?,
        };
        let cut = features::Text::new(text, &cut, together).map_err(value_error)?;
        let (for_all, by_name) = &candidates;
        let of = |name: &str| {
            let own = by_name
                .iter()
                .find(|(known, _)| known == name || known.to_lowercase() == name.to_lowercase());
            own.map_or_else(|| for_all.clone(), |(_, own)| own.clone())
        };
        let text = cut.masked(mask.clone()).with_candidates(of);
        Ok(Self { text, made_of: (unit, spans, together, mask, candidates) })
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.text.names().to_vec()
    }

    #[getter]
    fn candidates(&self) -> Vec<Vec<String>> {
        self.text.candidates().to_vec()
    }

    /// The text with the pieces of every switch gone (0), as they are (1), or replaced (2 and above).
    fn built(&self, states: Vec<usize>) -> String {
        self.text.built(&states)
    }

    /// The texts that rows of states stand for.
    fn decode(&self, states: PyReadonlyArray2<'_, f64>) -> Vec<String> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "states are small whole numbers"
        )]
        let state = |value: &f64| value.round() as usize;
        let rows = states.as_array();
        rows.rows()
            .into_iter()
            .map(|row| self.text.built(&row.iter().map(state).collect::<Vec<_>>()))
            .collect()
    }

    /// The text in order: what stands between pieces, and the pieces with their switches.
    fn pieces(&self) -> Vec<(&str, Option<usize>)> {
        self.text.pieces()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let this = slf.get();
        let (unit, spans, together, mask, candidates) = this.made_of.clone();
        let words = (this.text.text(), unit, spans, together, mask, candidates).into_pyobject(slf.py())?;
        Ok((slf.get_type().into_any(), words.into_any()))
    }
}

/// Places in characters as places in bytes; what lies beyond the text stays beyond it.
fn in_bytes(text: &str, spans: &[(usize, usize)]) -> Vec<std::ops::Range<usize>> {
    let mut bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    bytes.push(text.len());
    let at = |place: usize| bytes.get(place).copied().unwrap_or(usize::MAX);
    spans.iter().map(|&(start, end)| at(start)..at(end)).collect()
}

/// What is known of a column of numbers.
#[pyfunction]
pub(crate) fn survey_numbers<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    own: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let found = NumberSurvey::of(values.as_slice()?, own);
    let told = PyDict::new(py);
    told.set_item("lower", found.lower)?;
    told.set_item("upper", found.upper)?;
    told.set_item("step", found.step)?;
    told.set_item("typical", found.typical)?;
    told.set_item("missing", found.missing)?;
    told.set_item("is_constant", found.is_unknown)?;
    Ok(told)
}

/// Categories in the order of their codes, how many a change may lead to, and whether none is known.
#[pyfunction]
pub(crate) fn survey_levels(
    values: Vec<Option<usize>>,
    own: Option<usize>,
) -> (Vec<Option<usize>>, usize, bool) {
    let LevelSurvey { order, allowed, is_unknown } = LevelSurvey::of(&values, own);
    (order, allowed, is_unknown)
}

/// How far apart values are at least.
#[pyfunction]
pub(crate) fn step_of(values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
    Ok(step(values.as_slice()?))
}

/// A rule: its name, which number counts how much, the least and the most of the sum.
#[pyfunction]
pub(crate) fn parse_rule(text: &str, names: Vec<String>) -> PyResult<RuleRequest> {
    let Rule { name, terms, least, most } = Rule::parse(text, &names).map_err(value_error)?;
    Ok((name, terms, least, most))
}

//! Pictures and pages of explanations, drawn by the crate that draws them for the command.

use gradless_explain::picture::{Marks, Picture, overlay};
use gradless_explain::report::{Case, Report, TracePoint};
use gradless_explain::{Minimal, Mode};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::words::{choose, value_error};

/// How numbers become a picture: channels, rows, columns, and what is black and white.
#[derive(FromPyObject)]
pub(crate) struct Frame(usize, usize, usize, f64, f64);

impl Frame {
    fn picture(&self, values: &[f64]) -> PyResult<Picture> {
        let Self(channels, rows, columns, low, high) = *self;
        let shades = values.iter().map(|value| (value - low) / (high - low)).collect();
        Picture::clamped(channels, rows, columns, shades).map_err(value_error)
    }

    /// A change in shades.
    fn shaded(&self, change: &[f64]) -> Vec<f64> {
        let Self(.., low, high) = *self;
        change.iter().map(|value| value / (high - low)).collect()
    }
}

/// An input as a PNG file.
#[pyfunction]
pub(crate) fn draw_picture<'py>(
    py: Python<'py>,
    frame: Frame,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &frame.picture(values.as_slice()?)?.to_png()))
}

/// What was kept, or a change, drawn on the input, as a PNG file.
#[pyfunction]
pub(crate) fn draw_overlay<'py>(
    py: Python<'py>,
    frame: Frame,
    original: PyReadonlyArray1<'py, f64>,
    change: PyReadonlyArray1<'py, f64>,
    kept: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let marks = if kept { Marks::Kept } else { Marks::Change };
    let original = frame.picture(original.as_slice()?)?;
    let drawn = overlay(&original, &frame.shaded(change.as_slice()?), marks).map_err(value_error)?;
    Ok(PyBytes::new(py, &drawn.to_png()))
}

/// An answer as the page shows it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Shown<'py> {
    mode: String,
    valid: bool,
    sentence: String,
    seen: PyReadonlyArray1<'py, f64>,
    change: PyReadonlyArray1<'py, f64>,
    label: usize,
    scores: Vec<f64>,
    margin: f64,
    floor: f64,
    kappa: Option<f64>,
    norm_l1: f64,
    norm_l2: f64,
    nonzeros: usize,
    nfev: u64,
    first_valid: Option<u64>,
    best_valid: Option<u64>,
    minimal: String,
    message: String,
    seconds: f64,
    trace: Vec<(u64, f64, f64, bool)>,
}

/// The page of an explanation: one HTML file that fetches nothing and runs nothing.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is a part of the page")]
pub(crate) fn draw_report(
    frame: Frame,
    title: String,
    original: PyReadonlyArray1<'_, f64>,
    original_label: usize,
    original_scores: Vec<f64>,
    labels: Vec<String>,
    cases: Vec<Shown<'_>>,
    settings: Vec<(String, String)>,
    model: Vec<(String, String)>,
    command: String,
    seed: u64,
) -> PyResult<String> {
    let seconds = cases.iter().map(|case| case.seconds).sum();
    let cases = cases.into_iter().map(|case| shown(&frame, case)).collect::<PyResult<_>>()?;
    let report = Report {
        title,
        original: frame.picture(original.as_slice()?)?,
        original_class: original_label,
        original_scores,
        class_names: labels,
        cases,
        settings,
        model,
        command,
        seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds,
    };
    Ok(report.to_html())
}

fn shown(frame: &Frame, case: Shown<'_>) -> PyResult<Case> {
    let modes = [("pp", Mode::PertinentPositive), ("pn", Mode::PertinentNegative)];
    let minimal = [
        ("checked", Minimal::Checked),
        ("budget_ended", Minimal::BudgetEnded),
        ("not_asked", Minimal::NotAsked),
    ];
    Ok(Case {
        mode: choose("mode", &case.mode, &modes)?,
        valid: case.valid,
        explanation: case.sentence,
        picture: frame.picture(case.seen.as_slice()?)?,
        change: frame.shaded(case.change.as_slice()?),
        class: case.label,
        scores: case.scores,
        margin: case.margin,
        noise: case.floor,
        kappa: case.kappa,
        norm_l1: case.norm_l1,
        norm_l2: case.norm_l2,
        nonzeros: case.nonzeros,
        queries: case.nfev,
        sent: case.nfev,
        first_valid: case.first_valid,
        best_valid: case.best_valid,
        minimal: choose("minimal", &case.minimal, &minimal)?,
        stop_reason: case.message,
        seconds: case.seconds,
        trace: case
            .trace
            .into_iter()
            .map(|(queries, objective, norm_l1, valid)| TracePoint { queries, objective, norm_l1, valid })
            .collect(),
        agreement: None,
    })
}

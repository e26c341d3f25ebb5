//! Pictures and pages of explanations, drawn by the crate that draws them for the command.

use gradless_report::{Frame, Page};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::answer::Answer;
use crate::words::value_error;

/// How inputs become pictures: their shape, and what is black and white.
#[derive(FromPyObject)]
pub(crate) struct Shades(Vec<usize>, f64, f64);

impl From<Shades> for Frame {
    fn from(Shades(shape, low, high): Shades) -> Self {
        Self::of(&shape, [low, high])
    }
}

/// An input as a PNG file.
#[pyfunction]
pub(crate) fn draw_picture<'py>(
    py: Python<'py>,
    shades: Shades,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let picture = Frame::from(shades).picture(values.as_slice()?).map_err(value_error)?;
    Ok(PyBytes::new(py, &picture.to_png()))
}

/// An answer drawn on its input, as a PNG file.
#[pyfunction]
pub(crate) fn draw_overlay<'py>(
    py: Python<'py>,
    shades: Shades,
    input: PyReadonlyArray1<'py, f64>,
    answer: &Bound<'py, Answer>,
) -> PyResult<Bound<'py, PyBytes>> {
    let drawn = Frame::from(shades).overlay(input.as_slice()?, &answer.get().record);
    Ok(PyBytes::new(py, &drawn.map_err(value_error)?.to_png()))
}

/// The page of an explanation: one HTML file that fetches nothing and runs nothing. `subject` is what the input is, as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is a part of the page")]
pub(crate) fn draw_page(
    shades: Shades,
    title: String,
    subject: &str,
    input: PyReadonlyArray1<'_, f64>,
    classes: Vec<String>,
    answers: Vec<Bound<'_, Answer>>,
    settings: Vec<(String, String)>,
    model: Vec<(String, String)>,
    command: String,
) -> PyResult<String> {
    let answers: Vec<_> = answers.iter().map(|answer| answer.get().record.clone()).collect();
    let page = Page {
        title,
        subject: serde_json::from_str(subject).map_err(value_error)?,
        frame: shades.into(),
        input: input.as_slice()?.to_vec(),
        classes,
        settings,
        model,
        command,
        seed: answers.first().map_or(0, |answer| answer.seed),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seconds: answers.iter().map(|answer| answer.seconds).sum(),
        answers,
    };
    Ok(page.to_html())
}

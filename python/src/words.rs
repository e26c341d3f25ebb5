//! Errors and choices as Python users expect them.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// What makes no sense is a `ValueError` with the sentence of the Rust crate.
pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The choice a word stands for.
pub(crate) fn choose<T: Copy>(what: &str, word: &str, choices: &[(&str, T)]) -> Result<T, PyErr> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|&(_, choice)| choice);
    found.ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("'{name}'")).collect();
        value_error(format!("{what} is '{word}': it must be one of {}", names.join(", ")))
    })
}

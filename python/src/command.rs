//! The command line, from Python.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `gradless` with these words (the first is the name of the program) and gives its exit code. `program` are the words
/// by which the command is started once more: the studio starts a search as a program of its own.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, words: Vec<OsString>, program: Vec<OsString>) -> u8 {
    py.detach(|| gradless_cli::run_within(words, program))
}

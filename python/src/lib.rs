//! The compiled half of the Python package `gradless`: NumPy arrays in, NumPy arrays out, the work done by the Rust crates
//! with Python's lock released. No algorithm lives here.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands the arguments it extracts over by value")]

mod words;
mod problem;
mod config;
mod solver;
mod outcome;
mod model;
mod answer;
mod audience;
mod explain;
mod features;
mod drawing;
mod text;
mod reference;
mod command;

use pyo3::prelude::*;

/// The compiled half of `gradless`.
#[pymodule]
mod _gradless {
    #[pymodule_export]
    use super::answer::Answer;
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::config::{defaults, methods};
    #[pymodule_export]
    use super::drawing::{draw_overlay, draw_page, draw_picture};
    #[pymodule_export]
    use super::explain::{explain_callable, explain_onnx};
    #[pymodule_export]
    use super::model::{Onnx, look_for_onnxruntime_in};
    #[pymodule_export]
    use super::reference::{reference_function, reference_run};
    #[pymodule_export]
    use super::solver::Solver;
    #[pymodule_export]
    use super::text::{Text, parse_rule, step_of, survey_levels, survey_numbers};

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

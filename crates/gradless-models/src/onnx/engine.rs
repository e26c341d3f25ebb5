//! The two engines and what is asked of them.

use serde::{Deserialize, Serialize};

use super::complete::Completed;
use crate::error::Problem;

/// What runs a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// `rten`: pure Rust, nothing to install.
    #[default]
    Rten,
    /// `ort`: onnxruntime, whose library must be there when running; with the feature `ort`.
    Ort,
}

impl Engine {
    /// The fastest that works here: onnxruntime where its library is found, else `rten`.
    pub fn fastest() -> Self {
        if Self::onnxruntime().is_ok() { Self::Ort } else { Self::Rten }
    }

    /// Whether onnxruntime can be used, or why not and what to do. The first call looks for its library and loads it.
    pub fn onnxruntime() -> Result<(), String> {
        #[cfg(feature = "ort")]
        return super::ort::environment().map(|_| ()).map_err(Failure::words);
        #[cfg(not(feature = "ort"))]
        Err("this build has no onnxruntime (feature `ort`)".to_owned())
    }

    /// Where to look for onnxruntime's library before anywhere else but `ORT_DYLIB_PATH`: the folder of the Python package.
    pub fn look_for_onnxruntime_in(package: impl Into<std::path::PathBuf>) {
        #[cfg(feature = "ort")]
        super::library::look_in(package.into());
        #[cfg(not(feature = "ort"))]
        drop(package.into());
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rten => "rten",
            Self::Ort => "ort",
        }
    }

    /// The smallest batch that can be expected to give the digits of a large one: `rten` multiplies a vector otherwise
    /// than a matrix.
    pub(super) fn smallest_rows(self) -> usize {
        match self {
            Self::Rten => 2,
            Self::Ort => 1,
        }
    }

    /// Whether graphs are completed for it: defaults that a file may leave out are written down, and packed numbers unpacked.
    pub(super) fn needs_completion(self) -> bool {
        match self {
            Self::Rten => true,
            Self::Ort => false,
        }
    }

    pub(super) fn load(self, model: Completed<'_>, output: Output) -> Result<Box<dyn Loaded>, Failure> {
        match self {
            #[cfg(feature = "rten")]
            Self::Rten => super::rten::load(model, output),
            #[cfg(feature = "ort")]
            Self::Ort => super::ort::load(&model, output.index),
            #[cfg(not(all(feature = "rten", feature = "ort")))]
            engine => {
                let _ = (model, output);
                Err(Failure::Problem(Problem::NoEngine { engine: engine.name() }))
            }
        }
    }
}

/// Which output is meant, of how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) index: usize,
    #[cfg_attr(
        not(feature = "rten"),
        expect(dead_code, reason = "only rten may keep other outputs than the file has")
    )]
    pub(super) of: usize,
}

/// A network in an engine.
pub(super) trait Loaded: Send + Sync {
    /// Someone who can run it, one call at a time.
    fn worker(&self) -> Result<Box<dyn Worker>, Failure>;
}

/// Runs a network on one thread.
pub(super) trait Worker: Send {
    /// Feeds `input` as a tensor of this shape and hands shape and numbers of the answer to `take`. The error is the
    /// engine's own words.
    fn run(
        &mut self,
        shape: &[usize],
        input: &[f32],
        take: &mut dyn FnMut(&[usize], &[f32]),
    ) -> Result<(), String>;
}

/// Why an engine did not take a file.
#[derive(Debug)]
#[cfg_attr(
    not(any(feature = "rten", feature = "ort")),
    expect(dead_code, reason = "without an engine nothing is ever refused by one")
)]
pub(super) enum Failure {
    /// Operators are missing, as the engine says in its own words.
    Operator(String),
    /// Another reason in the engine's own words.
    Refused(String),
    Problem(Problem),
}

impl Failure {
    /// The reason in words.
    pub(super) fn words(self) -> String {
        match self {
            Self::Operator(message) | Self::Refused(message) => message,
            Self::Problem(problem) => problem.to_string(),
        }
    }

    /// The reason with the operators of the file that it speaks of.
    pub(super) fn problem(self, engine: Engine, operators: &[String]) -> Problem {
        let engine = engine.name();
        match self {
            Self::Problem(problem) => problem,
            Self::Refused(message) => Problem::Refused { engine, message },
            Self::Operator(message) => {
                // Before and behind this, nodes are named, which may be called as an operator is.
                let about = message.rsplit("operator error: ").next().unwrap_or_default();
                let about = about.split(" node with name ").next().unwrap_or_default();
                let spoken_of = |operator: &&String| {
                    let name = operator.rsplit(':').next().unwrap_or(operator);
                    about.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
                };
                let operators: Vec<String> = operators.iter().filter(spoken_of).cloned().collect();
                if operators.is_empty() {
                    Problem::Refused { engine, message }
                } else {
                    Problem::Operator { engine, operators, message }
                }
            }
        }
    }
}

/// Runs code of an engine that may panic on a file nobody expected, and turns that into words.
///
/// What the engine was working on is thrown away by the caller.
#[cfg(feature = "rten")]
pub(super) fn guarded<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    caught.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Err(Failure::Refused(format!("it panicked: {}", text.as_deref().unwrap_or("without words"))))
    })
}

//! The second engine: onnxruntime through `ort`, its library loaded while running.

use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use ort::value::TensorRef;

use super::complete::Completed;
use super::engine::{Failure, Loaded, Worker};
use super::library;
use crate::error::Problem;

/// One environment per process, made when first needed; an attempt that failed is made again.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

struct Network {
    environment: Environment,
    /// A session answers one call at a time, so every worker makes its own from these.
    bytes: Arc<[u8]>,
    output: usize,
}

pub(super) fn load(model: &Completed<'_>, output: usize) -> Result<Box<dyn Loaded>, Failure> {
    let environment = environment()?;
    Ok(Box::new(Network { environment, bytes: Arc::from(&*model.bytes), output }))
}

pub(super) fn environment() -> Result<Environment, Failure> {
    let mut environment = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*environment {
        return Ok(environment.clone());
    }
    let missing = |message| Failure::Problem(Problem::Library(message));
    let path = library::find().map_err(missing)?;
    // `ort` panics if it must look for the library itself, so it is told.
    let builder = ort::init_from(&path);
    let builder = builder.map_err(|error| missing(format!("its library cannot be used: {error}")))?;
    let made = builder.with_name("gradless").with_telemetry(false).build();
    let made = made.map_err(|error| missing(format!("{} does not start: {error}", path.display())))?;
    Ok(environment.insert(made).clone())
}

impl Loaded for Network {
    fn worker(&self) -> Result<Box<dyn Worker>, Failure> {
        let session = session(&self.environment, &self.bytes)?;
        Ok(Box::new(Runner { session, output: self.output }))
    }
}

/// One thread: the rows of a batch are split, the operators are not.
pub(super) fn session(environment: &Environment, bytes: &[u8]) -> Result<Session, Failure> {
    let made = || {
        let builder = Session::builder(environment).map_err(words)?;
        let builder = builder.with_optimization_level(GraphOptimizationLevel::All).map_err(words)?;
        let mut builder = builder.with_intra_threads(1).map_err(words)?;
        builder.commit_from_memory(bytes).map_err(words)
    };
    made().map_err(|message| {
        let missing =
            ["is not a registered function/op", "No Op registered", "Could not find an implementation"];
        if missing.iter().any(|part| message.contains(part)) {
            Failure::Operator(message)
        } else {
            Failure::Refused(message)
        }
    })
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub(super) fn words<R>(error: ort::Error<R>) -> String {
    // Only the first line: the rest are file names of onnxruntime's own source.
    let text = error.to_string();
    named(text.lines().next().unwrap_or_default())
}

/// Convolutions and pools that onnxruntime has rearranged for the processor, perhaps together with what follows, are named after
/// their output, with an ending of its own.
fn named(message: &str) -> String {
    let parts =
        message.split_once("Name:'").and_then(|(before, rest)| Some((before, rest.split_once("_nchwc' ")?)));
    match parts {
        Some((before, (output, after))) if !output.contains('\'') => {
            format!("{before}(output \"{output}\") {after}")
        }
        _ => message.to_owned(),
    }
}

struct Runner {
    session: Session,
    output: usize,
}

impl Worker for Runner {
    fn run(
        &mut self,
        shape: &[usize],
        input: &[f32],
        take: &mut dyn FnMut(&[usize], &[f32]),
    ) -> Result<(), String> {
        let input = TensorRef::from_array_view((shape, input)).map_err(words)?;
        let outputs = self.session.run(ort::inputs![input]).map_err(words)?;
        if self.output >= outputs.len() {
            return Err("an output is missing".to_owned());
        }
        let (shape, numbers) = outputs[self.output].try_extract_tensor::<f32>().map_err(words)?;
        let shape: Vec<usize> = shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
        take(&shape, numbers);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_was_rearranged_is_named_by_its_output() {
        let said = "while running Conv node. Name:'t_nchwc' Status Message: Invalid input shape: {1,1}";
        assert_eq!(
            named(said),
            "while running Conv node. (output \"t\") Status Message: Invalid input shape: {1,1}"
        );
        for said in ["while running Conv node. Name:'c' Status Message: a_nchwc' b", "no name", "Name:'"] {
            assert_eq!(named(said), said);
        }
    }
}

//! Runs any graph once, whatever goes in and comes out: for measuring which operators an engine has.

#[cfg(feature = "ort")]
mod ort;
#[cfg(feature = "rten")]
mod rten;

use super::complete::complete;
use super::engine::{Engine, Failure};
use super::graph;
use crate::error::Problem;

/// A tensor of an element type that both engines know, its numbers as 64-bit floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Which input or output of the graph it is.
    pub name: String,
    /// What its numbers are in the graph.
    pub element: Element,
    /// Its shape; empty for a single number.
    pub shape: Vec<usize>,
    /// Its numbers, the last axis fastest. Whole numbers beyond 2^53 lose their last digits.
    pub values: Vec<f64>,
}

/// What the numbers of a tensor are. `rten` computes with `Float` for `Double` and with `Int32` for `Int64` and `Bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "ONNX's own names")]
pub enum Element {
    Float,
    Double,
    Int8,
    UInt8,
    Int32,
    Int64,
    Bool,
}

/// Feeds a graph once and returns its outputs in the graph's order.
///
/// [`Onnx`](super::Onnx) is for classifiers, which have one input and one output of floats; operators have others. The
/// file takes the same way into the engine.
pub fn run_graph(engine: Engine, bytes: &[u8], inputs: &[Tensor]) -> Result<Vec<Tensor>, Problem> {
    let graph = graph::read(bytes)?;
    let outputs: Vec<&str> = graph.outputs.iter().map(|value| value.name.as_str()).collect();
    let model = complete(bytes, engine)?;
    let answers: Result<_, Failure> = match engine {
        #[cfg(feature = "rten")]
        Engine::Rten => rten::run(model, inputs, &outputs),
        #[cfg(feature = "ort")]
        Engine::Ort => ort::run(&model, inputs, &outputs),
        #[cfg(not(all(feature = "rten", feature = "ort")))]
        engine => {
            let _ = (model, inputs, outputs);
            Err(Failure::Problem(Problem::NoEngine { engine: engine.name() }))
        }
    };
    answers.map_err(|failure| failure.problem(engine, &graph.operators))
}

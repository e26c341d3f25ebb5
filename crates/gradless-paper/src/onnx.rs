//! Writes the networks trained here as ONNX files, in about as many lines as a protobuf library would need to be called.
//!
//! Only writing, and only the few operators of LeNet and ResNet20. Field numbers and operators are those of the public
//! `onnx.proto`, opset 17.

mod error;
mod fold;
mod graph;
mod node;
mod wire;

pub use error::OnnxError;
pub use fold::fold_batch_norm;
pub use graph::{Graph, Value};

/// Weights with their shape, the last axis running fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// As many values as the product of the lengths.
    pub values: Vec<f32>,
}

impl Tensor {
    /// That there are as many axes and values as there should be, and that all values are finite.
    fn check(&self, what: &str, rank: usize) -> Result<(), OnnxError> {
        if self.shape.len() != rank || self.shape.contains(&0) {
            return Err(OnnxError::Shape { what: what.to_owned(), rank, shape: self.shape.clone() });
        }
        let expected = self.shape.iter().fold(1, |count: usize, length| count.saturating_mul(*length));
        check_values(what, expected, &self.values)
    }
}

/// That there are `expected` values, all finite.
fn check_values(what: &str, expected: usize, values: &[f32]) -> Result<(), OnnxError> {
    if values.len() != expected {
        return Err(OnnxError::Count { what: what.to_owned(), expected, found: values.len() });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(OnnxError::NotFinite { what: what.to_owned(), index, value: values[index] }),
        None => Ok(()),
    }
}

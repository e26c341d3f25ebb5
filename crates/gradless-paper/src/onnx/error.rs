//! Why a network cannot be written: always with the part of it and what was found.

/// Why a network cannot be written as an ONNX file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// A tensor has the wrong number of axes, or an axis of length zero.
    #[error("{what} has shape {shape:?}: {rank} axes are needed, none of length 0")]
    Shape {
        /// Which tensor.
        what: String,
        /// The axes it should have.
        rank: usize,
        /// The shape it has.
        shape: Vec<usize>,
    },
    /// There are more or fewer values than the shapes ask for.
    #[error("{what} has {found} values where the shapes ask for {expected}")]
    Count {
        /// Which values.
        what: String,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A weight is infinite or not a number.
    #[error("value {index} of {what} is {value}: the training diverged, go back to an earlier checkpoint")]
    NotFinite {
        /// Which values.
        what: String,
        /// The first that is wrong.
        index: usize,
        /// What it is.
        value: f32,
    },
    /// The variance of a batch normalisation is so far below zero that it has no root.
    #[error(
        "variance {index} of {what} is {value}, below zero even with epsilon {epsilon}: it is not a variance"
    )]
    Variance {
        /// Which normalisation.
        what: String,
        /// The first that is wrong.
        index: usize,
        /// What it is.
        value: f32,
        /// What is added to it.
        epsilon: f32,
    },
    /// An operator cannot take what it is given.
    #[error("{node} cannot take an input of shape {shape:?} (without the batch): {reason}")]
    Input {
        /// Which operator.
        node: String,
        /// The shape it is given.
        shape: Vec<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// A value does not belong to this graph.
    #[error("{node} is given value {index} of a graph that has {count}: it belongs to another graph")]
    Foreign {
        /// Which operator.
        node: String,
        /// The position of the value.
        index: usize,
        /// How many this graph has.
        count: usize,
    },
    /// The input has the name of something else in the file.
    #[error("the input cannot be named {name:?}: another value has that name, choose another")]
    Name {
        /// The name.
        name: String,
    },
}

//! gradless
pub mod vector;
mod per_coordinate;
pub mod regulariser;
pub mod set;
pub mod problem;
pub mod random;
pub mod direction;
pub mod geometry;
pub mod prox;

pub use per_coordinate::PerCoordinate;
pub use problem::{Outside, Problem, ProblemError};
pub use regulariser::Regulariser;
pub use set::Set;

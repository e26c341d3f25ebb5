//! What gradless's own tests and benchmarks need: problems with known minimisers, slow and obvious versions of what it
//! computes fast, black boxes that count, a small classifier, programs that misbehave, the killing of commands and a list of
//! what was skipped.
//!
//! Nothing here depends on the crate under test.

pub mod counter;
pub mod families;
pub mod halves;
pub mod http;
pub mod killing;
pub mod mxnet;
pub mod network;
pub mod noise;
pub mod program;
pub mod prox_naive;
pub mod scalar;
pub mod skip;

pub use skip::skip;

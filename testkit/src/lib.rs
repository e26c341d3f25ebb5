//! What gradless's own tests and benchmarks need: problems with known minimisers, slow and obvious versions of what it
//! computes fast, black boxes that count.
//!
//! Nothing here depends on the crate under test.

pub mod counter;
pub mod families;
pub mod network;
pub mod noise;
pub mod prox_naive;
pub mod scalar;

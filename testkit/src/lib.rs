//! Slow and obvious versions of what gradless computes fast, for its tests to compare with.

pub mod prox_naive;
pub mod scalar;

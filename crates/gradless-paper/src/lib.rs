//! The experiments of the paper behind gradless. So far: the two data sets it uses.

pub mod data;
#[cfg(feature = "train")]
pub mod train;

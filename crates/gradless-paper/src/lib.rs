//! The experiments of the paper behind gradless. So far: the two data sets it uses, its two networks, and ONNX files of
//! them.

pub mod data;
pub mod onnx;
pub mod plot;
#[cfg(feature = "train")]
pub mod train;

//! The experiments of the paper behind gradless: its two data sets, its two networks, ONNX files of them, and the comparison of
//! its methods.

pub mod data;
pub mod onnx;
#[cfg(feature = "reproduce")]
pub mod reproduce;
#[cfg(feature = "train")]
pub mod train;

//! The experiments of the paper behind gradless: its two data sets, its two networks, ONNX files of them, the authors' own
//! networks, and the comparison of its methods.

pub mod data;
pub mod onnx;
pub mod authors;
#[cfg(feature = "reproduce")]
pub mod reproduce;
#[cfg(feature = "train")]
pub mod train;

//! The two networks with their data sets, and what tells one file of weights from another.

use std::fmt::Write as _;
use std::path::Path;

use gradless_models::{Engine, Onnx, OnnxOptions};
use gradless_paper::data::{DataSet, Labelled, Split, cifar10, mnist};
use sha2::{Digest, Sha256};

use crate::Fallible;

/// The file of the network for a data set, from the root of the repository.
pub fn file(set: DataSet) -> &'static str {
    match set {
        DataSet::Mnist => "assets/lenet.onnx",
        DataSet::Cifar10 => "assets/resnet20.onnx",
    }
}

/// Loads the network for a data set; one thread per call.
pub fn load(set: DataSet, engine: Engine) -> Fallible<Onnx> {
    load_file(file(set), engine)
}

/// Loads a network from a file; one thread per call.
pub fn load_file(path: impl AsRef<Path>, engine: Engine) -> Fallible<Onnx> {
    Ok(Onnx::load_with(path, &OnnxOptions { engine, ..OnnxOptions::default() })?)
}

/// SHA-256 of a file, in hexadecimal.
pub fn hash(path: impl AsRef<Path>) -> Fallible<String> {
    Ok(Sha256::digest(std::fs::read(path)?).iter().fold(String::new(), |mut out, byte| {
        // Writing to a string does not fail.
        let _ = write!(out, "{byte:02x}");
        out
    }))
}

/// Reads a part of a data set from its folder below `data`.
pub fn images(data: &Path, set: DataSet, split: Split) -> Fallible<Labelled> {
    let read = match set {
        DataSet::Mnist => mnist,
        DataSet::Cifar10 => cifar10,
    };
    Ok(read(&data.join(set.name()), split)?)
}

//! The model a command asks: a file of the user's, or the embedded LeNet.

use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use gradless_models::{Description, Engine, Onnx, OnnxOptions};

const LENET: &[u8] = include_bytes!("../../../assets/lenet.onnx");
const LENET_DESCRIPTION: &str = include_str!("../../../assets/lenet.toml");

/// What runs a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineName {
    /// Pure Rust, built in
    #[default]
    Rten,
    /// onnxruntime, its library found while running (`ORT_DYLIB_PATH` or the Python package; needs the feature `ort`)
    Ort,
}

/// The model and what to call it.
pub(crate) fn load(path: Option<&Path>, engine: EngineName) -> anyhow::Result<(String, Onnx)> {
    let engine = engine_of(engine)?;
    let Some(path) = path else {
        let description = Description::parse(LENET_DESCRIPTION)
            .context("the embedded description is damaged: build again")?;
        let options = OnnxOptions { engine, description: Some(description), ..OnnxOptions::default() };
        return Ok((
            "the embedded LeNet".to_owned(),
            Onnx::from_bytes("the embedded LeNet", LENET, &options)?,
        ));
    };
    let options = OnnxOptions { engine, ..OnnxOptions::default() };
    Ok((path.display().to_string(), Onnx::load_with(path, &options)?))
}

#[cfg_attr(feature = "ort", expect(clippy::unnecessary_wraps, reason = "without the feature it may fail"))]
fn engine_of(name: EngineName) -> anyhow::Result<Engine> {
    match name {
        EngineName::Rten => Ok(Engine::Rten),
        #[cfg(feature = "ort")]
        EngineName::Ort => Ok(Engine::Ort),
        #[cfg(not(feature = "ort"))]
        EngineName::Ort => anyhow::bail!(
            "this build has no onnxruntime: use `cargo run --release --features ort -- …`, or leave out `--engine ort`"
        ),
    }
}

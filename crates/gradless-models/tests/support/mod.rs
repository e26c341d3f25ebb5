//! The small files, what onnxruntime answers to them, and the engines this build can run.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gradless::{Inputs, Model, ModelError};
use gradless_models::{Description, Engine, Layout, Onnx, OnnxOptions, Problem};
use serde::Deserialize;

/// What onnxruntime answers to five inputs; made by `tests/files/make.py`.
#[derive(Deserialize)]
pub(crate) struct Expected {
    pub(crate) shape: Vec<usize>,
    pub(crate) inputs: Vec<Vec<f64>>,
    pub(crate) scores: Vec<Vec<f64>>,
}

pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

pub(crate) fn expected() -> BTreeMap<String, Expected> {
    serde_json::from_slice(&std::fs::read(file("expected.json")).unwrap()).unwrap()
}

/// What the small files do not say about themselves.
pub(crate) fn described(name: &str) -> Description {
    match name {
        "nhwc" => Description { layout: Layout::Nhwc, ..Description::default() },
        "open-axes" => Description { shape: Some(vec![2, 8, 8]), ..Description::default() },
        _ => Description::default(),
    }
}

pub(crate) fn options(name: &str, engine: Engine) -> OnnxOptions {
    OnnxOptions { engine, description: Some(described(name)), ..OnnxOptions::default() }
}

pub(crate) fn load(name: &str, engine: Engine) -> Onnx {
    Onnx::load_with(file(&format!("{name}.onnx")), &options(name, engine)).unwrap()
}

/// The engines that can run here; says which cannot and why.
pub(crate) fn engines() -> Vec<Engine> {
    let usable = |engine: &Engine| match Onnx::load_with(file("dense.onnx"), &options("dense", *engine)) {
        Ok(_) => true,
        Err(error) => {
            assert!(matches!(error.problem, Problem::NoEngine { .. } | Problem::Library(_)), "{error}");
            testkit::skip(format!("models in the engine {engine:?}: {error}"));
            false
        }
    };
    [Engine::Rten, Engine::Ort].into_iter().filter(usable).collect()
}

pub(crate) fn scores(model: &dyn Model, points: &[f64]) -> Result<Vec<f64>, ModelError> {
    let dim = model.inputs();
    let mut scores = vec![0.0; points.len() / dim * model.classes()];
    model.scores(Inputs { points, dim }, &mut scores)?;
    Ok(scores)
}

pub(crate) fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}

/// Numbers from 0 to 1 that look random.
pub(crate) fn points(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}

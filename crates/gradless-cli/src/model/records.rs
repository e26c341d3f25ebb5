//! A model of rows or texts, as the command line asks for it.

use std::time::Instant;

use anyhow::bail;
use gradless_models::Record;
use serde_json::Value;

use super::{Loaded, ModelArguments, program};

/// Loads a model for records with columns of these names (none for texts), and asks it about the first of them.
pub(crate) fn load_records(
    asked: &ModelArguments,
    columns: &[String],
    first: &[Record],
    threshold: Option<f64>,
    waits: &Waits<'_>,
) -> anyhow::Result<Loaded> {
    if let Some(address) = asked.address() {
        return service(address, asked, columns, first, waits)?.beyond(threshold);
    }
    asked.check()?;
    if !asked.program.is_empty() {
        return program::of_records(asked, columns, first)?.beyond(threshold);
    }
    let Some(path) = &asked.model else {
        bail!(
            "a table or a text needs a model of its own: --model M.onnx (an export of scikit-learn, say), --model http://…, or a program \
             behind two dashes, -- python model.py"
        );
    };
    onnx(path, asked, columns, first)?.beyond(threshold)
}

/// How long and how often a service is waited for.
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "without HTTP there are no services"))]
pub(crate) struct Waits<'a> {
    pub(crate) in_flight: Option<usize>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) known: Option<&'a Value>,
}

#[cfg(feature = "ort")]
fn onnx(
    path: &std::path::Path,
    asked: &ModelArguments,
    columns: &[String],
    first: &[Record],
) -> anyhow::Result<Loaded> {
    use anyhow::Context;
    use gradless_models::{Description, OnnxRecords};

    use super::{BlackBox, EngineName, hash, with_flags};

    if asked.engine == EngineName::Rten {
        bail!("tables and texts run in onnxruntime alone: leave out --engine rten");
    }
    let description = with_flags(Description::beside(path)?, asked)?;
    let records = OnnxRecords::load(path, Some(description), columns, first)?;
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Ok(Loaded::new(path.display().to_string(), hash(&bytes), BlackBox::Records(Box::new(records))))
}

#[cfg(not(feature = "ort"))]
fn onnx(path: &std::path::Path, _: &ModelArguments, _: &[String], _: &[Record]) -> anyhow::Result<Loaded> {
    bail!(
        "this build has no onnxruntime, which runs models of tables: use `cargo run --release --features ort -- …` for {}",
        path.display()
    )
}

#[cfg(feature = "http")]
use super::service::connect_records as service;

#[cfg(not(feature = "http"))]
fn service(
    address: &str,
    _: &ModelArguments,
    _: &[String],
    _: &[Record],
    _: &Waits<'_>,
) -> anyhow::Result<Loaded> {
    bail!("this build asks no services: use `cargo run --release --features http -- …` for {address}")
}

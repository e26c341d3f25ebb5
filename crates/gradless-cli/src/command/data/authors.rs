//! `gradless data authors`: the networks of the paper's authors as ONNX files, and the images of their experiment.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gradless_paper::authors::{Converted, convert};
use serde::Serialize;

use super::super::Outcome;
use crate::terminal::Terminal;

/// The file with the images.
#[cfg(feature = "paper")]
const IMAGES: &str = "images.json";

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Report<'a> {
    folder: &'a Path,
    networks: &'a [PathBuf],
    images: Option<&'a Path>,
    /// Why some or all images are not listed.
    left_out: &'a [String],
}

/// The list of images, and what is missing in it.
#[derive(Default)]
struct Listed {
    path: Option<PathBuf>,
    left_out: Vec<String>,
}

/// Reads a copy of the authors' repository and writes the folder `authors`.
pub(super) fn bring(dir: &Path, from: Option<&Path>, terminal: &Terminal) -> anyhow::Result<Outcome> {
    let Some(from) = from else {
        bail!(
            "say where your copy of the authors' repository is, https://github.com/VergiliusShao/highdimzo: \
             gradless data authors --from DIR"
        );
    };
    let folder = dir.join("authors");
    let converted = convert(from, &folder).context("the authors' networks cannot be taken")?;
    let listed = list(dir, &converted)?;
    let report = Report {
        folder: &converted.folder,
        networks: &converted.networks,
        images: listed.path.as_deref(),
        left_out: &listed.left_out,
    };
    terminal.result(&sentence(&converted, &listed), &report)?;
    Ok(Outcome::Done)
}

fn sentence(converted: &Converted, listed: &Listed) -> String {
    let names = converted.networks.iter().filter_map(|path| path.file_name()?.to_str());
    let mut lines = vec![format!(
        "The authors' networks are in {}: {}.",
        converted.folder.display(),
        names.collect::<Vec<_>>().join(", ")
    )];
    if let Some(path) = &listed.path {
        lines.push(format!("The images of their experiment: {}.", path.display()));
    }
    lines.extend(listed.left_out.iter().cloned());
    let [lenet, ..] = &converted.networks[..] else { return lines.join("\n") };
    lines.push(format!("Next: gradless reproduce mnist --model {} --images paper", lenet.display()));
    lines.join("\n")
}

#[cfg(not(feature = "paper"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn list(_dir: &Path, _converted: &Converted) -> anyhow::Result<Listed> {
    let why = "Their images are not listed: this build does not know the experiments (feature `paper`).";
    Ok(Listed { path: None, left_out: vec![why.to_owned()] })
}

/// Chooses the images as the authors' scripts do, for each data set that is there.
#[cfg(feature = "paper")]
fn list(dir: &Path, converted: &Converted) -> anyhow::Result<Listed> {
    use gradless_paper::authors::Network;
    use gradless_paper::data::{DataSet, Split, cifar10, mnist};
    use gradless_paper::reproduce::{Order, choose};

    use crate::model::{EngineName, load_for};

    const PER_CLASS: usize = 20;
    let (mut lists, mut left_out) = (serde_json::Map::new(), Vec::new());
    for (network, path) in Network::ALL.into_iter().zip(&converted.networks) {
        let set = network.set();
        let folder = dir.join(set.name());
        if !folder.is_dir() {
            left_out.push(format!(
                "Images of {} are not listed: {} is not there (`gradless data {}`).",
                set.title(),
                folder.display(),
                set.name()
            ));
            continue;
        }
        let read = match set {
            DataSet::Mnist => mnist,
            DataSet::Cifar10 => cifar10,
        };
        let test = read(&folder, Split::Test)?;
        let model = load_for(set, Some(path.clone()), EngineName::default())?.onnx;
        let chosen = choose(&model, set, &test, &Order::Paper, PER_CLASS, 0)?.images;
        let of_class = |class: u8| chosen.iter().filter(move |image| image.class == class);
        let images: Vec<Vec<usize>> =
            (0..10).map(|class| of_class(class).map(|image| image.index).collect()).collect();
        lists.insert(set.name().to_owned(), serde_json::json!({ "images": images }));
    }
    if lists.is_empty() {
        return Ok(Listed { path: None, left_out });
    }
    let path = converted.folder.join(IMAGES);
    std::fs::write(&path, format!("{}\n", serde_json::Value::Object(lists)))
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Listed { path: Some(path), left_out })
}

//! `gradless train` as a command: its files and its refusals.
#![cfg(feature = "paper")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::fs;
use std::path::Path;

use support::{Folder, gradless};

/// A small data set in the form of MNIST: bars whose place is the class.
fn small_mnist(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for (prefix, count) in [("train", 256_u32), ("t10k", 64)] {
        let labels: Vec<u8> = (0..count).map(|image| u8::try_from(image % 5).unwrap()).collect();
        let bar = |label: u8| {
            (0..784_usize).map(move |place| if place / 140 == usize::from(label) { 200 } else { 9 })
        };
        let images: Vec<u8> = labels.iter().flat_map(|&label| bar(label)).collect();
        let header = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
        let write = |name: &str, header: Vec<u8>, body: &[u8]| {
            fs::write(folder.join(format!("{prefix}-{name}")), [header.as_slice(), body].concat()).unwrap();
        };
        write("images-idx3-ubyte", header(&[0x803, count, 28, 28]), &images);
        write("labels-idx1-ubyte", header(&[0x801, count]), &labels);
    }
}

#[test]
fn a_run_leaves_a_network_that_the_other_commands_read() {
    let folder = Folder::new("train");
    let (data, out) = (folder.path("mnist"), folder.path("run"));
    small_mnist(Path::new(&data));
    let words = ["train", "lenet", "--data", &data, "--out", &out, "--epochs", "2", "--format", "json"];
    let told = gradless(&words).ends(0).silent().json();
    assert_eq!((told["network"].as_str(), told["epochs"].as_u64()), (Some("lenet"), Some(2)));
    for file in ["lenet.onnx", "lenet.toml", "curve.csv", "curve.svg", "checkpoint"] {
        assert!(Path::new(&out).join(file).is_file(), "{file} is missing");
    }
    assert_eq!(fs::read_to_string(Path::new(&out).join("curve.csv")).unwrap().lines().count(), 3);
    gradless(&["noise", "--model", &format!("{out}/lenet.onnx")]).ends(0);

    gradless(&words[..8]).fails_saying(&["holds a run", "--resume", "--force", "--out"]);
    let checkpoint = format!("{out}/checkpoint");
    gradless(&["train", "resnet20", "--data", &data, "--resume", &checkpoint]).fails_saying(&["cifar10"]);
    let before = fs::read(format!("{out}/lenet.onnx")).unwrap();
    gradless(&["train", "lenet", "--data", &data, "--resume", &checkpoint]).ends(0);
    assert!(before == fs::read(format!("{out}/lenet.onnx")).unwrap(), "a finished run changed");
    fs::write(&checkpoint, "no").unwrap();
    gradless(&["train", "lenet", "--data", &data, "--resume", &checkpoint])
        .fails_saying(&["not a checkpoint"]);
}

#[test]
fn missing_data_are_explained() {
    let folder = Folder::new("train-nothing");
    let here = folder.path("");
    gradless(&["train", "lenet", "--data", &here]).fails_saying(&["gradless data mnist", "idx"]);
    gradless(&["train", "alexnet", "--data", &here]).fails_saying(&["lenet", "resnet20"]);
}

//! `gradless reproduce` as a command: its words, its files and its refusals.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use support::gradless;

#[cfg(not(feature = "paper"))]
#[test]
fn a_build_without_experiments_says_how_to_get_them() {
    gradless(&["reproduce", "mnist", "--size", "quick"])
        .fails_saying(&["--features paper", "reproduce mnist --size quick"]);
}

#[test]
fn wrong_words_are_answered_with_the_right_ones() {
    gradless(&["reproduce", "imagenet"]).fails_saying(&["mnist", "cifar10"]);
    gradless(&["reproduce", "mnist", "--mode", "px"]).fails_saying(&["pn", "pp", "both"]);
    gradless(&["reproduce", "mnist", "--per-class", "0"]).fails_saying(&["--per-class"]);
}

#[cfg(feature = "paper")]
mod with_experiments {
    use std::fs;
    use std::path::Path;

    use super::gradless;
    use super::support::Folder;

    /// The embedded digits as a test set: one image of every class.
    fn digits(folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/digits");
        let mut images = [0x803_u32, 10, 28, 28].iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
        for digit in 0..10 {
            let file = fs::File::open(assets.join(format!("{digit}.png"))).unwrap();
            let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
            let mut bytes = vec![0; 784];
            reader.next_frame(&mut bytes).unwrap();
            images.extend(bytes);
        }
        let mut labels = [0x801_u32, 10].iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
        labels.extend(0..10);
        fs::write(folder.join("t10k-images-idx3-ubyte"), images).unwrap();
        fs::write(folder.join("t10k-labels-idx1-ubyte"), labels).unwrap();
    }

    #[test]
    fn a_network_that_gets_most_images_wrong_is_doubted() {
        let folder = Folder::new("reproduce-doubted");
        let (data, taken) = (folder.path("mnist"), folder.path("file/run"));
        digits(Path::new(&data));
        folder.put("file", b"");
        let words = ["reproduce", "mnist", "--data", &data, "--per-class", "1", "--out", &taken];
        let ran = gradless(&words).ends(2);
        assert!(!ran.err.contains("right"), "{}", ran.err);
        // Every digit four times more, as another one.
        let (images, labels) = (
            Path::new(&data).join("t10k-images-idx3-ubyte"),
            Path::new(&data).join("t10k-labels-idx1-ubyte"),
        );
        let (old, mut count) =
            (fs::read(&images).unwrap(), [0x803_u32, 50, 28, 28].map(u32::to_be_bytes).concat());
        (0..5).for_each(|_| count.extend(&old[16..]));
        fs::write(&images, count).unwrap();
        let mut names = [0x801_u32, 50].map(u32::to_be_bytes).concat();
        names.extend((0..50_u8).map(|place| (place % 10 + place / 10) % 10));
        fs::write(&labels, names).unwrap();
        gradless(&words).fails_saying(&["% of the images right", "mean and std"]);
    }

    #[test]
    fn what_is_missing_or_unknown_is_explained() {
        let folder = Folder::new("reproduce-nothing");
        let here = folder.path("");
        gradless(&["reproduce", "mnist", "--data", &here]).fails_saying(&["gradless data mnist", "idx"]);
        gradless(&["reproduce", "cifar10", "--data", &here])
            .fails_saying(&["gradless data cifar10", "test_batch"]);
        gradless(&["reproduce", "mnist", "--methods", "sgd"]).fails_saying(&["'sgd'", "zo-psgd:0.1"]);
        let (data, out) = (folder.path("mnist"), folder.path("run"));
        digits(Path::new(&data));
        let words = ["reproduce", "mnist", "--data", &data, "--out", &out];
        gradless(&[&words[..], &["--per-class", "2"]].concat()).fails_saying(&["class 0", "fewer"]);
        let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gradless-models/tests/files/dense.onnx");
        gradless(&[&words[..], &["--size", "quick", "--model", small.to_str().unwrap()]].concat())
            .fails_saying(&["shape", "[1, 28, 28]"]);
        fs::create_dir_all(&out).unwrap();
        fs::write(format!("{out}/runs.jsonl"), "something else\n").unwrap();
        gradless(&[&words[..], &["--size", "quick"]].concat()).fails_saying(&[
            "runs.jsonl",
            "--force",
            "--out",
        ]);
    }
}

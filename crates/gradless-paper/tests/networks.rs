//! The shipped networks: their accuracy on the whole test sets where those are at hand, on what is embedded where not, and
//! their scores against the referee in `f64`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use gradless::{Inputs, Model};
use gradless_models::{Engine, Onnx, OnnxOptions};
use gradless_paper::data::{self, Images, Labelled, Split};
use testkit::network::Network;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn asset(name: &str) -> PathBuf {
    root().join("assets").join(name)
}

fn model(name: &str) -> Onnx {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Onnx::load_with(asset(name), &OnnxOptions { threads, ..OnnxOptions::default() }).unwrap()
}

/// The test set if it is at hand; where it is not, that is said.
fn test_set(name: &str, read: fn(&Path, Split) -> Result<Labelled, data::DataError>) -> Option<Labelled> {
    let folder =
        std::env::var_os("GRADLESS_DATA").map_or_else(|| root().join("data"), PathBuf::from).join(name);
    let there = folder.is_dir();
    if !there {
        testkit::skip(format!(
            "accuracies on all of {name}: {} is not there (GRADLESS_DATA)",
            folder.display()
        ));
    }
    there.then(|| read(&folder, Split::Test).unwrap())
}

fn accuracy(model: &Onnx, test: &Labelled) -> f64 {
    let images: Vec<f64> = test.images.pixels.iter().map(|&byte| f64::from(byte) / 255.0).collect();
    let mut scores = vec![0.0; test.labels.len() * model.classes()];
    model.scores(Inputs { points: &images, dim: model.inputs() }, &mut scores).unwrap();
    let right = scores.chunks_exact(model.classes()).zip(&test.labels).filter(|(scores, label)| {
        let best = (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best });
        best == usize::from(**label)
    });
    right.count() as f64 / test.labels.len() as f64
}

/// The embedded digits, one of each class.
fn digits() -> Labelled {
    let mut pixels = Vec::new();
    for digit in 0..10 {
        let file = std::fs::File::open(asset(&format!("digits/{digit}.png"))).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut bytes = vec![0; 28 * 28];
        reader.next_frame(&mut bytes).unwrap();
        pixels.extend(bytes);
    }
    Labelled { images: Images { channels: 1, height: 28, width: 28, pixels }, labels: (0..10).collect() }
}

#[test]
fn lenet_is_as_accurate_as_stated() {
    let lenet = model("lenet.onnx");
    match test_set("mnist", data::mnist) {
        Some(test) => assert_eq!(accuracy(&lenet, &test), 0.9927),
        None => assert_eq!(accuracy(&lenet, &digits()), 1.0),
    }
}

#[test]
fn resnet20_is_as_accurate_as_stated() {
    // There is no photograph to embed: without the test set, the referee below is what is left.
    if let Some(test) = test_set("cifar10", data::cifar10) {
        assert_eq!(accuracy(&model("resnet20.onnx"), &test), 0.913);
    }
}

#[test]
fn the_embedded_digits_are_the_first_of_each_kind() {
    if let Some(test) = test_set("mnist", data::mnist) {
        let embedded = digits();
        for digit in 0..10_u8 {
            let first = test.labels.iter().position(|&label| label == digit).unwrap();
            assert_eq!(test.images.image(first), embedded.images.image(usize::from(digit)));
        }
    }
}

#[test]
fn the_engine_agrees_with_the_referee() {
    for name in ["lenet.onnx", "resnet20.onnx"] {
        let model = model(name);
        let second = OnnxOptions { engine: Engine::Ort, ..OnnxOptions::default() };
        let second = Onnx::load_with(asset(name), &second)
            .map_err(|error| testkit::skip(format!("{name} in the engine ort: {error}")))
            .ok();
        let referee = Network::read(&std::fs::read(asset(name)).unwrap()).unwrap();
        let (count, dim) = (6, model.inputs());
        let points: Vec<f64> = (0..count * dim).map(|i| (i * 7919 % 1009) as f64 / 1009.0).collect();
        let mut scores = vec![0.0; count * model.classes()];
        model.scores(Inputs { points: &points, dim }, &mut scores).unwrap();
        if let Some(second) = second {
            let mut others = scores.clone();
            second.scores(Inputs { points: &points, dim }, &mut others).unwrap();
            for (one, other) in scores.iter().zip(others) {
                assert!((one - other).abs() < 1e-5 * (1.0 + one.abs()), "{name}: {one} and {other}");
            }
        }
        let (mean, std) = (&model.description().mean, &model.description().std);
        let area = dim / model.shape()[0];
        for (x, scores) in points.chunks_exact(dim).zip(scores.chunks_exact(model.classes())) {
            #[expect(clippy::cast_possible_truncation, reason = "as the network sees it")]
            let prepared: Vec<f64> = (0..dim)
                .map(|i| {
                    let channel = i / area;
                    let shifted = x[i] - mean.get(channel).unwrap_or(&0.0);
                    f64::from((shifted / std.get(channel).unwrap_or(&1.0)) as f32)
                })
                .collect();
            for (found, expected) in scores.iter().zip(referee.scores(&prepared)) {
                assert!(
                    (found - expected).abs() < 1e-5 * (1.0 + expected.abs()),
                    "{name}: {found} for {expected}"
                );
            }
        }
    }
}

//! ONNX files: the bytes that the official checker accepted, the scores of onnxruntime, errors that name the part.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it says")]

use gradless_paper::onnx::{Graph, OnnxError, Tensor, Value, fold_batch_norm};
use testkit::network::Network;

/// Weights of exact binary fractions, about as large as trained ones.
fn weights(shape: &[usize], salt: usize) -> Tensor {
    let value = |i: usize| f32::from(i16::try_from((i * 7919 + salt * 10_007) % 257).unwrap() - 128) / 256.0;
    Tensor { shape: shape.to_vec(), values: (0..shape.iter().product()).map(value).collect() }
}

fn row(count: usize, salt: usize) -> Vec<f32> {
    weights(&[count], salt).values
}

fn small_lenet() -> Result<Vec<u8>, OnnxError> {
    let mut graph = Graph::new("lenet", "image", &[1, 14, 14]);
    let x = graph.conv(graph.input(), &weights(&[3, 1, 5, 5], 1), Some(&row(3, 2)), [0, 0], [1, 1])?;
    let x = graph.tanh(x)?;
    let x = graph.max_pool(x, [2, 2], [2, 2])?;
    let x = graph.conv(x, &weights(&[4, 3, 3, 2], 3), Some(&row(4, 4)), [1, 0], [1, 2])?;
    let x = graph.tanh(x)?;
    let x = graph.max_pool(x, [3, 2], [2, 1])?;
    let x = graph.flatten(x)?;
    let x = graph.dense(x, &weights(&[6, 8], 5), Some(&row(6, 6)))?;
    let x = graph.tanh(x)?;
    let x = graph.dense(x, &weights(&[10, 6], 7), None)?;
    let x = graph.tanh(x)?;
    graph.metadata("seed", "7");
    graph.metadata("accuracy", "not trained");
    graph.finish(x, 10)
}

/// One block of each kind; batch norm kept or folded into the convolution before it.
fn small_resnet(fold: bool) -> Result<Vec<u8>, OnnxError> {
    let mut graph = Graph::new("resnet", "image", &[3, 7, 8]);
    let input = graph.input();
    let x = normalised(&mut graph, input, [3, 4], 1, fold)?;
    let x = graph.relu(x)?;
    let x = block(&mut graph, x, [4, 4], 1, fold)?;
    let x = block(&mut graph, x, [4, 8], 2, fold)?;
    let x = graph.global_average_pool(x)?;
    let x = graph.flatten(x)?;
    let x = graph.dense(x, &weights(&[10, 8], 9), Some(&row(10, 10)))?;
    graph.finish(x, 10)
}

fn block(
    graph: &mut Graph,
    x: Value,
    channels: [usize; 2],
    stride: usize,
    fold: bool,
) -> Result<Value, OnnxError> {
    let y = normalised(graph, x, channels, stride, fold)?;
    let y = graph.relu(y)?;
    let y = normalised(graph, y, [channels[1]; 2], 1, fold)?;
    let zeros = (channels[1] - channels[0]) / 2;
    let x = if stride == 1 { x } else { graph.shortcut(x, stride, [zeros, zeros])? };
    let sum = graph.add(y, x)?;
    graph.relu(sum)
}

fn normalised(
    graph: &mut Graph,
    x: Value,
    [inputs, outputs]: [usize; 2],
    stride: usize,
    fold: bool,
) -> Result<Value, OnnxError> {
    let weight = weights(&[outputs, inputs, 3, 3], 11);
    let (gamma, beta, mean) = (row(outputs, 12), row(outputs, 13), row(outputs, 14));
    let variance: Vec<f32> = row(outputs, 15).iter().map(|v| v.abs() + 0.5).collect();
    if fold {
        let (weight, bias) = fold_batch_norm(&weight, None, &gamma, &beta, &mean, &variance, 1e-5)?;
        return graph.conv(x, &weight, Some(&bias), [1, 1], [stride, stride]);
    }
    let y = graph.conv(x, &weight, None, [1, 1], [stride, stride])?;
    graph.batch_norm(y, &gamma, &beta, &mean, &variance, 1e-5)
}

#[test]
fn the_writer_still_writes_the_bytes_that_were_checked() {
    let golden = [
        ("lenet", small_lenet().unwrap(), &include_bytes!("onnx/lenet.onnx")[..]),
        ("resnet", small_resnet(false).unwrap(), include_bytes!("onnx/resnet.onnx")),
    ];
    for (name, bytes, checked) in golden {
        if without_version(&bytes) != without_version(checked) {
            let path = format!("{}/{name}.onnx", env!("CARGO_TARGET_TMPDIR"));
            std::fs::write(&path, bytes).unwrap();
            panic!(
                "{path} differs from tests/onnx/{name}.onnx: if that is meant, copy it there and run check.py"
            );
        }
    }
}

/// What follows format version, producer and its version: the golden files outlive a release.
fn without_version(bytes: &[u8]) -> &[u8] {
    let rest = bytes.strip_prefix(b"\x08\x08\x12\x08gradless\x1a").unwrap();
    &rest[1 + usize::from(rest[0])..]
}

#[test]
fn scores_are_those_of_onnxruntime() {
    let stored: serde_json::Value = serde_json::from_str(include_str!("onnx/scores.json")).unwrap();
    let numbers = |list: &serde_json::Value| -> Vec<f64> {
        list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    let networks = [
        ("lenet", small_lenet().unwrap()),
        ("resnet", small_resnet(false).unwrap()),
        ("resnet", small_resnet(true).unwrap()),
    ];
    for (name, bytes) in networks {
        let network = Network::read(&bytes).unwrap();
        for example in stored[name].as_array().unwrap() {
            let scores = network.scores(&numbers(&example["input"]));
            for (ours, theirs) in scores.iter().zip(numbers(&example["scores"])) {
                assert!((ours - theirs).abs() < 1e-6 * (1.0 + theirs.abs()), "{name}: {ours} {theirs}");
            }
            assert_eq!(scores.len(), 10);
        }
    }
}

#[test]
fn folding_changes_scores_by_rounding_only() {
    let [kept, folded] = [false, true].map(|fold| Network::read(&small_resnet(fold).unwrap()).unwrap());
    let input: Vec<f64> = row(3 * 7 * 8, 20).into_iter().map(f64::from).collect();
    for (a, b) in kept.scores(&input).iter().zip(folded.scores(&input)) {
        // Weights are rounded to f32 once: 6e-8 each, relative.
        assert!((a - b).abs() < 5e-7 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn notes_are_stored_in_the_file() {
    let bytes = small_lenet().unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    for text in ["gradless", env!("CARGO_PKG_VERSION"), "accuracy", "not trained", "conv_2.weight", "batch"] {
        assert!(holds(text), "{text}");
    }
}

#[test]
fn what_does_not_fit_is_refused_where_it_is_added() {
    type Step = fn(&mut Graph) -> Result<Value, OnnxError>;
    let image = |graph: &Graph| graph.input();
    let cases: [(Step, &str); 12] = [
        (|g| g.conv(g.input(), &weights(&[2, 4, 3, 3], 1), None, [0, 0], [1, 1]), "4 channels are needed"),
        (|g| g.conv(g.input(), &weights(&[2, 3, 3], 1), None, [0, 0], [1, 1]), "4 axes are needed"),
        (
            |g| g.conv(g.input(), &weights(&[2, 3, 3, 3], 1), Some(&[0.0]), [0, 0], [1, 1]),
            "bias of conv_1 has 1",
        ),
        (|g| g.conv(g.input(), &weights(&[2, 3, 9, 3], 1), None, [0, 0], [1, 1]), "kernel [9, 3]"),
        (|g| g.conv(g.input(), &weights(&[2, 3, 3, 3], 1), None, [0, 0], [0, 1]), "strides [0, 1]"),
        (
            |g| {
                let short = Tensor { shape: vec![2, 3, 3, 3], values: vec![0.0; 53] };
                g.conv(g.input(), &short, None, [0, 0], [1, 1])
            },
            "53 values where the shapes ask for 54",
        ),
        (
            |g| {
                let mut weight = weights(&[2, 3, 3, 3], 1);
                weight.values[5] = f32::NAN;
                g.conv(g.input(), &weight, None, [0, 0], [1, 1])
            },
            "value 5 of the weight of conv_1 is NaN",
        ),
        (
            |g| g.batch_norm(g.input(), &[1.0; 3], &[0.0; 3], &[0.0; 2], &[1.0; 3], 1e-5),
            "mean of batch_norm_1",
        ),
        (|g| g.dense(g.input(), &weights(&[2, 3], 1), None), "a row of 3 is needed"),
        (|g| g.max_pool(g.input(), [2, 9], [1, 1]), "kernel [2, 9]"),
        (|g| g.shortcut(g.input(), 2, [usize::MAX, 0]), "too large"),
        (
            |g| {
                let flat = g.flatten(g.input())?;
                g.add(g.input(), flat)
            },
            "the other has shape [3, 8, 8]",
        ),
    ];
    for (step, what) in cases {
        let mut graph = Graph::new("net", "image", &[3, 8, 8]);
        assert_eq!(graph.shape(image(&graph)), Some(&[3, 8, 8][..]));
        let error = step(&mut graph).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn a_file_needs_scores_and_names_that_differ() {
    let finish = |name: &str, classes: usize| {
        let mut graph = Graph::new("net", name, &[2]);
        let x = graph.dense(graph.input(), &weights(&[3, 2], 1), None)?;
        graph.finish(x, classes)
    };
    assert!(finish("x", 3).is_ok());
    assert!(finish("x", 4).unwrap_err().to_string().contains("4 scores"));
    for name in ["", "scores", "dense_1", "dense_1.weight"] {
        assert_eq!(finish(name, 3).unwrap_err(), OnnxError::Name { name: name.to_owned() });
    }
    let mut long = Graph::new("long", "x", &[2]);
    let mut last = long.input();
    for _ in 0..3 {
        last = long.relu(last).unwrap();
    }
    let foreign = Graph::new("short", "x", &[2]).relu(last).unwrap_err();
    assert_eq!(foreign, OnnxError::Foreign { node: "relu_1".to_owned(), index: 3, count: 1 });
}

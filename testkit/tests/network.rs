//! The f64 referee: the same scores as onnxruntime and onnx's reference implementation, and refusals that name the part.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it says")]

use testkit::network::Network;

const LENET: &[u8] = include_bytes!("network/lenet.onnx");
const RESNET: &[u8] = include_bytes!("network/resnet.onnx");
const ODD: &[u8] = include_bytes!("network/odd.onnx");

fn numbers(list: &serde_json::Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn scores_are_those_of_two_other_implementations() {
    let stored: serde_json::Value = serde_json::from_str(include_str!("network/scores.json")).unwrap();
    for (name, bytes) in [("lenet", LENET), ("resnet", RESNET), ("odd", ODD)] {
        let network = Network::read(bytes).unwrap();
        let examples = stored[name].as_array().unwrap();
        assert_eq!(examples.len(), 2);
        for example in examples {
            let scores = network.scores(&numbers(&example["input"]));
            // f64 against f64: only the order of the sums differs. f32: the round-off of a small network.
            let (f64_apart, f32_apart) = (
                distance(&scores, &numbers(&example["reference"])),
                distance(&scores, &numbers(&example["onnxruntime"])),
            );
            assert!(f64_apart < 1e-13 && f32_apart < 1e-6, "{name}: {f64_apart:e}, {f32_apart:e}");
        }
    }
}

#[test]
fn shape_and_classes_are_known_up_front() {
    for (bytes, shape, classes) in [(LENET, [1, 16, 16], 10), (RESNET, [3, 9, 8], 10), (ODD, [4, 7, 9], 7)] {
        let network = Network::read(bytes).unwrap();
        assert_eq!((network.input_shape(), network.classes()), (&shape[..], classes));
    }
}

#[test]
fn a_nan_reaches_the_scores() {
    let network = Network::read(RESNET).unwrap();
    let mut input = vec![0.0; 3 * 9 * 8];
    input[100] = f64::NAN;
    assert!(network.scores(&input).iter().all(|score| score.is_nan()));
}

#[test]
#[should_panic(expected = "values in an input of this network")]
fn an_input_of_another_length_is_refused() {
    Network::read(LENET).unwrap().scores(&[0.0; 3]);
}

/// The file with the first `from` replaced by `to`, which is as long.
fn with(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + to.len()..]].concat()
}

#[test]
fn what_is_not_known_is_named() {
    let cases = [
        (with(LENET, "Tanh", "Sinh"), "Sinh is not among"),
        (with(LENET, "kernel_shape", "kernel_shame"), "kernel_shame"),
        (with(RESNET, "momentum", "momentun"), "momentun"),
        (with(RESNET, "constant", "reflects"), "mode reflects"),
        (with(ODD, "count_include_pad", "count_include_map"), "count_include_map"),
        (with(LENET, "MaxPool", "MinPool"), "MinPool"),
        (with(LENET, "input", "imput"), "nothing gives its input \"imput\""),
        (b"<html>not a model</html>".to_vec(), "not an ONNX file"),
        (Vec::new(), "not an ONNX file"),
    ];
    for (bytes, what) in cases {
        let error = Network::read(&bytes).unwrap_err();
        assert!(error.contains(what), "{what}: {error}");
    }
}

/// A field that holds bytes; short ones only.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

/// An input or output with these axes; zero stands for an axis of any length.
fn value(name: &str, axes: &[u8]) -> Vec<u8> {
    let axis = |length: &u8| field(1, &if *length == 0 { field(2, b"n") } else { vec![8, *length] });
    let shape: Vec<u8> = axes.iter().flat_map(axis).collect();
    [field(1, name.as_bytes()), field(2, &field(1, &[vec![8, 1], field(2, &shape)].concat()))].concat()
}

/// A file without weights: `operator` takes `x` to `y`.
fn file(inputs: &[(&str, &[u8])], operator: &str, opset: u8) -> Vec<u8> {
    let node = [field(1, b"x"), field(2, b"y"), field(4, operator.as_bytes())].concat();
    let inputs = inputs.iter().flat_map(|(name, axes)| field(11, &value(name, axes)));
    let graph: Vec<u8> =
        field(1, &node).into_iter().chain(inputs).chain(field(12, &value("y", &[0, 0]))).collect();
    [field(7, &graph), field(8, &[16, opset])].concat()
}

#[test]
fn a_file_that_is_no_image_classifier_is_refused() {
    let long = [0, 127, 127, 127, 127];
    let cases = [
        (file(&[("x", &[0, 3])], "Relu", 17), ""),
        (file(&[("x", &[0, 3])], "Relu", 9), "opset 9"),
        (file(&[("x", &[0, 3]), ("z", &[0, 3])], "Relu", 17), "[\"x\", \"z\"]: a classifier has one"),
        (file(&[], "Relu", 17), "a classifier has one"),
        (file(&[("x", &[0, 3, 0])], "Relu", 17), "every axis after the batch must be fixed"),
        (file(&[("x", &[])], "Relu", 17), "every axis after the batch must be fixed"),
        (file(&[("x", &[0, 3, 4])], "Relu", 17), "a row of scores is needed"),
        (file(&[("x", &long)], "Flatten", 17), "must have 1 to"),
        (file(&[("x", &[0, 3])], "Conv", 17), "1 inputs"),
        (file(&[("x", &[0, 3])], "GlobalAveragePool", 17), "[1, channels, height, width] is needed"),
        (file(&[("x", &[0, 3])], "Reshape", 17), "no shape"),
    ];
    for (bytes, what) in cases {
        match Network::read(&bytes) {
            Ok(network) => assert_eq!((what, network.scores(&[-1.0, 0.0, 2.0])), ("", vec![0.0, 0.0, 2.0])),
            Err(error) => assert!(!what.is_empty() && error.contains(what), "{what}: {error}"),
        }
    }
}

#[test]
fn a_cut_file_is_refused_at_every_length() {
    for length in 0..LENET.len() {
        assert!(Network::read(&LENET[..length]).is_err(), "{length}");
    }
}

#[test]
fn a_flipped_bit_gives_an_error_or_a_network_never_a_panic() {
    for (position, bit) in (0..LENET.len()).zip((0..8).cycle()) {
        let mut bytes = LENET.to_vec();
        bytes[position] ^= 1 << bit;
        if let Ok(network) = Network::read(&bytes) {
            let input = vec![0.5; network.input_shape().iter().product()];
            assert_eq!(network.scores(&input).len(), network.classes());
        }
    }
}

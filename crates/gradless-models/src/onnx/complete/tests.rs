//! Small graphs, with and without what may be left out.

mod defaults;
mod names;
mod sketch;
mod values;

use super::*;
use crate::onnx::node::Draft;
use sketch::Sketch;

#[test]
fn a_file_that_needs_nothing_is_not_copied() {
    let relu = Draft::new(b"Relu", b"r").input(b"x").output(b"y");
    let bytes = Sketch::new(13).input("x", &[2]).node(&relu).output("y").bytes();
    for engine in [Engine::Rten, Engine::Ort] {
        assert!(matches!(complete(&bytes, engine).unwrap().bytes, Cow::Borrowed(_)));
    }
}

#[test]
fn onnxruntime_gets_names_and_nothing_else() {
    let conv = Draft::new(b"Conv", b"c").input(b"x").input(b"w").output(b"y");
    let sketch = Sketch::new(13).input("x", &[1, 1, 3, 3]).weight("w", &[1, 1, 2, 2], &[1.0; 4]).output("y");
    let named = sketch.clone().node(&conv).bytes();
    assert!(matches!(complete(&named, Engine::Ort).unwrap().bytes, Cow::Borrowed(_)));
    let conv = Draft::new(b"Conv", b"").input(b"x").input(b"w").output(b"y");
    let unnamed = sketch.node(&conv).bytes();
    let completed = complete(&unnamed, Engine::Ort).unwrap().bytes.into_owned();
    let name = b"Conv (output \"y\")";
    assert_eq!(completed.len(), unnamed.len() + name.len() + 2);
    assert!(completed.windows(name.len()).any(|window| window == name));
}

#[test]
fn graphs_nested_without_end_are_refused_by_both() {
    let nested = |depth: usize| {
        let mut graph = Vec::new();
        for _ in 0..depth {
            let mut attribute = Vec::new();
            put_bytes(&mut attribute, 6, &graph);
            let node = Draft::new(b"If", b"").attribute(&attribute);
            graph = Vec::new();
            put_bytes(&mut graph, 1, node.bytes());
        }
        let mut model = vec![8, 8];
        put_bytes(&mut model, 7, &graph);
        model
    };
    for engine in [Engine::Rten, Engine::Ort] {
        assert!(complete(&nested(32), engine).is_ok());
        let error = complete(&nested(33), engine).unwrap_err();
        assert!(error.to_string().contains("nested more than 32 deep"), "{error}");
    }
    assert!(crate::onnx::graph::read(&nested(32)).is_ok());
    assert!(crate::onnx::graph::read(&nested(33)).is_err());
    // The stack holds a file that is nested as deeply as its size allows, too.
    assert!(complete(&nested(2000), Engine::Rten).is_err());
}

#[test]
fn a_file_cut_anywhere_is_completed_or_refused_without_a_panic() {
    let conv = Draft::new(b"Conv", b"").input(b"x").input(b"w").output(b"y");
    let sketch = Sketch::new(11).input("x", &[1, 1, 3, 3]).weight("w", &[1, 1, 2, 2], &[1.0; 4]);
    let soft = Draft::new(b"Softmax", b"").input(b"y").output(b"z");
    let bytes = sketch.node(&conv).node(&soft).output("z").bytes();
    for length in 0..bytes.len() {
        let _ = complete(&bytes[..length], Engine::Rten);
    }
    for bit in 0..8 * bytes.len() {
        let mut turned = bytes.clone();
        turned[bit / 8] ^= 1 << (bit % 8);
        let _ = complete(&turned, Engine::Rten);
    }
}

#[test]
fn what_is_filled_in_is_bounded_however_long_the_names_are() {
    // The corrected Sign takes its input three times.
    let name = vec![b'x'; 1 << 26];
    let sign = Draft::new(b"Sign", b"").input(&name).output(b"y");
    let bytes = Sketch::new(13).node(&sign).node(&sign).node(&sign).output("y").bytes();
    let error = complete(&bytes, Engine::Rten).unwrap_err();
    assert!(error.to_string().contains("leaves out more than the 268435456 bytes"), "{error}");
    assert!(complete(&bytes, Engine::Ort).is_ok());
}

#[test]
fn more_nodes_than_any_network_has_are_refused() {
    let nodes = |count: usize| {
        let mut graph = Vec::new();
        for _ in 0..count {
            put_bytes(&mut graph, 1, b"");
        }
        let mut model = vec![8, 8];
        put_bytes(&mut model, 7, &graph);
        model
    };
    assert!(crate::onnx::graph::read(&nodes(1 << 20)).is_ok());
    let error = crate::onnx::graph::read(&nodes((1 << 20) + 1)).unwrap_err();
    assert!(error.to_string().contains("more than 1048576 nodes"), "{error}");
}

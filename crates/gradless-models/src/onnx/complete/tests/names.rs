//! Errors name the operator and the node.
#![cfg(feature = "rten")]

use super::sketch::Sketch;
use crate::onnx::node::{Draft, ints};
use crate::onnx::wire::{put_bytes, put_number};

/// What is said of a pool in three dimensions, which `rten` does not have.
fn said(name: &[u8]) -> String {
    let pool =
        Draft::new(b"MaxPool", name).input(b"x").output(b"y").attribute(&ints("kernel_shape", &[1, 1, 1]));
    Sketch::new(13).input("x", &[1, 1, 2, 2, 2]).node(&pool).output("y").run().unwrap_err().to_string()
}

#[test]
fn a_node_is_told_by_its_name_or_else_by_its_output() {
    let named = said(b"pool/1");
    assert!(named.contains("MaxPool (node \"pool/1\") failed: "), "{named}");
    let unnamed = said(b"");
    assert!(unnamed.contains("MaxPool (output \"y\") failed: "), "{unnamed}");
    // As some exporters have it: the engine has one space of names, and would forget the node's.
    let as_its_output = said(b"y");
    assert!(as_its_output.contains("MaxPool (node \"y\") failed: "), "{as_its_output}");
    let quoted = said(b"a \"quoted\" name");
    assert!(quoted.contains("MaxPool (node \"a \"quoted\" name\") failed: "), "{quoted}");
    for said in [named, unnamed, as_its_output, quoted] {
        assert!(!said.contains("operator \"") && said.contains("try the engine ort"), "{said}");
    }
}

#[test]
fn of_several_nodes_with_one_name_each_has_its_own() {
    let relu = |x: &[u8], y: &[u8]| Draft::new(b"Relu", b"same").input(x).output(y);
    let pool =
        Draft::new(b"MaxPool", b"same").input(b"a").output(b"y").attribute(&ints("kernel_shape", &[1, 1, 1]));
    let sketch = Sketch::new(13).input("x", &[1, 1, 2, 2, 2]).node(&relu(b"x", b"a")).node(&pool).output("y");
    let error = sketch.run().unwrap_err().to_string();
    assert!(error.contains("MaxPool (node \"same\") failed: "), "{error}");
}

#[test]
fn an_operator_that_is_missing_is_told_with_its_node_inside_a_branch_too() {
    let branch = |operator: &[u8]| {
        let node = Draft::new(operator, b"").input(b"x").output(b"z");
        Sketch::new(13).node(&node).output("z").graph().to_vec()
    };
    let graph = |name: &str, graph: &[u8]| {
        let mut out = Vec::new();
        put_bytes(&mut out, 1, name.as_bytes());
        put_bytes(&mut out, 6, graph);
        put_number(&mut out, 20, 5);
        out
    };
    let either = |operator: &[u8]| {
        let either = Draft::new(b"If", b"").input(b"yes").output(b"y");
        let either = either.attribute(&graph("then_branch", &branch(operator)));
        let either = either.attribute(&graph("else_branch", &branch(b"Relu")));
        Sketch::new(13).input("x", &[3]).tensor("yes", 9, &[], &[1]).node(&either).output("y")
    };
    let error = either(b"Mish").run().unwrap_err().to_string();
    assert!(error.starts_with("uses Mish, which the engine rten does not have ("), "{error}");
    assert!(
        error.contains("in If (output \"y\"): ") && error.contains("in Mish (output \"z\"): "),
        "{error}"
    );
    // What is corrected outside is corrected inside.
    let found = either(b"Sign").run_with(|_| vec![-2.0, 0.0, 2.0]).unwrap().remove(0);
    assert_eq!(found.values, [-1.0, 0.0, 1.0]);
}

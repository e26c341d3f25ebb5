//! What is left out is what it is by ONNX's own words: the same bits as if it were said.
#![cfg(feature = "rten")]

use super::sketch::Sketch;
use crate::onnx::node::{Draft, int, ints};
use crate::onnx::wire::{put_bytes, put_number};

/// A text attribute.
pub(super) fn text(name: &str, value: &str) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, name.as_bytes());
    put_bytes(&mut out, 4, value.as_bytes());
    put_number(&mut out, 20, 3);
    out
}

fn with(draft: Draft, attributes: &[Vec<u8>]) -> Draft {
    attributes.iter().fold(draft, |draft, attribute| draft.attribute(attribute))
}

/// Numbers for weights that are all different.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 5 % 13) as f32 / 8.0 - 0.5).collect()
}

#[test]
fn a_convolution_without_attributes_has_strides_and_dilations_of_1_and_no_padding() {
    let lists = [
        ("strides", vec![1, 1]),
        ("dilations", vec![1, 1]),
        ("pads", vec![0; 4]),
        ("kernel_shape", vec![3, 2]),
    ];
    let given: Vec<Vec<u8>> = lists.iter().map(|(name, list)| ints(name, list)).collect();
    for (operator, weights) in [(&b"Conv"[..], [4, 2, 3, 2]), (b"ConvTranspose", [2, 4, 3, 2])] {
        let sketch =
            Sketch::new(13).input("x", &[2, 2, 5, 5]).weight("w", &weights, &numbers(48)).output("y");
        let conv = Draft::new(operator, b"c").input(b"x").input(b"w").output(b"y");
        let whole = sketch.clone().node(&with(conv.clone(), &given)).values();
        assert_eq!(sketch.clone().node(&conv.clone()).values(), whole);
        // Each of them may be left out alone, too.
        for (left_out, (name, _)) in lists.iter().enumerate() {
            let mut some = given.clone();
            some.remove(left_out);
            assert_eq!(sketch.clone().node(&with(conv.clone(), &some)).values(), whole, "{name}");
        }
        // And what is given alone is kept.
        let wide = [ints("dilations", &[2, 1])];
        let all = [ints("strides", &[1, 1]), ints("dilations", &[2, 1]), ints("pads", &[0; 4])];
        let wide = sketch.clone().node(&with(conv.clone(), &wide)).values();
        assert_eq!(wide, sketch.clone().node(&with(conv, &all)).values());
        assert_ne!(wide, whole);
    }
}

#[test]
fn the_axes_of_a_convolution_are_found_where_its_weights_are_not_in_sight() {
    let conv = || Draft::new(b"Conv", b"c").input(b"x").input(b"v").output(b"y");
    let sketch = || Sketch::new(13).input("x", &[1, 2, 5]).weight("w", &[4, 2, 3], &numbers(24)).output("y");
    let whole = Draft::new(b"Conv", b"c").input(b"x").input(b"w").output(b"y");
    let lists = [ints("strides", &[1]), ints("dilations", &[1]), ints("pads", &[0, 0])];
    let whole = sketch().node(&with(whole, &lists)).values();
    // Behind an operator that keeps the shape, and behind one of which nothing is known: then the input tells.
    let identity = Draft::new(b"Identity", b"i").input(b"w").output(b"v");
    assert_eq!(sketch().node(&identity).node(&conv()).values(), whole);
    let reciprocal = |from: &[u8], to: &[u8]| Draft::new(b"Reciprocal", b"").input(from).output(to);
    let weights: Vec<f32> = (1..=24).map(|i| 1.0 / i as f32).collect();
    let sketch = Sketch::new(13).input("x", &[1, 2, 5]).weight("w", &[4, 2, 3], &weights).output("y");
    let unknown = sketch.clone().node(&reciprocal(b"w", b"v")).node(&conv());
    assert_eq!(unknown.values(), sketch.node(&reciprocal(b"w", b"v")).node(&with(conv(), &lists)).values());
}

#[test]
fn a_pool_without_strides_moves_by_1() {
    for operator in [&b"MaxPool"[..], b"AveragePool"] {
        let sketch = Sketch::new(13).input("x", &[1, 2, 5, 5]).output("y");
        let pool =
            Draft::new(operator, b"p").input(b"x").output(b"y").attribute(&ints("kernel_shape", &[3, 2]));
        let given = sketch.clone().node(&pool.clone().attribute(&ints("strides", &[1, 1]))).values();
        assert_eq!(sketch.clone().node(&pool).values(), given);
        assert_eq!(given.len(), 2 * 3 * 4);
    }
}

#[test]
fn an_odd_pixel_of_same_lower_goes_in_front() {
    for (operator, attributes) in [
        (&b"Conv"[..], vec![]),
        (b"MaxPool", vec![ints("kernel_shape", &[2, 3])]),
        (b"AveragePool", vec![ints("kernel_shape", &[2, 3])]),
    ] {
        let padded = |strides: &[i64], last: Vec<u8>| {
            let node = Draft::new(operator, b"n").input(b"x");
            let node = if operator == b"Conv" { node.input(b"w") } else { node };
            let node =
                with(node.output(b"y"), &attributes).attribute(&ints("strides", strides)).attribute(&last);
            let sketch = Sketch::new(13).input("x", &[1, 1, 5, 6]).weight("w", &[1, 1, 2, 3], &numbers(6));
            sketch.output("y").node(&node).values()
        };
        let lower = || text("auto_pad", "SAME_LOWER");
        assert_eq!(padded(&[1, 1], lower()), padded(&[1, 1], ints("pads", &[1, 1, 0, 1])));
        assert_ne!(padded(&[1, 1], lower()), padded(&[1, 1], text("auto_pad", "SAME_UPPER")));
        // Five rows by twos need one row more, six columns by twos one column.
        assert_eq!(padded(&[2, 2], lower()), padded(&[2, 2], ints("pads", &[1, 1, 0, 0])));
    }
}

#[test]
fn padding_that_depends_on_an_unknown_input_is_refused_where_the_engine_would_do_it_otherwise() {
    let reciprocal = Draft::new(b"Reciprocal", b"").input(b"x").output(b"v");
    let pool =
        Draft::new(b"MaxPool", b"").input(b"v").output(b"y").attribute(&text("auto_pad", "SAME_LOWER"));
    let pool = pool.attribute(&ints("kernel_shape", &[2, 2])).attribute(&ints("strides", &[2, 2]));
    let error = Sketch::new(13)
        .input("x", &[1, 1, 5, 6])
        .node(&reciprocal)
        .node(&pool)
        .output("y")
        .run()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "is refused by the engine rten: MaxPool (output \"y\"): auto_pad = SAME_LOWER would be padded as SAME_UPPER. \
         If the file is right, try the engine ort (`--engine ort`)"
    );
}

#[test]
fn quantization_is_along_axis_1() {
    let scales = [0.5, 0.25, 0.125];
    let sketch =
        Sketch::new(13).input("x", &[2, 3, 2]).weight("s", &[3], &scales).tensor("z", 2, &[3], &[100; 3]);
    let quantize = Draft::new(b"QuantizeLinear", b"q").input(b"x").input(b"s").input(b"z").output(b"y");
    let left_out = sketch.clone().node(&quantize.clone()).output("y").values();
    assert_eq!(left_out, sketch.node(&quantize.attribute(&int("axis", 1))).output("y").values());
}

#[test]
fn dropout_does_nothing_unless_it_may_be_in_training() {
    let sketch = |flag: u8| Sketch::new(13).input("x", &[2, 3]).tensor("t", 9, &[], &[flag]).output("y");
    let dropout =
        || Draft::new(b"Dropout", b"d").input(b"x").input(b"").input(b"t").output(b"y").output(b"mask");
    let untouched = Sketch::new(13).input("x", &[2, 3]).output("x").values();
    assert_eq!(sketch(0).node(&dropout()).values(), untouched);
    let plain = Draft::new(b"Dropout", b"d").input(b"x").output(b"y");
    assert_eq!(sketch(0).node(&plain).values(), untouched);
    for refused in [sketch(1).node(&dropout()), sketch(0).node(&dropout()).output("mask")] {
        let error = refused.run().unwrap_err().to_string();
        assert!(
            error.starts_with("uses Dropout, which the engine rten does not have (in Dropout (node \"d\")"),
            "{error}"
        );
        assert!(
            error.ends_with("try the engine ort (`--engine ort`), or export it with other operators"),
            "{error}"
        );
    }
}

#[test]
fn packed_lists_and_shapes_are_lists_and_shapes() {
    let packed = |name: &str, list: &[u8]| {
        let mut attribute = Vec::new();
        put_bytes(&mut attribute, 1, name.as_bytes());
        put_bytes(&mut attribute, 8, list);
        attribute
    };
    let raw: Vec<u8> = numbers(12).iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut weight = Vec::new();
    put_bytes(&mut weight, 1, &[1, 2, 3, 2]);
    put_number(&mut weight, 2, 1);
    put_bytes(&mut weight, 8, b"w");
    put_bytes(&mut weight, 9, &raw);
    let conv = || Draft::new(b"Conv", b"c").input(b"x").input(b"w").output(b"y");
    let sketch = || Sketch::new(13).input("x", &[1, 2, 5, 5]).output("y");
    let found = sketch().raw_weight(&weight).node(&conv().attribute(&packed("strides", &[2, 1]))).values();
    let plain = sketch().weight("w", &[1, 2, 3, 2], &numbers(12));
    assert_eq!(found, plain.node(&conv().attribute(&ints("strides", &[2, 1]))).values());
}

//! Operators that the engine computes otherwise, against their definitions.
#![cfg(feature = "rten")]

use super::defaults::text;
use super::sketch::Sketch;
use crate::onnx::node::{Draft, int};

fn one(operator: &[u8], opset: u64, shape: &[usize]) -> Sketch {
    let node = Draft::new(operator, b"n").input(b"x").output(b"y");
    Sketch::new(opset).input("x", shape).node(&node).output("y")
}

fn close(found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    let near = |(found, wanted): (&f64, &f64)| found == wanted || (found - wanted).abs() < 1e-5;
    assert!(found.iter().zip(wanted).all(near), "{found:?} instead of {wanted:?}");
}

#[test]
fn before_opset_13_a_softmax_is_over_all_axes_from_its_own_on() {
    let x: Vec<f64> = (0..12).map(|i| f64::from(i * 7 % 11) / 4.0 - 1.0).collect();
    let over = |count: usize| -> Vec<f64> {
        let softmax = |row: &[f64]| {
            let sum: f64 = row.iter().map(|x| x.exp()).sum();
            row.iter().map(|x| x.exp() / sum).collect::<Vec<_>>()
        };
        x.chunks(count).flat_map(softmax).collect()
    };
    // By itself the axis is 1: six numbers of each row of [2, 3, 2] are one softmax; from 13 on the last two are.
    close(&one(b"Softmax", 11, &[2, 3, 2]).values(), &over(6));
    close(&one(b"Softmax", 13, &[2, 3, 2]).values(), &over(2));
    let along = |axis: i64| {
        let node = Draft::new(b"Softmax", b"n").input(b"x").output(b"y").attribute(&int("axis", axis));
        Sketch::new(12).input("x", &[2, 3, 2]).node(&node).output("y").values()
    };
    close(&along(0), &over(12));
    close(&along(1), &over(6));
    close(&along(2), &over(2));
    close(&along(-1), &over(2));
    let logs: Vec<f64> = over(6).iter().map(|p| p.ln()).collect();
    close(&one(b"LogSoftmax", 7, &[2, 3, 2]).values(), &logs);
}

#[test]
fn a_vector_on_the_right_takes_its_axis_away() {
    for shape in [&[2, 2, 3][..], &[2, 3], &[3]] {
        let node = Draft::new(b"MatMul", b"m").input(b"x").input(b"v").output(b"y");
        let sketch =
            Sketch::new(13).input("x", shape).weight("v", &[3], &[1.0, 10.0, 100.0]).node(&node).output("y");
        let found = sketch.run_with(|count| (0..count).map(|i| i as f64).collect()).unwrap().remove(0);
        let rows = shape.iter().product::<usize>() / 3;
        let wanted: Vec<f64> = (0..rows).map(|row| 333.0 * row as f64 + 210.0).collect();
        assert_eq!((found.shape, found.values), (shape[..shape.len() - 1].to_vec(), wanted));
    }
}

#[test]
fn whole_exponents_are_exponents() {
    let node = Draft::new(b"Pow", b"p").input(b"x").input(b"e").output(b"y");
    let sketch =
        Sketch::new(13).input("x", &[4]).tensor("e", 7, &[], &3_i64.to_le_bytes()).node(&node).output("y");
    let found = sketch.run_with(|_| vec![-2.0, 0.0, 0.5, 3.0]).unwrap().remove(0);
    close(&found.values, &[-8.0, 0.0, 0.125, 27.0]);
}

#[test]
fn of_equal_numbers_the_first_is_the_largest() {
    let x = [2.0, 2.0, 1.0, 3.0, 1.0, 3.0];
    let along = |attributes: &[Vec<u8>]| {
        let node = Draft::new(b"ArgMax", b"n").input(b"x").output(b"y");
        let node = attributes.iter().fold(node, |node, attribute| node.attribute(attribute));
        let sketch = Sketch::new(13).input("x", &[2, 3]).node(&node).output("y");
        let found = sketch.run_with(|_| x.to_vec()).unwrap().remove(0);
        (found.shape, found.values)
    };
    assert_eq!(along(&[]), (vec![1, 3], vec![1.0, 0.0, 1.0]));
    assert_eq!(along(&[int("axis", 1)]), (vec![2, 1], vec![0.0, 0.0]));
    assert_eq!(along(&[int("axis", -1), int("keepdims", 0)]), (vec![2], vec![0.0, 0.0]));
}

#[test]
fn zero_has_no_sign() {
    let x = [-2.0, -0.0, 0.0, 3.0, f64::INFINITY, f64::NEG_INFINITY];
    let found = one(b"Sign", 13, &[6]).run_with(|_| x.to_vec()).unwrap().remove(0);
    assert_eq!(found.values, [-1.0, 0.0, 0.0, 1.0, 1.0, -1.0]);
}

#[test]
fn softplus_of_a_large_number_is_that_number() {
    let x = [-200.0, -1.0, 0.0, 1.0, 200.0];
    let found = one(b"Softplus", 13, &[5]).run_with(|_| x.to_vec()).unwrap().remove(0);
    close(
        &found.values,
        &[0.0, (1.0 + (-1.0_f64).exp()).ln(), 2.0_f64.ln(), (1.0 + 1.0_f64.exp()).ln(), 200.0],
    );
}

#[test]
fn what_is_not_0_is_true() {
    let node = Draft::new(b"Cast", b"n").input(b"x").output(b"y").attribute(&int("to", 9));
    let sketch = Sketch::new(13).input("x", &[5]).node(&node).output("y");
    let found = sketch.run_with(|_| vec![0.0, 0.5, -2.0, 1.0, f64::INFINITY]).unwrap().remove(0);
    assert_eq!(found.values, [0.0, 1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn a_cubic_resize_is_refused_rather_than_made_linear() {
    let scales: Vec<f32> = vec![1.0, 1.0, 2.0, 2.0];
    let resize = Draft::new(b"Resize", b"r").input(b"x").input(b"").input(b"s").output(b"y");
    let sketch = Sketch::new(13).input("x", &[1, 1, 2, 2]).weight("s", &[4], &scales).output("y");
    assert!(sketch.clone().node(&resize.clone().attribute(&text("mode", "linear"))).run().is_ok());
    let error = sketch.node(&resize.attribute(&text("mode", "cubic"))).run().unwrap_err();
    assert!(
        error.to_string().contains("Resize (node \"r\"): mode = cubic would be computed as linear"),
        "{error}"
    );
}

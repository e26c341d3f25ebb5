//! Operators that `rten` has, with other values: said by several that have the right ones.

use super::{Place, Rewrite};
use crate::onnx::node::{Attribute, Node, int, ints};

/// ONNX's numbers of element types.
const FLOAT: i64 = 1;
const BOOL: i64 = 9;
/// The whole numbers that `rten` has: bytes with and without a sign, 32 and 64 bits.
const WHOLE: [u64; 4] = [2, 3, 6, 7];

/// Before opset 13 all axes from `axis` on were one.
pub(super) fn softmax(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    let ([x], [y]) = (&node.inputs[..], &node.outputs[..]) else { return Rewrite::Keep };
    let axis = node.attribute("axis").map_or(1, Attribute::int);
    let last = place.scope.rank(x).and_then(|rank| i64::try_from(rank).ok()).map(|rank| rank - 1);
    if axis == -1 || last == Some(axis) {
        // It is alone, and the last, which is where the engine looks unless told otherwise.
        return Rewrite::Keep;
    }
    let [shape, flat, soft] = place.values();
    Rewrite::Instead(vec![
        place.helper(b"Shape", node).input(x).output(&shape),
        place.helper(b"Flatten", node).input(x).output(&flat).attribute(&int("axis", axis)),
        place.draft(node.operator, node).input(&flat).output(&soft).attribute(&int("axis", -1)),
        place.helper(b"Reshape", node).input(&soft).input(&shape).output(y),
    ])
}

/// A vector on the right is a column, whose axis goes in the end.
pub(super) fn matmul(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    match (&node.inputs[..], &node.outputs[..]) {
        ([a, b], [y]) if place.scope.rank(b) == Some(1) => {
            let [column, product] = place.values();
            Rewrite::Instead(vec![
                place.helper(b"Unsqueeze", node).input(b).output(&column).attribute(&ints("axes", &[1])),
                place.draft(b"MatMul", node).input(a).input(&column).output(&product),
                place.helper(b"Squeeze", node).input(&product).output(y).attribute(&ints("axes", &[-1])),
            ])
        }
        _ => Rewrite::Keep,
    }
}

/// Whole exponents become what the base is.
pub(super) fn pow(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    let is_whole = |name: &[u8]| place.scope.known(name).is_some_and(|known| WHOLE.contains(&known.element));
    match (&node.inputs[..], &node.outputs[..]) {
        ([base, exponent], [y]) if is_whole(exponent) => {
            let [cast] = place.values();
            Rewrite::Instead(vec![
                place.helper(b"CastLike", node).input(exponent).input(base).output(&cast),
                place.draft(b"Pow", node).input(base).input(&cast).output(y),
            ])
        }
        _ => Rewrite::Keep,
    }
}

/// Of equal numbers the first is meant, which is what `TopK` takes.
pub(super) fn argmax(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    let int_or = |name, otherwise| node.attribute(name).map_or(otherwise, Attribute::int);
    let ([x], [y], 0) = (&node.inputs[..], &node.outputs[..], int_or("select_last_index", 0)) else {
        return Rewrite::Keep;
    };
    let (axis, keeps) = (int_or("axis", 0), int_or("keepdims", 1) != 0);
    let [largest, index] = place.values();
    let top = place.draft(b"TopK", node).input(x).output(&largest);
    let top = top.attribute(&int("k", 1)).attribute(&int("axis", axis));
    if keeps {
        return Rewrite::Instead(vec![top.output(y)]);
    }
    let squeeze = place.helper(b"Squeeze", node).input(&index).output(y).attribute(&ints("axes", &[axis]));
    Rewrite::Instead(vec![top.output(&index), squeeze])
}

/// `x - x` is a 0 of the right type and shape; where it is not (infinity), `x` is not 0 either.
pub(super) fn sign(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    let ([x], [y]) = (&node.inputs[..], &node.outputs[..]) else { return Rewrite::Keep };
    let [zero, is_zero, sign] = place.values();
    Rewrite::Instead(vec![
        place.helper(b"Sub", node).input(x).input(x).output(&zero),
        place.helper(b"Equal", node).input(x).input(&zero).output(&is_zero),
        place.draft(b"Sign", node).input(x).output(&sign),
        place.helper(b"Where", node).input(&is_zero).input(&zero).input(&sign).output(y),
    ])
}

/// What is not 0 is true.
pub(super) fn cast(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    let to_bool = node.attribute("to").is_some_and(|to| to.int() == BOOL);
    match (&node.inputs[..], &node.outputs[..]) {
        ([x], [y])
            if to_bool && place.scope.known(x).is_none_or(|known| known.element != BOOL.cast_unsigned()) =>
        {
            let [number, zero, is_zero] = place.values();
            Rewrite::Instead(vec![
                place.draft(b"Cast", node).input(x).output(&number).attribute(&int("to", FLOAT)),
                place.helper(b"Sub", node).input(&number).input(&number).output(&zero),
                place.helper(b"Equal", node).input(&number).input(&zero).output(&is_zero),
                place.helper(b"Not", node).input(&is_zero).output(y),
            ])
        }
        _ => Rewrite::Keep,
    }
}

/// $\ln(1 + e^x) = \max(x, 0) + \ln(1 + e^{-|x|})$, whose exponential stays finite.
pub(super) fn softplus(node: &Node<'_>, place: &mut Place<'_, '_>) -> Rewrite {
    let ([x], [y]) = (&node.inputs[..], &node.outputs[..]) else { return Rewrite::Keep };
    let [size, below, soft, above] = place.values();
    Rewrite::Instead(vec![
        place.helper(b"Abs", node).input(x).output(&size),
        place.helper(b"Neg", node).input(&size).output(&below),
        place.draft(b"Softplus", node).input(&below).output(&soft),
        place.helper(b"Relu", node).input(x).output(&above),
        place.helper(b"Add", node).input(&above).input(&soft).output(y),
    ])
}

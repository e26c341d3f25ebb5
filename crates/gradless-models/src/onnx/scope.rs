//! What a file says about the values of its graphs before anything is run: element types and shapes.

use std::collections::HashMap;

use super::graph::{self, Axis};
use super::node::Node;
use super::wire::{Field, WireError, fields, number};
use crate::error::Problem;

/// Shapes of more axes than this are not kept: no engine's operator has a use for them.
const MAX_AXES: usize = 16;
/// ONNX's number of truth values.
const BOOL: u64 = 9;

/// What is known of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// ONNX's number of the element type; 0 if it is not known.
    pub(super) element: u64,
    /// Its axes, those that are open as `None`.
    pub(super) shape: Option<Vec<Option<usize>>>,
    /// It is a constant "no".
    pub(super) is_false: bool,
}

/// The values of a graph and of those around it.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    graphs: Vec<HashMap<&'a [u8], Known>>,
}

impl<'a> Scope<'a> {
    /// Enters a graph: its inputs, its weights and the values it describes.
    pub(super) fn enter(&mut self, graph: &'a [u8]) -> Result<(), Problem> {
        let mut values = HashMap::new();
        for field in fields(graph) {
            match field? {
                (5, Field::Bytes(tensor)) => {
                    let (name, known) = read_tensor(tensor)?;
                    values.insert(name, known);
                }
                (11..=13, Field::Bytes(value)) => {
                    let (name, known) = read_value(value)?;
                    // A weight that is listed among the inputs too is known better.
                    values.entry(name).or_insert(known);
                }
                _ => {}
            }
        }
        self.graphs.push(values);
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.graphs.pop();
    }

    pub(super) fn known(&self, name: &[u8]) -> Option<&Known> {
        self.graphs.iter().rev().find_map(|graph| graph.get(name))
    }

    pub(super) fn shape(&self, name: &[u8]) -> Option<&[Option<usize>]> {
        self.known(name)?.shape.as_deref()
    }

    pub(super) fn rank(&self, name: &[u8]) -> Option<usize> {
        self.shape(name).map(<[_]>::len)
    }

    /// Learns what follows for the first output of a node from what is known of its inputs.
    pub(super) fn follow(&mut self, node: &Node<'a>) -> Result<(), WireError> {
        let Some(&output) = node.outputs.first().filter(|_| node.is_own()) else { return Ok(()) };
        let first = node.input(0).and_then(|name| self.known(name));
        let rank =
            |rank: usize| Some(Known { shape: Some(vec![None; rank.min(MAX_AXES)]), ..Known::default() });
        let known = match node.operator {
            b"Constant" => constant(node)?,
            b"Identity" | b"Dropout" | b"Relu" | b"Tanh" | b"Sigmoid" | b"Clip" => first.cloned(),
            b"Cast" | b"QuantizeLinear" | b"DequantizeLinear" => {
                first.map(|known| Known { shape: known.shape.clone(), ..Known::default() })
            }
            b"Flatten" | b"Gemm" => rank(2),
            b"Conv"
            | b"ConvTranspose"
            | b"MaxPool"
            | b"AveragePool"
            | b"GlobalAveragePool"
            | b"GlobalMaxPool"
            | b"BatchNormalization"
            | b"InstanceNormalization"
            | b"LRN"
            | b"LeakyRelu"
            | b"PRelu"
            | b"Elu"
            | b"Softmax"
            | b"LogSoftmax"
            | b"Transpose"
            | b"Concat"
            | b"Pad" => first.and_then(|known| known.shape.as_ref()).and_then(|shape| rank(shape.len())),
            b"Add" | b"Sub" | b"Mul" | b"Div" => {
                let ranks = node.inputs.iter().map(|name| self.rank(name));
                ranks.collect::<Option<Vec<_>>>().and_then(|ranks| ranks.into_iter().max()).and_then(rank)
            }
            b"Reshape" => match node.input(1).and_then(|name| self.shape(name)) {
                Some(&[Some(axes)]) if axes <= MAX_AXES => rank(axes),
                _ => None,
            },
            _ => None,
        };
        if let (Some(known), Some(graph)) = (known, self.graphs.last_mut()) {
            graph.entry(output).or_insert(known);
        }
        Ok(())
    }
}

/// What a node `Constant` gives.
fn constant(node: &Node<'_>) -> Result<Option<Known>, WireError> {
    for attribute in &node.attributes {
        for field in fields(attribute.bytes) {
            if let (5, Field::Bytes(tensor)) = field? {
                return Ok(Some(read_tensor(tensor)?.1));
            }
        }
    }
    let list = |name| node.attribute(name).and_then(|list| list.ints(MAX_AXES));
    Ok(list("value_ints").map(|ints| Known {
        element: 7,
        shape: Some(vec![Some(ints.len())]),
        is_false: false,
    }))
}

fn read_value(bytes: &[u8]) -> Result<(&[u8], Known), Problem> {
    let (mut name, mut known): (&[u8], _) = (b"", Known::default());
    for field in fields(bytes) {
        match field? {
            (1, Field::Bytes(bytes)) => name = bytes,
            (2, Field::Bytes(kind)) => {
                for field in fields(kind) {
                    if let (1, Field::Bytes(tensor)) = field? {
                        let (element, axes) = graph::read_tensor_type(tensor)?;
                        known.element = element;
                        known.shape = axes.filter(|axes| axes.len() <= MAX_AXES).map(|axes| {
                            let length = |axis: Axis| match axis {
                                Axis::Fixed(length) => Some(length),
                                Axis::Open(_) => None,
                            };
                            axes.into_iter().map(length).collect()
                        });
                    }
                }
            }
            _ => {}
        }
    }
    Ok((name, known))
}

fn read_tensor(bytes: &[u8]) -> Result<(&[u8], Known), WireError> {
    let (mut name, mut element): (&[u8], _) = (b"", 0);
    let mut shape = Some(Vec::new());
    // `None` until a number is seen.
    let mut is_zero = None;
    let mut axis = |length: u64| {
        if let Some(axes) = &mut shape {
            axes.push(usize::try_from(length).ok());
            if axes.len() > MAX_AXES {
                shape = None;
            }
        }
    };
    for field in fields(bytes) {
        match field? {
            (1, Field::Number(length)) => axis(length),
            (1, Field::Bytes(mut lengths)) => {
                while !lengths.is_empty() {
                    axis(number(&mut lengths)?);
                }
            }
            (2, Field::Number(number)) => element = number,
            (8, Field::Bytes(bytes)) => name = bytes,
            (5, Field::Number(number)) => is_zero = Some(number == 0),
            // A truth value takes one byte.
            (5 | 9, Field::Bytes(data)) => is_zero = Some(data == [0]),
            _ => {}
        }
    }
    // A flag is one value; larger ones are masks.
    let single = shape.as_ref().is_some_and(|axes| axes.iter().all(|length| *length == Some(1)));
    let is_false = element == BOOL && single && is_zero == Some(true);
    Ok((name, Known { element, shape, is_false }))
}

#[cfg(test)]
mod tests {
    use super::super::node::{Draft, int, ints};
    use super::super::wire::{put_bytes, put_number};
    use super::*;

    fn tensor(name: &[u8], element: u64, dims: &[u64], raw: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for length in dims {
            put_number(&mut bytes, 1, *length);
        }
        put_number(&mut bytes, 2, element);
        put_bytes(&mut bytes, 8, name);
        put_bytes(&mut bytes, 9, raw);
        bytes
    }

    #[test]
    fn shapes_follow_from_weights_and_through_operators() {
        let mut graph = Vec::new();
        for (name, element, dims, raw) in
            [(&b"w"[..], 1, &[8, 3, 5, 5][..], &[][..]), (b"no", BOOL, &[], &[0]), (b"yes", BOOL, &[], &[1])]
        {
            put_bytes(&mut graph, 5, &tensor(name, element, dims, raw));
        }
        let mut scope = Scope::default();
        scope.enter(&graph).unwrap();
        assert_eq!(scope.shape(b"w"), Some(&[Some(8), Some(3), Some(5), Some(5)][..]));
        let is_false = |name: &[u8]| scope.known(name).unwrap().is_false;
        assert!(is_false(b"no") && !is_false(b"yes") && !is_false(b"w"));
        let relu = Draft::new(b"Relu", b"").input(b"w").output(b"r");
        let conv = Draft::new(b"Conv", b"").input(b"r").input(b"w").output(b"c");
        let flat = Draft::new(b"Flatten", b"").input(b"c").output(b"f").attribute(&int("axis", 1));
        let list = Draft::new(b"Constant", b"").output(b"s").attribute(&ints("value_ints", &[4, 5, 6]));
        let reshape = Draft::new(b"Reshape", b"").input(b"f").input(b"s").output(b"t");
        let sum = Draft::new(b"Add", b"").input(b"t").input(b"c").output(b"a");
        for draft in [&relu, &conv, &flat, &list, &reshape, &sum] {
            scope.follow(&Node::read(draft.bytes()).unwrap()).unwrap();
        }
        assert_eq!(scope.shape(b"r"), scope.shape(b"w"));
        let ranks = [b"c", b"f", b"s", b"t", b"a", b"x"].map(|name| scope.rank(name));
        assert_eq!(ranks, [Some(4), Some(2), Some(1), Some(3), Some(4), None]);
    }

    #[test]
    fn a_weight_of_absurdly_many_axes_has_no_shape() {
        let mut graph = Vec::new();
        put_bytes(&mut graph, 5, &tensor(b"w", 1, &[1; 1000], &[]));
        let mut scope = Scope::default();
        scope.enter(&graph).unwrap();
        assert_eq!(scope.rank(b"w"), None);
    }
}

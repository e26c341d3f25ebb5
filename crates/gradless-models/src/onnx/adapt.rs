//! Makes the outside of a graph plain: maps of probabilities become tensors again, and other numbers than 32-bit floats are cast.
//!
//! scikit-learn's exports end in a `ZipMap`, which turns a tensor of probabilities into a list of maps. It is left out, and the names of
//! the classes are read from it.

use std::borrow::Cow;

use super::edits::Edits;
use super::graph::{FLOAT, Value, read_value};
use super::node::{Attribute, Draft, Node, int};
use super::wire::{Field, Part, Span, fields, put_bytes, put_number};
use crate::error::Problem;

/// ONNX's numbers of types that are cast to 32-bit floats: unsigned and signed whole numbers, truth values, half and double precision.
const CAST: [u64; 10] = [2, 3, 4, 5, 6, 7, 9, 10, 11, 12];
/// Names that no file has.
const BEFORE: &str = "gradless_single_";
/// More classes than any list of names has.
const MOST_CLASSES: usize = 1 << 20;

/// A file with a plain outside.
#[derive(Debug)]
pub(super) struct Adapted<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Names of the classes, where an operator of the file has them.
    pub(super) classes: Vec<String>,
}

/// Whether inputs and outputs of other types than 32-bit floats get a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Casts {
    /// All that are numbers.
    All,
    /// None of the inputs.
    Outputs,
}

/// Makes the outside plain; what needs nothing is not copied.
pub(super) fn adapt(model: &[u8], casts: Casts) -> Result<Adapted<'_>, Problem> {
    let mut edits = Edits::default();
    let mut classes = Vec::new();
    for part in (Span { bytes: model, start: 0 }).parts() {
        let part = part?;
        if part.number == 7
            && let Some(span) = part.inside()
        {
            let outside = Outside::read(span)?;
            classes.clone_from(&outside.classes);
            let open = edits.open(part);
            outside.rewrite(span, casts, &mut edits)?;
            edits.close(open);
        }
    }
    Ok(Adapted { bytes: edits.apply(model).map_or(Cow::Borrowed(model), Cow::Owned), classes })
}

/// What there is to change.
#[derive(Default)]
struct Outside<'a> {
    /// What every `ZipMap` gives, and what it takes.
    maps: Vec<(&'a [u8], &'a [u8])>,
    weights: Vec<&'a [u8]>,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    classes: Vec<String>,
    /// Where the first node begins and the last one ends.
    nodes: Option<[usize; 2]>,
}

impl<'a> Outside<'a> {
    fn read(span: Span<'a>) -> Result<Self, Problem> {
        let mut outside = Self::default();
        let mut named = Vec::new();
        for part in span.parts() {
            let part = part?;
            let Field::Bytes(bytes) = part.field else { continue };
            match part.number {
                1 => {
                    let node = Node::read(bytes)?;
                    let [_, end] = outside.nodes.get_or_insert([part.from, part.to]);
                    *end = part.to;
                    let names = class_names(&node);
                    if node.operator == b"ZipMap"
                        && let ([input], [output]) = (&node.inputs[..], &node.outputs[..])
                    {
                        outside.maps.push((output, input));
                        outside.classes = names;
                    } else if !names.is_empty() {
                        named.push(names);
                    }
                }
                5 => outside.weights.extend(tensor_name(bytes)),
                11 => outside.inputs.push(read_value(bytes)?),
                12 => outside.outputs.push(read_value(bytes)?),
                _ => {}
            }
        }
        // Without a map, the only classifier of the file knows them.
        if outside.classes.is_empty() && named.len() == 1 {
            outside.classes.append(&mut named[0]);
        }
        Ok(outside)
    }

    fn rewrite(&self, span: Span<'a>, casts: Casts, edits: &mut Edits) -> Result<(), Problem> {
        let is_weight = |value: &Value| self.weights.contains(&value.name.as_bytes());
        let is_cast = |value: &Value| CAST.contains(&value.element);
        let inputs: Vec<&Value> = self
            .inputs
            .iter()
            .filter(|input| casts == Casts::All && !is_weight(input) && is_cast(input))
            .collect();
        // Whole numbers that are answered are labels, not scores.
        let outputs: Vec<&Value> =
            self.outputs.iter().filter(|output| matches!(output.element, 10 | 11)).collect();
        let is_one = |list: &[&Value], value: &Value| list.iter().any(|one| one.name == value.name);
        let mut is_first = true;
        for part in span.parts() {
            let part = part?;
            let Field::Bytes(bytes) = part.field else { continue };
            match part.number {
                1 => {
                    if std::mem::take(&mut is_first) {
                        let before = inputs.iter().map(|input| {
                            cast(&format!("{BEFORE}{}", input.name), &input.name, input.element)
                        });
                        insert(edits, part.from, before);
                    }
                    let node = Node::read(bytes)?;
                    if self.maps.iter().any(|(output, _)| node.outputs[..] == [*output]) {
                        edits.replace(part.from, part.to, Vec::new());
                    }
                    if self.nodes.is_some_and(|[_, end]| end == part.to) {
                        let after = outputs
                            .iter()
                            .map(|output| cast(&output.name, &format!("{BEFORE}{}", output.name), FLOAT));
                        insert(edits, part.to, after);
                    }
                }
                11 | 12 => {
                    let value = read_value(bytes)?;
                    let map = self.maps.iter().find(|(output, _)| *output == value.name.as_bytes());
                    match map {
                        Some((_, input)) if part.number == 12 => {
                            edits.replace(part.from, part.to, single(12, input, None));
                        }
                        _ if part.number == 11 && is_one(&inputs, &value)
                            || part.number == 12 && is_one(&outputs, &value) =>
                        {
                            let name = format!("{BEFORE}{}", value.name);
                            edits.replace(
                                part.from,
                                part.to,
                                single(part.number, name.as_bytes(), shape_of(part)),
                            );
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Names of classes in the attributes of an operator.
fn class_names(node: &Node<'_>) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if let Some(strings) = node.attribute("classlabels_strings") {
        let names: Vec<String> = strings.texts(MOST_CLASSES).into_iter().map(text).collect();
        if !names.is_empty() {
            return names;
        }
    }
    let ints = |name: &str| node.attribute(name).and_then(|ints: Attribute<'_>| ints.ints(MOST_CLASSES));
    let ints = ints("classlabels_int64s").or_else(|| ints("classlabels_ints")).unwrap_or_default();
    ints.iter().map(ToString::to_string).collect()
}

fn tensor_name(bytes: &[u8]) -> Option<&[u8]> {
    fields(bytes).flatten().find_map(|field| match field {
        (8, Field::Bytes(name)) => Some(name),
        _ => None,
    })
}

/// The shape in a value's type, as it stands there.
fn shape_of(part: Part<'_>) -> Option<&[u8]> {
    let find = |bytes, wanted| {
        fields(bytes).flatten().find_map(move |(number, field)| match field {
            Field::Bytes(inner) if number == wanted => Some(inner),
            _ => None,
        })
    };
    let Field::Bytes(value) = part.field else { return None };
    find(find(find(value, 2)?, 1)?, 2)
}

/// A value of 32-bit floats, as a field of the graph.
fn single(field: u64, name: &[u8], shape: Option<&[u8]>) -> Vec<u8> {
    let (mut tensor, mut kind, mut value, mut out) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    put_number(&mut tensor, 1, FLOAT);
    if let Some(shape) = shape {
        put_bytes(&mut tensor, 2, shape);
    }
    put_bytes(&mut kind, 1, &tensor);
    put_bytes(&mut value, 1, name);
    put_bytes(&mut value, 2, &kind);
    put_bytes(&mut out, field, &value);
    out
}

fn cast(from: &str, to: &str, element: u64) -> Draft {
    Draft::new(b"Cast", format!("{BEFORE}cast_{to}").as_bytes())
        .input(from.as_bytes())
        .output(to.as_bytes())
        .attribute(&int("to", element.cast_signed()))
}

fn insert(edits: &mut Edits, at: usize, nodes: impl Iterator<Item = Draft>) {
    let mut bytes = Vec::new();
    for node in nodes {
        put_bytes(&mut bytes, 1, node.bytes());
    }
    if !bytes.is_empty() {
        edits.replace(at, at, bytes);
    }
}

//! What an ONNX file says of itself, read without an engine: input, output, operators, and whether its weights are numbers.

use std::collections::HashSet;
use std::fmt;

use super::node::Node;
use super::wire::{Field, WireError, fields, number};
use crate::error::Problem;

/// ONNX's number of 32-bit floats.
pub(super) const FLOAT: u64 = 1;
/// ONNX's number of unsigned bytes.
pub(super) const BYTE: u64 = 2;
const DOUBLE: u64 = 11;
/// `TensorProto.data_location` of weights that are elsewhere.
const EXTERNAL: u64 = 1;
/// Graphs inside graphs go no deeper than protocol buffers are read by default: 100 messages, three per graph. An engine
/// that follows them without a limit would run out of stack.
const MAX_DEPTH: usize = 32;
/// Nodes of a file, those inside others counted too. Large language models have some ten thousand.
const MAX_NODES: usize = 1 << 20;

/// A graph's outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Graph {
    /// What must be fed, weights excluded.
    pub(super) inputs: Vec<Value>,
    pub(super) outputs: Vec<Value>,
    /// Each operator once, in order of appearance; with its domain unless that is ONNX's own.
    pub(super) operators: Vec<String>,
}

/// An input or output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Value {
    pub(super) name: String,
    /// ONNX's number of the element type; 0 if it is not said.
    pub(super) element: u64,
    /// `None` if not even the number of axes is said.
    pub(super) axes: Option<Vec<Axis>>,
}

/// The length of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    Fixed(usize),
    /// Left open, perhaps under a name.
    Open(String),
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(length) => write!(f, "{length}"),
            Self::Open(name) if name.is_empty() => f.write_str("?"),
            Self::Open(name) => f.write_str(name),
        }
    }
}

impl Value {
    /// The shape in words: `[batch, 1, 28, 28]`.
    pub(super) fn shape(&self) -> String {
        self.axes.as_ref().map_or_else(
            || "unknown".to_owned(),
            |axes| format!("[{}]", axes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        )
    }
}

impl From<WireError> for Problem {
    fn from(error: WireError) -> Self {
        Self::NotOnnx { what: error.to_string() }
    }
}

/// Reads the outside of a model and looks at every weight.
pub(super) fn read(model: &[u8]) -> Result<Graph, Problem> {
    let mut graph = None;
    let mut version = None;
    for field in fields(model) {
        match field? {
            (1, Field::Number(number)) => version = Some(number),
            (7, Field::Bytes(bytes)) => graph = Some(bytes),
            _ => {}
        }
    }
    match (version, graph) {
        (Some(_), Some(graph)) => read_graph(graph),
        (None, _) => Err(Problem::NotOnnx { what: "it has no format version".to_owned() }),
        (_, None) => Err(Problem::NotOnnx { what: "it has no graph".to_owned() }),
    }
}

fn read_graph(bytes: &[u8]) -> Result<Graph, Problem> {
    let mut graph = Graph::default();
    let mut weights = HashSet::new();
    let mut operators = Operators::default();
    for field in fields(bytes) {
        match field? {
            (1, Field::Bytes(node)) => operators.read(node, 0)?,
            (5, Field::Bytes(tensor)) => {
                weights.insert(check_tensor(tensor)?);
            }
            (11, Field::Bytes(value)) => graph.inputs.push(read_value(value)?),
            (12, Field::Bytes(value)) => graph.outputs.push(read_value(value)?),
            _ => {}
        }
    }
    // Old files list their weights among the inputs.
    graph.inputs.retain(|input| !weights.contains(&input.name));
    graph.operators = operators.list;
    Ok(graph)
}

/// The depth of a graph inside one of this depth.
pub(super) fn deeper(depth: usize) -> Result<usize, Problem> {
    if depth < MAX_DEPTH {
        return Ok(depth + 1);
    }
    Err(Problem::NotOnnx { what: format!("its graphs are nested more than {MAX_DEPTH} deep") })
}

/// Each operator once, in order of appearance.
#[derive(Default)]
struct Operators {
    seen: HashSet<String>,
    list: Vec<String>,
    nodes: usize,
}

impl Operators {
    /// Reads a node and those of the graphs inside it; the tensors they carry are looked at.
    fn read(&mut self, node: &[u8], depth: usize) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Problem::NotOnnx { what: format!("it has more than {MAX_NODES} nodes") });
        }
        let node = Node::read(node)?;
        let operator = text(node.operator);
        let operator = if node.is_own() { operator } else { format!("{}:{operator}", text(node.domain)) };
        if self.seen.insert(operator.clone()) {
            self.list.push(operator);
        }
        for attribute in node.attributes {
            for field in fields(attribute.bytes) {
                match field? {
                    (5, Field::Bytes(tensor)) => drop(check_tensor(tensor)?),
                    (6 | 11, Field::Bytes(graph)) => {
                        let depth = deeper(depth)?;
                        for field in fields(graph) {
                            match field? {
                                (1, Field::Bytes(node)) => self.read(node, depth)?,
                                (5, Field::Bytes(tensor)) => drop(check_tensor(tensor)?),
                                _ => {}
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

pub(super) fn read_value(bytes: &[u8]) -> Result<Value, Problem> {
    let mut value = Value::default();
    for field in fields(bytes) {
        match field? {
            (1, Field::Bytes(name)) => value.name = text(name),
            (2, Field::Bytes(kind)) => {
                for field in fields(kind) {
                    if let (1, Field::Bytes(tensor)) = field? {
                        (value.element, value.axes) = read_tensor_type(tensor)?;
                    }
                }
            }
            _ => {}
        }
    }
    Ok(value)
}

pub(super) fn read_tensor_type(bytes: &[u8]) -> Result<(u64, Option<Vec<Axis>>), Problem> {
    let (mut element, mut axes) = (0, None);
    for field in fields(bytes) {
        match field? {
            (1, Field::Number(number)) => element = number,
            (2, Field::Bytes(shape)) => {
                let axes = axes.get_or_insert_with(Vec::new);
                for field in fields(shape) {
                    if let (1, Field::Bytes(axis)) = field? {
                        axes.push(read_axis(axis)?);
                    }
                }
            }
            _ => {}
        }
    }
    Ok((element, axes))
}

fn read_axis(bytes: &[u8]) -> Result<Axis, Problem> {
    let mut axis = Axis::Open(String::new());
    for field in fields(bytes) {
        match field? {
            // Some exporters write 0 or -1 for an open axis.
            (1, Field::Number(length)) => {
                let length = usize::try_from(length).ok().filter(|length| (1..1 << 40).contains(length));
                axis = length.map_or_else(|| Axis::Open(String::new()), Axis::Fixed);
            }
            (2, Field::Bytes(name)) => axis = Axis::Open(text(name)),
            _ => {}
        }
    }
    Ok(axis)
}

/// Looks at the numbers of a weight and returns its name.
///
/// NaN is refused everywhere, infinity where there is more than one number: alone it stands for a bound.
fn check_tensor(bytes: &[u8]) -> Result<String, Problem> {
    let (mut name, mut element, mut count) = (String::new(), 0, 1_u64);
    let (mut raw, mut packed): (Option<&[u8]>, Vec<f64>) = (None, Vec::new());
    for field in fields(bytes) {
        match field? {
            (1, Field::Number(length)) => count = count.saturating_mul(length),
            (1, Field::Bytes(mut lengths)) => {
                while !lengths.is_empty() {
                    count = count.saturating_mul(number(&mut lengths)?);
                }
            }
            (2, Field::Number(number)) => element = number,
            (4, Field::Bytes(floats)) => packed.extend(floats.as_chunks().0.iter().map(|b| float(*b))),
            (4, Field::Four(bytes)) => packed.push(float(bytes)),
            (8, Field::Bytes(bytes)) => name = text(bytes),
            (9, Field::Bytes(bytes)) => raw = Some(bytes),
            (10, Field::Bytes(doubles)) => {
                packed.extend(doubles.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)));
            }
            (14, Field::Number(EXTERNAL)) => return Err(Problem::ExternalWeights { name }),
            _ => {}
        }
    }
    let check = |numbers: &mut dyn ExactSizeIterator<Item = f64>| {
        let found = numbers.len();
        if found as u64 != count {
            let what = format!("the weight {name:?} holds {found} numbers where its shape asks for {count}");
            return Err(Problem::NotOnnx { what });
        }
        let bad = numbers.enumerate().find(|(_, value)| value.is_nan() || (value.is_infinite() && found > 1));
        bad.map_or(Ok(()), |(index, value)| Err(Problem::BadWeight { name: name.clone(), index, value }))
    };
    match (element, raw) {
        (FLOAT, Some(raw)) => check(&mut raw.as_chunks().0.iter().map(|b| float(*b)))?,
        (DOUBLE, Some(raw)) => check(&mut raw.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)))?,
        (FLOAT | DOUBLE, None) => check(&mut packed.into_iter())?,
        _ => {}
    }
    Ok(name)
}

fn float(bytes: [u8; 4]) -> f64 {
    f64::from(f32::from_le_bytes(bytes))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

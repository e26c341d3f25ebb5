//! The messages of an ONNX file, as far as small classifiers use them.

use std::collections::{BTreeMap, HashMap};

use super::tensor::Tensor;
use super::wire::{Field, Fields, chunks};

/// The oldest operators known: `Slice` and `Pad` take their numbers as inputs since then.
const OLDEST_OPSET: i64 = 11;

/// A graph with one input and one output.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) nodes: Vec<Node>,
    pub(super) constants: HashMap<String, Constant>,
    /// Name, and shape without the batch axis.
    pub(super) input: (String, Vec<usize>),
    pub(super) output: String,
}

/// What is known before the network runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Floats(Tensor),
    Ints(Vec<i64>),
}

/// An operator as it stands in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) operator: String,
    pub(super) name: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    domain: String,
    attributes: BTreeMap<String, Attribute>,
}

/// A setting of an operator.
#[derive(Clone, Debug)]
enum Attribute {
    Int(i64),
    Float(f32),
    Text(String),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Tensor(Constant),
}

impl Model {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (mut graph, mut opset) = (None, None);
        for field in Fields(bytes) {
            match field? {
                (7, field) => graph = Some(field.fields()?),
                (8, field) => opset = opset.or(default_opset(field.fields()?)?),
                _ => {}
            }
        }
        match opset {
            Some(opset) if opset >= OLDEST_OPSET => {}
            Some(opset) => return Err(format!("opset {opset}: opsets from {OLDEST_OPSET} on are known")),
            None => return Err("no opset: this is not an ONNX file".to_owned()),
        }
        Self::graph(graph.ok_or("no graph: this is not an ONNX file")?)
    }

    fn graph(fields: Fields<'_>) -> Result<Self, String> {
        let (mut nodes, mut constants) = (Vec::new(), HashMap::new());
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for field in fields {
            match field? {
                (1, field) => nodes.push(Node::read(field.fields()?)?),
                (5, field) => {
                    let (name, constant) = tensor(field.fields()?)?;
                    constants.insert(name, constant);
                }
                (11, field) => inputs.push(value_info(field.fields()?)?),
                (12, field) => outputs.push(value_info(field.fields()?)?),
                (15, _) => return Err("sparse weights are not known".to_owned()),
                _ => {}
            }
        }
        // Older files list their weights among the inputs too.
        inputs.retain(|(name, _)| !constants.contains_key(name));
        let names = |list: &[(String, _)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let Ok([(input, shape)]) = <[_; 1]>::try_from(inputs.clone()) else {
            return Err(format!("inputs {:?}: a classifier has one", names(&inputs)));
        };
        let Ok([(output, _)]) = <[_; 1]>::try_from(outputs.clone()) else {
            return Err(format!("outputs {:?}: a classifier has one", names(&outputs)));
        };
        let free =
            || format!("input {input:?} has shape {shape:?}: every axis after the batch must be fixed");
        let lengths: Option<Vec<usize>> =
            shape.get(1..).map(|rest| rest.iter().copied().collect()).ok_or_else(free)?;
        let shape = lengths.ok_or_else(free)?;
        Ok(Self { nodes, constants, input: (input, shape), output })
    }
}

impl Node {
    fn read(fields: Fields<'_>) -> Result<Self, String> {
        let mut node = Self::default();
        for field in fields {
            match field? {
                (1, field) => node.inputs.push(field.text()?),
                (2, field) => node.outputs.push(field.text()?),
                (3, field) => node.name = field.text()?,
                (4, field) => node.operator = field.text()?,
                (5, field) => {
                    let (name, value) = attribute(field.fields()?)?;
                    node.attributes.insert(name, value);
                }
                (7, field) => node.domain = field.text()?,
                _ => {}
            }
        }
        if node.domain.is_empty() || node.domain == "ai.onnx" {
            Ok(node)
        } else {
            Err(format!("operator {} of domain {:?} is not known", node.operator, node.domain))
        }
    }

    pub(super) fn int(&mut self, name: &str, default: i64) -> Result<i64, String> {
        match self.attributes.remove(name) {
            None => Ok(default),
            Some(Attribute::Int(value)) => Ok(value),
            Some(other) => Err(format!("{name} is {other:?}, a number is needed")),
        }
    }

    pub(super) fn float(&mut self, name: &str, default: f32) -> Result<f64, String> {
        match self.attributes.remove(name) {
            None => Ok(f64::from(default)),
            Some(Attribute::Float(value)) => Ok(f64::from(value)),
            Some(other) => Err(format!("{name} is {other:?}, a float is needed")),
        }
    }

    pub(super) fn text(&mut self, name: &str, default: &str) -> Result<String, String> {
        match self.attributes.remove(name) {
            None => Ok(default.to_owned()),
            Some(Attribute::Text(text)) => Ok(text),
            Some(other) => Err(format!("{name} is {other:?}, a text is needed")),
        }
    }

    pub(super) fn sizes<const N: usize>(&mut self, name: &str, default: usize) -> Result<[usize; N], String> {
        let ints = match self.attributes.remove(name) {
            None => return Ok([default; N]),
            Some(Attribute::Ints(ints)) => ints,
            Some(other) => return Err(format!("{name} is {other:?}, {N} lengths are needed")),
        };
        let sizes: Option<Vec<usize>> = ints.iter().map(|int| usize::try_from(*int).ok()).collect();
        let sizes = sizes.and_then(|sizes| sizes.try_into().ok());
        sizes.ok_or_else(|| format!("{name} is {ints:?}, {N} lengths are needed"))
    }

    /// The value of an operator `Constant`.
    pub(super) fn constant(&mut self) -> Result<Constant, String> {
        match self.attributes.pop_first().map(|(_, attribute)| attribute) {
            Some(Attribute::Tensor(constant)) => Ok(constant),
            Some(Attribute::Int(value)) => Ok(Constant::Ints(vec![value])),
            Some(Attribute::Ints(values)) => Ok(Constant::Ints(values)),
            Some(Attribute::Float(value)) => {
                Tensor::new(vec![], vec![f64::from(value)]).map(Constant::Floats)
            }
            Some(Attribute::Floats(values)) => Tensor::new(vec![values.len()], values).map(Constant::Floats),
            other => Err(format!("its value is {other:?}, numbers are needed")),
        }
    }

    /// That nothing the file asks for was passed over.
    pub(super) fn all_attributes_read(&self) -> Result<(), String> {
        match self.attributes.first_key_value() {
            Some((name, value)) => Err(format!("its attribute {name} = {value:?} is not known")),
            None => Ok(()),
        }
    }
}

/// The version of the operators, if this is about the usual ones.
fn default_opset(fields: Fields<'_>) -> Result<Option<i64>, String> {
    let (mut domain, mut version) = (String::new(), 0);
    for field in fields {
        match field? {
            (1, field) => domain = field.text()?,
            (2, field) => version = field.int()?,
            _ => {}
        }
    }
    Ok((domain.is_empty() || domain == "ai.onnx").then_some(version))
}

/// Name and axes of an input or output; `None` for an axis without a fixed length.
fn value_info(fields: Fields<'_>) -> Result<(String, Vec<Option<usize>>), String> {
    let (mut name, mut shape) = (String::new(), Vec::new());
    for field in fields {
        match field? {
            (1, field) => name = field.text()?,
            (2, field) => {
                let tensor = inner(inner(Some(field), 1)?, 2)?;
                for dimension in tensor.map_or(Ok(Fields(&[])), Field::fields)? {
                    if let (1, dimension) = dimension? {
                        let length = inner(Some(dimension), 1)?.map(Field::int).transpose()?;
                        shape.push(length.and_then(|length| usize::try_from(length).ok()));
                    }
                }
            }
            _ => {}
        }
    }
    Ok((name, shape))
}

/// The last field of that number inside a message.
fn inner(message: Option<Field<'_>>, number: u64) -> Result<Option<Field<'_>>, String> {
    let mut found = None;
    for field in message.map_or(Ok(Fields(&[])), Field::fields)? {
        let (this, field) = field?;
        if this == number {
            found = Some(field);
        }
    }
    Ok(found)
}

fn attribute(fields: Fields<'_>) -> Result<(String, Attribute), String> {
    let (mut name, mut value) = (String::new(), None);
    let (mut ints, mut floats, mut kind) = (Vec::new(), Vec::new(), 0);
    for field in fields {
        match field? {
            (1, field) => name = field.text()?,
            (2, field) => value = Some(Attribute::Float(field.float()?)),
            (3, field) => value = Some(Attribute::Int(field.int()?)),
            (4, field) => value = Some(Attribute::Text(field.text()?)),
            (5, field) => value = Some(Attribute::Tensor(tensor(field.fields()?)?.1)),
            (7, field) => field.floats(&mut floats)?,
            (8, field) => field.ints(&mut ints)?,
            (20, field) => kind = field.int()?,
            _ => {}
        }
    }
    // Writers may leave out what is zero; the kind then says which zero.
    let value = match kind {
        1 => value.or(Some(Attribute::Float(0.0))),
        2 => value.or(Some(Attribute::Int(0))),
        3 => value.or(Some(Attribute::Text(String::new()))),
        4 => value,
        6 => Some(Attribute::Floats(floats)),
        7 => Some(Attribute::Ints(ints)),
        _ => None,
    };
    value.map(|value| (name.clone(), value)).ok_or(format!("attribute {name} of kind {kind} is not known"))
}

fn tensor(fields: Fields<'_>) -> Result<(String, Constant), String> {
    let (mut name, mut dims, mut kind, mut raw) = (String::new(), Vec::new(), 0, None);
    let (mut floats, mut ints, mut doubles) = (Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        match field? {
            (1, field) => field.ints(&mut dims)?,
            (2, field) => kind = field.int()?,
            (4, field) => field.floats(&mut floats)?,
            (7, field) => field.ints(&mut ints)?,
            (8, field) => name = field.text()?,
            (9, field) => raw = Some(field.bytes()?),
            (10, field) => field.doubles(&mut doubles)?,
            (13, _) => return Err(format!("{name:?} lies in another file: put everything into one")),
            _ => {}
        }
    }
    let shape: Option<Vec<usize>> = dims.iter().map(|length| usize::try_from(*length).ok()).collect();
    let shape = shape.ok_or_else(|| format!("{name:?} has lengths {dims:?}"))?;
    let in_name = |reason: String| format!("{name:?}: {reason}");
    let constant = match (kind, raw) {
        (1, None) => Tensor::new(shape, floats).map(Constant::Floats),
        (1, Some(raw)) => chunks(raw)
            .and_then(|values| Tensor::new(shape, values.map(|v| f64::from(f32::from_le_bytes(v))).collect()))
            .map(Constant::Floats),
        (11, None) => Tensor::new(shape, doubles).map(Constant::Floats),
        (11, Some(raw)) => chunks(raw)
            .and_then(|values| Tensor::new(shape, values.map(f64::from_le_bytes).collect()))
            .map(Constant::Floats),
        (7, None) => Ok(Constant::Ints(ints)),
        (7, Some(raw)) => chunks(raw).map(|values| Constant::Ints(values.map(i64::from_le_bytes).collect())),
        (kind, _) => Err(format!("values of type {kind}: float (1), int64 (7) and double (11) are known")),
    };
    constant.map_err(in_name).map(|constant| (name.clone(), constant))
}

//! One operator of a graph, with its weights and settings.

use super::graph::Value;
use super::wire::Message;

/// `TensorProto.DataType.FLOAT`.
pub(super) const FLOAT: i64 = 1;

/// An operator. Its inputs are values of the graph, then its weights.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) operator: &'static str,
    pub(super) name: String,
    pub(super) inputs: Vec<Value>,
    pub(super) weights: Vec<String>,
    attributes: Vec<(&'static str, Attribute)>,
}

/// A setting of an operator.
#[derive(Clone, Debug)]
pub(super) enum Attribute {
    Int(i64),
    Float(f32),
    Sizes(Vec<usize>),
}

impl Node {
    pub(super) fn new(name: String, operator: &'static str) -> Self {
        Self { operator, name, inputs: Vec::new(), weights: Vec::new(), attributes: Vec::new() }
    }

    pub(super) fn attribute(mut self, name: &'static str, value: Attribute) -> Self {
        self.attributes.push((name, value));
        self
    }

    /// Puts weights among those of the file and makes them the next input.
    pub(super) fn weight(
        mut self,
        file: &mut Vec<Message>,
        part: &str,
        shape: &[usize],
        values: &[f32],
    ) -> Self {
        let name = format!("{}.{part}", self.name);
        let tensor = shape.iter().fold(Message::default(), |tensor, length| tensor.size(1, *length));
        file.push(tensor.int(2, FLOAT).text(8, &name).raw(9, values));
        self.weights.push(name);
        self
    }

    /// A `NodeProto`.
    pub(super) fn encode<'a>(&'a self, inputs: impl Iterator<Item = &'a str>, output: &str) -> Message {
        let inputs = inputs.chain(self.weights.iter().map(String::as_str));
        let message = inputs
            .fold(Message::default(), |message, name| message.text(1, name))
            .text(2, output)
            .text(3, &self.name)
            .text(4, self.operator);
        self.attributes.iter().fold(message, |message, (name, attribute)| {
            let named = Message::default().text(1, name);
            let attribute = match attribute {
                Attribute::Float(value) => named.float(2, *value).int(20, 1),
                Attribute::Int(value) => named.int(3, *value).int(20, 2),
                Attribute::Sizes(sizes) => sizes.iter().fold(named, |m, size| m.size(8, *size)).int(20, 7),
            };
            message.message(5, &attribute)
        })
    }
}

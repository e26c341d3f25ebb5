//! One node of a graph: as it stands in a file, and as it is written.

use super::wire::{Field, WireError, fields, number, put_bytes, put_number};

/// `NodeProto`'s fields.
pub(super) const INPUT: u64 = 1;
pub(super) const OUTPUT: u64 = 2;
pub(super) const NAME: u64 = 3;
pub(super) const OPERATOR: u64 = 4;
pub(super) const ATTRIBUTE: u64 = 5;
pub(super) const DOMAIN: u64 = 7;

/// A node as it stands in a file. Names are bytes: that they are text is the engine's business.
#[derive(Clone, Debug, Default)]
pub(super) struct Node<'a> {
    pub(super) name: &'a [u8],
    pub(super) operator: &'a [u8],
    pub(super) domain: &'a [u8],
    /// An optional input that is left out has an empty name.
    pub(super) inputs: Vec<&'a [u8]>,
    pub(super) outputs: Vec<&'a [u8]>,
    pub(super) attributes: Vec<Attribute<'a>>,
}

/// An attribute as it stands in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a [u8],
    /// The whole `AttributeProto`.
    pub(super) bytes: &'a [u8],
}

impl<'a> Node<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut node = Self::default();
        for field in fields(bytes) {
            match field? {
                (INPUT, Field::Bytes(name)) => node.inputs.push(name),
                (OUTPUT, Field::Bytes(name)) => node.outputs.push(name),
                (NAME, Field::Bytes(name)) => node.name = name,
                (OPERATOR, Field::Bytes(name)) => node.operator = name,
                (DOMAIN, Field::Bytes(name)) => node.domain = name,
                (ATTRIBUTE, Field::Bytes(bytes)) => node.attributes.push(Attribute::read(bytes)?),
                _ => {}
            }
        }
        Ok(node)
    }

    /// Whether its operator is one of ONNX's own.
    pub(super) fn is_own(&self) -> bool {
        matches!(self.domain, b"" | b"ai.onnx")
    }

    /// An input that is not left out.
    pub(super) fn input(&self, index: usize) -> Option<&'a [u8]> {
        self.inputs.get(index).copied().filter(|name| !name.is_empty())
    }

    pub(super) fn attribute(&self, name: &str) -> Option<Attribute<'a>> {
        self.attributes.iter().copied().find(|attribute| attribute.name == name.as_bytes())
    }
}

impl<'a> Attribute<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut name: &[u8] = b"";
        for field in fields(bytes) {
            if let (1, Field::Bytes(bytes)) = field? {
                name = bytes;
            }
        }
        Ok(Self { name, bytes })
    }

    fn field(self, number: u64) -> Option<Field<'a>> {
        fields(self.bytes).flatten().filter(|(found, _)| *found == number).map(|(_, field)| field).last()
    }

    /// A whole number; 0 is not always written.
    pub(super) fn int(self) -> i64 {
        match self.field(3) {
            Some(Field::Number(value)) => value.cast_signed(),
            _ => 0,
        }
    }

    pub(super) fn text(self) -> &'a [u8] {
        match self.field(4) {
            Some(Field::Bytes(bytes)) => bytes,
            _ => b"",
        }
    }

    /// Whole numbers, packed or one by one; at most `limit` of them.
    pub(super) fn ints(self, limit: usize) -> Option<Vec<i64>> {
        let mut ints = Vec::new();
        for field in fields(self.bytes) {
            match field.ok()? {
                (8, Field::Number(value)) => ints.push(value.cast_signed()),
                (8, Field::Bytes(mut packed)) => {
                    while !packed.is_empty() && ints.len() <= limit {
                        ints.push(number(&mut packed).ok()?.cast_signed());
                    }
                }
                _ => {}
            }
            if ints.len() > limit {
                return None;
            }
        }
        Some(ints)
    }

    /// Texts, at most `limit` of them.
    pub(super) fn texts(self, limit: usize) -> Vec<&'a [u8]> {
        let text = |field| match field {
            (9, Field::Bytes(bytes)) => Some(bytes),
            _ => None,
        };
        fields(self.bytes).flatten().filter_map(text).take(limit).collect()
    }
}

/// A node to be written.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    bytes: Vec<u8>,
}

impl Draft {
    pub(super) fn new(operator: &[u8], name: &[u8]) -> Self {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, NAME, name);
        put_bytes(&mut bytes, OPERATOR, operator);
        Self { bytes }
    }

    pub(super) fn input(mut self, name: &[u8]) -> Self {
        put_bytes(&mut self.bytes, INPUT, name);
        self
    }

    pub(super) fn output(mut self, name: &[u8]) -> Self {
        put_bytes(&mut self.bytes, OUTPUT, name);
        self
    }

    /// An attribute as it stands elsewhere.
    pub(super) fn attribute(mut self, attribute: &[u8]) -> Self {
        put_bytes(&mut self.bytes, ATTRIBUTE, attribute);
        self
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// An attribute that is a whole number.
pub(super) fn int(name: &str, value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, name.as_bytes());
    put_number(&mut out, 3, value.cast_unsigned());
    put_number(&mut out, 20, 2);
    out
}

/// An attribute that is a list of whole numbers, one by one: `rten` does not read packed ones.
pub(super) fn ints(name: &str, values: &[i64]) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 1, name.as_bytes());
    for value in values {
        put_number(&mut out, 8, value.cast_unsigned());
    }
    put_number(&mut out, 20, 7);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_was_written_is_read_again() {
        let draft = Draft::new(b"Conv", b"c")
            .input(b"x")
            .input(b"")
            .output(b"y")
            .attribute(&ints("strides", &[1, -2]))
            .attribute(&int("group", 3));
        let node = Node::read(draft.bytes()).unwrap();
        assert_eq!((node.operator, node.name, node.is_own()), (&b"Conv"[..], &b"c"[..], true));
        assert_eq!((node.input(0), node.input(1), node.input(2)), (Some(&b"x"[..]), None, None));
        assert_eq!(node.outputs, [b"y"]);
        let strides = node.attribute("strides").unwrap();
        assert_eq!((strides.ints(2), strides.ints(1)), (Some(vec![1, -2]), None));
        assert_eq!(node.attribute("group").unwrap().int(), 3);
        assert!(node.attribute("pads").is_none());
    }

    #[test]
    fn packed_lists_are_read_up_to_their_limit() {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, 1, b"pads");
        put_bytes(&mut bytes, 8, &[1, 2, 3]);
        let pads = Attribute::read(&bytes).unwrap();
        assert_eq!((pads.ints(3), pads.ints(2)), (Some(vec![1, 2, 3]), None));
    }
}

//! Protobuf as it lies in the file: numbered fields, each a varint, four bytes, or bytes with their length before them.

/// A message being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// A whole number; negative ones as ten bytes, as `int64` asks.
    pub(super) fn int(mut self, field: u32, value: i64) -> Self {
        self.tag(field, 0);
        self.varint(value.cast_unsigned());
        self
    }

    /// A length or count.
    pub(super) fn size(self, field: u32, value: usize) -> Self {
        // No shape that fits the memory comes near 2^63.
        self.int(field, i64::try_from(value).unwrap_or(i64::MAX))
    }

    /// A 32-bit float.
    pub(super) fn float(mut self, field: u32, value: f32) -> Self {
        self.tag(field, 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A text.
    pub(super) fn text(self, field: u32, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// A message inside this one.
    pub(super) fn message(self, field: u32, inner: &Message) -> Self {
        self.bytes(field, &inner.0)
    }

    /// 32-bit floats as raw little-endian bytes.
    pub(super) fn raw(mut self, field: u32, values: &[f32]) -> Self {
        self.tag(field, 2);
        self.varint(4 * values.len() as u64);
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    /// The finished bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    fn bytes(mut self, field: u32, bytes: &[u8]) -> Self {
        self.tag(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    fn tag(&mut self, field: u32, wire_type: u32) {
        self.varint(u64::from(field << 3 | wire_type));
    }

    /// Seven bits per byte, the lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_protobuf_guide() {
        // The examples of the encoding guide: 150 in field 1, "testing" in field 2, the first inside field 3.
        let number = Message::default().int(1, 150);
        assert_eq!(number.0, [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").0, *b"\x12\x07testing");
        assert_eq!(Message::default().message(3, &number).0, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let minus_two = Message::default().int(1, -2).0;
        assert_eq!(minus_two, [0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
        assert_eq!(Message::default().float(14, 1.0).0, [0x75, 0, 0, 0x80, 0x3f]);
        assert_eq!(Message::default().raw(9, &[1.0]).0, [0x4a, 4, 0, 0, 0x80, 0x3f]);
    }
}

//! Reads and writes the wire format of protocol buffers: a message is a row of numbered fields.

/// What stands in a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field<'a> {
    /// A whole number.
    Number(u64),
    /// Text, bytes, packed numbers or a message.
    Bytes(&'a [u8]),
    /// Four bytes.
    Four([u8; 4]),
    /// Eight bytes.
    Eight([u8; 8]),
}

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WireError {
    #[error("it ends in the middle of a field")]
    Cut,
    #[error("it has a field of a kind that does not exist ({0})")]
    Kind(u64),
    #[error("a number is longer than any number")]
    LongNumber,
}

/// The fields of a message, in order, each with its number.
pub(super) fn fields(bytes: &[u8]) -> Fields<'_> {
    Fields { rest: bytes }
}

pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn next_field(&mut self) -> Result<(u64, Field<'a>), WireError> {
        let tag = number(&mut self.rest)?;
        let field = match tag & 7 {
            0 => Field::Number(number(&mut self.rest)?),
            1 => Field::Eight(*array(&mut self.rest)?),
            2 => {
                let length = usize::try_from(number(&mut self.rest)?).map_err(|_| WireError::Cut)?;
                let (bytes, rest) = self.rest.split_at_checked(length).ok_or(WireError::Cut)?;
                self.rest = rest;
                Field::Bytes(bytes)
            }
            5 => Field::Four(*array(&mut self.rest)?),
            kind => return Err(WireError::Kind(kind)),
        };
        Ok((tag >> 3, field))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.next_field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// A whole number in base 128, least digits first.
pub(super) fn number(bytes: &mut &[u8]) -> Result<u64, WireError> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(WireError::Cut)?;
        *bytes = rest;
        if shift < 64 {
            value |= u64::from(byte & 0x7f) << shift;
        }
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(WireError::LongNumber)
}

/// A message and where it begins in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) start: usize,
}

/// A field with its place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) number: u64,
    pub(super) field: Field<'a>,
    /// Where its tag begins.
    pub(super) from: usize,
    /// Where the next field begins.
    pub(super) to: usize,
}

impl<'a> Span<'a> {
    /// The fields of the message, in order, each with its place.
    pub(super) fn parts(self) -> impl Iterator<Item = Result<Part<'a>, WireError>> {
        let mut fields = fields(self.bytes);
        std::iter::from_fn(move || {
            let place = |fields: &Fields<'a>| self.start + self.bytes.len() - fields.rest.len();
            let from = place(&fields);
            let field = fields.next()?;
            let to = place(&fields);
            Some(field.map(|(number, field)| Part { number, field, from, to }))
        })
    }
}

impl<'a> Part<'a> {
    /// The message, text or packed numbers in it.
    pub(super) fn inside(self) -> Option<Span<'a>> {
        match self.field {
            Field::Bytes(bytes) => Some(Span { bytes, start: self.to - bytes.len() }),
            _ => None,
        }
    }
}

/// Writes a whole number in base 128.
fn put_digits(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Writes a field that holds a whole number.
pub(super) fn put_number(out: &mut Vec<u8>, field: u64, value: u64) {
    put_digits(out, field << 3);
    put_digits(out, value);
}

/// Writes a field that holds four bytes.
pub(super) fn put_four(out: &mut Vec<u8>, field: u64, bytes: [u8; 4]) {
    put_digits(out, field << 3 | 5);
    out.extend_from_slice(&bytes);
}

/// Writes the tag and the length of a field that holds so many bytes.
pub(super) fn put_head(out: &mut Vec<u8>, field: u64, length: usize) {
    put_digits(out, field << 3 | 2);
    put_digits(out, length as u64);
}

/// Writes a field that holds bytes, text or a message.
pub(super) fn put_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_head(out, field, bytes.len());
    out.extend_from_slice(bytes);
}

fn array<'a, const N: usize>(bytes: &mut &'a [u8]) -> Result<&'a [u8; N], WireError> {
    let (first, rest) = bytes.split_first_chunk().ok_or(WireError::Cut)?;
    *bytes = rest;
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_kind_are_read() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8];
        let read: Result<Vec<_>, _> = fields(&bytes).collect();
        let expected = vec![
            (1, Field::Number(150)),
            (2, Field::Bytes(b"hi")),
            (3, Field::Four([1, 2, 3, 4])),
            (4, Field::Eight([1, 2, 3, 4, 5, 6, 7, 8])),
        ];
        assert_eq!(read, Ok(expected));
    }

    #[test]
    fn what_is_written_is_read_again_at_its_place() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, 3, u64::MAX);
        put_bytes(&mut bytes, 1000, b"hi");
        put_four(&mut bytes, 2, [1, 2, 3, 4]);
        let span = Span { bytes: &bytes, start: 100 };
        let parts: Vec<Part<'_>> = span.parts().map(Result::unwrap).collect();
        let places: Vec<(u64, usize, usize)> =
            parts.iter().map(|part| (part.number, part.from - 100, part.to - 100)).collect();
        assert_eq!(places, [(3, 0, 11), (1000, 11, 16), (2, 16, 21)]);
        assert_eq!((parts[0].field, parts[2].field), (Field::Number(u64::MAX), Field::Four([1, 2, 3, 4])));
        let inside = parts[1].inside().unwrap();
        assert_eq!((inside.bytes, inside.start), (&b"hi"[..], 114));
    }

    #[test]
    fn what_is_cut_or_unknown_is_an_error_and_the_end() {
        let wrong = |bytes: &[u8]| fields(bytes).collect::<Result<Vec<_>, _>>().unwrap_err();
        assert_eq!(wrong(&[0x12, 200, 1, 0]), WireError::Cut);
        assert_eq!(wrong(&[0x0b]), WireError::Kind(3));
        assert_eq!(wrong(&[0x08, 0x80]), WireError::Cut);
        assert_eq!(wrong(&[0xff; 16]), WireError::LongNumber);
    }
}

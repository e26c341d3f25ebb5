//! Reads the wire format of protocol buffers: a message is a row of numbered fields.

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
    fn what_is_cut_or_unknown_is_an_error_and_the_end() {
        let wrong = |bytes: &[u8]| fields(bytes).collect::<Result<Vec<_>, _>>().unwrap_err();
        assert_eq!(wrong(&[0x12, 200, 1, 0]), WireError::Cut);
        assert_eq!(wrong(&[0x0b]), WireError::Kind(3));
        assert_eq!(wrong(&[0x08, 0x80]), WireError::Cut);
        assert_eq!(wrong(&[0xff; 16]), WireError::LongNumber);
    }
}

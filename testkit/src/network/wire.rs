//! Protobuf read field by field; no length in the file is believed.

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field<'a> {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64([u8; 8]),
    Bytes(&'a [u8]),
}

/// The fields of a message with their numbers, in the order of the file.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Result<(u64, Field<'a>), String> {
        let tag = self.varint()?;
        let field = match tag & 7 {
            0 => Field::Varint(self.varint()?),
            1 => Field::Fixed64(self.array()?),
            2 => {
                let length = self.varint()?;
                let length = usize::try_from(length).map_err(|_| cut())?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Fixed32(self.array()?),
            other => return Err(format!("a field of wire type {other}: this is not an ONNX file")),
        };
        Ok((tag >> 3, field))
    }

    fn varint(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number of more than ten bytes: this is not an ONNX file".to_owned())
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(cut)?;
        self.0 = rest;
        Ok(*taken)
    }
}

impl<'a> Field<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], String> {
        if let Field::Bytes(bytes) = self { Ok(bytes) } else { Err(unexpected("bytes", self)) }
    }

    pub(super) fn fields(self) -> Result<Fields<'a>, String> {
        self.bytes().map(Fields)
    }

    pub(super) fn text(self) -> Result<String, String> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|error| format!("a name that is not text: {error}"))
    }

    pub(super) fn int(self) -> Result<i64, String> {
        if let Field::Varint(value) = self {
            Ok(value.cast_signed())
        } else {
            Err(unexpected("a number", self))
        }
    }

    pub(super) fn float(self) -> Result<f32, String> {
        if let Field::Fixed32(bytes) = self {
            Ok(f32::from_le_bytes(bytes))
        } else {
            Err(unexpected("a float", self))
        }
    }

    /// One of repeated numbers, or many packed into one field.
    pub(super) fn ints(self, list: &mut Vec<i64>) -> Result<(), String> {
        let Field::Bytes(bytes) = self else {
            list.push(self.int()?);
            return Ok(());
        };
        let mut fields = Fields(bytes);
        while !fields.0.is_empty() {
            list.push(fields.varint()?.cast_signed());
        }
        Ok(())
    }

    /// One of repeated floats, or many packed into one field.
    pub(super) fn floats(self, list: &mut Vec<f64>) -> Result<(), String> {
        match self {
            Field::Bytes(bytes) => {
                list.extend(chunks(bytes)?.map(|bytes| f64::from(f32::from_le_bytes(bytes))));
            }
            _ => list.push(f64::from(self.float()?)),
        }
        Ok(())
    }

    /// One of repeated doubles, or many packed into one field.
    pub(super) fn doubles(self, list: &mut Vec<f64>) -> Result<(), String> {
        match self {
            Field::Bytes(bytes) => list.extend(chunks(bytes)?.map(f64::from_le_bytes)),
            Field::Fixed64(bytes) => list.push(f64::from_le_bytes(bytes)),
            _ => return Err(unexpected("a double", self)),
        }
        Ok(())
    }
}

/// The bytes in pieces of `N`.
pub(super) fn chunks<const N: usize>(bytes: &[u8]) -> Result<impl Iterator<Item = [u8; N]>, String> {
    let (pieces, rest) = bytes.as_chunks();
    if rest.is_empty() {
        Ok(pieces.iter().copied())
    } else {
        Err(format!("{} bytes of values that take {N} each", bytes.len()))
    }
}

fn cut() -> String {
    "the file ends within a field: it was cut, or is not an ONNX file".to_owned()
}

fn unexpected(what: &str, found: Field<'_>) -> String {
    let kind = match found {
        Field::Varint(_) => "a number",
        Field::Fixed32(_) => "four bytes",
        Field::Fixed64(_) => "eight bytes",
        Field::Bytes(_) => "bytes",
    };
    format!("{kind} where {what} should be: this is not an ONNX file")
}

//! The kinds of numbers an array may hold.

use anyhow::bail;

/// A kind of number and the order of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    name: Name,
    big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Bool,
    U1,
    I4,
    I8,
    F2,
    F4,
    F8,
}

impl Kind {
    /// As NumPy abbreviates it: `<f4`, `|u1`.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let (order, name) = text.split_at_checked(1).unwrap_or(("", text));
        let name = match (order, name) {
            ("|" | "<" | ">", "b1") => Name::Bool,
            ("|" | "<" | ">", "u1") => Name::U1,
            ("<" | ">", "i4") => Name::I4,
            ("<" | ">", "i8") => Name::I8,
            ("<" | ">", "f2") => Name::F2,
            ("<" | ">", "f4") => Name::F4,
            ("<" | ">", "f8") => Name::F8,
            ("|", name) if name.starts_with('O') => bail!(
                "holds Python objects, which can run code and are not read: save numbers, with a.astype('float32')"
            ),
            _ => bail!(
                "holds numbers of the kind {text}: bool, uint8, int32, int64, float16, float32 and float64 are read, \
                 so convert it with a.astype('float32')"
            ),
        };
        Ok(Self { name, big_endian: order == ">" })
    }

    /// Bytes per number.
    pub(super) fn size(self) -> usize {
        match self.name {
            Name::Bool | Name::U1 => 1,
            Name::F2 => 2,
            Name::I4 | Name::F4 => 4,
            Name::I8 | Name::F8 => 8,
        }
    }

    /// The number that stands for white, for the two kinds that are used for pictures.
    pub(super) fn white(self) -> Option<f64> {
        match self.name {
            Name::Bool => Some(1.0),
            Name::U1 => Some(255.0),
            _ => None,
        }
    }

    /// The number in these bytes, of which there are [`size`](Self::size).
    pub(super) fn number(self, bytes: &[u8]) -> f64 {
        let mut b = [0; 8];
        let little = &mut b[..bytes.len()];
        little.copy_from_slice(bytes);
        if self.big_endian {
            little.reverse();
        }
        let four = [b[0], b[1], b[2], b[3]];
        match self.name {
            Name::Bool => f64::from(u8::from(b[0] != 0)),
            Name::U1 => f64::from(b[0]),
            Name::I4 => f64::from(i32::from_le_bytes(four)),
            Name::I8 => i64::from_le_bytes(b) as f64,
            Name::F2 => half(u16::from_le_bytes([b[0], b[1]])),
            Name::F4 => f64::from(f32::from_le_bytes(four)),
            Name::F8 => f64::from_le_bytes(b),
        }
    }
}

/// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let fraction = f64::from(bits & 1023);
    match exponent {
        0 => sign * fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_its_bytes() {
        for (text, bytes, number) in [
            ("|b1", [2].as_slice(), 1.0),
            ("|u1", &[200], 200.0),
            ("<i4", &[0xfe, 0xff, 0xff, 0xff], -2.0),
            (">i4", &[0, 0, 1, 0], 256.0),
            ("<i8", &[0, 1, 0, 0, 0, 0, 0, 0], 256.0),
            ("<f4", &[0, 0, 0xc0, 0xbf], -1.5),
            (">f4", &[0xbf, 0xc0, 0, 0], -1.5),
            ("<f8", &0.1_f64.to_le_bytes(), 0.1),
            (">f8", &0.1_f64.to_be_bytes(), 0.1),
            // Half precision: 1, the largest, the smallest, a negative zero.
            ("<f2", &[0, 0x3c], 1.0),
            (">f2", &[0x7b, 0xff], 65504.0),
            ("<f2", &[1, 0], 2_f64.powi(-24)),
            ("<f2", &[0, 0x80], -0.0),
        ] {
            let kind = Kind::parse(text).unwrap();
            assert_eq!(kind.size(), bytes.len());
            assert_eq!(kind.number(bytes).to_bits(), number.to_bits(), "{text}");
        }
        assert!(half(0x7c00).is_infinite() && half(0xfc00) < 0.0 && half(0x7c01).is_nan());
    }

    #[test]
    fn other_kinds_are_refused_with_what_to_do() {
        for (text, word) in [
            ("|O", "Python objects"),
            ("<c16", "astype"),
            ("<U8", "astype"),
            ("|S1", "astype"),
            ("<u2", "astype"),
            ("|f4", "astype"),
            ("é", "astype"),
            ("", "astype"),
            ("[('x', '<f4')]", "astype"),
        ] {
            let told = Kind::parse(text).unwrap_err().to_string();
            assert!(told.contains(word), "{text}: {told}");
        }
    }
}

//! MXNet's parameter files: a list of arrays, then a list of their names, little-endian.
//!
//! The layout is that of MXNet's public `NDArray::Save`. Three versions of an array are read, and the one before versions; all
//! hold a shape, where the array lived (which does not matter here), the kind of its numbers, and the numbers.

use std::collections::BTreeMap;

use crate::onnx::Tensor;

/// How a file begins.
const LIST: u64 = 0x112;
/// How an array begins whose axes are 64-bit numbers.
const VERSION_1: u32 = 0xF993_FAC8;
/// The same with a word for sparse arrays before the axes.
const VERSION_2: u32 = 0xF993_FAC9;
/// The same, where no axes mean one number.
const VERSION_3: u32 = 0xF993_FACA;
/// The word of an array that is not sparse.
const DENSE: u32 = 0;
/// The word for numbers of 32 bits.
const FLOAT32: u32 = 0;
/// MXNet itself has no arrays with more axes.
const MOST_AXES: u32 = 32;

/// The arrays of a parameter file, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    arrays: BTreeMap<String, Tensor>,
}

impl Parameters {
    /// Reads a whole file. Memory grows with the bytes that are there, not with what they promise.
    pub fn read(bytes: &[u8]) -> Result<Self, ParametersError> {
        let mut rest = Rest { bytes, position: 0 };
        let found = rest.long()?;
        if found != LIST {
            return Err(ParametersError::Magic { found });
        }
        let _reserved = rest.long()?;
        let mut tensors = Vec::new();
        for _ in 0..rest.long()? {
            tensors.push(rest.array(tensors.len())?);
        }
        let names = rest.long()?;
        if names != tensors.len() as u64 {
            return Err(ParametersError::Counts { arrays: tensors.len(), names });
        }
        let mut arrays = BTreeMap::new();
        for tensor in tensors {
            let name = rest.name()?;
            if let Some((name, _)) = arrays.remove_entry(&name) {
                return Err(ParametersError::Twice { name });
            }
            arrays.insert(name, tensor);
        }
        match rest.left() {
            0 => Ok(Self { arrays }),
            left => Err(ParametersError::Behind { left }),
        }
    }

    /// Takes an array out.
    pub fn take(&mut self, name: &str) -> Option<Tensor> {
        self.arrays.remove(name)
    }

    /// The names of the arrays that are left.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arrays.keys().map(String::as_str)
    }
}

/// What has not been read yet.
struct Rest<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Rest<'a> {
    fn left(&self) -> usize {
        self.bytes.len() - self.position
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ParametersError> {
        let end = self.position.checked_add(count).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or(ParametersError::Cut { position: self.position, wanted: count })?;
        let taken = &self.bytes[self.position..end];
        self.position = end;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, ParametersError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn long(&mut self) -> Result<u64, ParametersError> {
        let (low, high) = (self.word()?, self.word()?);
        Ok(u64::from(low) | u64::from(high) << 32)
    }

    fn name(&mut self) -> Result<String, ParametersError> {
        let length = self.long()?;
        let position = self.position;
        let bytes = self.take(usize::try_from(length).unwrap_or(usize::MAX))?;
        let name = std::str::from_utf8(bytes).map_err(|_| ParametersError::Name { position })?;
        // Exported symbols say which arrays are learnt and which are averages.
        let plain = name.strip_prefix("arg:").or_else(|| name.strip_prefix("aux:")).unwrap_or(name);
        Ok(plain.to_owned())
    }

    fn array(&mut self, number: usize) -> Result<Tensor, ParametersError> {
        let unlike = |what: &'static str, found: u32| ParametersError::Unlike { number, what, found };
        let shape = match self.word()? {
            version @ (VERSION_2 | VERSION_3) => {
                let storage = self.word()?;
                if storage != DENSE {
                    return Err(unlike("is sparse, of kind", storage));
                }
                let axes = self.word()?;
                if axes == 0 && version == VERSION_2 {
                    return Err(unlike("has no numbers; its axes", axes));
                }
                self.axes(number, axes, Self::long)?
            }
            VERSION_1 => {
                let axes = self.word()?;
                self.axes(number, axes, Self::long)?
            }
            // Before there were versions an array began with the number of its axes.
            axes => self.axes(number, axes, |rest| rest.word().map(u64::from))?,
        };
        let _device = (self.word()?, self.word()?);
        let kind = self.word()?;
        if kind != FLOAT32 {
            return Err(unlike("holds numbers other than 32-bit floats, of kind", kind));
        }
        let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
        let bytes = self.take(count.and_then(|count| count.checked_mul(4)).unwrap_or(usize::MAX))?;
        let values = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        Ok(Tensor { shape, values })
    }

    fn axes(
        &mut self,
        number: usize,
        count: u32,
        length: impl Fn(&mut Self) -> Result<u64, ParametersError>,
    ) -> Result<Vec<usize>, ParametersError> {
        if count > MOST_AXES {
            return Err(ParametersError::Unlike {
                number,
                what: "begins as no array does; axes",
                found: count,
            });
        }
        (0..count).map(|_| Ok(usize::try_from(length(self)?).unwrap_or(usize::MAX))).collect()
    }
}

/// A parameter file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say it")]
pub enum ParametersError {
    #[error("begins with {found:#x}, a file of MXNet's arrays begins with 0x112")]
    Magic { found: u64 },
    #[error("was cut: {wanted} bytes are promised at byte {position}, and it does not have them")]
    Cut { position: usize, wanted: usize },
    #[error("goes on for {left} bytes after the last name")]
    Behind { left: usize },
    #[error("holds {arrays} arrays with {names} names")]
    Counts { arrays: usize, names: u64 },
    #[error("holds the array {name} twice")]
    Twice { name: String },
    #[error("has a name at byte {position} that is not text")]
    Name { position: usize },
    #[error("array {number} {what} {found}: arrays of 32-bit floats are read")]
    Unlike { number: usize, what: &'static str, found: u32 },
}

#[cfg(test)]
mod tests {
    use testkit::mxnet::{Version, parameters};

    use super::*;

    fn file(version: Version) -> Vec<u8> {
        parameters(version, &[("w", &[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), ("arg:b", &[1], &[-0.5])])
    }

    #[test]
    fn every_version_is_read() {
        for version in [Version::Legacy, Version::One, Version::Two, Version::Three] {
            let mut found = Parameters::read(&file(version)).unwrap();
            assert_eq!(found.names().collect::<Vec<_>>(), ["b", "w"]);
            let w = Tensor { shape: vec![2, 3], values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0] };
            assert_eq!(found.take("w"), Some(w), "{version:?}");
            assert_eq!(found.take("b"), Some(Tensor { shape: vec![1], values: vec![-0.5] }));
            assert_eq!(found.take("b"), None);
        }
        let scalar = parameters(Version::Three, &[("s", &[], &[7.0])]);
        assert_eq!(Parameters::read(&scalar).unwrap().take("s").unwrap().values, [7.0]);
    }

    #[test]
    fn a_file_that_was_cut_anywhere_is_refused() {
        for version in [Version::Legacy, Version::Two] {
            let whole = file(version);
            for length in 0..whole.len() {
                let error = Parameters::read(&whole[..length]).unwrap_err();
                assert!(matches!(error, ParametersError::Cut { .. }), "{length}: {error}");
            }
            let longer = [whole, vec![0]].concat();
            assert_eq!(Parameters::read(&longer), Err(ParametersError::Behind { left: 1 }));
        }
    }

    #[test]
    fn what_is_not_such_a_file_is_told() {
        let told = |bytes: &[u8]| Parameters::read(bytes).unwrap_err().to_string();
        assert!(told(b"a text, and no list of arrays").starts_with("begins with 0x"));
        let twice = parameters(Version::Two, &[("w", &[1], &[0.0]), ("aux:w", &[1], &[0.0])]);
        assert_eq!(told(&twice), "holds the array w twice");
        let change = |at: usize, word: u32| {
            let mut bytes = file(Version::Two);
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            told(&bytes)
        };
        // Behind the header, 24 bytes: magic, storage, axes, two lengths, device, kind.
        assert!(change(24, 0xF993_FACB).contains("array 0 begins as no array does"));
        assert!(change(28, 1).contains("array 0 is sparse, of kind 1"));
        assert!(change(32, 0).contains("array 0 has no numbers"));
        assert!(change(60, 4).contains("other than 32-bit floats, of kind 4"));
    }

    #[test]
    fn promises_that_the_bytes_do_not_keep_cost_nothing() {
        let mut bytes = file(Version::Two);
        for (at, what) in [(16, "arrays"), (36, "a length"), (44, "another")] {
            let honest = bytes.clone();
            bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
            assert!(Parameters::read(&bytes).is_err(), "{what}");
            bytes = honest;
        }
        // A name as long as memory.
        let end = bytes.len() - 13;
        bytes[end..end + 8].copy_from_slice(&(u64::MAX / 2).to_le_bytes());
        assert!(matches!(Parameters::read(&bytes), Err(ParametersError::Cut { .. })));
    }
}

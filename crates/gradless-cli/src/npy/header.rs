//! The header of a `.npy` file: a Python dictionary, written in text.

use std::io::Read;

use anyhow::{Context, bail, ensure};

use super::MAGIC;
use super::kind::Kind;

/// NumPy itself refuses headers above 10,000 bytes.
const LONGEST: u64 = 1 << 16;

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    /// Whether the first index runs fastest.
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// How many bytes the numbers take; `None` if that is no number.
    pub(super) fn bytes(&self) -> Option<u64> {
        let size = self.shape.iter().try_fold(self.kind.size(), |size, &length| size.checked_mul(length))?;
        u64::try_from(size).ok()
    }
}

/// The header of a file of `length` bytes, and where the numbers begin.
pub(super) fn read(reader: &mut impl Read, length: u64) -> anyhow::Result<(Header, u64)> {
    let begin = take(reader, MAGIC.len() as u64)?;
    if begin != MAGIC {
        refuse(&begin)?;
    }
    let [major, minor] = array(&take(reader, 2)?)?;
    let (size, before) = match major {
        1 => (u64::from(u16::from_le_bytes(array(&take(reader, 2)?)?)), 10),
        2 | 3 => (u64::from(u32::from_le_bytes(array(&take(reader, 4)?)?)), 12),
        _ => bail!("is of version {major}.{minor} of NumPy's format: versions 1 to 3 are read"),
    };
    ensure!(before + size <= length, "was cut: its header is not whole");
    ensure!(size <= LONGEST, "has a header of {size} bytes: no array of numbers needs that");
    let text = String::from_utf8(take(reader, size)?).context("has a damaged header")?;
    Ok((parse(&text)?, before + size))
}

/// The header's text for numbers as we write them, not yet padded.
pub(super) fn text(shape: &[usize]) -> String {
    let lengths: String = match shape {
        [length] => format!("{length},"),
        lengths => lengths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    };
    format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({lengths}), }}")
}

fn take(reader: &mut impl Read, count: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(count).read_to_end(&mut bytes).context("cannot be read")?;
    Ok(bytes)
}

fn array<const N: usize>(bytes: &[u8]) -> anyhow::Result<[u8; N]> {
    bytes.try_into().ok().context("was cut: its header is not whole")
}

fn refuse(begin: &[u8]) -> anyhow::Result<()> {
    if begin.starts_with(b"PK") {
        bail!("is an archive of arrays (.npz): save the one array with numpy.save");
    }
    if begin.starts_with(b"\x80") {
        bail!("is a Python pickle, which can run code and is not read: save the array with numpy.save");
    }
    bail!("is not a NumPy array (.npy), or it was damaged");
}

fn parse(text: &str) -> anyhow::Result<Header> {
    let damaged =
        || format!("has a header that is not NumPy's: {:?}", text.chars().take(100).collect::<String>());
    let (descr, fortran, shape) = Literal(text).dictionary().with_context(damaged)?;
    Ok(Header { kind: Kind::parse(descr)?, fortran, shape })
}

/// What is left of a text in Python's notation.
struct Literal<'a>(&'a str);

impl<'a> Literal<'a> {
    fn dictionary(mut self) -> Option<(&'a str, bool, Vec<usize>)> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.eat("{")?;
        while self.eat("}").is_none() {
            let key = self.string()?;
            self.eat(":")?;
            match key {
                "descr" => descr = Some(self.descr()?),
                "fortran_order" => fortran = Some(self.truth()?),
                "shape" => shape = Some(self.lengths()?),
                _ => return None,
            }
            if self.eat(",").is_none() && !self.0.trim_start().starts_with('}') {
                return None;
            }
        }
        self.0.trim().is_empty().then_some((descr?, fortran?, shape?))
    }

    fn eat(&mut self, token: &str) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(token)?;
        Some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let quote = text.chars().next().filter(|&first| first == '\'' || first == '"')?;
        let (string, rest) = text[1..].split_once(quote)?;
        self.0 = rest;
        Some(string)
    }

    /// The kind of number in quotes, or the list that describes records.
    fn descr(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        if !text.starts_with('[') {
            return self.string();
        }
        let (list, rest) = text.split_at(text.find(']')? + 1);
        self.0 = rest;
        Some(list)
    }

    fn truth(&mut self) -> Option<bool> {
        let yes = self.eat("True").is_some();
        if yes { Some(true) } else { self.eat("False").map(|()| false) }
    }

    fn lengths(&mut self) -> Option<Vec<usize>> {
        self.eat("(")?;
        let (inside, rest) = self.0.split_once(')')?;
        self.0 = rest;
        let inside = inside.trim();
        if inside.is_empty() {
            return Some(Vec::new());
        }
        // Python 2 wrote `3L`.
        let length = |word: &str| word.trim().trim_end_matches('L').parse().ok();
        inside.strip_suffix(',').unwrap_or(inside).split(',').map(length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_writes_the_same_dictionary_in_many_ways() {
        let plain = parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }").unwrap();
        assert_eq!((plain.shape.as_slice(), plain.fortran), ([3, 4].as_slice(), false));
        for text in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}\n",
            "{\"shape\":(3,4,),\"fortran_order\":False,\"descr\":\"<f4\"}",
            "  { 'shape' : (3L, 4L) , 'descr' : '<f4' , 'fortran_order' : False , }   \n",
        ] {
            assert_eq!(parse(text).unwrap(), plain, "{text}");
        }
        assert!(parse("{'descr': '|u1', 'fortran_order': True, 'shape': ()}").unwrap().shape.is_empty());
        assert_eq!(parse(&text(&[5])).unwrap().shape, [5]);
    }

    #[test]
    fn what_is_no_such_dictionary_is_refused() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f4', 'fortran_order': False}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, -4)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} more",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4)}",
            "{'descr': '<f4' 'fortran_order': False, 'shape': (3, 4)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), 'é': 1}",
        ] {
            let told = parse(text).unwrap_err().to_string();
            assert!(told.contains("not NumPy's"), "{text}: {told}");
        }
    }
}

//! NumPy's `.npy` files: one array of numbers, read without trusting its header, and written.

mod header;
mod kind;

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use header::Header;

/// How every such file begins.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers are padded so that the numbers begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// An array whose header has been read and agrees with the length of the file.
#[derive(Debug)]
pub(crate) struct Npy<R> {
    reader: R,
    header: Header,
    /// Where the numbers begin.
    start: u64,
}

/// Numbers of an array in C order: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// The numbers, all finite.
    pub(crate) values: Vec<f64>,
    /// The number that stands for white if the array is a picture: 255 for `uint8`, 1 for `bool`.
    pub(crate) white: Option<f64>,
}

impl Npy<File> {
    /// Opens a file and reads its header.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Self::new(File::open(path).context("cannot be read")?)
    }
}

impl<R: Read + Seek> Npy<R> {
    /// Reads the header; nothing else is read or kept.
    pub(crate) fn new(mut reader: R) -> anyhow::Result<Self> {
        let length = reader.seek(SeekFrom::End(0)).context("cannot be read")?;
        reader.rewind().context("cannot be read")?;
        let (header, start) = header::read(&mut reader, length)?;
        let promised = header.bytes().context("promises more numbers than a file can hold")?;
        ensure!(promised > 0, "holds no numbers: its shape is {:?}", header.shape);
        let found = length - start;
        ensure!(found >= promised, "was cut: it promises {promised} bytes of numbers and holds {found}");
        ensure!(found == promised, "goes on after the {promised} bytes of numbers it promises");
        Ok(Self { reader, header, start })
    }

    /// The lengths of its axes.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// All its numbers.
    pub(crate) fn all(&mut self) -> anyhow::Result<Numbers> {
        self.numbers(0, 0)
    }

    /// The numbers at one index of the first axis; the others are not read.
    pub(crate) fn item(&mut self, index: usize) -> anyhow::Result<Numbers> {
        let count = self.shape().first().copied().unwrap_or(0);
        ensure!(index < count, "holds {count} items, there is none with the index {index}");
        self.numbers(1, index)
    }

    /// The numbers of the axes from `axis` on (0 or 1), at `index` of the axis before.
    fn numbers(&mut self, axis: usize, index: usize) -> anyhow::Result<Numbers> {
        let shape = self.header.shape[axis..].to_vec();
        let values = if self.header.fortran {
            self.scattered(axis, index, &shape)
        } else {
            self.contiguous(index, shape.iter().product())
        };
        let values = values.context("cannot be read")?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            bail!("holds {} at {:?}: only finite numbers can be inputs", values[at], unravel(at, &shape));
        }
        Ok(Numbers { values, white: self.header.kind.white() })
    }

    fn contiguous(&mut self, index: usize, count: usize) -> std::io::Result<Vec<f64>> {
        let kind = self.header.kind;
        let mut bytes = vec![0; count * kind.size()];
        self.reader.seek(SeekFrom::Start(self.start + (index * bytes.len()) as u64))?;
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes.chunks_exact(kind.size()).map(|bytes| kind.number(bytes)).collect())
    }

    /// In Fortran order the first index runs fastest: the numbers of one item lie apart, each is read where it is.
    fn scattered(&mut self, axis: usize, index: usize, shape: &[usize]) -> std::io::Result<Vec<f64>> {
        let mut places = vec![index];
        let mut stride: usize = self.header.shape[..axis].iter().product();
        for &length in shape {
            places = places.iter().flat_map(|&at| (0..length).map(move |k| at + k * stride)).collect();
            stride *= length;
        }
        let kind = self.header.kind;
        let mut bytes = vec![0; kind.size()];
        let mut number = |place: usize| {
            self.reader.seek(SeekFrom::Start(self.start + (place * bytes.len()) as u64))?;
            self.reader.read_exact(&mut bytes)?;
            Ok(kind.number(&bytes))
        };
        places.into_iter().map(&mut number).collect()
    }
}

/// The index on every axis of the number at a place in C order.
fn unravel(mut place: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&length| {
            let at = place % length;
            place /= length;
            at
        })
        .collect();
    index.reverse();
    index
}

/// Writes an array of `float64`, little endian, in C order. A crash leaves the old file or the new one, never half of
/// one.
pub(crate) fn write(path: &Path, shape: &[usize], values: &[f64]) -> anyhow::Result<()> {
    let done = encode(shape, values).and_then(|bytes| Ok(replace(path, &bytes)?));
    done.with_context(|| format!("{} cannot be written", path.display()))
}

fn encode(shape: &[usize], values: &[f64]) -> anyhow::Result<Vec<u8>> {
    let count = values.len();
    ensure!(shape.iter().product::<usize>() == count, "{count} numbers do not fill the shape {shape:?}");
    let mut text = header::text(shape);
    let unpadded = MAGIC.len() + 4 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let length = u16::try_from(text.len()).context("its shape has too many axes")?;
    let mut bytes = [MAGIC, &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    Ok(bytes)
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // What is left of it is of no use; why it failed is told.
        let _ = fs::remove_file(&beside);
    }
    written
}

#[cfg(test)]
mod tests;

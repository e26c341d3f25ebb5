//! IDX, the format of MNIST: a magic number, big-endian sizes, then bytes.

use std::path::Path;

use super::Images;
use super::error::{DataError, Problem};
use super::source::{open, read_header, read_rest};

const IMAGES: u32 = 0x0000_0803;
const LABELS: u32 = 0x0000_0801;
/// No file of images is believed to hold more bytes; MNIST's larger one holds 47 million.
const LARGEST: u64 = 1 << 30;

/// Reads a file of images.
pub(super) fn images(path: &Path) -> Result<Images, DataError> {
    read_images(path).map_err(|problem| problem.at(path))
}

/// Reads a file of labels.
pub(super) fn labels(path: &Path) -> Result<Vec<u8>, DataError> {
    read_labels(path).map_err(|problem| problem.at(path))
}

fn read_images(path: &Path) -> Result<Images, Problem> {
    let mut reader = open(path)?;
    let header = read_header::<16>(&mut reader)?;
    let [magic, count, height, width] = [0, 4, 8, 12].map(|at| word(&header, at));
    check_magic("IDX images", IMAGES, magic)?;
    let pixels = u64::from(height) * u64::from(width);
    let size = u64::from(count).checked_mul(pixels).filter(|&size| pixels > 0 && size <= LARGEST);
    let size = size.ok_or(Problem::TooLarge { count, height, width })?;
    let pixels = read_rest(&mut reader, size, header.len() as u64)?;
    Ok(Images { channels: 1, height: height as usize, width: width as usize, pixels })
}

fn read_labels(path: &Path) -> Result<Vec<u8>, Problem> {
    let mut reader = open(path)?;
    let header = read_header::<8>(&mut reader)?;
    let [magic, count] = [0, 4].map(|at| word(&header, at));
    check_magic("IDX labels", LABELS, magic)?;
    if u64::from(count) > LARGEST {
        return Err(Problem::TooLarge { count, height: 1, width: 1 });
    }
    read_rest(&mut reader, u64::from(count), header.len() as u64)
}

fn word(header: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

fn check_magic(what: &'static str, expected: u32, found: u32) -> Result<(), Problem> {
    if found == expected { Ok(()) } else { Err(Problem::Magic { what, expected, found }) }
}

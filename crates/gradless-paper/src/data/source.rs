//! Opening files: plain or gzip, never a folder, never more bytes than asked for.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use super::error::Problem;

/// The file itself if it is there, else the one with `.gz` added if that is.
pub(super) fn plain_or_gz(path: &Path) -> PathBuf {
    let mut zipped = path.as_os_str().to_owned();
    zipped.push(".gz");
    let zipped = PathBuf::from(zipped);
    if !path.exists() && zipped.exists() { zipped } else { path.to_owned() }
}

/// Opens a file, unzipping it if it begins like gzip, whatever its name.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Problem> {
    let mut file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(Problem::IsFolder);
    }
    let mut start = Vec::new();
    file.by_ref().take(2).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let file = BufReader::new(file);
    Ok(if start == [0x1f, 0x8b] { Box::new(GzDecoder::new(file)) } else { Box::new(file) })
}

/// Reads exactly `expected` bytes, which must be the rest of the stream. `before` bytes came earlier.
///
/// Memory grows with what is really there, not with what is promised.
pub(super) fn read_rest(reader: &mut dyn Read, expected: u64, before: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    reader.take(expected).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    if found < expected {
        return Err(Problem::Truncated { expected: expected + before, found: found + before });
    }
    if reader.read(&mut [0])? > 0 {
        return Err(Problem::TooLong { expected: expected + before });
    }
    Ok(bytes)
}

/// Reads a header of `N` bytes.
pub(super) fn read_header<const N: usize>(reader: &mut dyn Read) -> Result<[u8; N], Problem> {
    let mut bytes = Vec::new();
    reader.take(N as u64).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    bytes.try_into().map_err(|_| Problem::Truncated { expected: N as u64, found })
}

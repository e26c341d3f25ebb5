//! Reads whole files, but never more than was agreed.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::Problem;

/// The bytes of a file of at most `limit` bytes; its size is looked at before, and not trusted while, it is read.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Problem> {
    let file = File::open(path)?;
    let data = file.metadata()?;
    if data.is_dir() {
        return Err(Problem::IsFolder);
    }
    if data.len() > limit {
        return Err(Problem::TooLarge { bytes: data.len(), limit });
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    if found > limit { Err(Problem::TooLarge { bytes: found, limit }) } else { Ok(bytes) }
}

//! The binary form of CIFAR-10: records of one class byte and 3072 pixel bytes.

use std::io::Read;
use std::path::Path;

use super::Labelled;
use super::error::{DataError, Problem};
use super::source::open;

const PIXELS: usize = 3 * 32 * 32;
const RECORD: usize = 1 + PIXELS;
/// A batch holds 10,000 records; no file is read beyond ten times that.
const MOST: u64 = 100_000 * RECORD as u64;

/// Adds the records of a batch.
pub(super) fn append(path: &Path, to: &mut Labelled) -> Result<(), DataError> {
    read(path, to).map_err(|problem| problem.at(path))
}

fn read(path: &Path, to: &mut Labelled) -> Result<(), Problem> {
    let mut bytes = Vec::new();
    open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    let found = bytes.len() as u64;
    if found > MOST {
        return Err(Problem::TooLong { expected: MOST });
    }
    let whole = found.next_multiple_of(RECORD as u64).max(RECORD as u64);
    if found != whole {
        return Err(Problem::Truncated { expected: whole, found });
    }
    for (index, record) in bytes.chunks_exact(RECORD).enumerate() {
        if record[0] > 9 {
            return Err(Problem::BadLabel { index, label: record[0] });
        }
        to.labels.push(record[0]);
        to.images.pixels.extend_from_slice(&record[1..]);
    }
    Ok(())
}

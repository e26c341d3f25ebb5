//! Published contents are told by their SHA-256.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::catalogue::Expected;
use super::error::Problem;

/// Copies exactly the bytes that are expected, or says how the stream differs.
pub(super) fn copy_checked(reader: &mut dyn Read, part: &Path, expected: &Expected) -> Result<(), Problem> {
    let mut file = File::create(part)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut left = expected.bytes;
    loop {
        let count = reader.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        left = left.checked_sub(count as u64).ok_or(Problem::TooLong { expected: expected.bytes })?;
        hasher.update(&buffer[..count]);
        file.write_all(&buffer[..count])?;
    }
    if left > 0 {
        return Err(Problem::Truncated { expected: expected.bytes, found: expected.bytes - left });
    }
    file.sync_all()?;
    check(expected, &hex(&hasher.finalize()))
}

/// Whether the file is there with the published contents.
pub(super) fn is_right(path: &Path, expected: &Expected) -> bool {
    let right_size = fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == expected.bytes);
    right_size && sha256(path).is_ok_and(|found| found == expected.sha256)
}

fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn check(expected: &Expected, found: &str) -> Result<(), Problem> {
    if found == expected.sha256 {
        Ok(())
    } else {
        Err(Problem::Checksum { expected: expected.sha256.to_owned(), found: found.to_owned() })
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

//! A training run on disk: all of its state, with a checksum, written beside the old one and then put in its place.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use super::error::{TrainError, Unusable};
use super::plan::SHARD;
use super::trainer::State;

/// How the file begins.
const MAGIC: &[u8; 16] = b"gradless-train\r\n";
/// Raised when the state or the arithmetic of training changes: a run does not go on to other bits than it began with.
const VERSION: u32 = 2;
/// Both networks' states are below 10 MB.
const LARGEST: u64 = 64 << 20;

pub(super) fn write(state: &State, path: &Path) -> Result<(), TrainError> {
    let part = path.with_extension("part");
    let written = encode(state).and_then(|bytes| {
        let mut file = File::create(&part)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    written.map_err(|error| TrainError::file(path, error))
}

fn encode(state: &State) -> std::io::Result<Vec<u8>> {
    let body = postcard::to_stdvec(state).map_err(std::io::Error::other)?;
    let sum = crc32fast::hash(&body);
    Ok([MAGIC.as_slice(), &VERSION.to_le_bytes(), &sum.to_le_bytes(), &body].concat())
}

pub(super) fn read(path: &Path) -> Result<State, TrainError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
        .map_err(|error| TrainError::file(path, error))?;
    parse(&bytes).map_err(|problem| TrainError::Checkpoint { path: path.to_owned(), problem })
}

fn parse(bytes: &[u8]) -> Result<State, Unusable> {
    let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or(Unusable::Magic)?;
    let (version, rest) = rest.split_first_chunk().ok_or(Unusable::Damaged)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(Unusable::Version { found: version, known: VERSION });
    }
    let (sum, body) = rest.split_first_chunk().ok_or(Unusable::Damaged)?;
    if u32::from_le_bytes(*sum) != crc32fast::hash(body) {
        return Err(Unusable::Damaged);
    }
    let state: State = postcard::from_bytes(body).map_err(|_| Unusable::Damaged)?;
    let batch = state.recipe.batch;
    let sound = state.fits(&state.architecture.plan())
        && state.is_sound()
        && batch > 0
        && batch.is_multiple_of(SHARD);
    if sound { Ok(state) } else { Err(Unusable::Damaged) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Architecture, Recipe};

    fn bytes() -> Vec<u8> {
        encode(&State::new(Architecture::LeNet, Recipe::of(Architecture::LeNet), 3, 9)).unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let state = State::new(Architecture::LeNet, Recipe::of(Architecture::LeNet), 3, 9);
        assert_eq!(parse(&bytes()).unwrap(), state);
    }

    #[test]
    fn damage_anywhere_is_noticed() {
        let whole = bytes();
        for cut in [0, 5, 16, 19, 23, 24, whole.len() / 2, whole.len() - 1] {
            assert!(parse(&whole[..cut]).is_err(), "cut at {cut}");
        }
        for place in (0..whole.len()).step_by(9973).chain([0, 16, 20, 24]) {
            let mut bytes = whole.clone();
            bytes[place] ^= 4;
            assert!(parse(&bytes).is_err(), "a bit turned at {place}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = bytes();
        bytes[16] = 9;
        assert_eq!(parse(&bytes).unwrap_err(), Unusable::Version { found: 9, known: VERSION });
    }
}

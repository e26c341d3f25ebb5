//! Snapshots: a run as bytes, versioned and checksummed. They are data; nothing in them is executed.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `GRADLESS` |
//! | 4 | version, little endian |
//! | 8 | length of the body |
//! | 4 | CRC-32 of the body |
//! | .. | body: configuration, space and state in the postcard format |

use serde::{Deserialize, Serialize};

use super::Solver;
use super::config::{Config, ConfigError};
use super::state::State;
use crate::space::Space;
use crate::update::Parts;

const MAGIC: &[u8; 8] = b"GRADLESS";
/// Raised whenever the body changes its meaning or the trajectories change.
const VERSION: u32 = 10;
const HEADER: usize = 24;

#[derive(Serialize, Deserialize)]
struct Body<C, P, S> {
    config: C,
    space: P,
    state: S,
}

/// A snapshot that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// It does not begin like one.
    #[error("this is not a gradless snapshot")]
    NotASnapshot,
    /// It was written by another version.
    #[error("the snapshot has version {found}, this program reads version {VERSION}")]
    Version {
        /// Its version.
        found: u32,
    },
    /// Bytes are missing or left over.
    #[error("the snapshot should hold {expected} bytes and holds {found}: it was cut or extended")]
    Length {
        /// As its header says.
        expected: u64,
        /// As it is.
        found: u64,
    },
    /// The checksum does not fit.
    #[error("the snapshot is damaged: its checksum does not fit")]
    Damaged,
    /// The body cannot be read, or its parts contradict each other.
    #[error("the snapshot does not make sense: {reason}")]
    Inconsistent {
        /// Why.
        reason: String,
    },
    /// The configuration in it is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl Solver {
    /// The whole run as bytes. Between `ask` and `tell` it is the run before `ask`: the same batch is asked again.
    pub fn snapshot(&self) -> Vec<u8> {
        let body = Body { config: &self.config, space: &self.parts.space, state: &self.state };
        // Writing plain data to memory does not fail; if it did, an empty body would be refused when read.
        let body = postcard::to_stdvec(&body).unwrap_or_default();
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The run a snapshot was taken of; it continues to the same bits.
    pub fn restore(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let body: Body<Config, Space, State> = postcard::from_bytes(checked_body(bytes)?)
            .map_err(|error| SnapshotError::Inconsistent { reason: error.to_string() })?;
        let Body { config, space, state } = body;
        let inconsistent = |reason: &str| SnapshotError::Inconsistent { reason: reason.to_owned() };
        // The vectors first: their length is backed by bytes, a dimension alone is just a number.
        if !state.has_dimension(space.dim()) {
            return Err(inconsistent("vectors do not have the length of the problem"));
        }
        if !space.is_consistent() {
            return Err(inconsistent("coordinates, bounds or weights do not fit each other"));
        }
        let parts = Parts::in_space(space, &config, state.relay.recipe())?;
        if !state.fits(&parts) {
            return Err(inconsistent("vectors do not have the length of the problem"));
        }
        let solver = Self::with(config, parts, state);
        if solver.waits_consistently() {
            Ok(solver)
        } else {
            Err(inconsistent("the answers that wait do not fit the batch they belong to"))
        }
    }
}

fn checked_body(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    if !bytes.starts_with(MAGIC) {
        return Err(SnapshotError::NotASnapshot);
    }
    let Some((header, body)) = bytes.split_at_checked(HEADER) else {
        return Err(SnapshotError::Length { expected: HEADER as u64, found: bytes.len() as u64 });
    };
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (version, checksum) = (word(8), word(20));
    if version != VERSION {
        return Err(SnapshotError::Version { found: version });
    }
    let expected = u64::from(word(12)) | u64::from(word(16)) << 32;
    if body.len() as u64 != expected {
        let found = bytes.len() as u64;
        return Err(SnapshotError::Length { expected: expected.saturating_add(HEADER as u64), found });
    }
    if crc32fast::hash(body) != checksum {
        return Err(SnapshotError::Damaged);
    }
    Ok(body)
}

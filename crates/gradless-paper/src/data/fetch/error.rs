//! Why something could not be fetched: which home said what.

use crate::data::{DataError, Problem};

/// A data set that could not be fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Something is wrong on this side: the folder, the disk.
    #[error(transparent)]
    Folder(#[from] DataError),
    /// No home gave the file.
    #[error("{file} could not be fetched: {}", listed(tried))]
    NoHome {
        /// Which file.
        file: String,
        /// Every home that was asked, with its answer.
        tried: Vec<Tried>,
    },
}

/// A home that did not give a file.
#[derive(Debug)]
pub struct Tried {
    /// Where.
    pub address: String,
    /// Why not.
    pub reason: Refusal,
}

/// Why a home did not give a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Its name is unknown: most often there is no network.
    #[error("the host is not found (no network?)")]
    HostNotFound,
    /// No way leads there, or nobody listens.
    #[error("it cannot be reached ({0})")]
    Unreachable(String),
    /// It did not answer in time, or stopped sending.
    #[error("nothing came for too long ({0})")]
    Silent(String),
    /// It answered something else.
    #[error("answered {0}")]
    Status(u16),
    /// It sends from one address to another without end.
    #[error("redirects too often")]
    Redirects,
    /// It sends more than the file can hold.
    #[error("sends more than {most} bytes: this is not the published file")]
    TooLarge {
        /// No honest copy has more.
        most: u64,
    },
    /// It ended the connection too early.
    #[error("broke off after {received} of {total} bytes")]
    Cut {
        /// Bytes that are there.
        received: u64,
        /// Bytes that were promised.
        total: u64,
    },
    /// It continues another piece than the one that was asked for.
    #[error("continued at the wrong place")]
    WrongPiece,
    /// All came, but it is not the published file.
    #[error("what it sends {0}")]
    Contents(Problem),
    /// The connection failed in another way.
    #[error("the connection failed ({0})")]
    Connection(String),
}

/// Why an attempt failed, and on which side.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nobody else can help.
    Here(DataError),
    /// Another attempt or another home may help.
    There(Refusal),
}

impl Refusal {
    /// Whether the same home may give the file a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Silent(_) | Self::Cut { .. } | Self::WrongPiece | Self::Connection(_) => true,
            Self::Status(code) => matches!(code, 408 | 416 | 425 | 429 | 500..=599),
            Self::HostNotFound
            | Self::Unreachable(_)
            | Self::Redirects
            | Self::TooLarge { .. }
            | Self::Contents(_) => false,
        }
    }
}

impl From<ureq::Error> for Refusal {
    fn from(error: ureq::Error) -> Self {
        use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable};
        match error {
            // The standard library has no kind for it, only these words.
            ureq::Error::Io(error) if error.to_string().contains("failed to lookup address") => {
                Self::HostNotFound
            }
            ureq::Error::Io(error)
                if matches!(error.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable) =>
            {
                Self::Unreachable(error.to_string())
            }
            ureq::Error::HostNotFound => Self::HostNotFound,
            ureq::Error::Timeout(_) => Self::Silent(error.to_string()),
            ureq::Error::TooManyRedirects | ureq::Error::RedirectFailed => Self::Redirects,
            other => Self::Connection(other.to_string()),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(reason: Refusal) -> Self {
        Self::There(reason)
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self::Here(error)
    }
}

fn listed(tried: &[Tried]) -> String {
    let each = tried.iter().map(|Tried { address, reason }| format!("{address}: {reason}"));
    each.collect::<Vec<_>>().join("; ")
}

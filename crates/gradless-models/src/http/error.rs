//! What can be wrong with a service or with how it is asked.

use gradless::ModelError;

use super::answer::Told;
use super::options::FileError;
use crate::description::DescriptionError;

/// A service that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address cannot be used.
    #[error("the address {address:?} {problem}")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The options cannot be read.
    #[error("{0}")]
    File(FileError),
    /// The options cannot be understood.
    #[error("the options of the service cannot be understood: {message}")]
    Syntax {
        /// What and where.
        message: String,
    },
    /// An option makes no sense.
    #[error("{what} in the options of the service must be {must}")]
    Option {
        /// Which option.
        what: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// The template of the request cannot be used.
    #[error("the template of the request, {text:?}, cannot be used: {problem}")]
    Request {
        /// The template.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The place of the scores is not a JSON pointer.
    #[error("{pointer:?} is not a JSON pointer: write \"/scores\", or \"/outputs/0/data\" for lists within")]
    Response {
        /// What was given.
        pointer: String,
    },
    /// A header cannot be sent.
    #[error("the header {name:?} {problem}")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong, without its value.
        problem: String,
    },
    /// The authorities that are to be trusted are not known.
    #[error("the certificates in {path} {problem}")]
    Certificates {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The shape of an input is not known.
    #[error(
        "a service does not say what it takes: give the shape of one input, channels first (`shape = [1, 28, 28]` under \
         `[description]` in the options, or `--shape 1,28,28`)"
    )]
    NoShape,
    /// A batch has no numbers or more than anything sensible.
    #[error("{rows} inputs of shape {shape:?} at once are too many: 2^27 numbers can be sent in a request")]
    HugeBatch {
        /// Inputs per request.
        rows: usize,
        /// The shape of one.
        shape: Vec<usize>,
    },
    /// The description does not fit.
    #[error("{0}")]
    Description(#[from] DescriptionError),
    /// The first request was not answered.
    #[error("{0}")]
    FirstRequest(ModelError),
}

/// Why a request was not answered.
#[derive(Debug)]
pub(super) enum Failure {
    /// Another status than 200; with what the service says about it.
    Status { code: u16, text: String, retry_after: Option<std::time::Duration> },
    /// The service wants the request elsewhere.
    Redirect { code: u16, to: String },
    /// Nothing came, or not all, in time.
    Timeout(f64),
    /// There is no such machine.
    NoHost,
    /// There was no connection, or it ended too early.
    Connection(String),
    /// The other side cannot prove who it is, or speaks no TLS.
    Tls(String),
    /// The answer is longer than is read.
    TooLarge(u64),
    /// What came is not HTTP.
    Protocol(String),
    /// The answer cannot be used.
    Answer(Told),
}

/// Whether it makes sense to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It would end the same way.
    Never,
    /// Once: most models mean it.
    Once,
    /// As often as is allowed.
    Often,
}

impl Failure {
    pub(super) fn again(&self) -> Again {
        match self {
            Self::Status { code: 501 | 505, .. } | Self::Redirect { .. } | Self::Tls(_) => Again::Never,
            Self::Status { code: 408 | 425 | 429 | 500..=599, .. } => Again::Often,
            Self::Status { .. } => Again::Never,
            Self::Answer(Told::NotFinite { .. }) => Again::Once,
            Self::Timeout(_)
            | Self::NoHost
            | Self::Connection(_)
            | Self::TooLarge(_)
            | Self::Protocol(_)
            | Self::Answer(_) => Again::Often,
        }
    }

    /// What happened and what to do, as the end of a sentence about the service.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Status { code, text, .. } => {
                let advice = match code {
                    401 | 403 => ": check the header that lets you in and the variable it comes from",
                    404 | 405 => ": check the path of the address",
                    413 => ": send fewer inputs per request (`rows`)",
                    400 | 415 | 422 => ": check `request`, `numbers` and the shape",
                    429 => ": ask more slowly (`requests_per_second`, `in_flight`)",
                    _ => "",
                };
                let said = if text.is_empty() { String::new() } else { format!(" and says {text:?}") };
                format!("answers with status {code}{said}{advice}")
            }
            Self::Redirect { code, to } => format!(
                "redirects ({code}) to {to:?}: redirects are not followed, so that headers go nowhere else. Give that address \
                 if you trust it"
            ),
            Self::Timeout(seconds) => {
                format!(
                    "did not answer within {seconds} s: allow more (`timeout`), or send fewer inputs per request (`rows`)"
                )
            }
            Self::NoHost => "is not known under this name: check the address and the network".to_owned(),
            Self::Connection(what) => format!("cannot be reached, or hangs up ({what}): is it running?"),
            Self::Tls(what) => format!(
                "cannot be trusted, or does not speak TLS ({what}): check the address and the certificate"
            ),
            Self::TooLarge(most) => {
                format!(
                    "answers with more than {most} bytes: check the address, or read more (`max_answer_bytes`)"
                )
            }
            Self::Protocol(what) => format!("does not answer in HTTP ({what}): check the address"),
            Self::Answer(told) => format!("gave an answer that {told}"),
        }
    }
}

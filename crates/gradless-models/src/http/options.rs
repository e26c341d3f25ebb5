//! How a service is asked: the words it wants, and how long, how often and how fast.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::answer::{self, Place, Told};
use super::request::{Content, Template};
use super::{HttpError, Numbers};
use crate::description::Description;
use crate::error::LoadError;
use crate::file;
use crate::named::Labels;

/// No file of options is longer than this, a thousand class names included.
const MAX_BYTES: u64 = 1 << 20;
/// More seconds than any of the times may have: eleven days.
const MOST_SECONDS: f64 = 1e6;

/// How a service is asked. Everything has a default, so an empty file is one; times are in seconds.
///
/// ```
/// use gradless_models::HttpOptions;
///
/// let options = HttpOptions::parse(
///     r#"
///     request = '{"instances": $inputs}'
///     response = "/predictions"
///     numbers = "nested"
///     headers = { Authorization = "Bearer $TOKEN" }
///
///     [description]
///     shape = [1, 28, 28]
///     "#,
/// )?;
/// assert_eq!((options.rows, options.attempts), (64, 6));
/// # Ok::<(), gradless_models::HttpError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpOptions {
    /// The body of a request: JSON with `$inputs` where the inputs go and, if it is wanted, `$rows` for their number. For services that
    /// take one input per request `$input`, or `$text`, which may stand in the middle of a string.
    pub request: String,
    /// Where the scores are in the answer: a JSON pointer. There stands a list of scores per input, or one list of all.
    pub response: String,
    /// For services that answer with names instead of lists of scores: where they stand in what is answered to one input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Labels>,
    /// How the inputs are grouped.
    pub numbers: Numbers,
    /// Inputs per request.
    pub rows: usize,
    /// Headers; `$NAME` in a value is filled in from the environment when the first request is sent, and never shown.
    pub headers: BTreeMap<String, String>,
    /// Requests on their way at once.
    pub in_flight: usize,
    /// Requests a second, retries included; as many as possible if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_second: Option<f64>,
    /// To find and reach the service.
    pub connect_timeout: f64,
    /// For one request from its first to its last byte, connecting included.
    pub timeout: f64,
    /// Requests for one batch, the first included.
    pub attempts: u32,
    /// The longest pause before the second attempt; doubled before each further one.
    pub pause: f64,
    /// No pause is longer, and a service that asks for a longer one (`Retry-After`) is given up.
    pub longest_pause: f64,
    /// Bytes of an answer that are read.
    pub max_answer_bytes: u64,
    /// Inputs that may be sent in all, retries included; no limit if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sent: Option<u64>,
    /// A PEM file of the authorities that are trusted to say who a service is; those that browsers trust if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificates: Option<PathBuf>,
    /// What the service takes and what its scores mean. Its `shape` must be given.
    pub description: Description,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            request: r#"{"inputs": $inputs}"#.to_owned(),
            response: "/scores".to_owned(),
            labels: None,
            numbers: Numbers::Rows,
            rows: 64,
            headers: BTreeMap::new(),
            in_flight: 8,
            requests_per_second: None,
            connect_timeout: 10.0,
            timeout: 60.0,
            attempts: 6,
            pause: 0.5,
            longest_pause: 60.0,
            max_answer_bytes: 8 << 20,
            max_sent: None,
            certificates: None,
            description: Description::default(),
        }
    }
}

impl HttpOptions {
    /// Reads options from text.
    pub fn parse(text: &str) -> Result<Self, HttpError> {
        let options: Self =
            toml::from_str(text).map_err(|error| HttpError::Syntax { message: error.to_string() })?;
        options.check()?;
        Ok(options)
    }

    /// Reads options from a file.
    pub fn load(path: &Path) -> Result<Self, HttpError> {
        let at = |problem: crate::error::Problem| HttpError::File(Box::new(problem.at(path)));
        let bytes = file::read(path, MAX_BYTES).map_err(at)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| HttpError::Syntax { message: format!("{} is not a text", path.display()) })?;
        Self::parse(&text).map_err(|error| match error {
            HttpError::Syntax { message } => {
                HttpError::Syntax { message: format!("{}: {message}", path.display()) }
            }
            other => other,
        })
    }

    /// The body of a request for some inputs, as the service is given them: to look at, or to try by hand.
    pub fn body(&self, inputs: &[f64], tensor: &[usize]) -> Result<Vec<u8>, HttpError> {
        let rows = inputs.len().checked_div(tensor.iter().product()).unwrap_or(0);
        Ok(Template::new(&self.request, self.numbers, tensor)?.fill(Content::Numbers(inputs, rows)))
    }

    /// The scores in an answer to a request of `rows` inputs, one input after the other; their number per input is what is
    /// found if it is not given.
    pub fn scores(&self, answer: &[u8], rows: usize, classes: Option<usize>) -> Result<Vec<f64>, Told> {
        let missing = || Told::Missing { pointer: self.response.clone() };
        let place = Place::new(&self.response).ok_or_else(missing)?;
        let mut scores = Vec::new();
        answer::read(answer, &place, rows, classes, &mut scores)?;
        Ok(scores)
    }

    /// Whether the numbers make sense on their own.
    pub(super) fn check(&self) -> Result<(), HttpError> {
        let refuse = |what: &'static str, must: &'static str| Err(HttpError::Option { what, must });
        if !(1..=1 << 16).contains(&self.rows) {
            return refuse("rows", "from 1 to 65,536");
        }
        if !(1..=1 << 10).contains(&self.in_flight) {
            return refuse("in_flight", "from 1 to 1,024");
        }
        if !(1..=100).contains(&self.attempts) {
            return refuse("attempts", "from 1 to 100");
        }
        let times = [
            ("connect_timeout", self.connect_timeout),
            ("timeout", self.timeout),
            ("pause", self.pause),
            ("longest_pause", self.longest_pause),
        ];
        for (what, seconds) in times {
            if !(seconds > 0.0 && seconds <= MOST_SECONDS) {
                return refuse(what, "a positive number of seconds, at most 1,000,000");
            }
        }
        if self.requests_per_second.is_some_and(|rate| !(rate >= 1.0 / MOST_SECONDS && rate.is_finite())) {
            return refuse("requests_per_second", "a positive number");
        }
        if !(1..=1 << 32).contains(&self.max_answer_bytes) {
            return refuse("max_answer_bytes", "from 1 to 4,294,967,296");
        }
        Ok(self.description.check()?)
    }
}

/// Seconds as they stand in the options, which were checked.
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Why a file of options was not read.
pub(super) type FileError = Box<LoadError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_the_default_and_options_survive_being_written() {
        assert_eq!(HttpOptions::parse("").unwrap(), HttpOptions::default());
        let mut options = HttpOptions { requests_per_second: Some(2.5), ..HttpOptions::default() };
        options.headers.insert("Authorization".into(), "Bearer $TOKEN".into());
        options.description.shape = Some(vec![3, 4, 4]);
        assert_eq!(HttpOptions::parse(&toml::to_string(&options).unwrap()).unwrap(), options);
    }

    #[test]
    fn options_that_make_no_sense_are_refused_with_their_name() {
        for (text, part) in [
            ("colour = 1", "colour"),
            ("rows = 0", "rows"),
            ("in_flight = 0", "in_flight"),
            ("attempts = 0", "attempts"),
            ("timeout = 0", "timeout"),
            ("timeout = nan", "timeout"),
            ("pause = -1", "pause"),
            ("longest_pause = inf", "longest_pause"),
            ("requests_per_second = 0", "requests_per_second"),
            ("max_answer_bytes = 0", "max_answer_bytes"),
            ("numbers = \"some\"", "some"),
            ("[description]\nscale = 0", "scale"),
            ("= x", "understood"),
        ] {
            let error = HttpOptions::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

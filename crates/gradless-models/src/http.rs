//! A classifier behind an address: batches as JSON, over HTTP or HTTPS.

mod answer;
mod coalesce;
mod dispatch;
mod error;
mod headers;
mod options;
mod pace;
mod request;
mod resolver;
mod retry;
mod session;
mod transfer;

pub use answer::Told;
pub use error::HttpError;
pub use options::HttpOptions;
pub use request::Numbers;
pub use session::{BeforeRepeat, HttpKnown, HttpSession};

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gradless::{Inputs, Model, ModelError};

use crate::description::{Description, DescriptionError, Layout, Preparation, ScoreKind};
use crate::named::Classes;
use crate::records::{Record, RecordModel, json};
use answer::Place;
use dispatch::Dispatch;
use error::{Again, Failure};
use headers::Headers;
use options::seconds;
use pace::{Monotonic, Pace, Stopped};
use request::{Content, Template};
use session::Account;
use transfer::Transfer;

/// No request has more numbers than this.
const MAX_NUMBERS: usize = 1 << 27;
/// Inputs of the first request.
const FIRST_ROWS: usize = 2;

/// A classifier behind an address.
///
/// A batch of inputs becomes the body of a POST request ([`HttpOptions::request`]); the answer has the scores at
/// [`HttpOptions::response`]. The shape of an input is given; how many classes there are is seen in the answer to a first
/// request of two ordinary inputs.
///
/// # What goes wrong
///
/// A request that is not answered, answered with 408, 425, 429 or 5xx, cut off, late, too long, not JSON, or of the wrong
/// length is sent again after a pause ([`HttpOptions::attempts`]); one with a NaN in its answer once. `Retry-After` is
/// honoured, by all requests. What goes wrong every time ends the run ([`ModelError::Gone`]), except a NaN, which concerns its
/// own batch. Other statuses and redirects are not tried again.
///
/// # What it costs
///
/// [`sent`](Self::sent) counts every input that went out, those sent again included, and [`HttpOptions::max_sent`] caps it
/// exactly: what would exceed it is refused before it is sent.
///
/// # Threads
///
/// A call of [`Model::scores`] has one request on its way at a time. Callers make the threads, as
/// `gradless::Driver::threads` does; no more than [`HttpOptions::in_flight`] requests are out at once, whoever calls.
/// Half as many callers again keep that many out (`docs/benchmarks/http.md`); for those who wait a thread of its own sends.
pub struct Http {
    address: String,
    options: HttpOptions,
    dispatch: Dispatch<Transfer>,
    template: Template,
    place: Place,
    preparation: Preparation,
    shape: Vec<usize>,
    /// Names of the columns, where it is asked about rows of a table.
    columns: Vec<String>,
    known: HttpKnown,
    sent: AtomicU64,
    requests: AtomicU64,
    batches: AtomicU64,
    seed: u64,
    row_time: Duration,
}

impl Http {
    /// Looks at the options, fills in the headers from the environment, and sends a first request.
    pub fn connect(address: &str, options: HttpOptions) -> Result<Self, HttpError> {
        Self::connect_until(address, options, None::<fn() -> bool>)
    }

    /// As [`connect`](Self::connect); whoever waits for the service stops waiting when `stop` says so.
    pub fn connect_until(
        address: &str,
        options: HttpOptions,
        stop: Option<impl Fn() -> bool + Send + Sync + 'static>,
    ) -> Result<Self, HttpError> {
        let mut http = Self::unasked(address, options, stop)?;
        http.first_request()?;
        Ok(http)
    }

    /// As [`connect_until`](Self::connect_until), without the first request: what it told is known.
    pub fn again(
        address: &str,
        options: HttpOptions,
        known: HttpKnown,
        stop: Option<impl Fn() -> bool + Send + Sync + 'static>,
    ) -> Result<Self, HttpError> {
        let mut http = Self::unasked(address, options, stop)?;
        http.know(HttpKnown { classes: known.classes.max(1), ..known });
        http.check_names()?;
        Ok(http)
    }

    /// As [`connect_until`](Self::connect_until), for records with columns of these names (none for texts); the first request asks about
    /// these. Where `known` says what it would tell, it is not sent.
    pub fn connect_records(
        address: &str,
        mut options: HttpOptions,
        columns: &[String],
        first: &[Record],
        known: Option<HttpKnown>,
        stop: Option<impl Fn() -> bool + Send + Sync + 'static>,
    ) -> Result<Self, HttpError> {
        // Of records no number is sent, so their shape does not matter.
        options.description.shape = Some(vec![1]);
        let mut http = Self::unasked(address, options, stop)?;
        http.columns = columns.to_vec();
        if let Some(known) = known {
            http.know(HttpKnown { classes: known.classes.max(1), ..known });
        } else {
            let first = &first[..first.len().min(http.options.rows)];
            let body = http.template.fill(Content::Records(&http.as_json(first)));
            http.first_answer(body, first.len())?;
        }
        http.check_names()?;
        Ok(http)
    }

    /// Takes over what a first request has told.
    fn know(&mut self, known: HttpKnown) {
        if self.options.description.classes.is_empty() {
            self.options.description.classes.clone_from(&known.names);
        }
        self.known = known;
    }

    fn as_json(&self, records: &[Record]) -> Vec<serde_json::Value> {
        records.iter().map(|record| json(record, &self.columns)).collect()
    }

    fn unasked(
        address: &str,
        mut options: HttpOptions,
        stop: Option<impl Fn() -> bool + Send + Sync + 'static>,
    ) -> Result<Self, HttpError> {
        options.check()?;
        let shape = options.description.shape.clone().ok_or(HttpError::NoShape)?;
        let numbers = shape.iter().try_fold(options.rows, |n, length| n.checked_mul(*length));
        if numbers.is_none_or(|numbers| numbers > MAX_NUMBERS) {
            return Err(HttpError::HugeBatch { rows: options.rows, shape });
        }
        let preparation = options.description.preparation(&shape)?;
        let mut tensor = shape.clone();
        if options.description.layout == Layout::Nhwc {
            tensor.rotate_left(1);
        }
        let template = Template::new(&options.request, options.numbers, &tensor)?;
        if template.is_single() {
            options.rows = 1;
        }
        let place = Place::new(&options.response)
            .ok_or_else(|| HttpError::Response { pointer: options.response.clone() })?;
        let written = options.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers = Headers::new(written, &|name| std::env::var(name).ok())?;
        let transfer = Transfer::new(address, headers, &options)?;
        let mut pace = Pace::new(Box::new(Monotonic::new()), options.requests_per_second);
        pace.stop = stop.map(|stop| Box::new(stop) as pace::Stop);
        let dispatch = Dispatch::new(transfer, pace, options.in_flight);
        let scores = options.description.scores;
        Ok(Self {
            address: address.to_owned(),
            options,
            dispatch,
            template,
            place,
            preparation,
            shape,
            columns: Vec::new(),
            known: HttpKnown { classes: 0, names: Vec::new(), scores, sent: 0 },
            sent: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            // Pauses differ from process to process; nothing else is made of it.
            seed: RandomState::new().hash_one(0),
            row_time: Duration::ZERO,
        })
    }

    /// Where it is.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How it is asked; headers as templates.
    pub fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// What is known of it beyond its answers.
    pub fn description(&self) -> &Description {
        &self.options.description
    }

    /// What its scores are: never [`ScoreKind::Auto`].
    pub fn score_kind(&self) -> ScoreKind {
        self.known.scores
    }

    /// The name of a class: as described, else its number.
    pub fn class_name(&self, class: usize) -> String {
        self.description().classes.get(class).cloned().unwrap_or_else(|| class.to_string())
    }

    /// What the first request told, for [`again`](Self::again).
    pub fn known(&self) -> HttpKnown {
        self.known.clone()
    }

    /// What one input of a whole batch takes if it takes what the first request took: a first guess; 0 without one.
    pub fn row_time(&self) -> Duration {
        self.row_time
    }

    /// Inputs that went out so far, those of the first request and those sent again included.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Requests so far, those sent again included.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// The same service with a count of its own of what was sent again.
    pub fn session(&self) -> HttpSession<'_> {
        HttpSession { http: self, account: Account::default() }
    }

    /// The same; `before_repeat` is called with the number of inputs before they are sent again, and may forbid it.
    pub fn session_that<'a>(&'a self, before_repeat: BeforeRepeat<'a>) -> HttpSession<'a> {
        HttpSession {
            http: self,
            account: Account { before_repeat: Some(before_repeat), ..Account::default() },
        }
    }

    /// How many classes there are, what kind the scores are of, and how long an answer takes.
    fn first_request(&mut self) -> Result<(), HttpError> {
        let [low, high] = self.description().range;
        let rows = FIRST_ROWS.min(self.options.rows);
        // The golden ratio's multiples, modulo 1: numbers that fill the range evenly.
        let number = |i: usize| low + (high - low) * (i as f64 * 0.618_033_988_749_895).fract();
        let points: Vec<f64> = (0..rows * self.inputs()).map(number).collect();
        let body = self.body(&points, rows).map_err(HttpError::FirstRequest)?;
        self.first_answer(body, rows)
    }

    /// Sends a first request.
    fn first_answer(&mut self, body: Vec<u8>, rows: usize) -> Result<(), HttpError> {
        let begun = Instant::now();
        let mut scores = Vec::new();
        let asked = self.ask(body, rows, None, &mut scores, &Account::default());
        let Classes { count, names } = asked.map_err(HttpError::FirstRequest)?;
        let known = HttpKnown { classes: count, names, sent: self.sent(), ..self.known };
        self.know(known);
        // A batch of any size is taken to last as long.
        self.row_time = begun.elapsed() / u32::try_from(self.options.rows).unwrap_or(u32::MAX);
        self.check_names()?;
        if self.known.scores == ScoreKind::Auto {
            self.known.scores = ScoreKind::of(&scores, self.known.classes);
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), HttpError> {
        let (expected, found) = (self.known.classes, self.description().classes.len());
        if found != 0 && found != expected {
            return Err(DescriptionError::Classes { expected, found }.into());
        }
        Ok(())
    }

    /// One batch: sent until it is answered or given up.
    fn ask(
        &self,
        body: Vec<u8>,
        rows: usize,
        classes: Option<&Classes>,
        scores: &mut Vec<f64>,
        account: &Account<'_>,
    ) -> Result<Classes, ModelError> {
        let body = Arc::new(body);
        let batch = self.batches.fetch_add(1, Ordering::Relaxed);
        let (mut failures, mut not_finite) = (0, 0);
        loop {
            let failure = match self.send(&body, rows, failures > 0, account)? {
                Ok(answer) => match self.read(&answer, rows, classes, scores) {
                    Ok(classes) => return Ok(classes),
                    Err(told) => Failure::Answer(told),
                },
                Err(failure) => failure,
            };
            failures += 1;
            let is_over = match failure.again() {
                Again::Never => true,
                Again::Once => {
                    not_finite += 1;
                    not_finite > 1
                }
                Again::Often => false,
            };
            let longest = seconds(self.options.longest_pause);
            let wanted = match failure {
                Failure::Status { retry_after, .. } => retry_after.unwrap_or_default(),
                _ => Duration::ZERO,
            };
            if is_over || failures >= self.options.attempts || wanted > longest {
                return Err(self.given_up(&failure, failures, wanted > longest));
            }
            if !wanted.is_zero() {
                self.dispatch.pace().hush(wanted);
            }
            let first = seconds(self.options.pause);
            let pause = retry::pause(self.seed, batch, failures, first, longest);
            self.dispatch.pace().wait(pause).map_err(|Stopped| stopped())?;
        }
    }

    /// The scores in an answer, and the classes, which are what is found if they are not known yet.
    fn read(
        &self,
        answer: &[u8],
        rows: usize,
        classes: Option<&Classes>,
        scores: &mut Vec<f64>,
    ) -> Result<Classes, Told> {
        if let Some(labels) = &self.options.labels {
            let names = (labels, &self.description().classes[..]);
            return answer::read_named(answer, &self.place, rows, names, classes, scores);
        }
        let count = answer::read(answer, &self.place, rows, classes.map(|classes| classes.count), scores)?;
        Ok(Classes { count, names: Vec::new() })
    }

    /// The body of a request for some inputs.
    fn body(&self, points: &[f64], rows: usize) -> Result<Vec<u8>, ModelError> {
        let dim = self.preparation.dim();
        let mut inputs = vec![0.0; points.len()];
        for (x, out) in points.chunks_exact(dim).zip(inputs.chunks_exact_mut(dim)) {
            self.preparation.write_as(x, out, |value| value);
        }
        if let Some(i) = inputs.iter().position(|value| !value.is_finite()) {
            let (row, place) = (i / dim, i % dim);
            return Err(ModelError::Inputs(format!(
                "number {place} of input {row} of the batch is {} for the service, which JSON cannot hold",
                inputs[i]
            )));
        }
        Ok(self.template.fill(Content::Numbers(&inputs, rows)))
    }

    /// One request, when there is room and time for it. It is counted before it is sent.
    fn send(
        &self,
        body: &Arc<Vec<u8>>,
        rows: usize,
        is_repeated: bool,
        account: &Account<'_>,
    ) -> Result<Result<Vec<u8>, Failure>, ModelError> {
        let (cap, asked) = (self.options.max_sent.unwrap_or(u64::MAX), rows as u64);
        let reserve = |used: u64| used.checked_add(asked).filter(|used| *used <= cap);
        self.sent
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve)
            .map_err(|used| ModelError::Capped { cap, used, asked })?;
        if let (true, Some(before)) = (is_repeated, account.before_repeat) {
            before(asked)?;
        }
        if is_repeated {
            account.repeated.fetch_add(asked, Ordering::Relaxed);
        }
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.dispatch.send(body).map_err(|Stopped| {
            // It was not sent. What was written down as sent again stays so: more than was, never less.
            self.sent.fetch_sub(asked, Ordering::Relaxed);
            self.requests.fetch_sub(1, Ordering::Relaxed);
            stopped()
        })
    }

    fn given_up(&self, failure: &Failure, failures: u32, asks_too_much: bool) -> ModelError {
        if let Failure::Answer(Told::NotFinite { row, class, value }) = *failure {
            return ModelError::NotFinite { row, class, value };
        }
        let times = if failures > 1 { format!(" (asked {failures} times)") } else { String::new() };
        let wish = match failure {
            Failure::Status { retry_after: Some(wait), .. } if asks_too_much => format!(
                ". It wants to be left alone for {} s: come back later, or wait longer (`longest_pause`)",
                wait.as_secs()
            ),
            _ => String::new(),
        };
        ModelError::Gone(format!("{}{times} {}{wish}", self.address, failure.words()))
    }

    fn answer(
        &self,
        inputs: Inputs<'_>,
        scores: &mut [f64],
        account: &Account<'_>,
    ) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let batches = inputs.points.chunks(self.options.rows * inputs.dim);
        self.answer_batches(batches, scores, account, |points| {
            let rows = points.len() / inputs.dim;
            Ok((self.body(points, rows)?, rows))
        })
    }

    fn answer_records(
        &self,
        records: &[Record],
        scores: &mut [f64],
        account: &Account<'_>,
    ) -> Result<(), ModelError> {
        self.answer_batches(records.chunks(self.options.rows), scores, account, |records| {
            Ok((self.template.fill(Content::Records(&self.as_json(records))), records.len()))
        })
    }

    /// Asks batch by batch; `write` makes the body of one, and says how many inputs it has.
    fn answer_batches<B>(
        &self,
        batches: impl Iterator<Item = B>,
        scores: &mut [f64],
        account: &Account<'_>,
        write: impl Fn(B) -> Result<(Vec<u8>, usize), ModelError>,
    ) -> Result<(), ModelError> {
        let rows = self.options.rows;
        let classes = Classes { count: self.known.classes, names: self.description().classes.clone() };
        let mut told = Vec::new();
        for (index, (batch, scores)) in batches.zip(scores.chunks_mut(rows * self.known.classes)).enumerate()
        {
            let (body, count) = write(batch)?;
            let asked = self.ask(body, count, Some(&classes), &mut told, account);
            asked.map_err(|error| match error {
                ModelError::NotFinite { row, class, value } => {
                    ModelError::NotFinite { row: index * rows + row, class, value }
                }
                other => other,
            })?;
            scores.copy_from_slice(&told);
        }
        Ok(())
    }
}

fn stopped() -> ModelError {
    ModelError::Inputs("nobody waits for the service any more".to_owned())
}

impl Model for Http {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn classes(&self) -> usize {
        self.known.classes
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.answer(inputs, scores, &Account::default())
    }

    fn preferred_rows(&self) -> usize {
        self.options.rows
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("address", &self.address)
            .field("shape", &self.shape)
            .field("classes", &self.known.classes)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl RecordModel for Http {
    fn classes(&self) -> usize {
        self.known.classes
    }

    fn record_scores(&self, records: &[Record], scores: &mut [f64]) -> Result<(), ModelError> {
        self.answer_records(records, scores, &Account::default())
    }

    fn preferred_records(&self) -> usize {
        self.options.rows
    }
}

//! What is asked, wherever it is: a network in a file, a program, or a service.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gradless::drive::Journal;
use gradless::{Inputs, Model, ModelError};
#[cfg(feature = "http")]
use gradless_models::Http;
#[cfg(feature = "ort")]
use gradless_models::OnnxRecords;
use gradless_models::{Description, Onnx, Program, RecordModel, ScoreKind, Worded, Wording};

/// A classifier that can only be asked.
#[derive(Debug)]
pub(crate) enum BlackBox {
    /// A network in a file.
    Onnx(Box<Onnx>),
    /// A network in a file that takes rows of a table, or texts.
    #[cfg(feature = "ort")]
    Records(Box<OnnxRecords>),
    /// A program.
    Program(Box<Program>),
    /// A service behind an address.
    #[cfg(feature = "http")]
    Http(Box<Http>),
}

/// Does the same with any of them.
macro_rules! any {
    ($self:ident, $model:ident => $do:expr) => {
        match $self {
            BlackBox::Onnx($model) => $do,
            #[cfg(feature = "ort")]
            BlackBox::Records($model) => $do,
            BlackBox::Program($model) => $do,
            #[cfg(feature = "http")]
            BlackBox::Http($model) => $do,
        }
    };
}

impl BlackBox {
    /// What is known of it beyond its answers.
    pub(crate) fn description(&self) -> &Description {
        any!(self, model => model.description())
    }

    /// What its scores are.
    pub(crate) fn score_kind(&self) -> ScoreKind {
        any!(self, model => model.score_kind())
    }

    /// A first guess of the time an input takes.
    pub(crate) fn row_time(&self) -> Duration {
        any!(self, model => model.row_time())
    }

    /// Scores per input.
    pub(crate) fn scores_per_input(&self) -> usize {
        match self {
            Self::Onnx(onnx) => onnx.classes(),
            #[cfg(feature = "ort")]
            Self::Records(records) => records.classes(),
            Self::Program(program) => RecordModel::classes(&**program),
            #[cfg(feature = "http")]
            Self::Http(http) => RecordModel::classes(&**http),
        }
    }

    /// What runs it.
    pub(crate) fn engine(&self) -> &'static str {
        match self {
            Self::Onnx(onnx) => onnx.engine().name(),
            #[cfg(feature = "ort")]
            Self::Records(_) => "ort",
            Self::Program(_) => "program",
            #[cfg(feature = "http")]
            Self::Http(_) => "http",
        }
    }

    /// How a service is asked, its secrets left out.
    pub(crate) fn asked_how(&self) -> Option<serde_json::Value> {
        match self {
            #[cfg(feature = "http")]
            Self::Http(http) => serde_json::to_value(http.options()).ok(),
            _ => None,
        }
    }

    /// What the first request told of a service; a run that goes on need not send it again.
    pub(crate) fn known(&self) -> Option<serde_json::Value> {
        match self {
            #[cfg(feature = "http")]
            Self::Http(http) => serde_json::to_value(http.known()).ok(),
            _ => None,
        }
    }

    /// Inputs that the first request took.
    pub(crate) fn first_sent(&self) -> u64 {
        match self {
            #[cfg(feature = "http")]
            Self::Http(http) => http.known().sent,
            _ => 0,
        }
    }

    /// Whether it runs on this machine, so that asking again costs nothing but time.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            #[cfg(feature = "http")]
            Self::Http(_) => false,
            _ => true,
        }
    }

    /// Requests on their way at once, where that is not a matter of this machine's cores.
    pub(crate) fn in_flight(&self) -> Option<usize> {
        match self {
            #[cfg(feature = "http")]
            Self::Http(http) => Some(http.options().in_flight),
            // Every thread would start a program of its own; one is what people expect.
            Self::Program(_) => Some(1),
            _ => None,
        }
    }

    /// The shape of an input; of records none is known.
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Self::Onnx(onnx) => onnx.shape(),
            #[cfg(feature = "ort")]
            Self::Records(_) => &[],
            Self::Program(program) => program.shape(),
            #[cfg(feature = "http")]
            Self::Http(http) => http.shape(),
        }
    }

    /// The scores of inputs, worded as records if that is how it is asked.
    fn answer(
        &self,
        inputs: Inputs<'_>,
        scores: &mut [f64],
        account: &Account<'_>,
    ) -> Result<(), ModelError> {
        let ask = |model: &dyn RecordModel, scores: &mut [f64]| match account.wording {
            Some(wording) => Worded::new(model, wording, inputs.dim).scores(inputs, scores),
            None => Err(ModelError::Gone("the model takes records".to_owned())),
        };
        match self {
            Self::Onnx(onnx) => onnx.scores(inputs, scores),
            #[cfg(feature = "ort")]
            Self::Records(records) => ask(&**records, scores),
            Self::Program(program) if account.wording.is_none() => program.scores(inputs, scores),
            Self::Program(program) => ask(&**program, scores),
            #[cfg(feature = "http")]
            Self::Http(http) => {
                let before_repeat = |rows: u64| match account.journal {
                    Some(journal) => journal.repeating(rows).map_err(ModelError::from),
                    None => Ok(()),
                };
                let session = http.session_that(&before_repeat);
                let answered = match account.wording {
                    Some(_) => ask(&session, scores),
                    None => session.scores(inputs, scores),
                };
                account.sent.fetch_add(session.repeated(), Ordering::Relaxed);
                answered
            }
        }
    }
}

/// Asked about arrays of numbers.
impl Model for BlackBox {
    fn shape(&self) -> &[usize] {
        self.shape()
    }

    fn classes(&self) -> usize {
        self.scores_per_input()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.answer(inputs, scores, &Account::of(self))
    }

    fn preferred_rows(&self) -> usize {
        match self {
            Self::Onnx(onnx) => onnx.preferred_rows(),
            #[cfg(feature = "ort")]
            Self::Records(records) => records.preferred_records(),
            Self::Program(program) => program.preferred_records(),
            #[cfg(feature = "http")]
            Self::Http(http) => http.preferred_records(),
        }
    }
}

impl From<Onnx> for BlackBox {
    fn from(onnx: Onnx) -> Self {
        Self::Onnx(Box::new(onnx))
    }
}

/// A model, and what was sent to it on somebody's account.
pub(crate) struct Account<'a> {
    pub(super) model: &'a BlackBox,
    /// Which side of it counts, where the model answers with one number.
    pub(super) threshold: Option<f64>,
    /// How its inputs are worded, where it takes records.
    pub(super) wording: Option<&'a dyn Wording>,
    pub(super) shape: Vec<usize>,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a file is asked once"))]
    pub(super) journal: Option<&'a Journal>,
    pub(super) sent: AtomicU64,
}

impl<'a> Account<'a> {
    /// Asked about arrays of numbers, for all its scores.
    pub(super) fn of(model: &'a BlackBox) -> Self {
        let shape = model.shape().to_vec();
        Self { model, threshold: None, wording: None, shape, journal: None, sent: AtomicU64::new(0) }
    }

    /// Inputs sent so far, repeats included.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Model for Account<'_> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn classes(&self) -> usize {
        if self.threshold.is_some() { 2 } else { self.model.scores_per_input() }
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.sent.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        let Some(threshold) = self.threshold else { return self.model.answer(inputs, scores, self) };
        let mut numbers = vec![0.0; inputs.len()];
        self.model.answer(inputs, &mut numbers, self)?;
        for (number, sides) in numbers.iter().zip(scores.chunks_exact_mut(2)) {
            // At the threshold itself counts as above it.
            let beyond = if *number == threshold { f64::MIN_POSITIVE } else { number - threshold };
            sides.copy_from_slice(&[-beyond, beyond]);
        }
        Ok(())
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}

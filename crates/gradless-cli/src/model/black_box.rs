//! What is asked, wherever it is: a network in a file, or a service.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gradless::drive::Journal;
use gradless::{Inputs, Model, ModelError};
#[cfg(feature = "http")]
use gradless_models::Http;
use gradless_models::{Description, Onnx, ScoreKind};

/// A classifier that can only be asked.
#[derive(Debug)]
pub(crate) enum BlackBox {
    /// A network in a file.
    Onnx(Box<Onnx>),
    /// A service behind an address.
    #[cfg(feature = "http")]
    Http(Box<Http>),
}

/// Does the same with either.
macro_rules! either {
    ($self:ident, $model:ident => $do:expr) => {
        match $self {
            BlackBox::Onnx($model) => $do,
            #[cfg(feature = "http")]
            BlackBox::Http($model) => $do,
        }
    };
}

impl BlackBox {
    /// What is known of it beyond its answers.
    pub(crate) fn description(&self) -> &Description {
        either!(self, model => model.description())
    }

    /// What its scores are.
    pub(crate) fn score_kind(&self) -> ScoreKind {
        either!(self, model => model.score_kind())
    }

    /// The name of a class.
    pub(crate) fn class_name(&self, class: usize) -> String {
        either!(self, model => model.class_name(class))
    }

    /// A first guess of the time an input takes.
    pub(crate) fn row_time(&self) -> Duration {
        either!(self, model => model.row_time())
    }

    /// What runs it.
    pub(crate) fn engine(&self) -> &'static str {
        match self {
            Self::Onnx(onnx) => onnx.engine().name(),
            #[cfg(feature = "http")]
            Self::Http(_) => "http",
        }
    }

    /// How a service is asked, its secrets left out.
    pub(crate) fn asked_how(&self) -> Option<serde_json::Value> {
        match self {
            Self::Onnx(_) => None,
            #[cfg(feature = "http")]
            Self::Http(http) => serde_json::to_value(http.options()).ok(),
        }
    }

    /// What the first request told of a service; a run that goes on need not send it again.
    pub(crate) fn known(&self) -> Option<serde_json::Value> {
        match self {
            Self::Onnx(_) => None,
            #[cfg(feature = "http")]
            Self::Http(http) => serde_json::to_value(http.known()).ok(),
        }
    }

    /// Inputs that the first request took.
    pub(crate) fn first_sent(&self) -> u64 {
        match self {
            Self::Onnx(_) => 0,
            #[cfg(feature = "http")]
            Self::Http(http) => http.known().sent,
        }
    }

    /// Whether it runs on this machine, so that asking again costs nothing but time.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            Self::Onnx(_) => true,
            #[cfg(feature = "http")]
            Self::Http(_) => false,
        }
    }

    /// Requests on their way at once, where that is not a matter of this machine's cores.
    pub(crate) fn in_flight(&self) -> Option<usize> {
        match self {
            Self::Onnx(_) => None,
            #[cfg(feature = "http")]
            Self::Http(http) => Some(http.options().in_flight),
        }
    }

    /// The same with a count of its own; what has to be sent again is written to the journal first.
    pub(crate) fn account<'a>(&'a self, journal: Option<&'a Journal>) -> Account<'a> {
        Account { model: self, journal, sent: AtomicU64::new(0) }
    }
}

impl From<Onnx> for BlackBox {
    fn from(onnx: Onnx) -> Self {
        Self::Onnx(Box::new(onnx))
    }
}

impl Model for BlackBox {
    fn shape(&self) -> &[usize] {
        either!(self, model => model.shape())
    }

    fn classes(&self) -> usize {
        either!(self, model => model.classes())
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        either!(self, model => model.scores(inputs, scores))
    }

    fn preferred_rows(&self) -> usize {
        either!(self, model => model.preferred_rows())
    }
}

/// A model, and what was sent to it on somebody's account.
pub(crate) struct Account<'a> {
    model: &'a BlackBox,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a file is asked once"))]
    journal: Option<&'a Journal>,
    sent: AtomicU64,
}

impl Account<'_> {
    /// Inputs sent so far, repeats included.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

impl Model for Account<'_> {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.sent.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        match self.model {
            BlackBox::Onnx(onnx) => onnx.scores(inputs, scores),
            #[cfg(feature = "http")]
            BlackBox::Http(http) => {
                let before_repeat = |rows: u64| match self.journal {
                    Some(journal) => journal.repeating(rows).map_err(ModelError::from),
                    None => Ok(()),
                };
                let session = http.session_that(&before_repeat);
                let answered = session.scores(inputs, scores);
                self.sent.fetch_add(session.repeated(), Ordering::Relaxed);
                answered
            }
        }
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_rows()
    }
}

//! Inputs, what is asked about them, and what was found.

use std::time::{Duration, Instant};

use gradless::drive::Journal;
use gradless::{Model, PerCoordinate};
use gradless_explain::session::Look;
use gradless_explain::{Answer, ExplainError, Features, Grid, Labels, Pixels, Progress, Session, Watch};
use gradless_models::{Journalled, Resize};

use super::company::Company;
use super::cut::Cut;
use super::settings::Settings;
use crate::model::{self, Account, Loaded};
use crate::run::interrupt;

/// What is the same for every input.
pub(super) struct Job {
    pub(super) loaded: Loaded,
    pub(super) settings: Settings,
    pub(super) lower: PerCoordinate,
    pub(super) upper: PerCoordinate,
    pub(super) background: PerCoordinate,
    pub(super) frozen: Vec<bool>,
    /// What of an input can be left out or changed.
    pub(super) cut: Cut,
    /// Whether pictures of how an answer formed are written.
    pub(super) frames: bool,
    /// How pictures of another size become those of the model.
    pub(super) resize: Option<Resize>,
    /// What is known beside the model.
    pub(super) company: Company,
    /// When everything must end.
    pub(super) deadline: Option<Instant>,
    /// Where the answers of the model are kept, if the run can be resumed.
    pub(super) journal: Option<Journal>,
}

/// An input that was looked at.
pub(super) struct Subject<'a> {
    pub(super) name: String,
    pub(super) sha256: String,
    pub(super) features: Box<dyn Features + Send>,
    pub(super) look: Look,
    account: Account<'a>,
    /// Time of a question if all its queries are used.
    pub(super) per_question: Duration,
}

/// What was found about an input.
pub(super) struct Explained {
    pub(super) name: String,
    pub(super) input: Vec<f64>,
    pub(super) answers: Vec<Answer>,
    pub(super) seconds: f64,
}

/// Who is told how far the search is.
pub(super) type Tell<'a> = &'a (dyn Fn(&Progress) + Sync);

impl Job {
    /// Looks at an input: what cannot be asked is refused before anything is paid for.
    pub(super) fn look(&self, name: &str, input: Vec<f64>) -> anyhow::Result<Subject<'_>> {
        let model = &self.loaded.onnx;
        let mut subject = Subject {
            name: name.to_owned(),
            sha256: input_hash(&input),
            features: self.cut.features(self.pixels(input))?,
            look: Look { scores: gradless_explain::Scores::Logits, queries: 0 },
            account: model.account(self.journal.as_ref()),
            per_question: Duration::ZERO,
        };
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is of one lifetime")]
        let look = self.session(&subject, 1, &|_| (), |session| session.look())?;
        subject.look = look;
        let queries = u32::try_from(self.settings.options.max_queries).unwrap_or(u32::MAX);
        subject.per_question = model.row_time().saturating_mul(queries);
        Ok(subject)
    }

    /// Answers all questions about an input.
    pub(super) fn explain(
        &self,
        subject: Subject<'_>,
        threads: usize,
        tell: Tell<'_>,
    ) -> anyhow::Result<Explained> {
        let begun = Instant::now();
        let look = subject.look;
        let answers = self.session(&subject, threads, tell, |session| session.explain(look))?;
        let Subject { name, features, .. } = subject;
        Ok(Explained {
            name,
            input: features.input().to_vec(),
            answers,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    /// Does something in the session about an input.
    fn session<T>(
        &self,
        subject: &Subject<'_>,
        threads: usize,
        tell: Tell<'_>,
        act: impl FnOnce(&Session<'_>) -> Result<T, ExplainError>,
    ) -> anyhow::Result<T> {
        let Subject { account, .. } = subject;
        let journalled = self.journal.as_ref().map(|journal| Journalled { model: account, journal });
        let model: &dyn Model = match &journalled {
            Some(journalled) => journalled,
            None => account,
        };
        let options = gradless_explain::Options { threads, ..self.settings.options.clone() };
        let sent = || self.journal.as_ref().map_or_else(|| account.sent(), Journal::sent);
        let opinions = self.company.opinions();
        let session = Session {
            model,
            features: subject.features.as_ref(),
            options: &options,
            beside: self.company.beside(&opinions),
            labels: Labels {
                input: &subject.name,
                input_sha256: Some(&subject.sha256),
                classes: &self.loaded.onnx.description().classes,
                engine: Some(self.loaded.onnx.engine()),
            },
            watch: Watch { cancel: interrupt::flag(), progress: tell },
            deadline: self.deadline,
            sent: Some(&sent),
        };
        act(&session).map_err(|error| match error {
            ExplainError::Budget { .. } => anyhow::Error::new(error).context("--max-queries"),
            other => other.into(),
        })
    }

    fn pixels(&self, input: Vec<f64>) -> Pixels {
        Pixels {
            input,
            shape: self.loaded.onnx.shape().to_vec(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            absent: self.background.clone().into(),
            frozen: self.frozen.clone(),
            grid: self.grid(),
            disturbance: Some(self.settings.disturbance),
        }
    }

    /// What masks, bounds and backgrounds hold, whatever their files are called.
    pub(super) fn numbers_sha256(&self) -> String {
        let numbers =
            [&self.lower, &self.upper, &self.background].into_iter().flat_map(|list| list.values().iter());
        let frozen = self.frozen.iter().map(|&frozen| u8::from(frozen));
        model::hash(&numbers.flat_map(|value| value.to_le_bytes()).chain(frozen).collect::<Vec<u8>>())
    }

    /// The values a saved picture can hold; none for what is not a picture.
    pub(super) fn grid(&self) -> Option<Grid> {
        let [low, high] = self.loaded.onnx.description().range;
        matches!(self.loaded.onnx.shape(), [1 | 3, _, _]).then_some(Grid { low, high, steps: 255 })
    }
}

/// What tells one input from another, whatever their files are called.
pub(super) fn input_hash(input: &[f64]) -> String {
    model::hash(&input.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
}

/// Whether asking the same again would fail again.
pub(super) fn is_refusal(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(ExplainError::is_final)
}

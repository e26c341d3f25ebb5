//! Inputs, what is asked about them, and what was found.

use std::time::{Duration, Instant};

use gradless::Model;
use gradless::drive::Journal;
use gradless_explain::session::Look;
use gradless_explain::{Answer, ExplainError, Labels, Progress, Session, Watch};
use gradless_models::Journalled;

use super::company::Company;
use super::inputs::{Inputs, Item};
use super::settings::Settings;
use crate::model::Loaded;
use crate::run::interrupt;

/// What is the same for every input.
pub(super) struct Job {
    pub(super) loaded: Loaded,
    pub(super) settings: Settings,
    /// What is asked about.
    pub(super) inputs: Inputs,
    /// Whether pictures of how an answer formed are written.
    pub(super) frames: bool,
    /// What is known beside the model.
    pub(super) company: Company,
    /// When everything must end.
    pub(super) deadline: Option<Instant>,
    /// Where the answers of the model are kept, if the run can be resumed.
    pub(super) journal: Option<Journal>,
}

/// An input that was looked at.
pub(super) struct Subject {
    pub(super) name: String,
    sha256: String,
    item: Item,
    pub(super) look: Look,
    /// Inputs that the look has sent.
    sent: u64,
    /// Time of a question if all its queries are used.
    pub(super) per_question: Duration,
}

/// What was found about an input.
pub(super) struct Explained {
    pub(super) name: String,
    pub(super) item: Item,
    pub(super) answers: Vec<Answer>,
    pub(super) seconds: f64,
}

/// Who is told how far the search is.
pub(super) type Tell<'a> = &'a (dyn Fn(&Progress<'_>) + Sync);

impl Job {
    /// Reads an input.
    pub(super) fn read(&self, index: usize) -> anyhow::Result<Item> {
        self.inputs.read(index, self.settings.disturbance)
    }

    /// Looks at an input: what cannot be asked is refused before anything is paid for.
    pub(super) fn look(&self, name: &str, item: Item) -> anyhow::Result<Subject> {
        let mut subject = Subject {
            name: name.to_owned(),
            sha256: item.sha256(),
            item,
            look: Look { scores: gradless_explain::Scores::Logits, queries: 0 },
            sent: 0,
            per_question: Duration::ZERO,
        };
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is of one lifetime")]
        let (look, sent) = self.session(&subject, 1, &|_| (), |session| session.look())?;
        (subject.look, subject.sent) = (look, sent);
        let queries = u32::try_from(self.settings.options.max_queries).unwrap_or(u32::MAX);
        subject.per_question = self.loaded.onnx.row_time().saturating_mul(queries);
        Ok(subject)
    }

    /// Answers all questions about an input.
    pub(super) fn explain(
        &self,
        subject: Subject,
        threads: usize,
        tell: Tell<'_>,
    ) -> anyhow::Result<Explained> {
        let begun = Instant::now();
        let look = subject.look;
        let (answers, _) = self.session(&subject, threads, tell, |session| session.explain(look))?;
        let Subject { name, item, .. } = subject;
        Ok(Explained { name, item, answers, seconds: begun.elapsed().as_secs_f64() })
    }

    /// Does something in the session about an input; and how many inputs were sent for it, the look included.
    fn session<T>(
        &self,
        subject: &Subject,
        threads: usize,
        tell: Tell<'_>,
        act: impl FnOnce(&Session<'_>) -> Result<T, ExplainError>,
    ) -> anyhow::Result<(T, u64)> {
        let Subject { item, name, sha256, sent: before, .. } = subject;
        let account = self.loaded.account(&item.shape(), item.wording(), self.journal.as_ref());
        let journalled = self.journal.as_ref().map(|journal| Journalled { model: &account, journal });
        let model: &dyn Model = match &journalled {
            Some(journalled) => journalled,
            None => &account,
        };
        let options = gradless_explain::Options { threads, ..self.settings.options.clone() };
        let sent = || self.journal.as_ref().map_or_else(|| before + account.sent(), Journal::sent);
        let opinions = self.company.opinions();
        let classes = self.loaded.class_names();
        let session = Session {
            model,
            features: item.features(),
            options: &options,
            beside: self.company.beside(&opinions),
            labels: Labels {
                input: name,
                input_sha256: Some(sha256),
                classes: &classes,
                engine: Some(self.loaded.onnx.engine()),
            },
            watch: Watch { cancel: interrupt::flag(), progress: tell },
            deadline: self.deadline,
            sent: Some(&sent),
        };
        let done = act(&session).map_err(|error| match error {
            ExplainError::Budget { .. } => anyhow::Error::new(error).context("--max-queries"),
            other => other.into(),
        })?;
        Ok((done, before + account.sent()))
    }
}

/// Whether asking the same again would fail again.
pub(super) fn is_refusal(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(ExplainError::is_final)
}

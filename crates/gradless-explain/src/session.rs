//! One session for every front door: look at the input, learn the noise, search an answer to every question, look again.

mod alternatives;
mod beside;
mod clock;
mod options;
mod relax;
mod so_far;
mod sought;
mod told;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gradless::{Config, Inputs, Model};

use crate::answer::{Agreement, Answer};
use crate::condition::{Confidence, Floor};
use crate::error::ExplainError;
use crate::features::{Features, Kind};
use crate::question::{Origin, Question, QuestionError};
use crate::scores::Scores;
use crate::strategy::Strategy;
use clock::Ended;
use sought::Sought;

pub use beside::{Beside, Second};
pub use clock::was_cut_off;
pub use options::{Kappa, Options, Starts};
pub use so_far::SoFar;

/// Below this, a measurement of the noise would eat the search.
const WORTH_MEASURING: u64 = 1_000;

/// A model, an input and what is asked about it.
pub struct Session<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The input, and what of it can be switched, moved or left out.
    pub features: &'a dyn Features,
    /// What is asked, and how it is searched.
    pub options: &'a Options,
    /// What is known beside the model.
    pub beside: Beside<'a>,
    /// What the answers carry beside what was found.
    pub labels: Labels<'a>,
    /// Progress and cancellation.
    pub watch: Watch<'a>,
    /// When everything must end.
    pub deadline: Option<Instant>,
    /// What has gone out to the model for this input so far, where somebody counts: a service that repeats, a journal that
    /// remembers. What the first look took counts for the first question.
    pub sent: Option<&'a (dyn Fn() -> u64 + Sync)>,
}

/// Names that appear in the answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Labels<'a> {
    /// What was explained, such as the file's name.
    pub input: &'a str,
    /// What tells one input from another.
    pub input_sha256: Option<&'a str>,
    /// Names of the classes; a class without one is called by its number.
    pub classes: &'a [String],
    /// The engine that runs the model, if one does.
    pub engine: Option<&'a str>,
}

impl Labels<'_> {
    /// The name of a class, or its number.
    pub fn class(&self, class: usize) -> String {
        match self.classes.get(class).map(|name| name.trim()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => class.to_string(),
        }
    }
}

/// Observes a search: progress and cancellation.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Ends the search early with the best so far.
    pub cancel: &'a AtomicBool,
    /// Is called with the progress, often.
    pub progress: &'a (dyn Fn(&Progress<'_>) + Sync),
}

impl<'a> Watch<'a> {
    /// Nobody is told the progress, but the search can be ended.
    pub fn new(cancel: &'a AtomicBool) -> Self {
        Self { cancel, progress: &|_| () }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watch").field("cancel", self.cancel).finish_non_exhaustive()
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The question being searched.
    pub question: Question,
    /// Inputs the model was given.
    pub queries: u64,
    /// How many it may be given.
    pub budget: u64,
    /// Features of the best valid point so far.
    pub best: Option<usize>,
    /// That point.
    pub so_far: Option<SoFar<'a>>,
}

/// What is known before a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// What the model's scores are.
    pub scores: Scores,
    /// Inputs the model was given to know it.
    pub queries: u64,
}

/// What one search is charged with before it begins, and what it is given.
struct Account {
    floor: Floor,
    before: u64,
    deadline: Option<Instant>,
}

impl Session<'_> {
    /// Looks at the input and at two others, to see what the scores are. What makes no sense is refused before anything is
    /// asked.
    pub fn look(&self) -> Result<Look, ExplainError> {
        self.check()?;
        let [first, second] = self.features.samples();
        let points = [self.features.input(), &first, &second].concat();
        let (dim, classes) = (self.model.inputs(), self.model.classes());
        let mut scores = vec![0.0; 3 * classes];
        self.model.scores(Inputs { points: &points, dim }, &mut scores)?;
        Ok(Look { scores: Scores::recognise(&scores, classes, self.options.declared), queries: 3 })
    }

    fn is_cancelled(&self) -> bool {
        self.watch.cancel.load(Ordering::Relaxed)
    }

    /// Answers all questions, one after the other, each with as many answers as are wanted and found. A question that was not begun because
    /// of a cancellation has none.
    pub fn explain(&self, look: Look) -> Result<Vec<Answer>, ExplainError> {
        self.check()?;
        if matches!(self.options.confidence, Some(Confidence::Probability(_)))
            && !look.scores.has_probabilities()
        {
            return Err(ExplainError::NoProbabilities { scores: look.scores.name() });
        }
        let model = look.scores.searched(self.model);
        let model = model.as_ref();
        let floor = self.floor(model, look.scores)?;
        // What was asked before the search is paid from the first budget.
        let mut before = look.queries + floor.queries;
        let mut told = 0;
        let mut answers = Vec::new();
        let questions = &self.options.questions;
        for (index, &question) in questions.iter().enumerate() {
            if index > 0 && self.is_cancelled() {
                break;
            }
            let share = |deadline: Instant| {
                let now = Instant::now();
                now + deadline.saturating_duration_since(now)
                    / u32::try_from(questions.len() - index).unwrap_or(1)
            };
            let account = Account { floor, before, deadline: self.deadline.map(share) };
            let mut found = match self.several(model, look.scores, question, &account) {
                Ok(found) => found,
                Err(ExplainError::Model(error)) if !answers.is_empty() => {
                    return Err(ExplainError::Broken { error, answers });
                }
                Err(error) => return Err(error),
            };
            if let Some(sent) = self.sent.map(|sent| sent()) {
                // What alternatives took is told with the first answer.
                for (rank, answer) in found.iter_mut().enumerate() {
                    answer.sent = if rank == 0 { sent - told } else { 0 };
                }
                told = sent;
            }
            answers.append(&mut found);
            before = 0;
        }
        Ok(answers)
    }

    /// What makes no sense is refused before anything is asked.
    fn check(&self) -> Result<(), ExplainError> {
        self.options.check()?;
        let (found, expected) = (self.features.input().len(), self.model.inputs());
        if found != expected {
            return Err(QuestionError::Length { found, expected }.into());
        }
        for question in &self.options.questions {
            question.check(self.model.classes())?;
            if *question == Question::Essential && self.features.kind() != Kind::Regions {
                return Err(QuestionError::NeedsRegions.into());
            }
            let coordinates = self.features.coordinates(*question)?;
            // A part of which nothing can go is an answer; a change that cannot be made is not.
            if question.origin() == Origin::Input && coordinates.free().is_empty() {
                return Err(QuestionError::NothingFree.into());
            }
        }
        Ok(())
    }

    /// The noise of the margin at the input.
    fn floor(&self, model: &dyn Model, scores: Scores) -> Result<Floor, ExplainError> {
        if let Some(floor) = self.options.noise_floor {
            return Ok(Floor::given(floor));
        }
        if scores == Scores::Labels {
            return Ok(Floor::of_labels());
        }
        let plain = self.options.strategy == Some(Strategy::Fixed) && !self.options.prune;
        let measure = !plain && self.options.max_queries >= WORTH_MEASURING;
        let coordinates = self.features.coordinates(Question::CHANGE)?;
        Ok(Floor::at(model, &coordinates, self.options.config.seed, measure)?)
    }

    /// Answers one question without the features that are held, with other seeds beside the first if that is asked.
    fn one(
        &self,
        model: &dyn Model,
        scores: Scores,
        question: Question,
        account: &Account,
        held: &[usize],
    ) -> Result<Answer, ExplainError> {
        let began = Instant::now();
        let mut coordinates = self.features.coordinates(question)?;
        coordinates.hold(held);
        let mut sought = Sought {
            session: self,
            model,
            scores,
            question,
            coordinates: &coordinates,
            account,
            relaxes: held.is_empty(),
        };
        let (mut answer, first, ended) = sought.search(&self.options.config)?;
        let mut others = Vec::new();
        // Only the first search pays for what was asked before it.
        let free = Account { before: 0, ..*account };
        sought.account = &free;
        for other in 0..u64::from(self.options.agree) {
            let seed = self.options.config.seed.wrapping_add(1 + other).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            // What was cut off says nothing about agreement.
            if ended != Ended::ByItself {
                break;
            }
            let (_, other, ended) = sought.search(&Config { seed, ..self.options.config.clone() })?;
            if ended != Ended::ByItself {
                break;
            }
            others.push(other);
        }
        answer.agreement = (!others.is_empty()).then(|| Agreement::new(&first, &others));
        answer.seconds = began.elapsed().as_secs_f64();
        Ok(answer)
    }
}

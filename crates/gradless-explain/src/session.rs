//! One session for every front door: look at the input, learn the noise, search an answer to every question, look again.

mod clock;
mod options;
mod told;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gradless::{Config, Inputs, Model, StopReason};

use crate::answer::{self, Agreement, Answer, Compared, Counted, SCHEMA, Sureness, Verdict, Weights};
use crate::condition::{Confidence, Floor, largest, lead, probability};
use crate::error::{ExplainError, LEAST};
use crate::features::{Coordinates, Features};
use crate::ledger::{Ledger, Surroundings};
use crate::question::{Origin, Question, QuestionError};
use crate::scores::Scores;
use crate::strategy::{Search, Strategy};
use clock::{Ended, watched};
use told::Told;

pub use clock::was_cut_off;
pub use options::{Kappa, Options, Starts};

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
    pub progress: &'a (dyn Fn(&Progress) + Sync),
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The question being searched.
    pub question: Question,
    /// Inputs the model was given.
    pub queries: u64,
    /// How many it may be given.
    pub budget: u64,
    /// Features of the best valid point so far.
    pub best: Option<usize>,
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

    /// Answers all questions, one after the other. A question that was not begun because of a cancellation has no answer.
    pub fn explain(&self, look: Look) -> Result<Vec<Answer>, ExplainError> {
        self.check()?;
        if matches!(self.options.confidence, Confidence::Probability(_)) && !look.scores.has_probabilities() {
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
            if index > 0 && self.watch.cancel.load(Ordering::Relaxed) {
                break;
            }
            let share = |deadline: Instant| {
                let now = Instant::now();
                now + deadline.saturating_duration_since(now)
                    / u32::try_from(questions.len() - index).unwrap_or(1)
            };
            let account = Account { floor, before, deadline: self.deadline.map(share) };
            let mut answer = match self.one(model, look.scores, question, &account) {
                Ok(answer) => answer,
                Err(ExplainError::Model(error)) if !answers.is_empty() => {
                    return Err(ExplainError::Broken { error, answers });
                }
                Err(error) => return Err(error),
            };
            if let Some(sent) = self.sent.map(|sent| sent()) {
                answer.sent = sent - told;
                told = sent;
            }
            answers.push(answer);
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
        let plain = self.options.strategy == Strategy::Fixed && !self.options.prune;
        let measure = !plain && self.options.max_queries >= WORTH_MEASURING;
        let coordinates = self.features.coordinates(Question::CHANGE)?;
        Ok(Floor::at(model, &coordinates, self.options.config.seed, measure)?)
    }

    /// Answers one question, with other seeds beside the first if that is asked.
    fn one(
        &self,
        model: &dyn Model,
        scores: Scores,
        question: Question,
        account: &Account,
    ) -> Result<Answer, ExplainError> {
        let began = Instant::now();
        let coordinates = self.features.coordinates(question)?;
        let mut sought =
            Sought { session: self, model, scores, question, coordinates: &coordinates, account };
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

/// A question that is being searched.
struct Sought<'a> {
    session: &'a Session<'a>,
    model: &'a dyn Model,
    scores: Scores,
    question: Question,
    coordinates: &'a Coordinates<'a>,
    account: &'a Account,
}

impl Sought<'_> {
    fn search(&self, config: &Config) -> Result<(Answer, Compared, Ended), ExplainError> {
        let Account { floor, before, deadline } = *self.account;
        let options = Options { config: config.clone(), ..self.session.options.clone() };
        let max_queries = options.max_queries;
        let queries = max_queries.saturating_sub(before);
        if queries < LEAST {
            return Err(ExplainError::Budget { queries: max_queries, before });
        }
        let report = |queries: u64, best: Option<usize>| {
            let progress =
                Progress { question: self.question, queries: queries + before, budget: max_queries, best };
            (self.session.watch.progress)(&progress);
        };
        let mut original = vec![0.0; self.model.classes()];
        let input = self.session.features.input();
        let (done, ended) = watched(self.session.watch.cancel, deadline, |cancel| {
            self.model.scores(Inputs { points: input, dim: input.len() }, &mut original)?;
            let condition = self.question.condition(&original)?.with(options.confidence, &original);
            let kappa = options.kappa(condition.confidence(&original));
            let Options { l1, l2, threads, .. } = options;
            let around = Surroundings {
                model: self.model,
                coordinates: self.coordinates,
                condition,
                floor: floor.margin,
                l1,
                l2,
                threads,
                cancel,
                report: &report,
                budget: queries,
            };
            let start = options.starts.of(self.question);
            let ledger = Ledger::new(around, kappa);
            let mut search =
                Search { ledger, options: &options, start, queries: queries - 1, original_scores: &original };
            search.ledger.around.floor += 2.0 * search.off_grid()?;
            let (found, course) = search.run()?;
            Ok::<_, ExplainError>(Told::new(&search, &floor, found, course))
        })?;
        let compared = done.compared(self.coordinates);
        Ok((self.answer(&options, &original, done, ended), compared, ended))
    }

    /// How sure the model is of what was found.
    fn sureness(&self, asked: Confidence, original: &[f64], told: &Told) -> Sureness {
        // Scores need not be logarithms of probabilities; whoever asks for a probability says that they are.
        let told_as_such =
            self.scores == Scores::Probabilities || matches!(asked, Confidence::Probability(_));
        let sure = |scores: &[f64], class: usize| {
            told_as_such.then(|| probability(scores, class)).filter(|p| p.is_finite())
        };
        let class = largest(original);
        let own = lead(original, class);
        Sureness {
            asked,
            share: (own > 0.0).then(|| told.margin / own).filter(|share| share.is_finite()),
            original: sure(original, class),
            answer: sure(&told.scores, told.favoured),
        }
    }

    /// The record of what was found.
    fn answer(&self, options: &Options, original: &[f64], told: Told, ended: Ended) -> Answer {
        let Account { floor, before, .. } = *self.account;
        let Session { features, labels, .. } = self.session;
        let coordinates = self.coordinates;
        let counted = Counted {
            kind: features.kind(),
            total: coordinates.features,
            used: coordinates.used(&told.point).len(),
        };
        let verdict = |class: usize, scores: &[f64]| Verdict {
            class,
            name: labels.class(class),
            scores: self.scores.original(scores),
        };
        let confidence = self.sureness(options.confidence, original, &told);
        let (original, explanation) =
            (verdict(largest(original), original), verdict(told.class, &told.scores));
        let target = self.question.target();
        let target_name = target.map(|target| labels.class(target));
        let sentence = answer::sentence(&answer::Context {
            question: self.question,
            valid: told.valid,
            counted,
            margin: told.margin,
            floor: floor.margin,
            confidence: &confidence,
            original: &original.name,
            class: &explanation.name,
            target: target_name.as_deref(),
            some_frozen: coordinates.some_frozen(),
            scores: self.scores,
            options,
        });
        let after = coordinates.input(&told.point, self.model.inputs());
        let nothing = coordinates.input(&coordinates.origin, self.model.inputs());
        let x = match self.question.origin() {
            Origin::Absent => after.clone(),
            Origin::Input => difference(&after, features.input()),
        };
        let stop_reason = match (ended.reason(), &told.course.stop) {
            (Some(ended), Some(StopReason::Cancelled) | None) => ended.to_owned(),
            (_, Some(reason)) => reason.to_string(),
            (None, None) => "the search was over".to_owned(),
        };
        let mut steps = told.course.steps;
        for step in &mut steps {
            step.queries += before;
        }
        let queries = told.queries + before;
        Answer {
            schema: SCHEMA.to_owned(),
            input: labels.input.to_owned(),
            input_sha256: labels.input_sha256.map(str::to_owned),
            mode: self.question.abbreviation().to_owned(),
            question: self.question,
            features: counted,
            strategy: options.strategy,
            method: options.method.clone(),
            engine: labels.engine.map(str::to_owned),
            seed: options.config.seed,
            queries,
            sent: queries,
            iterations: told.course.iterations,
            stop_reason,
            valid: told.valid,
            margin: told.margin,
            confidence,
            noise_floor: floor.margin,
            noise_floor_source: floor.source.to_owned(),
            scores_are: self.scores.name().to_owned(),
            original,
            explanation,
            weights: Weights { l1: told.course.l1, l2: told.course.l2 },
            kappa: told.kappa,
            target,
            objective: told.objective,
            objective_start: told.objective_start,
            loss: told.loss,
            norm_l1: told.norm_l1,
            norm_l2: told.norm_l2,
            nonzeros: coordinates.moved(&told.point).len(),
            pixels: counted.used,
            minimal: told.minimal,
            first_valid: told.first_valid.map(|at| at + before),
            best_valid: told.best_valid.map(|at| at + before),
            agreement: None,
            sentence,
            hint: answer::hint(self.question, told.valid, counted.used),
            warning: self.scores.warning(),
            seconds: 0.0,
            files: None,
            change: difference(&after, &nothing),
            x,
            after,
            steps,
        }
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

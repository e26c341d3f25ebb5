//! One input, its questions, and what was found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gradless::drive::Journal;
use gradless::{ConfigError, Model, PerCoordinate, StopReason};
use gradless_explain::{
    Answer, ExplainError, Floor, Grid, Mode, Progress, Task, TaskError, Watch, Within, explain,
};
use gradless_models::Journalled;

use super::agreement::Agreement;
use super::settings::Settings;
use crate::interrupt;
use crate::model::{self, Answers, Loaded, Session};

/// Below this, a measurement would eat the search.
const WORTH_MEASURING: u64 = 1_000;
/// How often a search is looked after.
const GLANCE: Duration = Duration::from_millis(20);

/// What is the same for every input.
pub(super) struct Job {
    pub(super) loaded: Loaded,
    pub(super) settings: Settings,
    pub(super) lower: PerCoordinate,
    pub(super) upper: PerCoordinate,
    pub(super) background: PerCoordinate,
    pub(super) frozen: Vec<bool>,
    pub(super) target: Option<usize>,
    /// When everything must end.
    pub(super) deadline: Option<Instant>,
    /// Where the answers of the model are kept, if the run can be resumed.
    pub(super) journal: Option<Journal>,
}

/// What was found about an input.
pub(super) struct Explained {
    pub(super) name: String,
    pub(super) input: Vec<f64>,
    pub(super) answers: Answers,
    pub(super) floor: Floor,
    pub(super) cases: Vec<Found>,
    pub(super) seconds: f64,
}

/// What is known before a search.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) answers: Answers,
    /// What it took to know it.
    pub(super) queries: u64,
    /// What of it had to be sent again.
    pub(super) repeated: u64,
    /// Time of a question if all its queries are used.
    pub(super) per_question: Duration,
}

/// One question and its answer.
pub(super) struct Found {
    pub(super) mode: Mode,
    pub(super) task: Task,
    pub(super) answer: Answer,
    pub(super) agreement: Option<Agreement>,
    /// Why the search ended, in words.
    pub(super) stop_reason: String,
    /// What went out to the model, repeats after a crash included.
    pub(super) sent: u64,
    pub(super) seconds: f64,
}

/// Who is told how far the search is: question, queries, budget, places of the best.
pub(super) type Tell<'a> = &'a (dyn Fn(Mode, &Progress) + Sync);

impl Job {
    /// What the model tells, seen at an input, at black and at grey, and what a question will take on one thread.
    pub(super) fn look(&self, input: &[f64]) -> anyhow::Result<Look> {
        let [low, high] = self.loaded.onnx.description().range;
        let flat = |value: f64| std::iter::repeat_n(value, input.len());
        let points: Vec<f64> =
            input.iter().copied().chain(flat(low)).chain(flat(f64::midpoint(low, high))).collect();
        let session = self.session();
        let answers = Answers::of(&*self.journalled(&session), self.loaded.onnx.score_kind(), &points)?;
        let queries = u32::try_from(self.settings.max_queries).unwrap_or(u32::MAX);
        let per_question = self.loaded.onnx.row_time().saturating_mul(queries);
        Ok(Look { answers, queries: 3, repeated: session.repeated(), per_question })
    }

    /// Answers all questions about an input.
    pub(super) fn explain(
        &self,
        name: &str,
        input: Vec<f64>,
        look: Look,
        threads: usize,
        tell: Tell<'_>,
    ) -> anyhow::Result<Explained> {
        let begun = Instant::now();
        self.check(&input)?;
        let answers = look.answers;
        let session = self.session();
        let model = answers.searched(self.journalled(&session));
        let noise = self.noise(model.as_ref(), answers, &input)?;
        let mut explained = Explained {
            name: name.to_owned(),
            input,
            answers,
            floor: noise,
            cases: Vec::new(),
            seconds: 0.0,
        };
        // What was asked before the search is paid from the first budget.
        let mut before = look.queries + noise.queries;
        let (mut sent_before, mut before_repeated, mut counted) = (0, look.repeated, 0);
        let modes = &self.settings.modes;
        for (index, &mode) in modes.iter().enumerate() {
            if index > 0 && interrupt::flag().load(Ordering::Relaxed) {
                break;
            }
            let share = |deadline: Instant| {
                let now = Instant::now();
                now + deadline.saturating_duration_since(now)
                    / u32::try_from(modes.len() - index).unwrap_or(1)
            };
            let asked = Asked { mode, before, threads, deadline: self.deadline.map(share) };
            let mut found = self.one(model.as_ref(), &explained, &asked, tell)?;
            if let Some(journal) = &self.journal {
                found.sent = journal.sent() - sent_before;
                sent_before = journal.sent();
            } else {
                found.sent += before_repeated + session.repeated() - counted;
                (before_repeated, counted) = (0, session.repeated());
            }
            explained.cases.push(found);
            before = 0;
        }
        explained.seconds = begun.elapsed().as_secs_f64();
        Ok(explained)
    }

    /// The model; what it sends again goes into the journal too.
    fn session(&self) -> Session<'_> {
        self.loaded.onnx.session(self.journal.as_ref())
    }

    /// The same through the journal, if there is one.
    fn journalled<'a>(&'a self, session: &'a Session<'a>) -> Box<dyn Model + 'a> {
        match &self.journal {
            Some(journal) => Box::new(Journalled { model: session, journal }),
            None => Box::new(session),
        }
    }

    /// The noise of the margin at the input.
    fn noise(&self, model: &dyn Model, answers: Answers, input: &[f64]) -> anyhow::Result<Floor> {
        if let Some(floor) = self.settings.noise_floor {
            return Ok(Floor::given(floor));
        }
        if answers == Answers::Labels {
            return Ok(Floor::of_labels());
        }
        let measure = !self.settings.is_plain() && self.settings.max_queries >= WORTH_MEASURING;
        let within = Within { point: input, lower: &self.lower, upper: &self.upper };
        Ok(Floor::at(model, within, self.settings.seed, measure)?)
    }

    /// Why there is no search, in the words of the command line.
    fn refusal(&self, error: ExplainError, asked: &Asked) -> anyhow::Error {
        let told = match error {
            ExplainError::Budget { .. } => format!(
                "--max-queries {} is too little: {} are asked before the search; allow at least {}",
                self.settings.max_queries,
                asked.before,
                asked.before + 200
            ),
            ExplainError::Config(ConfigError::NothingFree) => nothing_free(asked.mode).to_owned(),
            other => return other.into(),
        };
        Refusal(told).into()
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

    fn task(&self, mode: Mode, input: &[f64]) -> Task {
        Task {
            mode,
            input: input.to_vec(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            background: self.background.clone(),
            frozen: self.frozen.clone(),
            change: self.settings.set,
            target: self.target.filter(|_| mode == Mode::PertinentNegative),
        }
    }

    /// What cannot be asked is refused before anything is paid for.
    fn check(&self, input: &[f64]) -> anyhow::Result<()> {
        for &mode in &self.settings.modes {
            let task = self.task(mode, input);
            task.check(self.loaded.onnx.inputs(), self.loaded.onnx.classes())?;
            let is_free = |i: usize| task.bounds(i).0 < task.bounds(i).1;
            // A part of which nothing can go is an answer; a change that cannot be made is not.
            if mode == Mode::PertinentNegative && !(0..input.len()).any(is_free) {
                return Err(Refusal(nothing_free(mode).to_owned()).into());
            }
        }
        Ok(())
    }

    /// Answers one question.
    fn one(
        &self,
        model: &dyn Model,
        about: &Explained,
        asked: &Asked,
        tell: Tell<'_>,
    ) -> anyhow::Result<Found> {
        let begun = Instant::now();
        let mode = asked.mode;
        let task = self.task(mode, &about.input);
        let queries = self.settings.max_queries.saturating_sub(asked.before);
        let mut how = self.settings.explain(mode, queries, about.floor, self.grid(), asked.threads);
        let search = |how: &gradless_explain::Explain, tell: &(dyn Fn(&Progress) + Sync)| {
            watched(asked.deadline, |cancel| explain(model, &task, how, &Watch { cancel, progress: tell }))
        };
        let told = |progress: &Progress| {
            tell(
                mode,
                &Progress {
                    queries: progress.queries + asked.before,
                    budget: self.settings.max_queries,
                    ..*progress
                },
            );
        };
        let (mut answer, ended) = search(&how, &told).map_err(|error| self.refusal(error, asked))?;
        answer.queries += asked.before;
        let counts = answer.steps.iter_mut().map(|step| &mut step.queries);
        for count in counts.chain(&mut answer.first_valid).chain(&mut answer.best_valid) {
            *count += asked.before;
        }
        let mut others = Vec::new();
        for other in 0..u64::from(self.settings.agree) {
            how.config.seed = self.settings.seed.wrapping_add(1 + other).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            // What was cut off says nothing about agreement.
            match ended.is_none().then(|| search(&how, &told)).transpose()? {
                Some((answer, None)) => others.push(answer),
                _ => break,
            }
        }
        let agreement = (!others.is_empty()).then(|| Agreement::new(&task, &answer, &others));
        let stop_reason = match (ended, &answer.stop) {
            (Some(ended), Some(StopReason::Cancelled) | None) => ended.to_owned(),
            (_, Some(reason)) => reason.to_string(),
            (None, None) => "the search was over".to_owned(),
        };
        let sent = answer.queries;
        Ok(Found { mode, task, answer, agreement, stop_reason, sent, seconds: begun.elapsed().as_secs_f64() })
    }
}

/// Why a search was ended from outside.
const INTERRUPTED: &str = "interrupted";
const TIME_IS_UP: &str = "the time is up";

/// Whether a search that ended for this reason would have gone on.
pub(super) fn was_cut_off(stop_reason: &str) -> bool {
    [INTERRUPTED, TIME_IS_UP].contains(&stop_reason)
}

fn nothing_free(mode: Mode) -> &'static str {
    match mode {
        Mode::PertinentPositive => {
            "nothing of the input could be left out: all of it is frozen, or is the background itself. Freeze less, or \
             choose another --background"
        }
        Mode::PertinentNegative => {
            "nothing of the input may change: all of it is frozen, or the bounds leave no room. Freeze less, or widen \
             --lower and --upper"
        }
    }
}

/// A question that cannot be asked this way, whatever the model says.
#[derive(Debug)]
struct Refusal(String);

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Whether asking the same again would fail again.
pub(super) fn is_refusal(error: &anyhow::Error) -> bool {
    let unanswered = |error: &ExplainError| matches!(error, ExplainError::Model(_));
    error.is::<Refusal>()
        || error.is::<TaskError>()
        || error.downcast_ref().is_some_and(|error| !unanswered(error))
}

/// What one search is given.
struct Asked {
    mode: Mode,
    /// Queries already used on its account.
    before: u64,
    threads: usize,
    deadline: Option<Instant>,
}

/// Does a piece of work with a flag that Ctrl-C or the clock sets, and says which of them did.
fn watched<T, E>(
    deadline: Option<Instant>,
    work: impl FnOnce(&AtomicBool) -> Result<T, E>,
) -> Result<(T, Option<&'static str>), E> {
    let (cancel, over, late) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
    let interrupted = interrupt::flag();
    let done = thread::scope(|scope| {
        let guard = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
                late.fetch_or(is_late, Ordering::Relaxed);
                if is_late || interrupted.load(Ordering::Relaxed) {
                    cancel.store(true, Ordering::Relaxed);
                }
                thread::park_timeout(GLANCE);
            }
        });
        let done = work(&cancel);
        over.store(true, Ordering::Relaxed);
        guard.thread().unpark();
        done
    })?;
    let ended = match () {
        () if interrupted.load(Ordering::Relaxed) => Some(INTERRUPTED),
        () if late.load(Ordering::Relaxed) => Some(TIME_IS_UP),
        () => None,
    };
    Ok((done, ended))
}

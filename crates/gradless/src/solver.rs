//! The solver asks and is told: it never calls the user's function, reads no clock and starts no thread.
//!
//! ```
//! use gradless::{Answers, Ask, Budget, Config, Problem, Regulariser, Solver};
//!
//! let problem = Problem::builder(50).regulariser(Regulariser::l1(0.05)).build()?;
//! let config = Config { budget: Budget::queries(2_000), ..Config::default() };
//! let mut solver = Solver::new(problem, config)?;
//! let mut point = vec![0.0; 50];
//! let outcome = loop {
//!     let values: Vec<f64> = match solver.ask() {
//!         Ask::Evaluate(queries) => (0..queries.len())
//!             .map(|row| {
//!                 queries.write(row, &mut point);
//!                 (point[3] - 1.0).powi(2) // the black box, or anything that answers for it
//!             })
//!             .collect(),
//!         Ask::Gradient(_) => unreachable!("the method works on values"),
//!         Ask::Stop(_) => break solver.finish(),
//!     };
//!     solver.tell(Answers::Values(&values))?;
//! };
//! assert!((outcome.x()[3] - 0.975).abs() < 0.02);
//! assert!(outcome.counts.queries <= 2_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod books;
mod config;
mod finish;
mod iterate;
mod outcome;
mod phases;
mod points;
mod sampling;
mod snapshot;
mod state;
mod wishes;

pub use config::{Config, ConfigError};
pub use outcome::{Outcome, Point};
pub use snapshot::SnapshotError;

use crate::direction::{Direction, Directions};
use crate::estimator::Plan;
use crate::problem::Problem;
use crate::query::{Queries, Row};
use crate::stop::StopReason;
use crate::trace::{Counts, Notice, Record};
use crate::update::Parts;
use state::{Phase, State};

/// One run of one method on one problem.
#[derive(Clone, Debug)]
pub struct Solver {
    config: Config,
    /// What the update at work is made of.
    parts: Parts,
    /// Its directions, and those through all coordinates.
    directions: Directions,
    survey: Directions,
    state: State,
    pending: Option<Pending>,
}

/// The batch that was handed out and not yet answered.
#[derive(Clone, Debug)]
struct Pending {
    rows: Vec<Row>,
    /// Sample numbers it uses up. They are only used up when it is answered, so that a snapshot taken in between asks
    /// for the very same batch again.
    samples: u64,
    kind: Asked,
}

/// What the answers of a batch mean.
#[derive(Clone, Debug)]
enum Asked {
    Probe,
    /// A value or slopes that the update wished for.
    Value,
    Survey(Plan),
    Calibration,
    Estimate(Plan),
    /// Failed base points, asked again.
    Again(Plan),
    Gradients {
        with_previous: bool,
    },
    Finish {
        repeats: usize,
    },
}

/// What the solver wants next.
#[derive(Debug)]
pub enum Ask<'a> {
    /// Values of $l$ at these points; a failed evaluation is answered by NaN.
    Evaluate(Queries<'a>),
    /// Gradients of $l$ at these points, each under its own sample.
    Gradient(Queries<'a>),
    /// Nothing: call [`Solver::finish`].
    Stop(StopReason),
}

/// Answers to a batch, in the order of its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answers<'a> {
    /// One value per row; NaN or an infinity stands for a failed evaluation.
    Values(&'a [f64]),
    /// One gradient per row, one after the other, and the values if they are known.
    Gradients {
        /// Rows times dimension numbers.
        gradients: &'a [f64],
        /// One value per row.
        values: Option<&'a [f64]>,
    },
}

/// The answers do not fit the question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TellError {
    /// Nothing was asked, or it has been answered already.
    #[error("there is nothing to answer: call `ask` first")]
    NothingAsked,
    /// The number of answers is not the number of questions.
    #[error("{expected} {what} were asked for, {found} were told")]
    WrongCount {
        /// Values or gradient entries.
        what: &'static str,
        /// How many were asked for.
        expected: usize,
        /// How many were told.
        found: usize,
    },
    /// Values were told where gradients were asked for, or the other way round.
    #[error("{expected} were asked for, something else was told")]
    WrongKind {
        /// What was asked for.
        expected: &'static str,
    },
}

impl Solver {
    /// A solver at its starting point. Everything that can be wrong with a configuration is found here.
    pub fn new(problem: Problem, config: Config) -> Result<Self, ConfigError> {
        let (parts, start, notices) = Parts::new(problem, &config)?;
        let state = State::new(&parts, &config, start, notices);
        Ok(Self::with(config, parts, state))
    }

    fn with(config: Config, parts: Parts, state: State) -> Self {
        let directions = parts.directions(config.seed);
        let survey = Directions::new(Direction::Rademacher, parts.space.dim(), config.seed);
        Self { config, parts, directions, survey, state, pending: None }
    }

    /// The next batch. Asking again before telling gives the same batch again.
    pub fn ask(&mut self) -> Ask<'_> {
        if self.pending.is_none() {
            self.prepare();
        }
        let Some(pending) = &self.pending else {
            let reason = match &self.state.phase {
                Phase::Stopped(reason) => reason.clone(),
                _ => StopReason::Cancelled,
            };
            return Ask::Stop(reason);
        };
        let State { points, step, sampling, .. } = &self.state;
        let queries = Queries {
            space: &self.parts.space,
            current: &points.x,
            centre: points.centre(),
            previous: &sampling.previous,
            sparse: &step.v,
            averaged: &points.averaged.x,
            handed: &points.handed,
            directions: match pending.kind {
                Asked::Survey(_) => &self.survey,
                _ => &self.directions,
            },
            rows: &pending.rows,
            placement: self.config.placement,
        };
        match pending.kind {
            Asked::Gradients { .. } => Ask::Gradient(queries),
            _ => Ask::Evaluate(queries),
        }
    }

    /// Takes the answers to the batch last asked for. On an error nothing has changed: the batch is still to be answered.
    pub fn tell(&mut self, answers: Answers<'_>) -> Result<(), TellError> {
        let pending = self.pending.as_ref().ok_or(TellError::NothingAsked)?;
        let rows = pending.rows.len();
        let wrong = |what, expected, found| Err(TellError::WrongCount { what, expected, found });
        match (&pending.kind, answers) {
            (Asked::Gradients { .. }, Answers::Values(_)) => {
                return Err(TellError::WrongKind { expected: "gradients" });
            }
            (Asked::Gradients { .. }, Answers::Gradients { gradients, values }) => {
                let expected = rows * self.parts.space.full_dim();
                if gradients.len() != expected {
                    return wrong("gradient entries", expected, gradients.len());
                }
                if let Some(values) = values.filter(|values| values.len() != rows) {
                    return wrong("values", rows, values.len());
                }
            }
            (_, Answers::Gradients { .. }) => return Err(TellError::WrongKind { expected: "values" }),
            (_, Answers::Values(values)) if values.len() != rows => {
                return wrong("values", rows, values.len());
            }
            (_, Answers::Values(_)) => {}
        }
        if let Some(Pending { rows, samples, kind }) = self.pending.take() {
            self.state.sampling.next_sample += samples;
            self.state.books.counts.queries += rows.len() as u64;
            match answers {
                Answers::Values(values) => self.take_values(kind, values),
                Answers::Gradients { gradients, values } => {
                    let with_previous = matches!(kind, Asked::Gradients { with_previous: true });
                    self.take_gradients(with_previous, gradients, values);
                }
            }
        }
        Ok(())
    }

    /// Ends the run for a reason of the caller's: cancellation, a black box that is gone.
    pub fn stop(&mut self, reason: StopReason) {
        self.pending = None;
        self.state.phase = Phase::Stopped(reason);
    }

    /// Tells the caller's clock, in seconds since the run began, for [`crate::StopRule::Seconds`].
    ///
    /// A clock that goes backwards is ignored.
    pub fn set_elapsed(&mut self, seconds: f64) {
        self.state.books.seconds = self.state.books.seconds.max(seconds);
    }

    /// Seconds told so far.
    pub fn elapsed(&self) -> f64 {
        self.state.books.seconds
    }

    /// Charges points that had to be sent once more; `false` if the budget of points sent does not allow it.
    pub fn charge_resent(&mut self, points: u64) -> bool {
        let sent = self.state.books.counts.sent + points;
        let allowed = self.config.budget.sent.is_none_or(|limit| sent <= limit);
        if allowed {
            self.state.books.counts.sent = sent;
        }
        allowed
    }

    /// The result, at any time.
    pub fn finish(self) -> Outcome {
        Outcome::new(self.parts.space, self.state, &self.config)
    }

    /// $x_t$ in the user's coordinates.
    pub fn point(&self) -> Vec<f64> {
        self.parts.space.expanded(self.state.points.x.clone())
    }

    /// The configuration it was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The number of coordinates, fixed ones included.
    pub fn dim(&self) -> usize {
        self.parts.space.full_dim()
    }

    /// The number of coordinates the method works on.
    pub fn free_dim(&self) -> usize {
        self.parts.space.dim()
    }

    /// $m$.
    pub fn batch(&self) -> usize {
        self.parts.m
    }

    /// $\nu$ at present; 0 if gradients are told.
    pub fn radius(&self) -> f64 {
        self.state.sampling.radius
    }

    /// Exact counters.
    pub fn counts(&self) -> Counts {
        self.state.books.counts
    }

    /// The smallest objective seen.
    pub fn best_objective(&self) -> Option<f64> {
        self.state.points.best_objective()
    }

    /// One record per iteration.
    pub fn history(&self) -> &[Record] {
        &self.state.books.history
    }

    /// What deserved a sentence so far.
    pub fn notices(&self) -> &[Notice] {
        &self.state.books.notices
    }

    pub(crate) fn add_notice(&mut self, notice: Notice) {
        self.state.books.notices.push(notice);
    }
}

//! The driver: the loop between a solver and a black box, with threads, a clock, observers, snapshots and a journal.

mod evaluate;
mod journal;
mod noise;
mod observer;
mod progress;

pub use journal::{
    Journal, JournalError, JournalOptions, Key, Outlives, Question, Recovered, Repeats, Source,
};
pub use noise::{NoiseError, NoiseFloor, NoiseProbe, noise_floor};
pub use observer::{Event, JsonLines, Observer};
pub use progress::Progress;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::oracle::{GradientOracle, Oracle};
use crate::problem::Problem;
use crate::solver::{Answers, Ask, Config, ConfigError, Outcome, Solver};
use crate::stop::Budget;
use crate::trace::Notice;
use evaluate::{Crew, Halt, evaluate, evaluate_through, gradients};

/// Minimises $l + r$ over $K$ on one thread, silently.
///
/// Whatever goes wrong in the black box, the result so far comes back with the reason in [`Outcome::stop`].
///
/// ```
/// use gradless::{Config, Problem, Regulariser, minimize};
///
/// let problem = Problem::builder(100).regulariser(Regulariser::l1(0.05)).build()?;
/// let outcome = minimize(problem, &|x: &[f64]| (x[7] - 1.0).powi(2), Config::default())?;
/// assert!((outcome.x()[7] - 0.975).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimize(problem: Problem, oracle: &dyn Oracle, config: Config) -> Result<Outcome, ConfigError> {
    let Budget { queries, sent } = config.budget;
    if queries.is_none() && sent.is_none() && config.stop.is_never() {
        return Err(ConfigError::Endless);
    }
    Ok(Driver::default().run(Solver::new(problem, config)?, oracle))
}

/// How a solver is driven.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use gradless::drive::Progress;
/// use gradless::{Config, Driver, Problem, Solver};
///
/// let cancel = AtomicBool::new(false); // set it from a Ctrl-C handler
/// let mut progress = Progress::to_stderr();
/// let problem = Problem::builder(10).start(vec![1.0; 10]).build()?;
/// let solver = Solver::new(problem, Config::default())?;
/// let outcome = Driver::default()
///     .threads(2)
///     .cancelled_by(&cancel)
///     .observe(&mut progress)
///     .run(solver, &|x: &[f64]| x.iter().map(|v| v * v).sum());
/// assert!(outcome.objective() < Some(0.2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use = "a driver does nothing until it runs"]
pub struct Driver<'a> {
    threads: usize,
    cancel: Option<&'a AtomicBool>,
    observers: Vec<&'a mut dyn Observer>,
    snapshots: Option<Snapshots>,
    journal: Option<&'a Journal>,
}

struct Snapshots {
    path: PathBuf,
    every: u64,
}

impl<'a> Driver<'a> {
    /// Evaluates the chunks of a batch (or its gradients) on this many threads. The result does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Stops when the flag is set; what has been learnt is returned.
    pub fn cancelled_by(mut self, flag: &'a AtomicBool) -> Self {
        self.cancel = Some(flag);
        self
    }

    /// Reports to this observer too.
    pub fn observe(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// Writes a snapshot to this file every so many iterations and when the run ends or is interrupted; the file is
    /// replaced as a whole.
    ///
    /// `Solver::restore(&std::fs::read(path)?)` continues an interrupted run to the same bits.
    pub fn snapshots(mut self, path: impl Into<PathBuf>, every: u64) -> Self {
        self.snapshots = Some(Snapshots { path: path.into(), every: every.max(1) });
        self
    }

    /// Keeps every answer in this journal and takes from it what is there: a run that was killed starts again from the
    /// beginning and goes on to the same bits without asking for an answer twice. For runs on values.
    ///
    /// [`Counts::sent`](crate::trace::Counts::sent) of the outcome is then what the journal counted over every start of the run. A
    /// journal is opened anew for every run: it also keeps count of which of its answers have been used.
    pub fn journal(mut self, journal: &'a Journal) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Runs to the end on values.
    pub fn run(self, solver: Solver, oracle: &dyn Oracle) -> Outcome {
        let crew = self.crew();
        let journal = self.journal;
        let mut values = Vec::new();
        self.drive(solver, |solver| {
            match solver.ask() {
                Ask::Stop(_) => return Ok(false),
                Ask::Evaluate(queries) => match journal {
                    None => evaluate(&queries, oracle, crew, &mut values)?,
                    Some(journal) => evaluate_through(journal, &queries, oracle, crew, &mut values)?,
                },
                Ask::Gradient(_) => {
                    return Err(wrong_oracle("gradients, but the black box only knows values"));
                }
            }
            // The lengths fit by construction; an answer that does not would end the run, not the program.
            solver.tell(Answers::Values(&values)).map_err(|error| Halt::Failed(error.to_string()))?;
            Ok(true)
        })
    }

    /// Runs to the end on gradients.
    pub fn run_gradient(self, solver: Solver, oracle: &dyn GradientOracle) -> Outcome {
        let crew = self.crew();
        let journal = self.journal;
        self.drive(solver, |solver| {
            if journal.is_some() {
                return Err(Halt::Failed("a journal keeps values, not gradients: run without it".to_owned()));
            }
            let answered = match solver.ask() {
                Ask::Stop(_) => return Ok(false),
                Ask::Gradient(queries) => gradients(&queries, oracle, crew)?,
                Ask::Evaluate(_) => {
                    return Err(wrong_oracle("values, but the black box was given as gradients"));
                }
            };
            let answers =
                Answers::Gradients { gradients: &answered.gradients, values: answered.values.as_deref() };
            solver.tell(answers).map_err(|error| Halt::Failed(error.to_string()))?;
            Ok(true)
        })
    }

    fn crew(&self) -> Crew<'a> {
        Crew { threads: self.threads.max(1), cancel: self.cancel }
    }

    /// The loop: one round after the other until there is none, keeping time, observers and snapshots up to date.
    fn drive(
        mut self,
        mut solver: Solver,
        mut round: impl FnMut(&mut Solver) -> Result<bool, Halt>,
    ) -> Outcome {
        let began = Instant::now();
        let before = solver.elapsed();
        // What a resumed run had to say before has been said.
        let resumed = solver.counts().sent > 0;
        let notices = if resumed { solver.notices().len() } else { 0 };
        let mut seen = Seen { records: solver.history().len(), notices };
        self.emit(&Event::Started { solver: &solver });
        loop {
            solver.set_elapsed(before + began.elapsed().as_secs_f64());
            let cancelled = self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
            let round = if cancelled { Err(Halt::Cancelled) } else { round(&mut solver) };
            let goes_on = matches!(round, Ok(true));
            self.save(&mut solver, seen.records, goes_on);
            if let Err(halt) = round {
                // After the snapshot: what was interrupted can be resumed.
                solver.stop(halt.reason());
            }
            self.report(&solver, &mut seen);
            if !goes_on {
                break;
            }
        }
        let mut outcome = solver.finish();
        if let Some(journal) = self.journal {
            outcome.counts.sent = journal.sent();
        }
        self.emit(&Event::Finished { outcome: &outcome });
        outcome
    }

    fn report(&mut self, solver: &Solver, seen: &mut Seen) {
        for notice in &solver.notices()[seen.notices..] {
            self.emit(&Event::Notice(notice));
        }
        for record in &solver.history()[seen.records..] {
            self.emit(&Event::Iteration { record, solver });
        }
        *seen = Seen { records: solver.history().len(), notices: solver.notices().len() };
    }

    fn emit(&mut self, event: &Event<'_>) {
        for observer in &mut self.observers {
            observer.on(event);
        }
    }

    fn save(&self, solver: &mut Solver, records_before: usize, goes_on: bool) {
        let Some(Snapshots { path, every }) = &self.snapshots else { return };
        let iterations = solver.history().len();
        let due = iterations > records_before && (iterations as u64).is_multiple_of(*every);
        if (due || !goes_on)
            && let Err(error) = replace_file(path, &solver.snapshot())
        {
            solver.add_notice(Notice::SnapshotFailed { message: format!("{}: {error}", path.display()) });
        }
    }
}

/// What observers have been told already.
struct Seen {
    records: usize,
    notices: usize,
}

fn wrong_oracle(what: &str) -> Halt {
    Halt::Failed(format!("the method asks for {what}"))
}

/// Writes beside the file, then renames: a crash leaves the old file or the new one, never half of one.
fn replace_file(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut file = std::fs::File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&beside, path)
}

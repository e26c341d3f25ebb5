//! A run: the solver, its black box and the journal between them, for the first time or once more.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use gradless::drive::{Event, Progress};
use gradless::drive::{Journal, JournalOptions, Outlives, Repeats};
use gradless::{Driver, Solver, StopReason};
use gradless_models::{Process, ProcessOptions};
use sha2::{Digest, Sha256};

use super::folder;
use super::problem::ProblemFile;
use super::result::{self, Ended};
use crate::command::Outcome;
use crate::run::{Overrides, clock, interrupt};
use crate::terminal::{self, Live, Terminal};

/// Tells everybody to stop: Ctrl-C, or the time is up.
static STOP: AtomicBool = AtomicBool::new(false);
/// Requests in a row that may stay without an answer, for each program.
const PATIENCE: u32 = 5;

/// Everything about a run.
pub(in super::super) struct Plan {
    pub(super) problem: ProblemFile,
    pub(super) program: Vec<String>,
    /// What was typed to begin it.
    pub(super) command: String,
    /// Where the program is started.
    pub(super) directory: PathBuf,
    pub(super) processes: usize,
    pub(super) rows: usize,
    pub(super) timeout: Option<f64>,
    pub(super) retries: u32,
}

impl Plan {
    /// Whatever can be wrong is found before anything is made or asked.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        for (name, seconds) in [("--max-seconds", self.problem.budget.seconds), ("--timeout", self.timeout)] {
            if let Some(seconds) = seconds {
                ensure!(
                    seconds > 0.0 && seconds < 1e9,
                    "{name} is {seconds}: a positive number of seconds is needed"
                );
            }
        }
        self.solver().map(|_| ())
    }

    fn solver(&self) -> anyhow::Result<Solver> {
        let made = || anyhow::Ok(Solver::new(self.problem.problem()?, self.problem.config()?)?);
        made().context("the problem cannot be run")
    }

    /// Tells problems apart: what decides the trajectory, the black box, and the version.
    fn fingerprint(&self) -> anyhow::Result<[u8; 32]> {
        let parts = (env!("CARGO_PKG_VERSION"), self.problem.trajectory()?, &self.program);
        Ok(Sha256::digest(serde_json::to_vec(&parts).context("the problem is not JSON")?).into())
    }
}

/// The programs of a run.
pub(super) struct Running {
    process: Process,
}

impl Running {
    pub(super) fn new(plan: &Plan) -> Self {
        interrupt::flag();
        let options = ProcessOptions {
            rows: plan.rows,
            timeout: plan.timeout.map(Duration::from_secs_f64),
            cancel: Some(&STOP),
            patience: PATIENCE.saturating_mul(u32::try_from(plan.processes).unwrap_or(u32::MAX)),
            ..ProcessOptions::default()
        };
        Self { process: Process::new(&plan.program, options).in_folder(&plan.directory) }
    }

    /// Sees whether the program can be started.
    pub(super) fn start(&self) -> anyhow::Result<()> {
        Ok(self.process.start()?)
    }
}

/// Goes on with a run.
pub(in super::super) fn resume(
    folder: &Path,
    change: Overrides,
    terminal: &Terminal,
) -> anyhow::Result<Outcome> {
    let mut plan = folder::read(folder)?;
    let budget = &mut plan.problem.budget;
    budget.sent = change.max_sent.or(budget.sent);
    budget.seconds = change.max_seconds.or(budget.seconds);
    plan.processes = change.threads.unwrap_or(plan.processes).max(1);
    plan.timeout = change.timeout.or(plan.timeout);
    plan.check()?;
    run(&plan, &Running::new(&plan), folder, terminal)
}

/// Runs to the end, through the journal of the folder.
pub(super) fn run(
    plan: &Plan,
    running: &Running,
    folder: &Path,
    terminal: &Terminal,
) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let solver = plan.solver()?;
    let options = JournalOptions {
        repeats: if plan.problem.repeats_itself() { Repeats::Remember } else { Repeats::AskAgain },
        retries: plan.retries,
        max_sent: plan.problem.budget.sent,
        outlives: Outlives::PowerLoss,
    };
    let journal = Journal::open(folder::journal(folder), plan.fingerprint()?, 1, options)?;
    announce(plan, &journal, folder);
    let (mut bar, live, budget) = (Progress::to_stderr(), Live::of(folder), solver.config().budget.queries);
    let mut told = |event: &Event<'_>| {
        if let Event::Iteration { record, .. } = event {
            live.step(record, budget);
        }
    };
    let deadline = plan.problem.budget.seconds.map(|seconds| begun + Duration::from_secs_f64(seconds));
    let (outcome, late) = clock::watched(&STOP, deadline, || {
        Driver::default()
            .threads(plan.processes)
            .cancelled_by(&STOP)
            .journal(&journal)
            .observe(&mut bar)
            .observe(&mut told)
            .run(solver, &running.process)
    });
    drop(live);
    let ended = Ended::of(&outcome, late);
    if ended == Ended::Finished {
        journal.end().context("the end of the run cannot be written")?;
    }
    let go_on = format!("gradless resume {}", folder.display());
    let told = result::write(folder, plan, &outcome, &ended, begun.elapsed());
    if let Ended::Broken(reason) = &ended {
        let kept = match &told {
            Err(error) => format!("{error:#}; what was answered is in the journal"),
            Ok(told) => match told.objective {
                None => "nothing was found so far".to_owned(),
                Some(objective) => {
                    let x = folder.join("x.npy");
                    format!("the best so far has objective {objective} and is in {}", x.display())
                }
            },
        };
        bail!("{reason}\n{kept}; go on with `{go_on}`");
    }
    let told = told.with_context(|| format!("all answers are in the journal: make room, then `{go_on}`"))?;
    terminal.result(&told.human(), &told)?;
    Ok(if ended.is_all(&outcome, plan.problem.budget.target) { Outcome::Done } else { Outcome::NotFound })
}

fn announce(plan: &Plan, journal: &Journal, folder: &Path) {
    let found = journal.recovered();
    let place = folder.display();
    if found.sent == 0 {
        let queries = plan.problem.config().ok().and_then(|config| config.budget.queries);
        let queries = queries.map_or_else(String::new, |queries| format!("up to {queries} queries; "));
        terminal::say(&format!("{queries}the run is kept in {place}; Ctrl-C keeps the best so far"));
        return;
    }
    let cut = if found.cut > 0 {
        format!(", {} bytes of half a record were cut", found.cut)
    } else {
        String::new()
    };
    let lost = found.sent.saturating_sub(found.answers);
    terminal::say(&format!(
        "goes on in {place}: {} answers are known, {} points were sent ({lost} of them without an answer){cut}",
        found.answers, found.sent
    ));
}

/// How a run has ended that was cut off from outside.
pub(super) fn cut_off(stop: Option<&StopReason>) -> bool {
    matches!(stop, Some(StopReason::Cancelled | StopReason::Sent) | None)
}

//! `gradless minimize`: any program as the black box.

mod folder;
mod problem;
mod result;
mod run;

pub(super) use folder::SCHEMA;
pub(super) use run::resume;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::Outcome;
use crate::run::words;
use crate::terminal::Terminal;
use problem::ProblemFile;
use run::{Plan, Running};

const EXAMPLES: &str = "\
Examples:
  gradless minimize --problem P.toml -- python3 black_box.py
  gradless minimize --problem P.toml --processes 4 --timeout 60 --out run1 -- ./simulate --fast
  gradless resume run1                      after a crash or Ctrl-C: no answer is asked for twice

The program reads a line of JSON such as
  {\"schema\":1,\"id\":7,\"points\":[[0.5,-1.0]],\"samples\":[3]}
and writes one such as
  {\"id\":7,\"values\":[0.25]}
with one value per point, null for a point it could not evaluate. It ends when its stdin ends.
The keys of P.toml and of the lines: docs/minimize.md.
";

/// Minimises a black box that is a program: lines of JSON with points in, values out
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minimize {
    /// The problem: dimension, regulariser, set, method, budget (docs/minimize.md)
    #[arg(long, value_name = "P.toml")]
    problem: PathBuf,

    /// The method, instead of the problem's
    #[arg(long, value_name = "NAME")]
    method: Option<String>,

    /// Same seed, same points; instead of the problem's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Answers the method may use, instead of the problem's [default: 5000]
    #[arg(long, value_name = "N")]
    max_queries: Option<u64>,

    /// Points that may be sent, retries and repeats after a crash included
    #[arg(long, value_name = "N")]
    max_sent: Option<u64>,

    /// Ends the run after so many seconds, and keeps the best so far
    #[arg(long, value_name = "S")]
    max_seconds: Option<f64>,

    /// Programs that run side by side; the result does not depend on it
    #[arg(long, visible_alias = "threads", value_name = "N", default_value_t = 1)]
    processes: usize,

    /// Points per request; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    rows: usize,

    /// A program that takes longer for an answer is killed and replaced
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,

    /// How often a request without an answer is sent again before it counts as failed
    #[arg(long, value_name = "N", default_value_t = 2)]
    retries: u32,

    /// The folder of the run [default: a new one under gradless-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replaces what an earlier run has left in the folder
    #[arg(long)]
    force: bool,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Minimize {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let plan = self.plan()?;
        plan.check()?;
        let running = Running::new(&plan);
        running.start()?;
        let folder = folder::prepare(self.out.as_deref(), self.force, &plan)?;
        run::run(&plan, &running, &folder, terminal)
    }

    /// What is typed and what stands in the file, as one.
    fn plan(&self) -> anyhow::Result<Plan> {
        let mut problem = ProblemFile::read(&self.problem)?;
        if let Some(method) = &self.method {
            problem.method.name.clone_from(method);
        }
        problem.seed = self.seed.unwrap_or(problem.seed);
        problem.budget.queries = self.max_queries.or(problem.budget.queries);
        problem.budget.sent = self.max_sent.or(problem.budget.sent);
        problem.budget.seconds = self.max_seconds.or(problem.budget.seconds);
        let word = |word: &OsString| {
            let word = word.to_str().context("the command after -- is not text that can be written down")?;
            Ok(word.to_owned())
        };
        let plan = Plan {
            problem,
            command: words::command(),
            program: self.command.iter().map(word).collect::<anyhow::Result<_>>()?,
            directory: std::env::current_dir().context("the present folder cannot be found")?,
            processes: self.processes,
            rows: self.rows,
            timeout: self.timeout,
            retries: self.retries,
        };
        if plan.program.is_empty() {
            bail!("the program is missing: put it after --");
        }
        ensure!(plan.rows > 0 && plan.processes > 0, "--rows and --processes are at least 1");
        Ok(plan)
    }
}

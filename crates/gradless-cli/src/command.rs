//! The commands, one file each.

mod data;
mod explain;
mod methods;
mod minimize;
mod noise;
mod report;
mod reproduce;
mod resume;
mod train;

use anyhow::{Context, bail};
use clap::Subcommand;

use crate::terminal::Terminal;

/// The code of a command that did what was asked.
pub(crate) const DONE: u8 = 0;
/// The code of a search that did not find all it was asked for.
const NOT_FOUND: u8 = 1;

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Explain(Box<explain::Explain>),
    Minimize(Box<minimize::Minimize>),
    Resume(resume::Resume),
    Report(report::Redraw),
    Methods(methods::Methods),
    Noise(noise::Noise),
    Data(data::Data),
    Train(train::Train),
    Reproduce(reproduce::Reproduce),
}

/// How a command that did not fail has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All that was asked for was done or found.
    Done,
    /// It was searched, and something was not found.
    NotFound,
}

impl Outcome {
    /// What the program ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => DONE,
            Self::NotFound => NOT_FOUND,
        }
    }
}

/// Does what is asked for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> anyhow::Result<Outcome> {
    match command {
        Command::Explain(asked) => asked.run(terminal),
        Command::Minimize(asked) => asked.run(terminal),
        Command::Resume(asked) => resume(&asked, terminal),
        Command::Report(asked) => asked.run(terminal),
        Command::Methods(asked) => asked.run(terminal),
        Command::Noise(asked) => asked.run(terminal),
        Command::Data(asked) => asked.run(terminal),
        Command::Train(asked) => asked.run(terminal),
        Command::Reproduce(asked) => asked.run(terminal),
    }
}

/// Goes on with a run, by the command that began it.
fn resume(asked: &resume::Resume, terminal: &Terminal) -> anyhow::Result<Outcome> {
    let config = asked.config()?;
    let (folder, change) = (&asked.folder, asked.overrides());
    match config["schema"].as_str() {
        Some(minimize::SCHEMA) => minimize::resume(folder, change, terminal),
        Some(explain::SCHEMA) => explain::resume(folder, &config, change, terminal)
            .with_context(|| format!("the run in {}", folder.display())),
        _ => bail!("{} does not hold a run that can be resumed", folder.display()),
    }
}

/// What to say in a build without the feature `paper`: the same words again, with it.
#[cfg(not(feature = "paper"))]
fn only_with_paper(what: &str, command: &str) -> anyhow::Error {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.skip_while(|word| word != command).collect();
    anyhow::anyhow!(
        "this build has no {what}: use `cargo run --release --features paper -- {}`",
        words.join(" ")
    )
}

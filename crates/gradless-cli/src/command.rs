//! The commands, one file each.

mod attack;
mod data;
mod explain;
mod methods;
mod minimize;
mod noise;
mod report;
mod reproduce;
mod resume;
mod studio;
mod train;

use std::path::Path;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand};
use serde_json::Value;

use crate::arguments::Arguments;
use crate::run::Overrides;
use crate::search;
use crate::terminal::Terminal;

pub(crate) use crate::run::{DONE, Outcome};

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Explain(Box<explain::Explain>),
    Attack(Box<attack::Attack>),
    Minimize(Box<minimize::Minimize>),
    Resume(resume::Resume),
    Report(report::Redraw),
    Studio(Box<studio::Studio>),
    Methods(methods::Methods),
    Noise(noise::Noise),
    Data(data::Data),
    Train(train::Train),
    Reproduce(reproduce::Reproduce),
}

/// Does what is asked for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> anyhow::Result<Outcome> {
    match command {
        Command::Explain(asked) => asked.run(terminal),
        Command::Attack(asked) => asked.run(terminal),
        Command::Minimize(asked) => asked.run(terminal),
        Command::Resume(asked) => resume(&asked, terminal),
        Command::Report(asked) => asked.run(terminal),
        Command::Studio(asked) => asked.run(terminal),
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
        Some(search::SCHEMA) => resume_search(folder, config, change, terminal)
            .with_context(|| format!("the run in {}", folder.display())),
        _ => bail!("{} does not hold a run that can be resumed", folder.display()),
    }
}

/// Goes on with a search: the same words, in the folder where they were said first.
fn resume_search(
    folder: &Path,
    config: Value,
    change: Overrides,
    terminal: &Terminal,
) -> anyhow::Result<Outcome> {
    let again = search::Again::new(folder, config, change)?;
    match Arguments::try_parse_from(again.words()) {
        Ok(Arguments { command: Command::Explain(asked), .. }) => asked.resume(&again, terminal),
        Ok(Arguments { command: Command::Attack(asked), .. }) => asked.resume(&again, terminal),
        _ => bail!("it was called with words that this version does not know"),
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

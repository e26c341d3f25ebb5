//! The commands, one file each.

mod data;
mod methods;
mod noise;
mod reproduce;
mod train;

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Subcommand;

use crate::terminal::Terminal;

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
        }
    }
}

/// Does what is asked for.
pub(crate) fn run(command: Command, terminal: &Terminal) -> anyhow::Result<Outcome> {
    match command {
        Command::Methods(asked) => asked.run(terminal),
        Command::Noise(asked) => asked.run(terminal),
        Command::Data(asked) => asked.run(terminal),
        Command::Train(asked) => asked.run(terminal),
        Command::Reproduce(asked) => asked.run(terminal),
    }
}

/// What to say where a command exists only in another build, or not yet.
fn other_build(what: &str, command: &str, words: &[String]) -> anyhow::Error {
    if cfg!(feature = "paper") {
        return anyhow!(
            "there is no {what} yet: this version has the data sets (`gradless data`) and the networks (`gradless train`)"
        );
    }
    let words = if words.is_empty() { "…".to_owned() } else { words.join(" ") };
    anyhow!("this build has no {what}: use `cargo run --release --features paper -- {command} {words}`")
}

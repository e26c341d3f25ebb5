//! The commands, one file each.

mod data;
mod methods;
mod noise;
mod train;

use std::process::ExitCode;

use clap::Subcommand;

use crate::terminal::Terminal;

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Methods(methods::Methods),
    Noise(noise::Noise),
    Data(data::Data),
    Train(train::Train),
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
    }
}

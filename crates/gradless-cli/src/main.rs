//! The command `gradless`: reads what is asked for, does it, and ends with 0 (done), 1 (searched, not found) or 2 (error).

mod arguments;
mod command;
mod failure;
mod interrupt;
mod npy;
mod input;
mod model;
mod terminal;
#[cfg(test)]
mod scratch;

use std::process::ExitCode;

use arguments::Arguments;
use clap::Parser;
use terminal::Terminal;

fn main() -> ExitCode {
    let asked = match Arguments::try_parse() {
        Ok(asked) => asked,
        Err(answer) => return terminal::answer(&answer),
    };
    let terminal = Terminal::new(asked.format);
    match command::run(asked.command, &terminal) {
        Ok(outcome) => outcome.into(),
        Err(error) => terminal::fail(&error),
    }
}

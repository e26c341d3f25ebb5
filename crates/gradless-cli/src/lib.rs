//! The command `gradless` as a library: reads what is asked for, does it, and gives the code to end with: 0 (done), 1
//! (searched, not found) or 2 (error). The program is one caller, the Python package another.

mod arguments;
mod command;
mod failure;
mod npy;
mod input;
mod table;
mod model;
mod run;
mod search;
mod terminal;
#[cfg(test)]
mod scratch;

use std::ffi::OsString;

use arguments::Arguments;
use clap::Parser;
use terminal::Terminal;

/// Does what the words ask for, the first of them being the name of the program. Writes to stdout and stderr, and takes over
/// Ctrl-C where there is something to keep.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let program = std::env::current_exe().map(OsString::from);
    run_within(words, program.into_iter().collect())
}

/// The same within another program, such as an interpreter: `program` are the words by which the command is started once more, those
/// of the command itself left out.
pub fn run_within(words: impl IntoIterator<Item = OsString>, program: Vec<OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    let asked = match Arguments::try_parse_from(&words) {
        Ok(asked) => asked,
        Err(answer) => return terminal::answer(&answer),
    };
    arguments::remember(&words, program);
    let terminal = Terminal::new(asked.format);
    match command::run(asked.command, &terminal) {
        Ok(outcome) => outcome.code(),
        Err(error) => terminal::fail(&error),
    }
}

//! Lists skipped tests for the summary of `./test`.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::{self, Write};

/// Names the file whose lines `./test` prints at its end, under `skipped:`.
pub const FILE: &str = "GRADLESS_SKIPPED";

/// Lists a test, or a part of one, that did not run on this machine: what, and why.
///
/// Appends one line to the file that [`FILE`] names. Without such a file the line goes straight to stderr, past the test
/// harness, which shows what a test prints only if the test fails.
///
/// # Panics
///
/// If the file cannot be written: a skip that nobody sees is what this is here to prevent.
pub fn skip(what_and_why: impl Display) {
    say(std::env::var_os(FILE).as_deref(), &what_and_why.to_string())
        .expect("the list of what was skipped can be written");
}

fn say(file: Option<&OsStr>, what_and_why: &str) -> io::Result<()> {
    let line = what_and_why.split_whitespace().collect::<Vec<_>>().join(" ");
    match file {
        // One write per line, at the end of the file: tests run side by side.
        Some(file) => {
            OpenOptions::new().create(true).append(true).open(file)?.write_all(format!("{line}\n").as_bytes())
        }
        None => writeln!(io::stderr(), "skipped: {line}"),
    }
}

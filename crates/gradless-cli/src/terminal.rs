//! Everything that is written: results to stdout, messages and progress to stderr.

#[cfg(feature = "paper")]
mod jobs;
mod live;
#[cfg(feature = "paper")]
mod progress;
mod searching;

#[cfg(feature = "paper")]
mod steps;

#[cfg(feature = "paper")]
pub(crate) use jobs::Jobs;
pub(crate) use live::{Live, VARIABLE as PROGRESS};
#[cfg(feature = "paper")]
pub(crate) use progress::Progress;
pub(crate) use searching::{Items, Searching, duration};
#[cfg(feature = "paper")]
pub(crate) use steps::Steps;

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;

use crate::arguments::Format;
use crate::command::DONE;
use crate::failure;

/// Shorter work than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);
/// The code of every error.
const FAILED: u8 = 2;

/// Writes in the format that was asked for.
#[derive(Debug)]
pub(crate) struct Terminal {
    format: Format,
}

impl Terminal {
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    /// Writes the result: `human` as it is, or `value` as JSON.
    pub(crate) fn result(&self, human: &str, value: &impl Serialize) -> anyhow::Result<()> {
        let text = match self.format {
            Format::Human => human.trim_end().to_owned(),
            Format::Json => serde_json::to_string_pretty(value).context("the result is not JSON")?,
        };
        write(io::stdout().lock(), &text).context("the result cannot be written to stdout")
    }
}

/// Lines as a terminal may see them: names are not ours, and what moves the cursor or turns the writing is written out.
pub(crate) fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| visible(line)).collect::<Vec<_>>().join("\n")
}

fn visible(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || turns(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// Says why the command failed and what to do.
pub(crate) fn fail(error: &anyhow::Error) -> u8 {
    let told: Vec<String> = failure::paragraph(error).lines().map(str::to_owned).collect();
    say(&format!("error: {}", lines(&told)));
    FAILED
}

/// What the command line itself answers: help and version on stdout, a wrong word on stderr.
pub(crate) fn answer(answer: &clap::Error) -> u8 {
    let text = answer.render().to_string();
    if answer.use_stderr() {
        say(text.trim_end());
        return FAILED;
    }
    match write(io::stdout().lock(), text.trim_end()) {
        Ok(()) => DONE,
        Err(_) => FAILED,
    }
}

/// A reader that has seen enough (`| head -1`) is not an error.
fn write(mut to: impl Write, text: &str) -> io::Result<()> {
    match writeln!(to, "{text}").and_then(|()| to.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Tells people something beside the result.
pub(crate) fn say(message: &str) {
    // Where stderr is closed there is nobody to tell.
    let _ = write(io::stderr().lock(), message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_neither_move_the_cursor_nor_begin_a_line() {
        let told = lines(&["a\nb\u{1b}[2J\u{202e}.png".to_owned(), "größe 😀".to_owned()]);
        assert_eq!(told, "a\\nb\\u{1b}[2J\\u{202e}.png\ngröße 😀");
    }
}

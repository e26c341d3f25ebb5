//! What a run survives: kills at random moments, and black boxes and disks that misbehave.
//!
//! The same program is the test and, when it is called with `black-box`, the black box. `cargo test -p gradless-cli --test
//! reliability -- faults` runs one part; `GRADLESS_TABLES=write` writes the table of `docs/reliability.md`.

mod cell;
mod faults;
mod kills;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use testkit::program::{FAULTS, Fault, Orders, serve};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "black-box") {
        be_a_black_box(&words[1..]);
        return ExitCode::SUCCESS;
    }
    let wanted = |name: &str| {
        let filters: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
        filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
    };
    // Whoever lists tests is told that there is nothing to choose from.
    if words.iter().any(|word| word == "--list") {
        return ExitCode::SUCCESS;
    }
    let mut failed = false;
    for (name, test) in [("kills", kills::run as fn() -> Result<String, String>), ("faults", faults::run)] {
        if !wanted(name) {
            continue;
        }
        match test() {
            Ok(told) => say(&format!("{name}: ok ({told})")),
            Err(why) => {
                failed = true;
                say(&format!("{name}: FAILED\n{why}"));
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// `FAULT EVERY PAUSE-IN-MS [LOG]`.
fn be_a_black_box(words: &[String]) {
    let word = |index: usize| words.get(index).map_or("", String::as_str);
    let fault = FAULTS.iter().find(|(name, _)| *name == word(0)).map_or(Fault::None, |(_, fault)| *fault);
    let number = |index: usize, otherwise: u64| word(index).parse().unwrap_or(otherwise);
    let log = words.get(3).map(PathBuf::from);
    serve(Orders {
        fault,
        every: number(1, 1).max(1),
        pause: Duration::from_millis(number(2, 0)),
        log: log.as_deref(),
    });
}

fn say(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

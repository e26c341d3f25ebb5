//! Breaks the code on purpose, fault by fault, and reports whether the test that should notice does:
//! `cargo run -p testkit --bin mutations`.
//!
//! `-- WORD...` tries only the faults with such a word in their part or description, `-- --list` lists them, `-- --write` puts the
//! table into `docs/testing.md` when all were tried. Every fault is applied to a copy of the tree in `target/mutations`; the
//! working tree is never changed. Fails if a fault survives, does not build or no longer applies.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

mod fault;
mod faults;
mod page;
mod tree;
mod trial;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use fault::Fault;
use faults::FAULTS;
use tree::Tree;
use trial::Outcome;

fn main() -> ExitCode {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let wanted = |fault: &&Fault| {
        let says = |word: &String| fault.part.contains(word.as_str()) || fault.what.contains(word.as_str());
        words.is_empty() || words.iter().any(says)
    };
    let faults: Vec<&Fault> = FAULTS.iter().filter(wanted).collect();
    let has = |flag: &str| flags.iter().any(|other| other == flag);
    if let Some(flag) = flags.iter().find(|flag| !["--list", "--write"].contains(&flag.as_str())) {
        let known = flag == "--help";
        eprintln!(
            "{}usage: mutations [WORD.. | --list | --write]: breaks the code on purpose, all faults or those with a word in\ntheir name, and says which tests notice; --write puts the table into docs/testing.md",
            if known { "" } else { "error: there is no such flag\n" }
        );
        return if known { ExitCode::SUCCESS } else { ExitCode::from(2) };
    }
    if has("--list") {
        for fault in faults {
            println!("{fault}");
        }
        return ExitCode::SUCCESS;
    }
    let outcome = report(&faults).and_then(|caught| match (caught, has("--write") && words.is_empty()) {
        (true, true) => page::write(&root().join(page::PAGE)).map(|()| true),
        (caught, _) => Ok(caught),
    });
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Tries the faults one after the other; whether all were caught.
fn report(faults: &[&Fault]) -> Result<bool, String> {
    if faults.is_empty() {
        return Err("there is no such fault: `-- --list` lists them".to_owned());
    }
    let tree = Tree::copy(root())?;
    // A test that fails without a fault would catch everything.
    for test in faults.iter().map(|fault| fault.test).collect::<BTreeSet<_>>() {
        eprintln!("without a fault: {test}");
        match trial::run(&tree, test)? {
            Outcome::Survived => {}
            other => return Err(format!("{test} must pass without a fault: {other}")),
        }
    }
    let mut counts = [0; 2];
    for fault in faults {
        let outcome = match tree.with(fault.within, fault.old, fault.new, || trial::run(&tree, fault.test)) {
            Ok(outcome) => outcome?,
            Err(why) => Outcome::DoesNotApply(why),
        };
        println!("{}: {}: {outcome}", fault.part, fault.what);
        counts[usize::from(!outcome.is_caught())] += 1;
    }
    println!("{} faults: {} caught, {} not", faults.len(), counts[0], counts[1]);
    Ok(counts[1] == 0)
}

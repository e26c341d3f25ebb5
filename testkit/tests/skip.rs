//! A skipped test is a line for the summary of `./test`, whatever becomes of what it prints.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Output};

#[test]
#[ignore = "run by the tests below, as a test that is skipped"]
fn skipped_for_two_reasons() {
    testkit::skip("first: a reason\nin two lines");
    testkit::skip("second: another reason");
}

/// The test above in a process of its own.
fn run(file: Option<&Path>) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "skipped_for_two_reasons", "--ignored", "--quiet"])
        .env_remove(testkit::skip::FILE);
    if let Some(file) = file {
        command.env(testkit::skip::FILE, file);
    }
    command.output().unwrap()
}

#[test]
fn every_reason_is_a_line_behind_those_that_are_there() {
    let file = std::env::temp_dir().join(format!("gradless-skipped-{}", std::process::id()));
    std::fs::write(&file, "earlier: a reason\n").unwrap();
    let output = run(Some(&file));
    let lines = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(lines, "earlier: a reason\nfirst: a reason in two lines\nsecond: another reason\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn without_a_file_the_reasons_pass_the_harness_on_stderr() {
    let shown = String::from_utf8(run(None).stderr).unwrap();
    assert_eq!(shown, "skipped: first: a reason in two lines\nskipped: second: another reason\n");
}

#[test]
fn a_list_that_cannot_be_written_fails_the_test() {
    assert_eq!(run(None).status.code(), Some(0));
    assert_eq!(run(Some(Path::new("/nowhere/skipped"))).status.code(), Some(101));
}

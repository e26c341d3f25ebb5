//! What every command has in common: words, exit codes, streams.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::process::Stdio;

use support::{command, gradless, run};

#[test]
fn help_and_version_are_results() {
    let help = gradless(&["--help"]).ends(0).silent();
    for word in ["methods", "data", "train", "Examples:", "Exit code:"] {
        assert!(help.out.contains(word), "{}", help.out);
    }
    assert_eq!(gradless(&["--version"]).ends(0).silent().out, "gradless 0.1.0\n");
    for name in ["methods", "noise", "data", "train", "reproduce"] {
        let help = gradless(&[name, "--help"]).ends(0).silent();
        assert!(help.out.contains("Examples:"), "{}", help.out);
    }
}

#[test]
fn wrong_words_end_with_2_and_say_what_is_right() {
    gradless(&[]).fails_saying(&["Usage: gradless", "methods"]);
    gradless(&["method"]).fails_saying(&["'method'", "methods"]);
    gradless(&["methods", "--format", "xml"]).fails_saying(&["xml", "human", "json"]);
    gradless(&["methods", "--frmat", "json"]).fails_saying(&["--format"]);
    gradless(&["data", "imagenet"]).fails_saying(&["imagenet", "mnist", "cifar10"]);
    gradless(&["data"]).fails_saying(&["mnist"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for words in [&["methods"][..], &["methods", "--format", "json"], &["--help"]] {
        let mut child = command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = run(command(&["methods"]).stdout(Stdio::from(full)));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: the result cannot be written to stdout: "), "{}", ran.err);
}

#[test]
#[cfg(not(feature = "paper"))]
fn a_build_without_training_says_how_to_get_one() {
    gradless(&["train", "lenet", "--data", "data/mnist"]).fails_saying(&[
        "no training",
        "cargo run --release --features paper -- train lenet --data data/mnist",
    ]);
}

//! Explanations that were cut off or killed go on where they were.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::question::{Question, ROW, picture};
use crate::support::{command, gradless};

/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// A result without what depends on how often it was begun, how long it took, and where it is.
fn comparable(asked: &Question) -> Value {
    let mut told: Value = serde_json::from_str(&asked.text("result.json")).unwrap();
    for record in told.as_array_mut().unwrap() {
        for key in ["sent", "seconds", "files"] {
            assert!(record.as_object_mut().unwrap().remove(key).is_some(), "{key}");
        }
    }
    told
}

#[test]
fn a_run_that_the_clock_cut_off_goes_on_to_the_same_answer() {
    let question = |name: &str| Question::new(name, "rows").about_the_row().with("--max-queries 900");
    let whole = question("whole");
    assert!(matches!(whole.ask().code, Some(0 | 1)));
    let cut = question("cut").with("--max-seconds 0.02");
    let ran = cut.ask();
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let ran = gradless(&["resume", &cut.out(""), "--max-seconds", "1000"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    assert_eq!(comparable(&cut), comparable(&whole));
    // All of it is known now: the same once more, from another number of threads.
    let before = std::fs::metadata(cut.out("journal")).unwrap().len();
    assert_eq!(gradless(&["resume", &cut.out(""), "--threads", "3", "--max-seconds", "1000"]).code, ran.code);
    assert_eq!(comparable(&cut), comparable(&whole));
    assert_eq!(std::fs::metadata(cut.out("journal")).unwrap().len(), before);
}

#[test]
#[cfg(unix)]
fn a_run_that_will_replace_another_leaves_it_alone_until_it_is_done() {
    let asked =
        Question::new("replaces", "rows").about_the_row().with("--mode pp --seed 1 --max-queries 400");
    asked.ask();
    let before = asked.text("result.json");
    let other = asked.with(
        "--seed 2 --force --method zo-psgd --max-queries 1000000000000 --kappa none --search off --prune off",
    );
    let mut child = command(&other.words()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = other.out("journal.next");
    let begun = Instant::now();
    while std::fs::metadata(&journal).map_or(0, |found| found.len()) < 1_000 {
        assert!(begun.elapsed() < PATIENCE, "nothing was asked");
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(other.text("result.json"), before);
    let ran = gradless(&["resume", &other.out(""), "--max-seconds", "0.3"]);
    assert!(ran.err.contains("answers are known"), "{}", ran.err);
    let told: Value = serde_json::from_str(&other.text("result.json")).unwrap();
    assert_eq!((&told["seed"], &told["stop_reason"]), (&2.into(), &"the time is up".into()));
    assert!(!Path::new(&journal).exists() && !Path::new(&other.out("config.json.next")).exists());
}

#[test]
fn a_run_over_many_inputs_goes_on_too_and_another_model_is_noticed() {
    let asked =
        Question::new("many-resumed", "rows").with("--mode pp --max-queries 400").path("--input", "in");
    for name in ["a.png", "b.png"] {
        asked.folder.put(&format!("in/{name}"), &picture(1, 4, &ROW));
    }
    asked.ask();
    std::fs::remove_dir_all(asked.out("items/b.png")).unwrap();
    let ran = gradless(&["resume", &asked.out("")]);
    assert!(ran.err.contains("1 of 2 inputs were explained before"), "{}", ran.err);
    assert!(Path::new(&asked.out("items/b.png/result.json")).exists());

    let one = Question::new("other-input", "rows").about_the_row().with("--mode pp --max-queries 400");
    one.ask();
    let dim: Vec<f64> = ROW.iter().map(|value| 0.5 * value).collect();
    one.folder.put("x.png", &picture(1, 4, &dim));
    gradless(&["resume", &one.out("")]).fails_saying(&["another problem"]);
}

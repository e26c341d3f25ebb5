//! Runs that are ended early keep what they have.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::by_hand;
use crate::question::{Question, ROW, picture, records};
use crate::support::command;

/// The method alone, with so many queries that it does not get to their end.
const ENDLESS: &str =
    "--method zo-ada-exp-grad+ --max-queries 1000000000000 --kappa none --search off --prune off --l1 0.01";
/// Milliseconds until Ctrl-C, the next if nothing has happened yet.
#[cfg(unix)]
const WAITS: [u64; 4] = [300, 1_000, 4_000, 16_000];
/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

#[cfg(unix)]
#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Begins a run and presses Ctrl-C after a while; its exit code.
#[cfg(unix)]
fn interrupted(asked: &Question, after: Duration) -> Option<i32> {
    let mut child: Child =
        command(&asked.words()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let config = asked.out("config.json");
    wait_until("the run has begun", || Path::new(&config).exists());
    sleep(after);
    assert_eq!(child.try_wait().unwrap(), None, "the run ended by itself");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut code = None;
    wait_until("the run has ended", || match child.try_wait().unwrap() {
        Some(status) => {
            code = status.code();
            true
        }
        None => false,
    });
    code
}

#[test]
#[cfg(unix)]
fn ctrl_c_writes_the_best_so_far() {
    // As long as it takes until there is something to keep: a busy machine needs longer.
    let mut found = false;
    for wait in WAITS {
        let asked =
            Question::new("ctrl-c", "rows").about_the_row().with("--mode pp").with(ENDLESS).with("--agree 3");
        let code = interrupted(&asked, Duration::from_millis(wait));
        let told: Value = serde_json::from_str(&asked.text("result.json")).unwrap();
        assert_eq!(told["stop_reason"], "interrupted");
        by_hand::check(&told, &ROW, &[0.0; 16]);
        assert_eq!(code, Some(i32::from(told["valid"] == false)));
        for file in ["report.html", "image.png", "x.npy", "trace.csv", "report.json"] {
            assert!(!asked.folder.0.join("out").join(file).metadata().unwrap().is_dir(), "{file}");
        }
        found = told["valid"] == true && told["iterations"].as_u64() > Some(0);
        if found {
            break;
        }
    }
    assert!(found, "nothing was kept");
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_run_over_many_and_the_next_goes_on() {
    // As long as it takes until the first input is begun.
    let asked = WAITS.iter().find_map(|&wait| {
        let asked = Question::new("ctrl-c-many", "rows")
            .with("--mode pp --threads 1")
            .with(ENDLESS)
            .path("--input", "in");
        for name in ["a.png", "b.png"] {
            asked.folder.put(&format!("in/{name}"), &picture(1, 4, &ROW));
        }
        assert_eq!(interrupted(&asked, Duration::from_millis(wait)), Some(1));
        let summary: Value = serde_json::from_str(&asked.text("result.json")).unwrap();
        assert_eq!(summary["inputs"], 2);
        (summary["missing"] == 1).then_some(asked)
    });
    let asked = asked.unwrap();
    assert!(asked.text("index.html").contains("a.png"));
    // The second has not been begun and comes before the first, which was cut off.
    let ran = asked.ask_with("--max-seconds 0.3");
    assert!(!ran.err.contains("explained before"), "{}", ran.err);
    let told = ran.json();
    assert_eq!((&told["missing"], told["items"].as_array().unwrap().len()), (&0.into(), 2), "{told}");
    let reason = |name: &str| -> Value {
        let told: Value = serde_json::from_str(&asked.text(&format!("items/{name}/result.json"))).unwrap();
        told["stop_reason"].clone()
    };
    assert_eq!([reason("a.png"), reason("b.png")], ["interrupted", "the time is up"]);
}

#[test]
fn time_that_is_up_ends_a_run_with_the_best_so_far() {
    let asked = Question::new("time", "rows").about_the_row().with(ENDLESS);
    let ran = asked.ask_with("--max-seconds 0.4");
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    for words in ["2000000000000 queries", "Ctrl-C keeps the best so far"] {
        assert!(ran.err.contains(words), "what it may cost is not said: {}", ran.err);
    }
    let records = records(&ran.json());
    assert_eq!(records.len(), 2, "both questions get their share of the time");
    for record in &records {
        assert_eq!(record["stop_reason"], "the time is up");
        by_hand::check(record, &ROW, &[0.0; 16]);
    }
    for wrong in ["0", "-1", "nan", "soon"] {
        asked.ask_with(&format!("--force --max-seconds={wrong}")).fails_saying(&["max-seconds"]);
    }
}

#[test]
fn the_largest_numbers_overflow_nothing() {
    for words in [
        "--max-queries 18446744073709551615",
        "--max-queries 18446744073709551615 --agree 4294967295",
        ENDLESS,
    ] {
        let asked = Question::new("largest", "rows").about_the_row().with(words);
        let ran = asked.ask_with("--max-seconds 0.2 --seed 18446744073709551615");
        assert!(matches!(ran.code, Some(0 | 1)), "{words}: {}", ran.err);
        let frozen = asked.ask_with("--max-seconds 0.2 --force --mode pn --upper 0.1 --set add");
        assert_eq!(frozen.code, Some(1), "{}", frozen.err);
    }
}

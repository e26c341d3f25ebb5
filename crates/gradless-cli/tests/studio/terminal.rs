//! Runs that are begun in a terminal, in the folder of the studio: watched, stopped and continued there.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Studio, seven};
use crate::support;

/// A black box in the shell, which takes its time.
const BLACK_BOX: &str = r#"
while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    point=${line#*\"points\":[[}; point=${point%%]]*}
    value=$(echo "$point" | awk -F, '{ printf "%.17g", ($2 - 0.8) ^ 2 + ($5 + 0.5) ^ 2 }')
    sleep "$1"
    echo "{\"id\":$id,\"values\":[$value]}"
done
"#;
const PROBLEM: &str = "schema = 1\ndim = 6\n[set]\nlower = -1\nupper = 1\n[method]\nnoise = \"none\"\n[budget]\nqueries = 150\n";

/// Begins a command where the studio runs.
fn begin(studio: &Studio, words: &[&str]) -> Child {
    let mut command = support::command(words);
    command.current_dir(&studio.home).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn minimize(studio: &Studio, name: &str, pause: &str) -> Child {
    fs::write(studio.home.join("P.toml"), PROBLEM).unwrap();
    fs::write(studio.home.join("box.sh"), BLACK_BOX).unwrap();
    begin(
        studio,
        &["minimize", "--problem=P.toml", &format!("--out=runs/{name}"), "--", "sh", "box.sh", pause],
    )
}

/// Waits until something is so.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn listed(studio: &Studio, name: &str) -> Option<Value> {
    let runs = studio.get("api/runs").json();
    runs.as_array().unwrap().iter().find(|run| run["name"] == name).cloned()
}

/// What a run has told so far; the stream ends with the run.
fn frames(studio: &Studio, name: &str) -> Vec<Value> {
    let events = String::from_utf8(studio.get(&format!("api/runs/{name}/events")).body).unwrap();
    let lists = events.lines().filter_map(|line| line.strip_prefix("data: ["));
    lists.flat_map(|list| serde_json::from_str::<Vec<Value>>(&format!("[{list}")).unwrap()).collect()
}

#[test]
#[cfg(unix)]
fn a_minimisation_is_watched_stopped_and_continued_to_the_bits_of_one_that_nobody_disturbed() {
    let studio = Studio::new("minimize");
    let mut child = minimize(&studio, "m", "0.01");
    until("it runs", || {
        listed(&studio, "m").filter(|run| run["state"] == "running" && run["kind"] == "minimize")
    });
    let progress = studio.home.join("runs/m/progress");
    until("a step", || fs::read_to_string(&progress).ok().filter(|text| text.contains("objective")));
    assert_eq!(studio.post("api/runs/m/stop", &json!({})).code, 200);
    // What was paid for is kept.
    let told = frames(&studio, "m");
    child.wait().unwrap();
    let run = studio.wait("m");
    assert_eq!(run["state"], "stopped", "{run}");
    let paid = run["result"]["queries"].as_u64().unwrap();
    assert!(0 < paid && paid < 150, "{run}");
    assert!(run["result"]["objective"].as_f64().unwrap() < 0.9, "{run}");
    let steps: Vec<&Value> = told.iter().filter(|frame| frame["objective"].is_number()).collect();
    assert!(!steps.is_empty() && steps.is_sorted_by_key(|frame| frame["queries"].as_u64()), "{told:?}");
    assert!(steps.iter().all(|frame| frame["budget"] == 150 && frame["best"].is_number()), "{told:?}");
    assert!(!progress.exists(), "the file of progress goes with the run");
    // It goes on from the page, and ends as the same run does that was left alone.
    assert_eq!(studio.post("api/runs/m/continue", &json!({})).code, 200);
    assert_eq!(studio.wait("m")["state"], "done");
    assert!(minimize(&studio, "calm", "0").wait().unwrap().success());
    let read = |run: &str, file: &str| fs::read(studio.home.join("runs").join(run).join(file)).unwrap();
    for file in ["x.npy", "trace.csv"] {
        assert_eq!(read("m", file), read("calm", file), "{file}");
    }
    assert!(studio.get("api/runs/m/files/trace.csv").body.starts_with(b"iteration,queries,objective"));
}

#[test]
#[cfg(unix)]
fn a_search_of_the_terminal_is_watched_and_stopped() {
    let studio = Studio::new("terminal");
    // The page keeps the drawing; the search about it is begun elsewhere.
    let name =
        studio.begin(&json!({ "input": { "drawing": seven() }, "max_queries": 300, "question": "part" }));
    let command = studio.wait(&name)["command"].as_str().unwrap().to_owned();
    let input = command.split(' ').find(|word| word.starts_with("--input=")).unwrap();
    let mut child =
        begin(&studio, &["explain", input, "--out=runs/elsewhere", "--max-queries=1000000", "--count=10"]);
    let progress = studio.home.join("runs/elsewhere/progress");
    until("a frame", || fs::read_to_string(&progress).ok().filter(|text| text.contains("shown")));
    assert_eq!(listed(&studio, "elsewhere").unwrap()["state"], "running");
    assert_eq!(studio.post("api/runs/elsewhere/stop", &json!({})).code, 200);
    child.wait().unwrap();
    let run = studio.wait("elsewhere");
    assert!(run["state"] == "stopped" && !run["result"].as_array().unwrap().is_empty(), "{run}");
    assert!(run["python"].as_str().unwrap().contains("shlex.split(\"gradless explain"), "{run}");
}

#[test]
fn a_run_over_many_inputs_is_listed_with_its_pages() {
    let studio = Studio::new("many");
    let digit = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/digits/5.png")).unwrap();
    fs::create_dir(studio.home.join("digits")).unwrap();
    for name in ["a.png", "b.png"] {
        fs::write(studio.home.join("digits").join(name), &digit).unwrap();
    }
    let words = [
        "explain",
        "--input=digits",
        "--out=runs/many",
        "--max-queries=300",
        "--question=part",
        "--stability=off",
    ];
    begin(&studio, &words).wait().unwrap();
    let run = studio.wait("many");
    assert_eq!(
        (&run["is_many"], &run["report"], &run["state"]),
        (&json!(true), &json!("index.html"), &json!("done"))
    );
    let index = studio.get("api/runs/many/files/index.html");
    let index = String::from_utf8(index.body).unwrap();
    let link = index
        .split("href=\"")
        .find_map(|rest| rest.split('"').next().filter(|link| link.starts_with("./items/")));
    let page = studio.get(&format!("api/runs/many/files/{}", link.unwrap().trim_start_matches("./")));
    assert!(page.code == 200 && page.head.contains("sandbox"), "{}", page.head);
    assert_eq!(studio.get("api/runs/many/files/items/..%2F..%2F/report.html").code, 404);
}

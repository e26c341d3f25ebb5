//! A stop keeps what was paid for; a killed studio loses nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::client::{Studio, found, search};
use crate::support;

/// A search that takes a while.
fn long() -> serde_json::Value {
    let mut request = search(5_000);
    request["count"] = json!(4);
    request
}

/// The same search by the command, which nobody disturbs.
fn undisturbed(studio: &Studio, name: &str) -> serde_json::Value {
    let command =
        studio.run(name)["command"].as_str().unwrap().replace(&format!("--out=runs/{name}"), "--out=calm");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    support::run(support::command(&words).current_dir(&studio.home));
    found(&studio.home.join("calm"))
}

/// The process of a search, as its progress tells.
fn process_of(home: &Path, name: &str) -> String {
    let path = home.join("runs/.studio").join(format!("{name}.progress"));
    let text = fs::read_to_string(path).unwrap();
    let mut starts = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["process"].as_u64());
    starts.next_back().unwrap().to_string()
}

#[test]
fn a_stopped_search_keeps_what_it_has_and_goes_on_to_the_same_end() {
    let studio = Studio::new("stop");
    let name = studio.begin(&long());
    studio.wait_for_frames(&name);
    assert_eq!(studio.post(&format!("api/runs/{name}/stop"), &json!({})).code, 200);
    let run = studio.wait(&name);
    assert_eq!(run["state"], "stopped", "{run}");
    assert!(!run["result"].as_array().unwrap().is_empty());
    assert_eq!(studio.post(&format!("api/runs/{name}/stop"), &json!({})).code, 409);
    assert_eq!(studio.post(&format!("api/runs/{name}/continue"), &json!({})).code, 200);
    assert_eq!(studio.wait(&name)["state"], "done");
    assert_eq!(found(&studio.home.join("runs").join(&name)), undisturbed(&studio, &name));
}

#[test]
fn a_search_outlives_the_studio_and_the_next_one_knows_it() {
    let studio = Studio::new("outlives");
    let name = studio.begin(&long());
    studio.wait_for_frames(&name);
    let studio = Studio::in_folder(studio.kill());
    // It still runs, or has ended by now; the new studio has not begun it again.
    let pid = process_of(&studio.home, &name);
    assert_eq!(studio.wait(&name)["state"], "done");
    assert_eq!(pid, process_of(&studio.home, &name));
    assert_eq!(found(&studio.home.join("runs").join(&name)), undisturbed(&studio, &name));
}

#[test]
#[cfg(unix)]
fn a_search_that_is_killed_with_the_studio_goes_on_from_its_journal() {
    let studio = Studio::new("killed");
    let name = studio.begin(&long());
    studio.wait_for_frames(&name);
    let pid = process_of(&studio.home, &name);
    let home = studio.kill();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    assert!(!home.join("runs").join(&name).join("result.json").exists(), "it was too fast to be killed");
    let studio = Studio::in_folder(home);
    assert_eq!(studio.wait(&name)["state"], "done");
    assert_ne!(pid, process_of(&studio.home, &name));
    assert_eq!(found(&studio.home.join("runs").join(&name)), undisturbed(&studio, &name));
}

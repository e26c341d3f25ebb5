//! Which engine runs a model where nobody says so, and that a run goes on in the one it was begun in.

use gradless_models::Engine;
use serde_json::Value;

use crate::question::Question;
use crate::support::{command, gradless, run};

/// The command with these words, with no engine named anywhere.
fn unnamed(words: &[&str]) -> std::process::Command {
    let mut command = command(words);
    command.env_remove("GRADLESS_ENGINE");
    command
}

fn engine(asked: &Question) -> String {
    let told: Value = serde_json::from_str(&asked.text("config.json")).unwrap();
    told["model"]["engine"].as_str().unwrap().to_owned()
}

#[test]
fn without_onnxruntime_rten_runs_the_model_and_one_line_says_what_to_install() {
    let asked = Question::new("no-library", "rows").about_the_row().with("--mode pp --max-queries 400");
    let ran = run(unnamed(&asked.words()).env("ORT_DYLIB_PATH", "/nowhere/libonnxruntime.so"));
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    assert_eq!(ran.err.matches("pip install onnxruntime").count(), 1, "{}", ran.err);
    assert_eq!(engine(&asked), "rten");
}

#[test]
fn with_onnxruntime_it_is_the_default_and_is_reused_by_resume() {
    if let Err(reason) = Engine::onnxruntime() {
        return testkit::skip(format!("onnxruntime as the default engine: {reason}"));
    }
    let asked = Question::new("library", "rows").about_the_row().with("--max-queries 900 --max-seconds 0.02");
    let ran = run(&mut unnamed(&asked.words()));
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    assert_eq!(engine(&asked), "ort");
    // The environment of the tests says rten; the run was begun in onnxruntime.
    let ran = gradless(&["resume", &asked.out(""), "--max-seconds", "1000"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let told: Value = serde_json::from_str(&asked.text("result.json")).unwrap();
    assert_eq!(told[0]["engine"], "ort");
}

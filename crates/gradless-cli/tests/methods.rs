//! `gradless methods`.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::METHODS;
use support::gradless;

#[test]
fn people_read_one_line_per_method_and_the_default_is_marked() {
    let out = gradless(&["methods"]).ends(0).silent().out;
    for method in METHODS {
        let line = out.lines().find(|line| line.split(' ').next() == Some(method.name)).unwrap();
        assert!(line.contains(method.assumes) && line.contains(method.queries), "{line}");
    }
    let marked: Vec<&str> = out.lines().filter(|line| line.contains(" * ")).collect();
    assert!(marked.len() == 1 && marked[0].starts_with("auto "), "{marked:?}");
    assert!(out.lines().all(|line| line == line.trim_end()));
}

#[test]
fn programs_read_the_same_list() {
    for words in [["methods", "--format", "json"], ["--format", "json", "methods"]] {
        let list = gradless(&words).ends(0).silent().json();
        let names: Vec<&str> =
            list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(names, METHODS.iter().map(|method| method.name).collect::<Vec<_>>());
        let default = |row: &&serde_json::Value| row["default"] == true;
        let marked: Vec<_> = list.as_array().unwrap().iter().filter(default).collect();
        assert!(marked.len() == 1 && marked[0]["name"] == "auto", "{marked:?}");
        for key in ["assumes", "tuning", "queries", "rate", "source"] {
            assert!(list[0][key].is_string(), "{key}");
        }
    }
}

//! Names that are not ours: they may say anything and do nothing.

use crate::question::{Question, ROW, picture};
use crate::support::gradless;

const HOSTILE: [&str; 6] = [
    "<script>alert(1)<script>.png",
    "\"onload='alert(1)'&amp;.png",
    "a\nb\tc.png",
    "😀 \u{202e}gnp.png",
    "%2e%2e%00.png",
    "--help.png",
];

/// Everything that a page could run or fetch.
fn is_harmless(page: &str) {
    let page = page.to_lowercase();
    for word in ["<script", "onload='", "<iframe", "<b>", "javascript:"] {
        assert!(!page.contains(word), "{word} is on the page");
    }
}

#[test]
fn a_report_is_drawn_again_byte_for_byte() {
    let asked = Question::new("again", "rows").about_the_row();
    asked.ask().ends(0);
    let before = asked.text("report.html");
    std::fs::remove_file(asked.out("report.html")).unwrap();
    let drawn = gradless(&["report", &asked.folder.path("out"), "--format", "json"]).ends(0).silent().json();
    assert_eq!((&drawn["page"], drawn["pages"].as_u64()), (&asked.out("report.html").into(), Some(1)));
    assert!(before == asked.text("report.html"), "the page differs");

    gradless(&["report", &asked.folder.path("nowhere")]).fails_saying(&["nowhere", "folder of a run"]);
    gradless(&["report", &asked.folder.path("")]).fails_saying(&["report.json", "folder of a finished run"]);
    asked.folder.put("out/report.json", b"{\"title\": 1}");
    gradless(&["report", &asked.folder.path("out")]).fails_saying(&["report.json", "damaged", "config.json"]);
}

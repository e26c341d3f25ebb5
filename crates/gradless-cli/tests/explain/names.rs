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
#[cfg(target_os = "linux")]
fn a_name_that_is_not_unicode_is_a_name() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let asked = Question::new("bytes", "rows").with("--mode pp");
    let name = OsString::from_vec(b"\xff\xfe.png".to_vec());
    std::fs::write(asked.folder.0.join(&name), picture(1, 4, &ROW)).unwrap();
    let mut command = crate::support::command(&asked.words());
    let told = crate::support::run(command.arg("--input").arg(asked.folder.0.join(&name))).ends(0).json();
    assert_eq!(told["input"], "\u{fffd}\u{fffd}.png");
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

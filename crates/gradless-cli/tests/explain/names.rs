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
#[cfg(unix)]
fn class_names_and_file_names_are_text_wherever_they_appear() {
    let names = "\u{1b}[31m😀\n\"><b>&'\n<script>alert(1)</script>\n";
    let mut asked = Question::new("names", "rows").file("--classes", "names.txt", names.as_bytes());
    for name in HOSTILE {
        asked.folder.put(&format!("in/{name}"), &picture(1, 4, &ROW));
    }
    asked = asked.with("--max-queries 400 --target 0").path("--input", "in");
    let ran = asked.ask();
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let index = asked.text("index.html");
    is_harmless(&index);
    assert!(index.contains("&lt;script&gt;alert(1)&lt;script&gt;.png") && index.contains("&amp;amp;"));
    for name in HOSTILE {
        let page = asked.text(&format!("items/{name}/report.html"));
        is_harmless(&page);
        assert!(
            page.contains("&lt;script&gt;alert(1)&lt;/script&gt;")
                && page.contains("&quot;&gt;&lt;b&gt;&amp;&#39;")
        );
    }
    let told = ran.json();
    let mut found: Vec<&str> =
        told["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    let mut expected = HOSTILE.to_vec();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "programs get names as they are");

    // People's terminals are not programs: no name moves the cursor or begins a line.
    let human = asked.ask_for_people();
    for text in [&human.out, &human.err] {
        assert!(!text.contains('\u{1b}') && !text.contains("a\nb"), "{text}");
    }
    assert!(human.out.contains("\\u{1b}[31m😀"), "{}", human.out);
    let single = gradless(&[
        "explain",
        "--input",
        &asked.folder.path("in/a\nb\tc.png"),
        "--out",
        &asked.folder.path("single"),
        "--model",
        &crate::question::model("rows"),
        "--classes",
        &asked.folder.path("names.txt"),
    ])
    .ends(0);
    assert!(single.out.starts_with("a\\nb\\tc.png: ") && !single.out.contains('\u{1b}'), "{}", single.out);
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

//! The pages: what is on them, what never is, and how large they get.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use gradless_explain::picture::Picture;
use gradless_explain::report::{Case, IndexEntry, Minimal, Mode, Outcome, Report, TracePoint, index_html};

const SCRIPT: &str = "<script>alert(\"1\")</script>'&";

fn case(mode: Mode) -> Case {
    let picture = match mode {
        Mode::PertinentPositive => vec![0.0, 0.8, 0.0, 0.0],
        Mode::PertinentNegative => vec![0.5, 0.2, 0.0, 1.0],
    };
    Case {
        mode,
        valid: true,
        explanation: "The plain sentence.".into(),
        picture: Picture::new(1, 2, 2, picture).unwrap(),
        change: vec![],
        class: 1,
        scores: vec![0.25, 0.75],
        margin: 0.5,
        noise: 0.001,
        kappa: Some(0.4),
        norm_l1: 0.8,
        norm_l2: 0.8,
        nonzeros: 1,
        queries: 1234,
        sent: 1240,
        first_valid: Some(200),
        best_valid: Some(900),
        minimal: Minimal::Checked,
        stop_reason: "the budget is spent".into(),
        seconds: 1.5,
        trace: (0..20).map(|i| moment(i * 60, 10.0 / (i + 1) as f64)).collect(),
        agreement: Some("4 of 5 seeds".into()),
    }
}

fn moment(queries: u64, value: f64) -> TracePoint {
    TracePoint { queries, objective: value, norm_l1: value, valid: queries >= 200 }
}

fn report() -> Report {
    Report {
        title: "five.png".into(),
        original: Picture::new(1, 2, 2, vec![0.0, 0.8, 0.0, 1.0]).unwrap(),
        original_class: 0,
        original_scores: vec![0.9, 0.1],
        class_names: vec!["five".into(), "three".into()],
        cases: vec![case(Mode::PertinentPositive), case(Mode::PertinentNegative)],
        settings: vec![("method".into(), "exp_grad".into())],
        model: vec![("SHA-256".into(), "0123abcd".into())],
        command: "gradless explain --seed 3".into(),
        seed: 3,
        version: "0.1.0".into(),
        seconds: 3.25,
    }
}

/// The page fetches nothing: every address in it is data or relative, and no tag that could run or load is there.
fn assert_self_contained(page: &str) {
    for tag in ["<script", "<link", "<iframe", "<object", "<embed", "<base", "@import", "url("] {
        assert!(!page.contains(tag), "{tag}");
    }
    for address in page.split(" src=").skip(1) {
        assert!(address.starts_with("\"data:image/png;base64,"), "{}", &address[..60.min(address.len())]);
    }
    for address in page.split(" href=").skip(1) {
        assert!(address.starts_with("\"./"), "{}", &address[..60.min(address.len())]);
    }
    let policy = "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:;";
    assert!(page.contains(policy));
    assert_eq!(page.matches("http").count(), 1, "only the policy's own attribute");
}

#[test]
fn everything_that_was_found_is_on_the_page() {
    let page = report().to_html();
    assert_self_contained(&page);
    let wanted = [
        "<html lang=\"en\">",
        "The plain sentence.",
        "Where it lies",
        "On its own",
        "The change",
        "Result",
        "1 pixel of 4",
        "1 pixel added (brighter)",
        "1 pixel removed (darker)",
        "Class scores before and after",
        "Objective against queries",
        "l1 norm against queries",
        "first valid 200",
        "best valid 900",
        "500 times the noise floor of 0.001",
        "Nothing to spare",
        "4 of 5 seeds",
        "1,234",
        "1,240 sent",
        "the budget is spent",
        "exp_grad",
        "0123abcd",
        "gradless explain --seed 3",
        "3.25 s",
        "κ = 0.4",
    ];
    for text in wanted {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<img").count(), 5);
    assert_eq!(page.matches(" alt=\"").count(), 5);
}

#[test]
fn strings_from_outside_are_escaped_everywhere() {
    let mut report = report();
    let hostile = || SCRIPT.to_owned();
    report.title = hostile();
    report.class_names = vec![hostile(), format!("{SCRIPT}{}", "long".repeat(50))];
    report.settings = vec![(hostile(), hostile())];
    report.model = vec![(hostile(), hostile())];
    report.command = hostile();
    report.version = hostile();
    for case in &mut report.cases {
        case.explanation = hostile();
        case.stop_reason = hostile();
        case.agreement = Some(hostile());
    }
    let page = report.to_html();
    assert_self_contained(&page);
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;"));
    assert!(!page.contains("alert(\""));
    let index = index_html(&[IndexEntry::of(&report, SCRIPT, format!("{SCRIPT}/report.html"))]);
    assert_self_contained(&index);
    assert!(!index.contains("alert(\""));
}

#[test]
fn a_miss_says_so_and_why() {
    let mut report = report();
    report.cases.remove(0);
    let miss = &mut report.cases[0];
    (miss.valid, miss.first_valid, miss.best_valid) = (false, None, None);
    (miss.margin, miss.minimal) = (-0.2, Minimal::NotAsked);
    miss.explanation = "It stays a five; try more queries.".into();
    let page = report.to_html();
    for text in ["No change found.", "try more queries", "closest miss", "the class condition fails", "never"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<img").count(), 3);
}

#[test]
fn of_a_thousand_classes_the_top_and_the_two_that_matter_are_shown() {
    let mut report = report();
    report.class_names = (0..1000).map(|class| format!("name-{class}-")).collect();
    report.original_scores = (0..1000).map(f64::from).collect();
    report.cases[0].scores = vec![f64::NAN; 1000];
    let page = report.to_html();
    for class in [999, 998, 997, 996, 995, 0, 1] {
        assert!(page.contains(&format!("name-{class}-")), "{class}");
    }
    assert!(!page.contains("name-994-"));
    assert!(page.contains("993 other classes are not shown"));
    assert!(page.len() < 60_000, "{} bytes", page.len());
}

#[test]
fn a_long_trace_is_thinned_and_what_is_not_a_number_left_out() {
    let mut report = report();
    report.cases.truncate(1);
    let value = |i: u64| if i.is_multiple_of(10) { f64::NAN } else { (i as f64).sin() };
    report.cases[0].trace = (0..10_000).map(|i| moment(i, value(i))).collect();
    report.cases[0].trace[7].norm_l1 = f64::NEG_INFINITY;
    let page = report.to_html();
    assert!(page.len() < 60_000, "{} bytes", page.len());
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn nothing_to_draw_is_no_reason_to_stop() {
    let mut report = report();
    report.original_scores = vec![];
    report.class_names = vec![];
    report.settings = vec![];
    report.model = vec![];
    for case in &mut report.cases {
        (case.trace, case.scores) = (vec![], vec![]);
        (case.margin, case.noise, case.seconds) = (f64::NAN, f64::NAN, f64::NAN);
        (case.class, case.change) = (usize::MAX, vec![1.0]);
    }
    let page = report.to_html();
    for text in ["No trace was recorded:", "there are no scores to show", "Not drawn:"] {
        assert!(page.contains(text), "{text}");
    }
    report.cases.clear();
    assert!(report.to_html().contains("Nothing was searched for."));
    assert_self_contained(&index_html(&[]));
}

#[test]
fn a_large_colour_picture_is_shown_smaller() {
    let mut report = report();
    let (height, width) = (600, 1100);
    let values = vec![0.5; 3 * height * width];
    report.original = Picture::new(3, height, width, values).unwrap();
    for case in &mut report.cases {
        case.picture = report.original.clone();
    }
    let page = report.to_html();
    assert!(page.contains("width=\"550\" height=\"300\""));
    assert!(page.len() < 300_000, "{} bytes", page.len());
}

#[test]
fn a_saved_report_is_drawn_again_to_the_same_page() {
    let mut report = report();
    report.cases[0].trace[3].objective = f64::INFINITY;
    report.cases[1].margin = f64::NAN;
    let json = serde_json::to_string(&report).unwrap();
    let again: Report = serde_json::from_str(&json).unwrap();
    assert_eq!(again.to_html(), report.to_html());
}

#[test]
fn the_index_has_failures_first_rates_and_medians() {
    let good = IndexEntry::of(&report(), "good.png", "good.png/report.html");
    let mut half = IndexEntry::of(&report(), "half.png", "half/report.html");
    half.outcomes[1].valid = false;
    half.outcomes[0] = Outcome { pixels: 20, ..half.outcomes[0].clone() };
    let error = Some("the file is empty".to_owned());
    let bad = IndexEntry { picture: None, outcomes: vec![], error, ..good.clone() };
    let bad = IndexEntry { name: "bad.png".into(), link: String::new(), ..bad };
    let page = index_html(&[good, half, bad]);
    assert_self_contained(&page);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("bad.png") < place("half.png") && place("half.png") < place("good.png"));
    for text in [
        "<h1>3 images</h1>",
        "Pertinent positives: 2 of 2 valid (100 %).",
        "Medians: 10.5 pixels, l1 0.8, 1,234 queries.",
        "Pertinent negatives: 1 of 2 valid (50 %)",
        "1 input could not be explained.",
        "the file is empty",
        "href=\"./half/report.html\"",
        "→ <bdi>three</bdi>",
    ] {
        place(text);
    }
}

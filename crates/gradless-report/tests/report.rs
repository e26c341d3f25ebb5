//! The pages: what is on them, what never is, and how large they get.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use gradless_explain::answer::{Counted, Opinion, Plausibility, SCHEMA, Sureness, Verdict, Weights};
use gradless_explain::condition::{Copy, Survival};
use gradless_explain::features::Kind;
use gradless_explain::{Agreement, Answer, Confidence, Minimal, Question, Step, Strategy};
use gradless_report::explanation::Outcome;
use gradless_report::{Frame, IndexEntry, Page, index_html};

const SCRIPT: &str = "<script>alert(\"1\")</script>'&";
const INPUT: [f64; 4] = [0.0, 0.8, 0.0, 1.0];

fn answer(question: Question) -> Answer {
    let after = match question {
        Question::Part | Question::Contrast { .. } | Question::Essential => vec![0.0, 0.8, 0.0, 0.0],
        Question::Change { .. } | Question::Attack { .. } => vec![0.5, 0.2, 0.0, 1.0],
    };
    let difference: Vec<f64> = after.iter().zip(INPUT).map(|(after, before)| after - before).collect();
    let change = if question == Question::Part { after.clone() } else { difference };
    let used = change.iter().filter(|&&x| x != 0.0).count();
    Answer {
        schema: SCHEMA.into(),
        input: "five.png".into(),
        input_sha256: None,
        mode: question.abbreviation().into(),
        question,
        features: Counted { kind: Kind::Pixels, total: 4, used },
        used: Vec::new(),
        alternative: 0,
        strategy: Strategy::Direct,
        method: "auto".into(),
        engine: None,
        seed: 3,
        queries: 1234,
        sent: 1240,
        iterations: 20,
        stop_reason: "the budget is spent".into(),
        valid: true,
        margin: 0.5,
        confidence: Sureness {
            asked: Confidence::Share(0.25),
            share: Some(0.625),
            original: Some(0.99),
            answer: Some(0.9375),
        },
        stability: Some(Survival {
            disturbance: "noise of 0.2 of the range, shifts by up to 1 pixel".into(),
            strength: 0.5,
            draws: 100,
            held: 99,
            lower_bound: 0.953,
            input_held: 0.975,
            radius: Some(0.31),
            copies: vec![Copy { class: 1, holds: true, input: after.clone() }],
        }),
        absent_has_class: false,
        plausibility: Some(Plausibility {
            examples: 320,
            nearest: Some(5.1),
            nearest_input: Some(4.2),
            autoencoder: Some(2.5),
            autoencoder_input: Some(2.1),
        }),
        second_opinions: vec![Opinion { model: "other.onnx".into(), original: 0, answer: 1, agrees: true }],
        noise_floor: 0.001,
        noise_floor_source: "given".into(),
        scores_are: "probabilities".into(),
        original: Verdict { class: 0, name: "five".into(), scores: vec![0.9, 0.1] },
        explanation: Verdict { class: 1, name: "three".into(), scores: vec![0.25, 0.75] },
        weights: Weights { l1: 0.0625, l2: 0.0625 },
        kappa: Some(0.4),
        target: None,
        objective: 0.5,
        objective_start: None,
        loss: 0.1,
        norm_l1: 0.8,
        norm_l2: 0.8,
        nonzeros: used,
        pixels: used,
        minimal: Minimal::Checked,
        first_valid: Some(200),
        best_valid: Some(900),
        located: None,
        attack: None,
        agreement: Some(agreement()),
        sentence: "The plain sentence.".into(),
        hint: None,
        warning: None,
        seconds: 1.5,
        files: None,
        x: change.clone(),
        after,
        change,
        steps: (0..20).map(|i| step(i * 60, 10.0 / (i + 1) as f64)).collect(),
    }
}

fn agreement() -> Agreement {
    Agreement {
        seeds: 5,
        queries: 6_000,
        identical: false,
        valid: 4,
        same_class: 4,
        nonzeros: Some([1, 3]),
        overlap: Some(0.5),
    }
}

fn step(queries: u64, value: f64) -> Step {
    Step {
        queries,
        objective: Some(value),
        loss: None,
        norm_l1: value,
        norm_l2: value,
        nonzeros: 1,
        step_size: 1.0,
        best: (queries >= 200).then_some(value),
    }
}

fn page_data() -> Page {
    Page {
        title: "five.png".into(),
        subject: gradless_report::Subject::default(),
        frame: Frame { channels: 1, rows: 2, columns: 2, low: 0.0, high: 1.0 },
        input: INPUT.to_vec(),
        classes: vec!["five".into(), "three".into()],
        answers: vec![answer(Question::Part), answer(Question::CHANGE)],
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
    let page = page_data().to_html();
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
        "4 of 5 other seeds found a valid answer",
        "1,234",
        "1,240 sent",
        "the budget is spent",
        "exp_grad",
        "0123abcd",
        "gradless explain --seed 3",
        "3.25 s",
        "κ = 0.4",
        "0.938; 0.99 for the input",
        "25 % of the input's margin",
        "99 of 100 disturbed copies keep its class, at least 95.3 % of all",
        "5.10 from the nearest of 320 examples",
        "every change below 0.31 in l2",
        "other.onnx",
        "agrees",
    ];
    for text in wanted {
        assert!(page.contains(text), "{text}");
    }
    // Five, and a disturbed copy of each answer.
    assert_eq!(page.matches("<img").count(), 7);
    assert_eq!(page.matches(" alt=\"").count(), 7);
}

#[test]
fn strings_from_outside_are_escaped_everywhere() {
    let mut data = page_data();
    let hostile = || SCRIPT.to_owned();
    data.title = hostile();
    data.classes = vec![hostile(), format!("{SCRIPT}{}", "long".repeat(50))];
    data.settings = vec![(hostile(), hostile())];
    data.model = vec![(hostile(), hostile())];
    data.command = hostile();
    data.version = hostile();
    for answer in &mut data.answers {
        answer.sentence = hostile();
        answer.stop_reason = hostile();
        answer.original.name = hostile();
        answer.explanation.name = hostile();
        answer.second_opinions[0].model = hostile();
        if let Some(survival) = &mut answer.stability {
            survival.disturbance = hostile();
        }
    }
    let page = data.to_html();
    assert_self_contained(&page);
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;"));
    assert!(!page.contains("alert(\""));
    let index = index_html(&[IndexEntry::of(&data, SCRIPT, format!("{SCRIPT}/report.html"))]);
    assert_self_contained(&index);
    assert!(!index.contains("alert(\""));
}

#[test]
fn hints_and_warnings_are_shown_once() {
    let mut page = page_data();
    page.answers[0].hint = Some("try another background".to_owned());
    for answer in &mut page.answers {
        answer.warning = Some("labels only".to_owned());
    }
    let html = page.to_html();
    assert_eq!(html.matches("try another background").count(), 1);
    assert_eq!(html.matches("Note: <bdi>labels only</bdi>").count(), 1, "{html}");
}

#[test]
fn what_was_sent_is_told_where_it_is_not_what_was_asked() {
    for (sent, told) in [
        (1_234, "1,234</dd>"),
        (1_240, "1,240 sent with repeats"),
        (900, "900 of them sent: the others were known"),
    ] {
        let mut page = page_data();
        page.answers[0].sent = sent;
        assert!(page.to_html().contains(told), "{told}");
    }
}

#[test]
fn a_miss_says_so_and_why() {
    let mut data = page_data();
    data.answers.remove(0);
    let miss = &mut data.answers[0];
    (miss.valid, miss.first_valid, miss.best_valid) = (false, None, None);
    (miss.margin, miss.minimal) = (-0.2, Minimal::NotAsked);
    (miss.stability, miss.plausibility) = (None, None);
    miss.sentence = "It stays a five; try more queries.".into();
    let page = data.to_html();
    for text in ["No change found.", "try more queries", "closest miss", "the class condition fails", "never"]
    {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<img").count(), 3);
}

#[test]
fn of_a_thousand_classes_the_top_and_the_two_that_matter_are_shown() {
    let mut data = page_data();
    data.classes = (0..1000).map(|class| format!("name-{class}-")).collect();
    for answer in &mut data.answers {
        answer.original.scores = (0..1000).map(f64::from).collect();
    }
    data.answers[0].explanation.scores = vec![f64::NAN; 1000];
    let page = data.to_html();
    for class in [999, 998, 997, 996, 995, 0, 1] {
        assert!(page.contains(&format!("name-{class}-")), "{class}");
    }
    assert!(!page.contains("name-994-"));
    assert!(page.contains("993 other classes are not shown"));
    assert!(page.len() < 60_000, "{} bytes", page.len());
}

#[test]
fn a_long_trace_is_thinned_and_what_is_not_a_number_left_out() {
    let mut data = page_data();
    data.answers.truncate(1);
    let value = |i: u64| if i.is_multiple_of(10) { f64::NAN } else { (i as f64).sin() };
    data.answers[0].steps = (0..10_000).map(|i| step(i, value(i))).collect();
    data.answers[0].steps[7].norm_l1 = f64::NEG_INFINITY;
    let page = data.to_html();
    assert!(page.len() < 60_000, "{} bytes", page.len());
    assert!(!page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn nothing_to_draw_is_no_reason_to_stop() {
    let mut data = page_data();
    data.classes = vec![];
    data.settings = vec![];
    data.model = vec![];
    for answer in &mut data.answers {
        (answer.steps, answer.original.scores, answer.explanation.scores) = (vec![], vec![], vec![]);
        (answer.margin, answer.noise_floor, answer.seconds) = (f64::NAN, f64::NAN, f64::NAN);
        (answer.explanation.class, answer.change) = (usize::MAX, vec![1.0]);
    }
    let page = data.to_html();
    for text in ["No trace was recorded:", "there are no scores to show", "Not drawn:"] {
        assert!(page.contains(text), "{text}");
    }
    data.answers.clear();
    assert!(data.to_html().contains("Nothing was searched for."));
    assert_self_contained(&index_html(&[]));
}

#[test]
fn a_large_colour_picture_is_shown_smaller() {
    let mut data = page_data();
    let (height, width) = (600, 1100);
    let values = vec![0.5; 3 * height * width];
    data.frame = Frame { channels: 3, rows: height, columns: width, low: 0.0, high: 1.0 };
    data.input.clone_from(&values);
    for answer in &mut data.answers {
        answer.after.clone_from(&values);
        answer.change.clone_from(&values);
    }
    let page = data.to_html();
    assert!(page.contains("width=\"550\" height=\"300\""));
    assert!(page.len() < 300_000, "{} bytes", page.len());
}

#[test]
fn numbers_that_are_no_picture_are_drawn_in_a_row() {
    let mut data = page_data();
    data.input = vec![20.0, -3.0, 0.5, 7.0, 100.0];
    data.frame = Frame::of(&[5], [-10.0, 100.0]);
    let mut answer = answer(Question::CHANGE);
    answer.features = Counted { kind: Kind::Numbers, total: 5, used: 2 };
    (answer.after, answer.change) = (vec![20.0, 9.0, 0.5, 7.0, 60.0], vec![0.0, 12.0, 0.0, 0.0, -40.0]);
    answer.x.clone_from(&answer.change);
    data.answers = vec![answer];
    let page = data.to_html();
    assert_self_contained(&page);
    assert_eq!(page.matches("<img").count(), 3);
    for text in ["numbers changed", "(brighter)", "(darker)"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("Not drawn:"));
    // Numbers that may be anything have no shades: the page says so and shows the rest. Without a range they are black or white.
    for [low, high] in [[f64::NEG_INFINITY, f64::INFINITY], [1.0, 1.0]] {
        data.frame = Frame::of(&[5], [low, high]);
        let page = data.to_html();
        assert!(page.contains("The plain sentence."), "{low} to {high}");
        assert_eq!(page.contains("Not drawn:"), low != high);
        let entry = IndexEntry::of(&data, "row.csv", "row.csv/report.html");
        assert_self_contained(&index_html(&[entry]));
    }
}

#[test]
fn a_saved_report_is_drawn_again_to_the_same_page() {
    let mut data = page_data();
    data.answers[0].steps[3].objective = Some(f64::INFINITY);
    data.answers[1].margin = f64::NAN;
    let json = serde_json::to_string(&data).unwrap();
    let again: Page = serde_json::from_str(&json).unwrap();
    assert_eq!(again.to_html(), data.to_html());
}

#[test]
fn the_index_has_failures_first_rates_and_medians() {
    let good = IndexEntry::of(&page_data(), "good.png", "good.png/report.html");
    let mut half = IndexEntry::of(&page_data(), "half.png", "half/report.html");
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
        "What is enough: 2 of 2 valid (100 %).",
        "Medians: 10.5 pixels, l1 0.8, 1,234 queries.",
        "What would change it: 1 of 2 valid (50 %)",
        "1 input could not be explained.",
        "the file is empty",
        "href=\"./half/report.html\"",
        "→ <bdi>three</bdi>",
    ] {
        place(text);
    }
}

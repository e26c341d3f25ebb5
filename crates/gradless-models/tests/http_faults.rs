//! Every fault of a service, once and for ever: the right answer or a clear error, and nobody hangs. Makes the table in
//! `docs/reliability-http.md`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use gradless::oracle::Recovery;
use gradless::{Inputs, Model, ModelError};
use gradless_models::{Description, Http, HttpOptions};
use testkit::http::{Fault, Server};

/// Longer than anything here takes on a busy machine.
const WATCHDOG: Duration = Duration::from_mins(2);
/// Longer than a request is waited for.
const AGES: Duration = Duration::from_mins(10);
/// Inputs asked for in two batches.
const ROWS: usize = 8;

fn model(x: &[f64]) -> Vec<f64> {
    vec![x[0] + 2.0 * x[1], x[0] * x[1], -x[1]]
}

/// Whether asking again can help.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Passing,
    Lasting,
}

fn faults() -> Vec<(&'static str, Fault, Kind)> {
    use Kind::{Lasting, Passing};
    let status = |code: u16, lines: &str| Fault::Status(code, lines.to_owned());
    vec![
        ("none", Fault::None, Passing),
        ("none, in chunks", Fault::Chunked, Passing),
        ("the answer comes too late", Fault::Late(AGES), Passing),
        ("an input's scores are missing", Fault::RowTooFew, Passing),
        ("an input's scores come twice", Fault::RowTooMany, Passing),
        ("a score is missing", Fault::ScoreTooFew, Passing),
        ("a score is `NaN`", Fault::Nan, Passing),
        ("a score is `null`", Fault::Null, Passing),
        ("the answer is not JSON", Fault::NotJson, Passing),
        ("the answer is empty", Fault::Empty, Passing),
        ("half a body, then the end", Fault::HalfBody, Passing),
        ("half a body, then a reset", Fault::ResetMidBody, Passing),
        ("half a body, then nothing", Fault::HangMidBody, Passing),
        ("a body byte by byte, for ever", Fault::Drip(Duration::from_secs(1)), Passing),
        ("a body shorter than its JSON", Fault::ShortLength, Passing),
        ("10 MB of garbage", Fault::Garbage(10_000_000), Passing),
        ("nothing comes at all", Fault::Hang, Passing),
        ("the service hangs up", Fault::HangUp, Passing),
        ("a kept connection is closed", Fault::Stale, Passing),
        ("status 429", status(429, "Retry-After: 0\r\n"), Passing),
        ("status 429, wait an hour", status(429, "Retry-After: 3600\r\n"), Lasting),
        ("status 500", status(500, ""), Passing),
        ("status 503", status(503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), Passing),
        ("status 401", status(401, ""), Lasting),
        ("status 404", status(404, ""), Lasting),
        ("status 413", status(413, ""), Lasting),
        ("status 422", status(422, ""), Lasting),
        ("a redirect", Fault::Redirect("http://elsewhere.example/".to_owned()), Lasting),
        ("no HTTP", Fault::NotHttp, Passing),
        ("10 MB of headers", Fault::LongHead(10_000_000), Passing),
        ("a chunk of no length", Fault::BadChunk, Passing),
        ("a body of no length", Fault::BadLength, Passing),
    ]
}

fn options() -> HttpOptions {
    HttpOptions {
        rows: ROWS / 2,
        attempts: 2,
        pause: 0.001,
        timeout: 5.0,
        longest_pause: 10.0,
        max_answer_bytes: 1 << 20,
        description: Description { shape: Some(vec![2]), ..Description::default() },
        ..HttpOptions::default()
    }
}

/// Asks for two batches of a service that fails from its second request on, so and so often.
fn ask(fault: Fault, times: u64) -> (Result<(), ModelError>, Http) {
    let script = move |number: u64| if (1..=times).contains(&number) { fault.clone() } else { Fault::None };
    let server = Server::classifier(model, script).unwrap();
    let http = Http::connect(&server.address, options()).unwrap();
    (right(&http), http)
}

/// Asks, and compares what comes with what should.
fn right(http: &Http) -> Result<(), ModelError> {
    let points: Vec<f64> = (0..2 * ROWS).map(|i| (i as f64).cos()).collect();
    let mut scores = vec![f64::NAN; 3 * ROWS];
    http.scores(Inputs { points: &points, dim: 2 }, &mut scores)?;
    assert_eq!(scores, points.chunks(2).flat_map(model).collect::<Vec<f64>>());
    Ok(())
}

fn words(http: &Http, error: &ModelError) -> String {
    let end = match error.recovery() {
        Recovery::Possible => "these inputs fail",
        Recovery::Impossible => "the run ends",
    };
    format!("{end}: {}", error.to_string().replace(http.address(), "http://service/").replace('|', "\\|"))
}

/// What happens after the fault comes once, and when it stays.
fn row(name: &str, fault: Fault, kind: Kind) -> String {
    let (answer, http) = ask(fault.clone(), 1);
    let (sent, rows) = (http.sent() - 2, ROWS as u64);
    let once = match answer {
        Ok(()) => {
            assert!((rows..=rows * 3 / 2).contains(&sent), "{name}: {sent} inputs sent for {rows}");
            "right answer".to_owned()
        }
        Err(error) => {
            assert!(kind == Kind::Lasting, "{name}, once: {error}");
            assert_eq!(sent, rows / 2, "{name}: what cannot help is not sent again");
            words(&http, &error)
        }
    };
    let (answer, http) = ask(fault, u64::MAX);
    let always = answer.map_or_else(|error| words(&http, &error), |()| "right answer".to_owned());
    format!("| {name} | {once} | {always} |\n")
}

/// Nobody listens any more.
fn gone() -> String {
    let server = Server::classifier(model, |_| Fault::None).unwrap();
    let http = Http::connect(&server.address, options()).unwrap();
    drop(server);
    let error = loop {
        // The connection that was open may still be served for a moment.
        if let Err(error) = right(&http) {
            break error;
        }
    };
    let first = right(&http).unwrap_err();
    assert_eq!(first.recovery(), Recovery::Impossible, "{error}");
    format!("| the service refuses connections | as always | {} |\n", words(&http, &first))
}

#[test]
fn every_fault_ends_in_the_right_answer_or_a_clear_error() {
    let mut jobs: Vec<Box<dyn FnOnce() -> String + Send>> = vec![Box::new(gone)];
    for (name, fault, kind) in faults() {
        jobs.push(Box::new(move || row(name, fault, kind)));
    }
    let rows: Vec<mpsc::Receiver<String>> = jobs
        .into_iter()
        .map(|job| {
            let (tell, told) = mpsc::channel();
            thread::spawn(move || tell.send(job()));
            told
        })
        .collect();
    let heads = "| fault | once | for ever |\n|---|---|---|\n".to_owned();
    // A row that does not come in time is a hang, one that never comes a failed assertion above.
    let table: String = std::iter::once(heads)
        .chain(rows.iter().map(|row| row.recv_timeout(WATCHDOG).expect("a fault that hangs or fails")))
        .collect();
    compare(&table);
}

/// The table in the page must be the one made here; `GRADLESS_BLESS=1` writes it.
fn compare(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reliability-http.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- made by the test http_faults -->\n", "<!-- end -->");
    let (head, rest) = page.split_once(begin).expect("the page has a place for the table");
    let (found, tail) = rest.split_once(end).unwrap();
    if std::env::var_os("GRADLESS_BLESS").is_some() {
        std::fs::write(&path, format!("{head}{begin}{table}{end}{tail}")).unwrap();
    } else {
        assert_eq!(
            found, table,
            "the table in docs/reliability-http.md is old: GRADLESS_BLESS=1 makes it anew"
        );
    }
}

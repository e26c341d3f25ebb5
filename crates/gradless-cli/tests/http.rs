//! `gradless explain --model http://…`: the same answer as from a file, whatever the network does, and no secret kept.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::path::Path;

use serde_json::Value;
use support::{Folder, Ran, command, run};
use testkit::http::{Fault, Server};

const SECRET: &str = "hush-4f1d-hush";
const HEADER: &str = "Authorization: Bearer $GRADLESS_TEST_TOKEN";

/// Two classes of pictures of 4 by 4: bright above, or bright below.
fn model(x: &[f64]) -> Vec<f64> {
    let half = |range: std::ops::Range<usize>| x[range].iter().sum::<f64>();
    vec![half(0..8) + 0.1 * x[0] * x[1], half(8..16)]
}

/// A picture that is bright above, as a `.npy` file.
fn picture() -> Vec<u8> {
    let head = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4, 4), }";
    let head = format!("{head:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&u16::try_from(head.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(head.as_bytes());
    for i in 0..16 {
        bytes.extend_from_slice(&f64::to_le_bytes(if i < 8 { 0.75 } else { 0.25 }));
    }
    bytes
}

fn explain(folder: &Folder, address: &str, more: &[&str]) -> Ran {
    folder.put("x.npy", &picture());
    folder.put("http.toml", b"rows = 16\npause = 0.001\nattempts = 4\ntimeout = 30\n");
    let (input, out, http) = (folder.path("x.npy"), folder.path("out"), folder.path("http.toml"));
    let mut words =
        vec!["explain", "--model", address, "--shape", "1,4,4", "--http", &http, "--input", &input];
    words.extend(["--out", &out, "--max-queries", "1500", "--format", "json", "--header", HEADER]);
    words.extend(more);
    run(command(&words).env("GRADLESS_TEST_TOKEN", SECRET))
}

/// What two runs must have in common.
fn result(ran: &Ran) -> Vec<Value> {
    let records = ran.json();
    let same = |record: &Value| {
        let mut record = record.clone();
        for key in ["seconds", "files", "sent"] {
            record.as_object_mut().unwrap().remove(key);
        }
        record
    };
    records.as_array().unwrap().iter().map(same).collect()
}

/// Whether any file below holds the secret.
fn holds_secret(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holds_secret(&path)
        } else {
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(SECRET)
        }
    })
}

#[test]
fn faults_change_what_was_sent_and_nothing_else() {
    let (quiet, rough) = (Folder::new("http-quiet"), Folder::new("http-rough"));
    let server = Server::classifier(model, |_| Fault::None).unwrap();
    let undisturbed = explain(&quiet, &server.address, &["--threads", "1"]).ends(0);
    let faulty = |number| match number % 7 {
        1 => Fault::HalfBody,
        3 => Fault::Status(503, "Retry-After: 0\r\n".to_owned()),
        5 => Fault::NotJson,
        _ => Fault::None,
    };
    let other = Server::classifier(model, faulty).unwrap();
    let disturbed = explain(&rough, &other.address, &["--threads", "3"]).ends(0);
    assert_eq!(result(&undisturbed), result(&disturbed));
    for record in undisturbed.json().as_array().unwrap() {
        // What was asked before is remembered, not sent again.
        assert!(record["sent"].as_u64() <= record["queries"].as_u64(), "{record}");
        assert_eq!(record["valid"], true);
    }
    let sent = |ran: &Ran| -> u64 {
        ran.json().as_array().unwrap().iter().map(|record| record["sent"].as_u64().unwrap()).sum()
    };
    assert!(sent(&disturbed) > sent(&undisturbed), "{} and {}", sent(&disturbed), sent(&undisturbed));
}

#[test]
fn a_secret_is_sent_and_kept_nowhere() {
    let folder = Folder::new("http-secret");
    let server = Server::classifier(model, |_| Fault::None).unwrap();
    let ran = explain(&folder, &server.address, &[]).ends(0);
    assert!(server.heads().iter().all(|head| head.contains(&format!("Bearer {SECRET}"))), "it was sent");
    assert!(!format!("{}{}", ran.out, ran.err).contains(SECRET));
    assert!(!holds_secret(&folder.0));
    let config = std::fs::read_to_string(folder.0.join("out/config.json")).unwrap();
    assert!(config.contains("Bearer $GRADLESS_TEST_TOKEN"), "{config}");
}

#[test]
fn a_redirect_gets_no_secret_and_ends_the_run_with_a_reason() {
    let (folder, elsewhere) =
        (Folder::new("http-redirect"), Server::classifier(model, |_| Fault::None).unwrap());
    let to = elsewhere.address.clone();
    let server = Server::classifier(model, move |_| Fault::Redirect(to.clone())).unwrap();
    let ran = explain(&folder, &server.address, &[]);
    assert!(!ran.err.contains(SECRET) && !holds_secret(&folder.0));
    ran.fails_saying(&["redirects", "not followed", &elsewhere.address]);
    assert_eq!(elsewhere.requests(), 0);
}

#[test]
fn what_cannot_be_asked_is_refused_with_advice() {
    let folder = Folder::new("http-refused");
    let nobody = testkit::http::nobody().unwrap();
    explain(&folder, &nobody, &[]).fails_saying(&["cannot be reached", "refused"]);
    let server = Server::classifier(model, |_| Fault::None).unwrap();
    explain(&folder, &server.address, &["--header", "X-Api-Key: abc"])
        .fails_saying(&["X-Api-Key", "single quotes"]);
    explain(&folder, &server.address, &["--header", "Authorization: $UNSET_HERE"])
        .fails_saying(&["UNSET_HERE", "export"]);
    explain(&folder, &server.address, &["--output", "probs"]).fails_saying(&["--output"]);
    assert_eq!(server.requests(), 0);
    run(&mut command(&["explain", "--max-sent", "5"])).fails_saying(&["--max-sent", "address"]);
}

#[test]
fn a_cap_on_what_is_sent_ends_the_run_before_it_is_exceeded() {
    let folder = Folder::new("http-cap");
    let server = Server::classifier(model, |_| Fault::None).unwrap();
    let ran = explain(&folder, &server.address, &["--max-sent", "150"]);
    assert!(ran.code != Some(0) || ran.out.contains("cap"), "{} {}", ran.out, ran.err);
    let rows: usize = server.heads().len();
    assert!(rows > 0);
    assert!(format!("{}{}", ran.out, ran.err).contains("150"), "{} {}", ran.out, ran.err);
}

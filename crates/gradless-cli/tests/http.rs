//! `gradless explain --model http://…`: the same answer as from a file, whatever the network does, and no secret kept.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use support::{Folder, Ran, command, run};
use testkit::halves;
use testkit::http::{Fault, Server};

const SECRET: &str = "hush-4f1d-hush";
const HEADER: &str = "Authorization: Bearer $GRADLESS_TEST_TOKEN";

fn explain(folder: &Folder, address: &str, more: &[&str]) -> Ran {
    folder.put("x.npy", &halves::picture());
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

/// Inputs sent for both questions.
fn sent(ran: &Ran) -> u64 {
    ran.json().as_array().unwrap().iter().map(|record| record["sent"].as_u64().unwrap()).sum()
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
    let server = Server::classifier(halves::scores, |_| Fault::None).unwrap();
    let undisturbed = explain(&quiet, &server.address, &["--threads", "1"]).ends(0);
    let faulty = |number| match number % 17 {
        1 => Fault::HalfBody,
        3 => Fault::Status(503, "Retry-After: 0\r\n".to_owned()),
        5 => Fault::NotJson,
        _ => Fault::None,
    };
    let other = Server::classifier(halves::scores, faulty).unwrap();
    let disturbed = explain(&rough, &other.address, &["--threads", "3"]).ends(0);
    assert_eq!(result(&undisturbed), result(&disturbed));
    for record in undisturbed.json().as_array().unwrap() {
        // What was asked before is remembered, not sent again.
        assert!(record["sent"].as_u64() <= record["queries"].as_u64(), "{record}");
        assert_eq!(record["valid"], true);
    }
    assert!(sent(&disturbed) > sent(&undisturbed), "{} and {}", sent(&disturbed), sent(&undisturbed));
}

#[test]
fn a_secret_is_sent_and_kept_nowhere() {
    let folder = Folder::new("http-secret");
    let server = Server::classifier(halves::scores, |_| Fault::None).unwrap();
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
        (Folder::new("http-redirect"), Server::classifier(halves::scores, |_| Fault::None).unwrap());
    let to = elsewhere.address.clone();
    let server = Server::classifier(halves::scores, move |_| Fault::Redirect(to.clone())).unwrap();
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
    let server = Server::classifier(halves::scores, |_| Fault::None).unwrap();
    explain(&folder, &server.address, &["--header", "X-Api-Key: abc"])
        .fails_saying(&["X-Api-Key", "single quotes"]);
    explain(&folder, &server.address, &["--header", "Authorization: $UNSET_HERE"])
        .fails_saying(&["UNSET_HERE", "export"]);
    explain(&folder, &server.address, &["--output", "probs"]).fails_saying(&["--output"]);
    assert_eq!(server.requests(), 0);
    run(&mut command(&["explain", "--max-sent", "5"])).fails_saying(&["--max-sent", "address"]);
}

/// A server that counts the inputs it is asked about.
fn counting() -> (Server, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let counted = move |x: &[f64]| {
        count.fetch_add(1, Ordering::Relaxed);
        halves::scores(x)
    };
    (Server::classifier(counted, |_| Fault::None).unwrap(), asked)
}

#[test]
fn a_cap_on_what_is_sent_holds_and_a_higher_one_goes_on_without_asking_twice() {
    let (quiet, capped) = (Folder::new("http-uncapped"), Folder::new("http-cap"));
    let (server, asked) = counting();
    let undisturbed = explain(&quiet, &server.address, &[]).ends(0);
    let all = asked.load(Ordering::Relaxed);
    assert_eq!(sent(&undisturbed), all);

    let (server, asked) = counting();
    let ran = explain(&capped, &server.address, &["--max-sent", "150"]);
    let before = asked.load(Ordering::Relaxed);
    assert!((100..=150).contains(&before), "{before} of 150");
    assert!(format!("{}{}", ran.out, ran.err).contains("resume"), "{} {}", ran.out, ran.err);
    let words = ["resume", &capped.path("out"), "--max-sent", "100000", "--threads", "2", "--format", "json"];
    let resumed = run(command(&words).env("GRADLESS_TEST_TOKEN", SECRET)).ends(0);
    assert_eq!(result(&resumed), result(&undisturbed));
    assert_eq!((asked.load(Ordering::Relaxed), sent(&resumed)), (all, all));
}

#[test]
fn a_chat_that_answers_in_words_explains_a_text() {
    let folder = Folder::new("http-chat");
    folder.put("mail.txt", b"Hello! Cheap pills, and more pills. Bye");
    let answer = |body: &[u8]| {
        let said = if String::from_utf8_lossy(body).contains("pills") { "Spam!" } else { "ham" };
        format!(r#"{{"choices": [{{"message": {{"content": "{said}"}}}}]}}"#).into_bytes()
    };
    let server = Server::new(answer, |_| Fault::None).unwrap();
    let options = r#"
        request = '{"messages": [{"role": "user", "content": "Spam or ham?\n$text"}]}'
        response = "/choices/0/message"
        labels = { name = "/content" }
        description = { classes = ["ham", "spam"] }
    "#;
    folder.put("chat.toml", options.as_bytes());
    let (input, out, http) = (folder.path("mail.txt"), folder.path("out"), folder.path("chat.toml"));
    let words = ["explain", "--model", &server.address, "--http", &http, "--input", &input, "--out", &out];
    let ran = run(command(&words).args(["--format", "json", "--confidence", "0"])).ends(0);
    let told = ran.json();
    assert_eq!(told[0]["sentence"], "One of 6 words is enough for \"spam\": pills.");
    assert_eq!(
        (told[1]["explanation"]["name"].as_str(), told[1]["scores_are"].as_str()),
        (Some("ham"), Some("labels"))
    );
    assert_eq!(sent(&ran), server.requests(), "one text per request, the first included");
}

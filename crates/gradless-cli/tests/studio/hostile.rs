//! A hundred requests of strangers: refused, and nothing is written.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::client::{Studio, TOKEN, search};

/// Everything below a folder: paths and sizes.
fn listing(folder: &Path) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(listing(&path));
        }
        all.push((path.display().to_string(), entry.metadata().unwrap().len()));
    }
    all.sort();
    all
}

/// Requests, and the codes they may be answered with; 0 for a connection that is closed.
fn requests(host: &str) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut push = |what: &str, method: &str, path: &str, headers: &str, body: &[u8]| {
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        all.push((format!("{what}: {method} {path}"), [head.as_bytes(), body].concat()));
    };
    let ours = format!("host: {host}\r\n");
    let good = search(500).to_string();
    // Paths that lead out of the folder, or into its hidden part.
    let names = [
        "..",
        "../..",
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "..%2f..%2fetc%2fpasswd",
        "..%5c..%5cwindows",
        "....//....//etc/passwd",
        "%2fetc%2fpasswd",
        ".studio",
        "explain-1%00",
        "C%3A%5C",
        "~root",
        "%c0%ae%c0%ae",
        "explain-1%2f..%2f..",
        "-rf",
        "%E2%80%AE",
    ];
    for name in names {
        push("traversal", "GET", &format!("/{TOKEN}/api/runs/{name}"), &ours, b"");
        push("traversal", "GET", &format!("/{TOKEN}/api/inputs/{name}"), &ours, b"");
        push("traversal", "GET", &format!("/{TOKEN}/api/runs/{name}/files/report.html"), &ours, b"");
        push("traversal", "POST", &format!("/{TOKEN}/api/runs/{name}/stop"), &ours, b"");
    }
    for file in ["config.json", "journal", "pp.x.npy", "..%2f..%2fconfig.json", "result.json"] {
        push("files", "GET", &format!("/{TOKEN}/api/runs/explain-1/files/{file}"), &ours, b"");
    }
    push("assets", "GET", &format!("/{TOKEN}/assets/..%2f..%2fCargo.toml"), &ours, b"");
    // Other tokens.
    for token in
        ["", "x", "a-token-for-tests-onlyx", "A-TOKEN-FOR-TESTS-ONLY", "a-token-for-tests-onl", "%61-token"]
    {
        push("token", "POST", &format!("/{token}/api/runs"), &ours, good.as_bytes());
        push("token", "GET", &format!("/{token}/api/state"), &ours, b"");
    }
    // Other pages, and other names of this machine.
    for headers in [
        format!("{ours}origin: http://evil.example\r\n"),
        format!("{ours}origin: null\r\n"),
        format!("{ours}origin: https://{host}\r\n"),
        format!("{ours}sec-fetch-site: cross-site\r\n"),
        "host: evil.example\r\n".to_owned(),
        "host: 127.0.0.1\r\n".to_owned(),
        String::new(),
    ] {
        push("origin", "POST", &format!("/{TOKEN}/api/runs"), &headers, good.as_bytes());
    }
    // Nonsense.
    let many = format!(r#"{{"input":{{"drawing":[{}0]}}}}"#, "0,".repeat(900_000));
    let deep = "[".repeat(200_000);
    for body in [
        "",
        "{",
        "null",
        "[]",
        "{}",
        r#"{"input":{}}"#,
        r#"{"input":{"drawing":[1]}}"#,
        r#"{"input":{"drawing":[-1]}}"#,
        r#"{"input":{"drawing":"x"}}"#,
        r#"{"input":{"file":{"name":"../../etc/passwd"}}}"#,
        &many,
        &deep,
        "\u{0}\u{1}",
        r#"{"input":{"file":{"name":"a.png"}},"out":"/tmp/x"}"#,
    ] {
        push("nonsense", "POST", &format!("/{TOKEN}/api/runs"), &ours, body.as_bytes());
    }
    for (path, body) in of_models() {
        push("nonsense", "POST", &format!("/{TOKEN}/api/{path}"), &ours, body.as_bytes());
    }
    let item = format!("/{TOKEN}/api/runs/explain-1/files/items/..%2f..%2f../report.html");
    push("traversal", "GET", &item, &ours, b"");
    for (method, path) in [("DELETE", "runs/explain-1"), ("PUT", "runs")] {
        push("method", method, &format!("/{TOKEN}/api/{path}"), &ours, good.as_bytes());
    }
    push("kind", "POST", &format!("/{TOKEN}/api/inputs?name=x.sh"), &ours, b"#!/bin/sh");
    push("kind", "POST", &format!("/{TOKEN}/api/models?name=x.exe"), &ours, b"MZ");
    push("kind", "POST", &format!("/{TOKEN}/api/models?name=x.onnx"), &ours, b"no model");
    push("huge", "POST", &format!("/{TOKEN}/api/inputs?name=x.png"), &ours, &vec![0; (32 << 20) + 1]);
    push("huge", "POST", &format!("/{TOKEN}/api/scores"), &ours, &vec![b' '; (1 << 20) + 1]);
    all.extend(not_http(host));
    all
}

/// What promises too much, or is no request at all.
fn not_http(host: &str) -> Vec<(String, Vec<u8>)> {
    let ours = format!("host: {host}\r\n");
    let mut all = Vec::new();
    let promised = format!(
        "POST /{TOKEN}/api/models?name=x.onnx HTTP/1.1\r\n{ours}connection: close\r\ncontent-length: 99999999999999\r\n\r\n"
    );
    all.push(("huge: promised".to_owned(), promised.into_bytes()));
    all.push(("malformed".to_owned(), b"GET\r\n\r\n".to_vec()));
    all.push(("malformed".to_owned(), [0xff; 64].to_vec()));
    let long = format!("GET /{} HTTP/1.1\r\n{ours}connection: close\r\n\r\n", "a".repeat(1 << 20));
    all.push(("malformed: long".to_owned(), long.into_bytes()));
    all
}

/// Nonsense about models and their scores.
fn of_models() -> Vec<(&'static str, String)> {
    let drawings = format!(r#"{{"drawings":[{}[0]]}}"#, "[0],".repeat(20));
    let of = |path, body: &str| (path, body.to_owned());
    vec![
        ("scores", drawings),
        of("scores", r#"{"drawings":[[1,2,3]]}"#),
        of("models/address", "{}"),
        of("models/address", r#"{"address":"file:///etc/passwd"}"#),
        of("models/address", r#"{"address":"/etc/passwd"}"#),
        of("models/address", r#"{"address":"http://127.0.0.1/ --force"}"#),
        of("models/address", r#"{"address":"http://127.0.0.1/","header":"Authorization: $HOME"}"#),
        of("models/address", r#"{"address":"http://127.0.0.1/","shape":[0,0,0]}"#),
        of("models/address", r#"{"address":"http://127.0.0.1/","shape":[4294967295,4294967295,4294967295]}"#),
        of("models?name=x.onnx&description=..%2f..%2fCargo.toml", "no model"),
        of("models?name=x.onnx&classes=..%2f..%2fCargo.toml", "no model"),
    ]
}

#[test]
fn a_hundred_hostile_requests_are_refused_and_nothing_is_written() {
    let studio = Studio::new("hostile");
    let name = studio.begin(&search(300));
    studio.wait(&name);
    assert_eq!(name, "explain-1");
    let before = listing(&studio.home);
    let all = requests(&studio.host);
    assert!(all.len() >= 100, "{}", all.len());
    for (what, request) in &all {
        let answer = studio.raw(request);
        assert!(
            answer.code == 0 || (400..500).contains(&answer.code),
            "{what}: {} {:?}",
            answer.code,
            answer.head
        );
        let body = String::from_utf8_lossy(&answer.body);
        assert!(!body.contains("root:") && !body.contains("[workspace]"), "{what}: {body}");
    }
    assert_eq!(listing(&studio.home), before);
    // It still answers those who may ask.
    assert_eq!(studio.get("api/runs").json().as_array().unwrap().len(), 1);
}

#[test]
#[cfg(unix)]
fn a_link_in_the_folder_leads_nowhere() {
    let studio = Studio::new("link");
    fs::write(studio.home.join("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink(studio.home.join("secret.txt"), studio.home.join("runs/inputs/link.txt"))
        .unwrap();
    assert_eq!(studio.get("api/inputs/link.txt").code, 404);
}

#[test]
fn every_answer_keeps_the_page_to_itself() {
    let studio = Studio::new("headers");
    for path in ["", "assets/studio.js", "api/state", "nothing"] {
        let head = studio.get(path).head.to_ascii_lowercase();
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "cache-control: no-store",
        ] {
            assert!(head.contains(header), "{path}: {header} not in {head}");
        }
    }
    // What is dropped is kept under a name of plain letters.
    let kept = studio.raw(
        format!(
            "POST /{TOKEN}/api/inputs?name=..%2F..%2F%3Cscript%3E.txt HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi",
            studio.host
        )
        .as_bytes(),
    );
    let kept = kept.json()["name"].as_str().unwrap().to_owned();
    assert!(
        kept.starts_with("script-") && kept.rsplit_once('.').is_some_and(|(_, ending)| ending == "txt"),
        "{kept}"
    );
    assert_eq!(studio.get(&format!("api/inputs/{kept}")).body, b"hi");
    assert_eq!(studio.post("api/scores", &json!({ "file": kept })).code, 422);
}

//! A model behind an address that is chosen on the page of the studio: asked like any other, or a sentence where a build asks no services.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

#[path = "studio/client.rs"]
#[allow(dead_code, reason = "these tests use a part")]
mod client;

use client::Studio;
use serde_json::json;

#[test]
#[cfg(feature = "http")]
fn a_model_behind_an_address_is_asked_like_any_other() {
    use client::found;
    use testkit::halves;
    use testkit::http::{Fault, Server};

    let server = Server::classifier(halves::scores, |_| Fault::None).unwrap();
    let studio = Studio::new("address");
    let asked = json!({ "address": server.address, "shape": [1, 4, 4] });
    let told = studio.post("api/models/address", &asked).json();
    assert_eq!(told["model"]["count"], 2, "{told}");
    assert_eq!(told["words"][0], format!("--model={}", server.address));
    std::fs::write(studio.home.join("runs/inputs/picture.npy"), halves::picture()).unwrap();
    let name = studio.begin(&json!({ "input": { "file": { "name": "picture.npy" } }, "max_queries": 1500 }));
    let run = studio.wait(&name);
    assert_eq!(run["state"], "done", "{run}");
    assert_eq!(found(&studio.home.join("runs").join(&name))[0]["original"]["class"], 0);
    assert!(run["command"].as_str().unwrap().contains("--shape=1,4,4"), "{run}");
}

#[test]
#[cfg(feature = "http")]
fn an_address_where_nobody_answers_leaves_the_model_as_it_was() {
    let studio = Studio::new("nobody");
    let before = studio.get("api/state").json();
    for (address, shape, sentence) in [
        // A port that was free a moment ago.
        (format!("http://{}/", closed()), vec![1, 4, 4], "refused"),
        ("file:///etc/passwd".to_owned(), vec![], "http:// or https://"),
        ("http://127.0.0.1:1/ --out=x".to_owned(), vec![], "no spaces"),
    ] {
        let answer = studio.post("api/models/address", &json!({ "address": address, "shape": shape }));
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(answer.code == 422 && body.contains(sentence), "{address}: {body}");
    }
    assert_eq!(studio.get("api/state").json(), before);
}

#[cfg(feature = "http")]
fn closed() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

#[test]
#[cfg(not(feature = "http"))]
fn a_build_that_asks_no_services_says_so() {
    let studio = Studio::new("no-services");
    let answer = studio.post("api/models/address", &json!({ "address": "http://127.0.0.1:1/" }));
    let body = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(answer.code == 422 && body.contains("this build asks no services"), "{body}");
}

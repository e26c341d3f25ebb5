//! Searches on the page are those of the command.

use serde_json::{Value, json};

use crate::client::{Studio, found, fresh, search, seven};
use crate::support;

#[test]
fn a_search_has_the_numbers_of_the_command_it_shows() {
    let studio = Studio::new("same");
    let mut request = search(1_500);
    request["target"] = json!("9");
    request["seed"] = json!(3);
    request["keep"] = json!({ "pixels": [203, 204] });
    let name = studio.begin(&request);
    let run = studio.wait(&name);
    assert_eq!(run["state"], "done", "{run}");
    // The words as they are shown, in another folder.
    let shown = run["command"].as_str().unwrap().replace(&format!("--out=runs/{name}"), "--out=again");
    let words: Vec<&str> = shown.split(' ').skip(1).collect();
    let ran = support::run(support::command(&words).current_dir(&studio.home));
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let place = studio.home.join("runs").join(&name);
    assert_eq!(found(&place), found(&studio.home.join("again")));
    for file in ["config.json", "journal", "report.html", "pp/x.npy", "pn/overlay.png"] {
        assert!(place.join(file).is_file(), "{file}");
    }
    let page = studio.get(&format!("api/runs/{name}/answers")).json();
    assert_eq!(page["answers"][1]["target"], 9);
    // What is protected stays: neither left out of the part nor changed.
    let change = page["answers"][1]["change"].as_array().unwrap();
    assert!(change[203] == 0.0 && change[204] == 0.0, "{} {}", change[203], change[204]);
}

#[test]
fn a_model_of_the_command_line_is_the_first_one() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/corners.onnx");
    let studio = Studio::with(fresh("model"), &["--model", model]);
    let told = studio.get("api/state").json();
    assert_eq!((&told["model"]["shape"], &told["is_first"]), (&json!([3, 96, 96]), &json!(true)));
    assert_eq!(told["words"], json!(["--model", model]));
    // Another is sent, and there is a way back.
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/rows.onnx")).unwrap();
    let head = format!(
        "POST /{}/api/models?name=rows.onnx HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        crate::client::TOKEN,
        studio.host,
        bytes.len()
    );
    let told = studio.raw(&[head.as_bytes(), &bytes].concat()).json();
    assert_eq!((&told["model"]["shape"], &told["is_first"]), (&json!([1, 4, 4]), &json!(false)));
    assert_eq!(studio.post("api/models/first", &json!({})).json()["model"]["shape"], json!([3, 96, 96]));
}

#[test]
fn scores_follow_the_drawing() {
    let studio = Studio::new("scores");
    let scores = studio.post("api/scores", &json!({ "drawings": [seven()] })).json();
    let scores: Vec<f64> = serde_json::from_value(scores["scores"][0].clone()).unwrap();
    let best = (0..10).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
    assert_eq!((scores.len(), best), (10, 7), "{scores:?}");
}

#[test]
fn progress_ends_with_the_answer() {
    let studio = Studio::new("progress");
    let name = studio.begin(&search(3_000));
    let events = String::from_utf8(studio.get(&format!("api/runs/{name}/events")).body).unwrap();
    assert!(events.trim_end().ends_with("event: over\ndata: {}"), "{}", &events[events.len() - 200..]);
    let lists = events.lines().filter_map(|line| line.strip_prefix("data: ["));
    let frames: Vec<Value> =
        lists.flat_map(|list| serde_json::from_str::<Vec<Value>>(&format!("[{list}")).unwrap()).collect();
    assert!(frames.len() > 20, "{}", frames.len());
    let page = studio.get(&format!("api/runs/{name}/answers")).json();
    for answer in page["answers"].as_array().unwrap() {
        let kind = &answer["question"]["kind"];
        let of: Vec<&Value> = frames.iter().filter(|frame| frame["question"] == *kind).collect();
        assert!(of.is_sorted_by_key(|frame| frame["queries"].as_u64()));
        assert_eq!(of.last().unwrap()["shown"]["at"], answer["used"], "{kind}");
    }
    // A page that comes later sees all of it again; one that has seen some of it, the rest.
    let ids: Vec<&str> = events.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    let rest = studio.raw(
        format!(
            "GET /{}/api/runs/{name}/events HTTP/1.1\r\nhost: {}\r\nlast-event-id: {}\r\nconnection: close\r\n\r\n",
            crate::client::TOKEN,
            studio.host,
            ids.last().unwrap()
        )
        .as_bytes(),
    );
    assert!(!String::from_utf8(rest.body).unwrap().contains("frames"));
}

#[test]
fn two_clients_search_at_once() {
    let studio = Studio::new("two");
    let names: Vec<String> = std::thread::scope(|scope| {
        let one = |seed: u64| {
            let studio = &studio;
            move || {
                let mut request = search(800);
                request["seed"] = json!(seed);
                let name = studio.begin(&request);
                assert_eq!(studio.wait(&name)["state"], "done");
                name
            }
        };
        let running = [scope.spawn(one(1)), scope.spawn(one(2))];
        running.map(|thread| thread.join().unwrap()).to_vec()
    });
    assert_ne!(names[0], names[1]);
    let list = studio.get("api/runs").json();
    assert_eq!(list.as_array().unwrap().len(), 2);
    for (name, seed) in names.iter().zip([1, 2]) {
        assert_eq!(found(&studio.home.join("runs").join(name))[0]["seed"], seed);
    }
}

#[test]
fn what_the_command_refuses_is_told() {
    let studio = Studio::new("refused");
    let mut request = search(800);
    request["target"] = json!("twelve");
    let name = studio.begin(&request);
    let run = studio.wait(&name);
    assert_eq!(run["state"], "failed");
    assert!(run["error"].as_str().unwrap().contains("there is no class 'twelve'"), "{run}");
}

//! Services that are asked about rows and texts, and that answer with labels, confidences or the top few names.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::sync::{Arc, Mutex};

use gradless::ModelError;
use gradless_models::{Cell, Http, HttpError, HttpOptions, Record, RecordModel, ScoreKind};
use serde_json::{Value, json};
use testkit::http::{Fault, Server};

/// A service that answers with a function of the request, and what it was asked.
fn service(answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> (Server, Arc<Mutex<Vec<Value>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let answer = move |body: &[u8]| {
        let request: Value = serde_json::from_slice(body).unwrap();
        let said = answer(&request);
        seen.lock().unwrap().push(request);
        said.to_string().into_bytes()
    };
    (Server::new(answer, |_| Fault::None).unwrap(), asked)
}

fn connect(server: &Server, options: &str, columns: &[&str], first: &[Record]) -> Result<Http, HttpError> {
    let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
    let options = HttpOptions { pause: 0.001, attempts: 2, ..HttpOptions::parse(options).unwrap() };
    Http::connect_records(&server.address, options, &columns, first, None, None::<fn() -> bool>)
}

fn scores(http: &Http, records: &[Record]) -> Result<Vec<f64>, ModelError> {
    let mut scores = vec![0.0; records.len() * RecordModel::classes(http)];
    http.record_scores(records, &mut scores).map(|()| scores)
}

fn text(text: &str) -> Record {
    Record::Text(text.to_owned())
}

#[test]
fn rows_go_out_as_objects_and_scores_come_back() {
    let (server, asked) = service(|request| {
        let age = |row: &Value| row["age"].as_f64().unwrap_or(-1.0);
        let rows = request["inputs"].as_array().unwrap();
        json!({"scores": rows.iter().map(|row| [age(row), 40.0]).collect::<Vec<_>>()})
    });
    let row = |age: i64| Record::Row(vec![Cell::Whole(age), Cell::Text("clerk".into()), Cell::Missing]);
    let http = connect(&server, "rows = 2", &["age", "job", "since"], &[row(39)]).unwrap();
    assert_eq!(scores(&http, &[row(20), row(50), row(41)]).unwrap(), [20.0, 40.0, 50.0, 40.0, 41.0, 40.0]);
    let asked = asked.lock().unwrap();
    assert_eq!(asked[1]["inputs"][0], json!({"age": 20, "job": "clerk", "since": null}));
    assert_eq!(
        asked.iter().map(|request| request["inputs"].as_array().unwrap().len()).collect::<Vec<_>>(),
        [1, 2, 1]
    );
}

#[test]
fn a_chat_is_asked_one_text_at_a_time_and_its_words_are_a_label() {
    let (server, asked) = service(|request| {
        let is_spam = request["messages"][0]["content"].as_str().unwrap().contains("pills");
        let says = if is_spam { "This is spam." } else { "ham" };
        json!({"choices": [{"message": {"content": says}}]})
    });
    let options = r#"
        request = '{"model": "m", "messages": [{"content": "Spam or ham?\n\n$text"}]}'
        response = "/choices/0/message"
        labels = { name = "/content" }
        description = { classes = ["ham", "spam"] }
    "#;
    let http = connect(&server, options, &[], &[text("cheap pills"), text("hello")]).unwrap();
    assert_eq!(scores(&http, &[text("lunch?"), text("\"pills\"")]).unwrap(), [1.0, 0.0, 0.0, 1.0]);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3, "one text per request");
    assert_eq!(asked[2]["messages"][0]["content"], "Spam or ham?\n\n\"pills\"");
}

#[test]
fn labels_with_confidences_and_the_top_few_become_scores() {
    let (server, _) = service(|request| {
        let texts = request["inputs"].as_array().unwrap();
        let one = |text: &Value| {
            if text == "sure" {
                json!({"label": "cat", "score": 0.75})
            } else {
                json!({"label": "fox", "score": 0.5})
            }
        };
        Value::Array(texts.iter().map(one).collect())
    });
    let options = "response = ''\nlabels = {}\ndescription = { classes = ['cat', 'dog', 'fox'] }";
    let http = connect(&server, options, &[], &[text("sure")]).unwrap();
    assert_eq!(scores(&http, &[text("sure"), text("hm")]).unwrap(), [0.75, 0.125, 0.125, 0.25, 0.25, 0.5]);
    assert_eq!(http.score_kind(), ScoreKind::Probabilities);

    // As some services answer: a list of names and scores for every text. Their names need not be given.
    let (server, _) = service(|request| {
        let many = request["inputs"].as_array().unwrap().len();
        Value::Array(vec![
            json!([{"label": "POSITIVE", "score": 0.9}, {"label": "NEGATIVE", "score": 0.1}]);
            many
        ])
    });
    let http = connect(&server, "response = ''\nlabels = {}", &[], &[text("a"), text("b")]).unwrap();
    assert_eq!(http.description().classes, ["POSITIVE", "NEGATIVE"]);
    assert_eq!(http.known().names, http.description().classes);
    assert_eq!(scores(&http, &[text("c")]).unwrap(), [0.9, 0.1]);
}

#[test]
fn a_label_nobody_knows_concerns_its_own_batch_and_one_at_first_is_told() {
    let (server, _) = service(|request| {
        let says = if request["inputs"][0] == "odd" { "perhaps" } else { "yes" };
        json!({"scores": [says]})
    });
    let options = "labels = {}\nrows = 1\ndescription = { classes = ['no', 'yes'] }";
    let http = connect(&server, options, &[], &[text("fine")]).unwrap();
    assert!(matches!(scores(&http, &[text("odd")]), Err(ModelError::NotFinite { .. })));
    assert_eq!(scores(&http, &[text("fine")]).unwrap(), [0.0, 1.0]);
    let error = connect(&server, options, &[], &[text("odd")]).unwrap_err().to_string();
    assert!(error.contains("'perhaps', which is none of its classes: no, yes"), "{error}");
    let error = connect(&server, "labels = {}\nrows = 1", &[], &[text("fine")]).unwrap_err().to_string();
    assert!(error.contains("name them all"), "{error}");
}

//! Rows of tables and texts: by exports of pipelines, by programs, one or many, resumed; and what makes no sense.

use std::path::Path;

use gradless_models::Engine;
use serde_json::Value;

use crate::support::{Folder, Ran, command, run};

/// A credit for whoever earns 3,000 or works full time and earns 2,000; reads rows, writes names and scores.
const CREDIT: &str = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    said = []
    for row in asked["inputs"]:
        good = ((row["income"] or 0) - (2000 if row["job"] == "full" else 3000)) / 500
        said.append({"no": -good, "yes": good})
    print(json.dumps({"id": asked["id"], "scores": said}), flush=True)
"#;
/// Spam is what has "pills" or "money" in it.
const SPAM: &str = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    spam = lambda text: 0.9 if "pills" in text or "money" in text else 0.2
    print(json.dumps({"id": asked["id"], "scores": [[1 - spam(t), spam(t)] for t in asked["inputs"]]}), flush=True)
"#;

fn people() -> String {
    let jobs = ["none", "part", "full"];
    let row = |i: usize| {
        let income = if i == 7 { String::new() } else { format!("{}.50", 1_000 + 37 * i % 3_000) };
        format!(
            "{},{income},{},{}\n",
            20 + i % 50,
            jobs[i % 3],
            if i.is_multiple_of(2) { "true" } else { "false" }
        )
    };
    std::iter::once("age,income,job,member\n".to_owned()).chain((0..60).map(row)).collect()
}

/// Explains something in the folder by a program of Python.
fn explain(folder: &Folder, input: &str, words: &[&str], program: &str) -> Ran {
    let (input, out) = (folder.path(input), folder.path("out"));
    let mut all = vec!["explain", "--input", &input, "--out", &out, "--format", "json"];
    all.extend(words);
    all.extend(["--", "python3", "-c", program]);
    run(&mut command(&all))
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.0.join(name)).unwrap()
}

#[test]
fn a_row_is_explained_by_a_program_and_what_is_said_of_columns_is_kept() {
    let folder = Folder::new("row");
    folder.put("people.csv", people().as_bytes());
    let ran =
        explain(&folder, "people.csv", &["--row", "2", "--freeze", "age", "--increase", "income"], CREDIT)
            .ends(0);
    let answers = ran.json();
    let change = &answers[1];
    assert_eq!(change["features"]["kind"], "columns");
    assert!(change["sentence"].as_str().unwrap().ends_with(": income."), "{change}");
    // The row as it is but for its income, with the cents that incomes have.
    let (before, after) = (people().lines().nth(3).unwrap().to_owned(), read(&folder, "out/pn/answer.csv"));
    let cells: Vec<Vec<&str>> =
        [&before[..], after.lines().nth(1).unwrap()].iter().map(|row| row.split(',').collect()).collect();
    assert_eq!((cells[0][0], cells[0][2], cells[0][3]), (cells[1][0], cells[1][2], cells[1][3]));
    assert!(cells[1][1].parse::<f64>().unwrap() > 2_000.0 && cells[1][1].ends_with(".5"), "{after}");
    let page = read(&folder, "out/report.html");
    assert!(page.contains("<mark class=\"added\">") && page.contains("typical"), "the page shows a table");
    let told = run(&mut command(&["report", &folder.path("out")])).ends(0);
    assert!(told.out.contains("report.html"));
}

#[test]
fn every_row_of_a_table_has_its_page_and_a_run_goes_on() {
    let folder = Folder::new("rows");
    let few = people().lines().take(5).collect::<Vec<_>>().join("\n");
    folder.put("few.csv", few.as_bytes()).put("people.csv", people().as_bytes());
    let data = folder.path("people.csv");
    let words = ["--data", &data, "--question", "change", "--confidence", "0", "--stability", "off"];
    let ran = explain(&folder, "few.csv", &words, CREDIT).ends(0);
    assert_eq!((ran.json()["inputs"].as_u64(), ran.json()["modes"][0]["valid"].as_u64()), (Some(4), Some(4)));
    assert!(Path::new(&folder.path("out/items/00003/answer.csv")).exists());
    let again = explain(&folder, "few.csv", &words, CREDIT).ends(0);
    assert!(again.err.contains("4 of 4 inputs were explained before"), "{}", again.err);
}

#[test]
fn a_text_keeps_and_loses_words() {
    let folder = Folder::new("text");
    folder.put("mail.txt", b"Hello! Cheap pills, and more pills. Bye\n").put("labels.txt", b"ham\nspam\n");
    let labels = folder.path("labels.txt");
    let ran = explain(&folder, "mail.txt", &["--classes", &labels, "--confidence", "0"], SPAM).ends(0);
    let sentences: Vec<String> = ran
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| answer["sentence"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        sentences,
        ["One of 6 words is enough for \"spam\": pills.", "Removing one of 6 words makes it \"ham\": pills."]
    );
    assert_eq!(read(&folder, "out/pn/answer.txt"), "Hello! Cheap, and more. Bye\n");
    let page = read(&folder, "out/report.html");
    assert!(
        page.contains("<mark class=\"kept\">pills</mark>")
            && page.contains("<del class=\"removed\">pills</del>")
    );
    // Masks, sentences and other words.
    folder.put("others.txt", b"money\nfruit\n");
    let others = folder.path("others.txt");
    let words =
        ["--force", "--classes", &labels, "--question", "change", "--mask", "[MASK]", "--freeze", "hello"];
    let masked = explain(&folder, "mail.txt", &words, SPAM);
    assert!(masked.ends(0).json()["sentence"].as_str().unwrap().contains("pills"));
    assert!(read(&folder, "out/answer.txt").contains("Cheap [MASK], and more [MASK]."));
    let words = [
        "--force",
        "--classes",
        &labels,
        "--question",
        "part",
        "--unit",
        "sentences",
        "--candidates",
        &others,
    ];
    assert_eq!(explain(&folder, "mail.txt", &words, SPAM).ends(0).json()["features"]["total"], 3);
}

#[test]
fn an_export_of_a_pipeline_is_a_model_too() {
    if let Err(reason) = Engine::onnxruntime() {
        return testkit::skip(format!("tables in ONNX files: {reason}"));
    }
    let folder = Folder::new("pipeline");
    let table = people().replace("income", "net income");
    folder.put("people.csv", table.as_bytes());
    let model = format!("{}/../gradless-models/tests/files/credit.onnx", env!("CARGO_MANIFEST_DIR"));
    let (input, out) = (folder.path("people.csv"), folder.path("out"));
    let words =
        ["explain", "--model", &model, "--input", &input, "--row", "5", "--drop", "member", "--out", &out];
    let mut asked = command(&words);
    asked.args(["--format", "json", "--question", "change"]).env_remove("GRADLESS_ENGINE");
    let told = run(&mut asked).ends(0).json();
    assert_eq!((told["engine"].as_str(), told["original"]["name"].as_str()), (Some("ort"), Some("no")));
    assert_eq!((told["valid"].as_bool(), told["explanation"]["name"].as_str()), (Some(true), Some("yes")));
    // A regression and a threshold.
    folder.put(
        "houses.csv",
        (0..20)
            .map(|i| format!("{},{}\n", f64::from(i) / 10.0, i % 4))
            .fold("size,age\n".to_owned(), |all, row| all + &row)
            .as_bytes(),
    );
    let (model, input) = (model.replace("credit", "price"), folder.path("houses.csv"));
    let mut asked = command(&[
        "explain",
        "--model",
        &model,
        "--input",
        &input,
        "--row",
        "3",
        "--threshold",
        "2",
        "--out",
        &out,
    ]);
    asked.args(["--force", "--format", "json", "--question", "change"]).env_remove("GRADLESS_ENGINE");
    let told = run(&mut asked).ends(0).json();
    assert_eq!(
        (told["original"]["name"].as_str(), told["explanation"]["name"].as_str()),
        (Some("below 2"), Some("2 or more"))
    );
}

#[test]
fn an_interrupted_run_over_a_row_goes_on_to_the_same_answer() {
    let folder = Folder::new("row-resumed");
    folder.put("people.csv", people().as_bytes());
    let whole = explain(&folder, "people.csv", &["--row", "2"], CREDIT).ends(0).json();
    let late = explain(&folder, "people.csv", &["--row", "2", "--force", "--max-seconds", "0.001"], CREDIT);
    assert!(late.err.contains("gradless resume"), "{}", late.err);
    let ran =
        run(&mut command(&["resume", &folder.path("out"), "--max-seconds", "1000", "--format", "json"]))
            .ends(0);
    let same = |value: &Value| (value["sentence"].clone(), value["queries"].clone(), value["margin"].clone());
    assert_eq!(
        ran.json().as_array().unwrap().iter().map(same).collect::<Vec<_>>(),
        whole.as_array().unwrap().iter().map(same).collect::<Vec<_>>()
    );
}

#[test]
fn what_makes_no_sense_is_told_with_what_to_do() {
    let folder = Folder::new("nonsense");
    folder
        .put("people.csv", people().as_bytes())
        .put("two.csv", b"a,b\n1,2\n")
        .put("empty.txt", b" ... ")
        .put("damaged.csv", b"a,b\n1\n");
    folder.put("odd.csv", people().replace("1037.50", "much").as_bytes());
    let refused = |input: &str, words: &[&str], program: &str, parts: &[&str]| {
        explain(&folder, input, words, program).fails_saying(parts);
    };
    refused("two.csv", &[], CREDIT, &["too few to tell which values occur", "--data"]);
    refused("damaged.csv", &[], CREDIT, &["damaged.csv", "damaged"]);
    refused("empty.txt", &[], SPAM, &["no words"]);
    refused("people.csv", &["--row", "99"], CREDIT, &["--row 99", "60 rows"]);
    refused(
        "people.csv",
        &["--row", "0", "--freeze", "shoe"],
        CREDIT,
        &["--freeze", "no column 'shoe'", "age, income"],
    );
    refused(
        "people.csv",
        &["--row", "0", "--rule", "rent <= income"],
        CREDIT,
        &["--rule", "no column at 'rent'"],
    );
    refused("people.csv", &["--row", "0", "--allow", "job=1..2"], CREDIT, &["--allow", "holds names"]);
    refused("people.csv", &["--row", "0", "--examples", "none"], CREDIT, &["--examples is for pictures"]);
    refused("people.csv", &["--row", "0"], "raise SystemExit(3)", &["ended", "exit"]);
    refused("people.csv", &["--row", "0"], "print('hello')", &["not an answer", "hello"]);
    refused("people.csv", &["--row", "0", "--threshold", "1"], CREDIT, &["--threshold", "2 scores"]);
    // What looks like a number but for one cell is a category; it can be explained.
    explain(&folder, "odd.csv", &["--row", "4", "--question", "part"], "import json,sys\nfor l in sys.stdin:\n a=json.loads(l); print(json.dumps({'id':a['id'],'scores':[[len(r['income'] or ''),3] for r in a['inputs']]}),flush=True)").ends(0);
    let (input, out) = (folder.path("people.csv"), folder.path("out2"));
    run(&mut command(&["explain", "--input", &input, "--out", &out]))
        .fails_saying(&["needs a model of its own"]);
    run(&mut command(&["explain", "--rule", "a <= b"])).fails_saying(&["--rule is for tables"]);
    assert!(!Path::new(&out).exists());
}

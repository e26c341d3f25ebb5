//! What every answer promises: it holds when the saved files are looked at again, no part of it can go, the budget is
//! kept, and the same seed gives the same answer.

use serde_json::{Value, json};

use crate::by_hand;
use crate::question::{Question, ROW, array, picture, records};

/// A fixed picture of shades; `seed` chooses which.
fn shades(count: usize, seed: usize) -> Vec<f64> {
    (0..count)
        .map(|place| ((place * 37 + seed * 101 + place * place * (seed + 3)) % 253) as f64 / 255.0)
        .collect()
}

#[test]
fn every_valid_answer_holds_by_an_independent_path() {
    let (mut valid, mut checked) = (0, 0);
    for (model, channels, count) in [("rows", 1, 16), ("probabilities", 1, 16), ("colours", 3, 48)] {
        for seed in 0..4 {
            let input = if count == 16 && seed == 0 { ROW.to_vec() } else { shades(count, seed + 1) };
            for words in ["--mode both", "--mode pn --set add", "--kappa 0.1 --method zo-exp-storm"] {
                let asked = Question::new("recheck", model)
                    .about(&picture(channels, 4, &input))
                    .with(words)
                    .with(&format!("--seed {seed} --max-queries 1500"));
                let ran = asked.ask();
                assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
                let records = records(&ran.json());
                for record in &records {
                    by_hand::check(record, &input, &vec![0.0; count]);
                    valid += usize::from(record["valid"] == true);
                    checked += usize::from(record["minimal"] == "checked");
                }
                let found = records.iter().all(|record| record["valid"] == true);
                assert_eq!(ran.code, Some(i32::from(!found)), "the exit code tells what was found");
            }
        }
    }
    assert!(valid >= 40, "only {valid} of 60 answers were valid: nothing much was tested");
    assert!(checked >= 20, "only {checked} of {valid} valid answers were pruned to the end");
}

#[test]
fn the_smallest_changes_are_those_worked_out_by_hand() {
    // Class 1 has 4 points. Adding, only class 0 can have more, and only with all four pixels of its row.
    let asked = Question::new("by-hand", "rows")
        .about_the_row()
        .with("--mode pn --set add --confidence 0 --stability off");
    let told = asked.ask().ends(0).json();
    assert_eq!((&told["explanation"]["class"], &told["nonzeros"]), (&json!(0), &json!(4)));
    let x = by_hand::npy(told["files"]["x"].as_str().unwrap());
    assert!(x[..4].iter().sum::<f64>() > 3.5 && x[4..].iter().all(|&change| change == 0.0), "{x:?}");
    // Less than half a point of class 1 is no part; a whole pixel is enough, and no other row helps.
    let asked = asked.with("--mode pp --force --confidence 0 --stability off");
    let told = asked.ask().ends(0).json();
    let x = by_hand::npy(told["files"]["x"].as_str().unwrap());
    let kept: f64 = x[4..8].iter().sum();
    assert!(kept > 0.5 && x.iter().sum::<f64>() == kept, "{x:?}");
}

#[test]
fn numbers_that_are_no_picture_are_explained_too() {
    let input: Vec<f64> = ROW[..12].to_vec();
    let asked = Question::new("flat", "flat").file("--input", "x.npy", &array(&[12], &input));
    let told = asked.ask().ends(0).json();
    for record in records(&told) {
        by_hand::check(&record, &input, &[0.0; 12]);
        assert!(record["sentence"].as_str().unwrap().contains("of 12 numbers"), "{record}");
    }
    assert!(asked.text("report.html").contains("<img"));
}

#[test]
fn a_change_is_made_of_the_examples_of_a_table() {
    let input: Vec<f64> = ROW[..12].to_vec();
    let row = |class: usize, value: f64| -> Vec<f64> {
        (0..12).map(|i| if i / 4 == class { value } else { 0.0 }).collect()
    };
    // The nearest example has the input's own class; of the others the model is sure.
    let examples = [row(1, 0.75), row(2, 0.875), row(0, 1.0)];
    let line = |row: &Vec<f64>| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let head: Vec<String> = (0..12).map(|i| format!("n{i}")).collect();
    let table = [vec![head.join(",")], examples.iter().map(line).collect()].concat().join("\n");
    let asked = || Question::new("examples", "flat").file("--input", "x.npy", &array(&[12], &input));
    let change = asked().file("--examples", "rows.csv", table.as_bytes()).with("--mode pn");
    let told = change.ask().ends(0).json();
    assert_eq!((&told["valid"], &told["plausibility"]["examples"]), (&true.into(), &3.into()), "{told}");
    let change = by_hand::npy(told["files"]["x"].as_str().unwrap());
    let is_of = |example: &Vec<f64>| {
        (0..12).all(|i| change[i] == 0.0 || (input[i] + change[i] - example[i]).abs() < 1e-6)
    };
    assert!(examples[1..].iter().any(is_of), "{change:?}");

    let narrower: Vec<&str> = table.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    for (table, said) in [
        (narrower.join("\n"), "has 11 columns, an input has 12 numbers"),
        (table.replace("0.75", "grey"), "row 0, column 'n4' holds no number"),
    ] {
        let ran = asked().file("--examples", "rows.csv", table.as_bytes()).ask();
        assert!(ran.code == Some(2) && ran.err.contains(said), "{}", ran.err);
    }
}

#[test]
fn the_budget_is_never_exceeded() {
    for budget in [220, 250, 333, 1000, 1500] {
        for words in ["--mode both", "--mode pn --prune off", "--mode pp --search off", "--agree 1"] {
            let asked = Question::new("budget", "rows").about_the_row().with(words);
            let ran = asked.ask_with(&format!("--max-queries {budget}"));
            assert!(matches!(ran.code, Some(0 | 1)), "{budget}, {words}: {}", ran.err);
            for record in records(&ran.json()) {
                let [queries, sent] = ["queries", "sent"].map(|key| record[key].as_u64().unwrap());
                // What was answered before is not sent again; another search for agreement is sent beside the first.
                let most = if words.contains("agree") { 2 * budget } else { queries };
                assert!(queries <= budget && sent <= most && sent > 0, "{budget}, {words}: {record}");
            }
        }
    }
}

#[test]
fn a_budget_that_pays_for_nothing_is_refused_in_the_users_own_numbers() {
    let asked = Question::new("poor", "rows").about_the_row();
    for budget in ["0", "3", "39"] {
        asked
            .ask_with(&format!("--max-queries {budget}"))
            .fails_saying(&[&format!("--max-queries: {budget} queries are too few"), "at least"]);
        assert!(!asked.folder.0.join("out").exists(), "a refused run has left a folder");
    }
}

/// A result without what may differ: the time it took and where it is.
fn comparable(told: &Value) -> Vec<Value> {
    let mut records = records(told);
    for record in &mut records {
        let object = record.as_object_mut().unwrap();
        assert!(object.remove("seconds").is_some() && object.remove("files").is_some());
    }
    records
}

#[test]
fn the_same_seed_gives_the_same_answer_with_any_number_of_threads() {
    let ask = |words: &str| {
        let asked = Question::new("seed", "rows").about(&picture(1, 4, &shades(16, 3))).with(words);
        let ran = asked.ask();
        let bytes = |name: &str| std::fs::read(asked.out(name)).unwrap();
        let files = ["pp/x.npy", "pn/x.npy", "pp/image.png", "pn/trace.csv"].map(bytes);
        (comparable(&ran.json()), files)
    };
    // The method alone draws directions; a search may find its way without.
    for words in ["--agree 1", "--kappa none --search off --prune off --max-queries 3000"] {
        let ask = |more: &str| ask(&format!("{words} {more}"));
        let first = ask("--threads 1");
        assert!(first == ask("--threads 3"), "threads change the answer");
        assert!(first == ask("--threads 1"), "the second run differs");
        let is_plain = words.starts_with("--kappa");
        assert!(!is_plain || first.1[3] != ask("--seed 1").1[3], "the seed changes nothing");
    }
}

#[test]
fn the_written_result_is_the_told_one() {
    let keys = "schema mode method seed queries sent iterations stop_reason valid margin original explanation weights kappa \
                target objective objective_start loss norm_l1 norm_l2 nonzeros seconds files";
    for (mode, count) in [("pp", 1), ("pn", 1), ("both", 2)] {
        let asked = Question::new("written", "rows").about_the_row().with("--mode").with(mode);
        let ran = asked.ask().ends(0);
        assert_eq!(asked.text("result.json"), ran.out);
        let told = ran.json();
        assert_eq!(told.is_array(), count == 2, "one question gives an object, two a list");
        let records = records(&told);
        assert_eq!(records.len(), count);
        for record in &records {
            for key in keys.split_whitespace() {
                assert!(record.get(key).is_some(), "{key} is missing");
            }
            for (key, inner) in
                [("original", "class scores"), ("explanation", "class scores"), ("weights", "l1 l2")]
            {
                assert!(inner.split(' ').all(|inner| record[key].get(inner).is_some()), "{key}: {record}");
            }
            for file in ["x", "image", "report", "trace"] {
                let path = record["files"][file].as_str().unwrap();
                assert!(std::fs::metadata(path).unwrap().len() > 0, "{path}");
            }
            assert_eq!(record["schema"], "gradless-explain-1");
            let trace = std::fs::read_to_string(record["files"]["trace"].as_str().unwrap()).unwrap();
            is_a_trace(&trace, record["queries"].as_u64().unwrap());
        }
    }
}

fn is_a_trace(trace: &str, queries: u64) {
    let mut lines = trace.lines();
    assert_eq!(lines.next(), Some("iteration,queries,objective,loss,norm_l1,norm_l2,nonzeros,step_size"));
    let mut before = 0;
    for (index, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells.len(), cells[0]), (8, (index + 1).to_string().as_str()), "{line}");
        assert!(cells[2..].iter().all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok()), "{line}");
        let asked = cells[1].parse().unwrap();
        assert!(before < asked && asked <= queries, "{line}");
        before = asked;
    }
    assert!(before > 0, "the trace is empty");
}

//! Models of records in ONNX files: typed columns, all columns in one tensor, texts; and networks of other numbers than 32-bit floats.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use std::collections::BTreeMap;

use gradless::Model;
use gradless_models::{Cell, Engine, OnnxRecords, Problem, Record, RecordModel, ScoreKind};
use serde::Deserialize;
use serde_json::Value;
use support::{engines, file, load, scores};

/// What scikit-learn answers; made by `tests/files/make_records.py`.
#[derive(Deserialize)]
struct Told {
    columns: Vec<String>,
    rows: Vec<Value>,
    classes: Vec<String>,
    scores: Vec<Vec<f64>>,
}

fn told() -> BTreeMap<String, Told> {
    serde_json::from_slice(&std::fs::read(file("records.json")).unwrap()).unwrap()
}

fn record(value: &Value) -> Record {
    let cell = |value: &Value| match value {
        Value::String(text) => Cell::Text(text.clone()),
        Value::Number(number) if number.is_i64() => Cell::Whole(number.as_i64().unwrap()),
        number => Cell::Number(number.as_f64().unwrap()),
    };
    match value {
        Value::String(text) => Record::Text(text.clone()),
        row => Record::Row(row.as_array().unwrap().iter().map(cell).collect()),
    }
}

fn has_onnxruntime() -> bool {
    engines().contains(&Engine::Ort)
}

#[test]
fn exports_of_pipelines_answer_as_the_pipelines_do() {
    if !has_onnxruntime() {
        return;
    }
    for (name, Told { columns, rows, classes, scores: wanted }) in told() {
        let records: Vec<Record> = rows.iter().map(record).collect();
        let model = OnnxRecords::load(file(&format!("{name}.onnx")), None, &columns, &records[..2]).unwrap();
        assert_eq!(model.description().classes, classes, "{name}: names of classes are those of the file");
        let is_probable = model.score_kind() == ScoreKind::Probabilities;
        assert_eq!((model.classes(), is_probable), (wanted[0].len(), name != "price"), "{name}");
        let mut found = vec![0.0; records.len() * model.classes()];
        model.record_scores(&records, &mut found).unwrap();
        for (found, wanted) in found.iter().zip(wanted.concat()) {
            assert!((found - wanted).abs() < 2e-6, "{name}: {found} for {wanted}");
        }
    }
}

#[test]
fn a_table_that_does_not_fit_is_refused_with_what_is_missing() {
    if !has_onnxruntime() {
        return;
    }
    let refused = |name: &str, columns: &[&str], first: Record| {
        let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
        OnnxRecords::load(file(name), None, &columns, &[first]).unwrap_err().problem
    };
    let row = |cells: &[Cell]| Record::Row(cells.to_vec());
    let found = refused("credit.onnx", &["age", "job"], row(&[Cell::Whole(3), Cell::Missing]));
    assert!(matches!(&found, Problem::NoColumn { name, .. } if name == "net_income"), "{found}");
    let found = refused("forest.onnx", &["a", "b"], row(&[Cell::Number(1.0), Cell::Number(1.0)]));
    assert!(matches!(found, Problem::ColumnCount { expected: 4, found: 2 }));
    let words = [Cell::Text("x".into()), Cell::Number(1.0), Cell::Number(1.0), Cell::Number(1.0)];
    let found = refused("forest.onnx", &["a", "b", "c", "d"], row(&words)).to_string();
    assert!(found.contains("'x' is no number"), "{found}");
    let found = refused("forest.onnx", &[], Record::Text("hello".into()));
    assert!(matches!(found, Problem::NoText { .. }), "{found}");
    let found = refused("spam.onnx", &["a", "b"], row(&[Cell::Missing, Cell::Missing]));
    assert!(matches!(found, Problem::ColumnCount { expected: 1, found: 2 }));
}

#[test]
fn other_numbers_than_single_precision_are_cast() {
    for engine in engines() {
        for name in ["half", "double", "bytes", "whole"] {
            // rten has neither half nor double precision.
            if engine == Engine::Rten && ["half", "double"].contains(&name) {
                continue;
            }
            let model = load(name, engine);
            assert_eq!(model.description().range[1], if name == "bytes" { 255.0 } else { 1.0 });
            let found = scores(&model, &[1.0, 2.0, 3.0, 0.0, 4.0, 0.0]).unwrap();
            assert_eq!((found, model.inputs()), (vec![5.0, 8.0, 8.0, 0.0], 3), "{name} on {engine:?}");
        }
    }
}

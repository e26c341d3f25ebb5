//! What models are asked about that is no array: rows of tables, and texts.
//!
//! A search moves numbers. A [`Wording`] turns them into records, and a [`RecordModel`] says what it thinks of those; together they are a
//! [`Model`] like any other ([`Worded`]), so that budgets, journals and caches know nothing of records.

use gradless::{Inputs, Model, ModelError};
use serde::{Serialize, Serializer};

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// A text: a name, a category.
    Text(String),
    /// A truth value.
    Truth(bool),
    /// Nothing.
    Missing,
}

/// What a model is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A row of a table: one value for each column, in the order of the columns.
    Row(Vec<Cell>),
    /// A text.
    Text(String),
    /// Numbers as they are.
    Numbers(Vec<f64>),
}

/// Turns the numbers of a search into records.
pub trait Wording: Sync {
    /// The record that a row of numbers stands for.
    fn record(&self, numbers: &[f64]) -> Record;
}

/// A classifier of records.
pub trait RecordModel: Send + Sync {
    /// Scores per record.
    fn classes(&self) -> usize;

    /// Writes the scores of records, one record after the other.
    fn record_scores(&self, records: &[Record], scores: &mut [f64]) -> Result<(), ModelError>;

    /// How many records it likes at once.
    fn preferred_records(&self) -> usize {
        1
    }
}

/// A classifier of records behind a wording: a model of the numbers of a search.
pub struct Worded<'a> {
    model: &'a dyn RecordModel,
    wording: &'a dyn Wording,
    shape: [usize; 1],
}

impl<'a> Worded<'a> {
    /// A model of `numbers` numbers.
    pub fn new(model: &'a dyn RecordModel, wording: &'a dyn Wording, numbers: usize) -> Self {
        Self { model, wording, shape: [numbers] }
    }
}

impl Model for Worded<'_> {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn classes(&self) -> usize {
        self.model.classes()
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let records: Vec<Record> = inputs.rows().map(|row| self.wording.record(row)).collect();
        self.model.record_scores(&records, scores)?;
        match scores.iter().position(|score| !score.is_finite()) {
            Some(i) => {
                let classes = self.classes();
                Err(ModelError::NotFinite { row: i / classes, class: i % classes, value: scores[i] })
            }
            None => Ok(()),
        }
    }

    fn preferred_rows(&self) -> usize {
        self.model.preferred_records().max(1)
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => to.serialize_f64(*number),
            Self::Whole(number) => to.serialize_i64(*number),
            Self::Text(text) => to.serialize_str(text),
            Self::Truth(truth) => to.serialize_bool(*truth),
            Self::Missing => to.serialize_none(),
        }
    }
}

/// A record as JSON: an object with the names of the columns, a string, or a list of numbers.
pub(crate) fn json(record: &Record, columns: &[String]) -> serde_json::Value {
    let value = |cell: &Cell| serde_json::to_value(cell).unwrap_or_default();
    match record {
        Record::Text(text) => text.as_str().into(),
        Record::Numbers(numbers) => numbers.as_slice().into(),
        Record::Row(cells) => columns.iter().cloned().zip(cells.iter().map(value)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Longest;

    impl RecordModel for Longest {
        fn classes(&self) -> usize {
            2
        }
        fn record_scores(&self, records: &[Record], scores: &mut [f64]) -> Result<(), ModelError> {
            for (record, scores) in records.iter().zip(scores.chunks_exact_mut(2)) {
                let Record::Text(text) = record else { return Err(ModelError::Inputs("no text".into())) };
                scores.copy_from_slice(&[text.len() as f64, 2.5]);
            }
            Ok(())
        }
    }

    struct Letters;

    impl Wording for Letters {
        fn record(&self, numbers: &[f64]) -> Record {
            Record::Text(numbers.iter().filter(|x| **x > 0.5).map(|_| 'a').collect())
        }
    }

    #[test]
    fn numbers_become_records_and_records_scores() {
        let model = Worded::new(&Longest, &Letters, 3);
        let mut scores = [0.0; 4];
        model.scores(Inputs { points: &[1.0, 0.0, 1.0, 1.0, 1.0, 1.0], dim: 3 }, &mut scores).unwrap();
        assert_eq!((scores, model.shape()), ([2.0, 2.5, 3.0, 2.5], &[3][..]));
    }

    #[test]
    fn records_are_written_as_people_would() {
        let columns = ["age", "name", "score", "member", "since"].map(str::to_owned);
        let cells = vec![
            Cell::Whole(39),
            Cell::Text("O\"Neil".into()),
            Cell::Number(0.5),
            Cell::Truth(true),
            Cell::Missing,
        ];
        let written = json(&Record::Row(cells), &columns).to_string();
        assert_eq!(written, r#"{"age":39,"member":true,"name":"O\"Neil","score":0.5,"since":null}"#);
        assert_eq!(json(&Record::Text("a\nb".into()), &[]).to_string(), r#""a\nb""#);
    }
}

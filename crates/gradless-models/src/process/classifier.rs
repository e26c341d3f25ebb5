//! Any program as a classifier: it reads inputs and writes scores, one JSON object per line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gradless::oracle::Recovery;
use gradless::{Inputs, Model, ModelError, OracleError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pool::Pool;
use super::protocol::{Line, SCHEMA, finite, wrong};
use super::{Incidents, ProcessOptions};
use crate::description::{Description, ScoreKind};
use crate::named::{Classes, Labels};
use crate::records::{Record, RecordModel, json};

/// A classifier that is a program: of rows of a table, of texts, or of arrays of numbers. The lines are described in `docs/explain.md`.
///
/// A request is `{"schema":1,"id":7,"inputs":[...]}`, each input an object with the names of the columns, a string, or a list of numbers. Its
/// answer is `{"id":7,"scores":[...]}` with, for each input, a list of scores, an object from names to scores, a label, or a label with
/// its score. Which classes there are is told by the first answer, or by their names if only labels are answered.
#[derive(Debug)]
pub struct Program {
    pool: Pool,
    columns: Vec<String>,
    classes: Classes,
    description: Description,
    kind: ScoreKind,
    shape: Vec<usize>,
    row_time: Duration,
}

impl Program {
    /// Starts a program, in a folder if one is given, and asks it about some records; their columns have these names. Of the description
    /// the names of the classes count and what scores are; for arrays of numbers its shape.
    pub fn start<W: Into<OsString>>(
        command: impl IntoIterator<Item = W>,
        folder: Option<PathBuf>,
        options: ProcessOptions,
        description: Description,
        columns: &[String],
        first: &[Record],
    ) -> Result<Self, ModelError> {
        let mut pool = Pool::new(command.into_iter().map(Into::into).collect(), options);
        pool.folder = folder;
        let mut program = Self {
            pool,
            columns: columns.to_vec(),
            classes: Classes { count: 0, names: description.classes.clone() },
            kind: description.scores,
            shape: description.shape.clone().unwrap_or_default(),
            description,
            row_time: Duration::ZERO,
        };
        let begun = Instant::now();
        let Some(entries) = program.ask(first)? else {
            return Err(ModelError::Gone("the program says that it failed on the input itself".to_owned()));
        };
        program.row_time = begun.elapsed() / u32::try_from(first.len().max(1)).unwrap_or(u32::MAX);
        let entries: Vec<&Value> = entries.iter().collect();
        let told =
            |problem| ModelError::Gone(format!("the program answers otherwise than it should: {problem}"));
        program.classes = Labels::default().classes(&entries, &program.classes.names).map_err(told)?;
        program.description.classes.clone_from(&program.classes.names);
        if program.kind == ScoreKind::Auto {
            let scores = entries.iter().flat_map(|entry| Labels::default().scores(entry, &program.classes));
            program.kind = ScoreKind::of(&scores.collect::<Vec<f64>>(), program.classes.count);
        }
        Ok(program)
    }

    /// What is known of it: names of classes are those it told.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What its scores are: never [`ScoreKind::Auto`].
    pub fn score_kind(&self) -> ScoreKind {
        self.kind
    }

    /// What one input took when it was started, its start included.
    pub fn row_time(&self) -> Duration {
        self.row_time
    }

    /// What happened beside the answers so far.
    pub fn incidents(&self) -> Incidents {
        self.pool.incidents()
    }

    /// What is said of each record; `None` if the program says that it failed.
    fn ask(&self, records: &[Record]) -> Result<Option<Vec<Value>>, ModelError> {
        let answer =
            self.pool.ask(|id| request(id, records, &self.columns), |line| read(line, records.len()));
        answer.map_err(|OracleError { message, recovery }| match recovery {
            Recovery::Possible => ModelError::Inputs(message),
            Recovery::Impossible => ModelError::Gone(message),
        })
    }
}

impl RecordModel for Program {
    fn classes(&self) -> usize {
        self.classes.count
    }

    fn record_scores(&self, records: &[Record], scores: &mut [f64]) -> Result<(), ModelError> {
        let rows = self.preferred_records();
        let each = self.classes.count;
        for (records, scores) in records.chunks(rows).zip(scores.chunks_mut(rows * each)) {
            match self.ask(records)? {
                Some(entries) => {
                    for (entry, scores) in entries.iter().zip(scores.chunks_exact_mut(each)) {
                        scores.copy_from_slice(&Labels::default().scores(entry, &self.classes));
                    }
                }
                None => scores.fill(f64::NAN),
            }
        }
        Ok(())
    }

    fn preferred_records(&self) -> usize {
        self.pool.options.rows.max(1)
    }
}

impl Model for Program {
    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn classes(&self) -> usize {
        self.classes.count
    }

    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        let records: Vec<Record> = inputs.rows().map(|row| Record::Numbers(row.to_vec())).collect();
        self.record_scores(&records, scores)?;
        match scores.iter().position(|score| !score.is_finite()) {
            Some(i) => {
                let (row, class) = (i / self.classes.count, i % self.classes.count);
                Err(ModelError::NotFinite { row, class, value: scores[i] })
            }
            None => Ok(()),
        }
    }

    fn preferred_rows(&self) -> usize {
        self.preferred_records()
    }
}

#[derive(Serialize)]
struct Request {
    schema: u32,
    id: u64,
    inputs: Vec<Value>,
}

fn request(id: u64, records: &[Record], columns: &[String]) -> String {
    let inputs = records.iter().map(|record| json(record, columns)).collect();
    let mut line = serde_json::to_string(&Request { schema: SCHEMA, id, inputs }).unwrap_or_default();
    line.push('\n');
    line
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: u64,
    scores: Option<Value>,
    error: Option<Value>,
}

fn read(line: &str, rows: usize) -> Result<Line<Vec<Value>>, String> {
    let Answer { id, scores, error } =
        serde_json::from_str(&finite(line)).map_err(|error| wrong(line, &error))?;
    let said = match (scores, error) {
        (Some(scores), None) => {
            Labels::entries(&scores, rows).map(|entries| Some(entries.into_iter().cloned().collect()))
        }
        (None, Some(_)) => Ok(None),
        _ => return Err("it wrote an answer that has not exactly one of `scores` and `error`".to_owned()),
    };
    Ok(Line { id, said })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::records::Cell;

    /// Counts "good" in texts, by a program of the shell and awk.
    const COUNTS: &str = r#"while read -r line; do
      id=${line#*\"id\":}; id=${id%%,*}
      n=$(printf '%s' "$line" | awk '{ print gsub(/"good[^"]*"/, "") }')
      echo "{\"id\":$id,\"scores\":[{\"label\":\"$([ "$n" -gt 0 ] && echo good || echo bad)\",\"score\":0.75}]}"
    done"#;

    fn start(script: &str, names: &[&str], first: &[Record]) -> Result<Program, ModelError> {
        let classes = names.iter().map(ToString::to_string).collect();
        let description = Description { classes, ..Description::default() };
        Program::start(["sh", "-c", script], None, ProcessOptions::default(), description, &[], first)
    }

    #[test]
    fn a_program_classifies_texts() {
        let text = |text: &str| Record::Text(text.to_owned());
        let program = start(COUNTS, &["bad", "good"], &[text("good film")]).unwrap();
        let mut scores = [0.0; 4];
        program.record_scores(&[text("bad"), text("good")], &mut scores).unwrap();
        assert_eq!(scores, [0.75, 0.25, 0.25, 0.75]);
        assert_eq!(program.score_kind(), ScoreKind::Probabilities);
        let unnamed = start(COUNTS, &[], &[text("x")]).unwrap_err().to_string();
        assert!(unnamed.contains("name them all"), "{unnamed}");
    }

    #[test]
    fn numbers_and_rows_go_out_as_json() {
        let columns = ["a".to_owned(), "b".to_owned()];
        let records = [Record::Row(vec![Cell::Whole(1), Cell::Missing]), Record::Numbers(vec![0.5, 1.0])];
        let line = request(3, &records, &columns);
        assert_eq!(line, "{\"schema\":1,\"id\":3,\"inputs\":[{\"a\":1,\"b\":null},[0.5,1.0]]}\n");
    }

    #[test]
    fn a_program_that_says_nothing_useful_is_told_so() {
        let text = [Record::Text("x".to_owned())];
        for (answer, part) in [
            (r#"echo '{"id":1,"scores":[[1,2],[3,4]]}'"#, "no answer"),
            (r#"echo '{"id":1,"error":"broken"}'"#, "failed on the input"),
            (r#"echo '{"id":1,"values":[1]}'"#, "unknown field"),
            ("exit 3", "ended"),
        ] {
            let error = start(&format!("read -r line; {answer}"), &[], &text).unwrap_err().to_string();
            assert!(error.contains(part), "{answer}: {error}");
        }
    }
}

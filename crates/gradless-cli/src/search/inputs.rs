//! What is asked about: pictures and arrays, rows of a table, texts.

mod arrays;
mod cut;
mod rows;
mod texts;

pub(super) use arrays::Arrays;
pub(crate) use cut::into_regions;
pub(crate) use texts::TextArguments;

use std::path::Path;

use gradless_explain::{Answer, Disturbance, Features};
use gradless_models::{Record, Wording};
use gradless_report::{Frame, Subject};

use super::Call;
use crate::model::{self, BlackBox};
use crate::table::Row;
use rows::Rows;
use texts::{Cut, Texts};

/// All that is asked about.
pub(super) enum Inputs {
    /// Pictures and arrays.
    Arrays(Box<Arrays>),
    /// Rows of a table.
    Rows(Box<Rows>),
    /// Texts.
    Texts(Texts),
}

/// One of them, as the search takes it.
pub(super) enum Item {
    Array { features: Box<dyn Features + Send>, shape: Vec<usize> },
    Row(Box<Row>),
    Text(Box<Cut>),
}

impl Inputs {
    /// Tables and texts, which are read before the model is loaded; `None` for anything else.
    pub(super) fn of_records(call: &Call<'_>) -> anyhow::Result<Option<Self>> {
        let Some(path) = call.input.as_deref() else { return Ok(None) };
        if rows::is_table(path) {
            return Ok(Some(Self::Rows(Box::new(Rows::open(path, call)?))));
        }
        if texts::is_text(path, call.text)? {
            return Ok(Some(Self::Texts(Texts::open(path, call)?)));
        }
        Ok(None)
    }

    /// How many there are; at least one.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Arrays(arrays) => arrays.len(),
            Self::Rows(rows) => rows.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    /// Whether there may be several: a folder or a file of many, even if they hold one.
    pub(super) fn is_many(&self) -> bool {
        match self {
            Self::Arrays(arrays) => arrays.is_many(),
            Self::Rows(rows) => rows.is_many(),
            Self::Texts(texts) => texts.is_many(),
        }
    }

    /// What to call one.
    pub(super) fn name(&self, index: usize) -> String {
        match self {
            Self::Arrays(arrays) => arrays.name(index),
            Self::Rows(rows) => rows.name(index),
            Self::Texts(texts) => texts.name(index),
        }
    }

    /// Reads one; pictures are disturbed so.
    pub(super) fn read(&self, index: usize, disturbance: Disturbance) -> anyhow::Result<Item> {
        Ok(match self {
            Self::Arrays(arrays) => {
                Item::Array { features: arrays.read(index, disturbance)?, shape: arrays.shape().to_vec() }
            }
            Self::Rows(rows) => Item::Row(Box::new(rows.read(index)?)),
            Self::Texts(texts) => Item::Text(Box::new(texts.read(index)?)),
        })
    }

    /// The names of the columns of records; none for texts.
    pub(super) fn columns(&self) -> &[String] {
        match self {
            Self::Rows(rows) => rows.columns(),
            Self::Arrays(_) | Self::Texts(_) => &[],
        }
    }

    /// How pictures are cut up, in words; `None` if they are not.
    pub(super) fn partition(&self) -> Option<String> {
        match self {
            Self::Arrays(arrays) => arrays.partition(),
            Self::Rows(_) | Self::Texts(_) => None,
        }
    }

    /// What else decides the answers: masks, bounds, backgrounds, tables, whatever their files are called.
    pub(super) fn sha256(&self) -> String {
        match self {
            Self::Arrays(arrays) => arrays.sha256(),
            Self::Rows(rows) => rows.sha256(),
            Self::Texts(texts) => texts.sha256(),
        }
    }

    /// Facts about what the model takes.
    pub(super) fn facts(&self, model: &BlackBox) -> Vec<(String, String)> {
        match self {
            Self::Arrays(arrays) => arrays::facts(arrays, model),
            Self::Rows(rows) => vec![("input".to_owned(), format!("{} columns", rows.columns().len()))],
            Self::Texts(_) => vec![("input".to_owned(), "texts".to_owned())],
        }
    }
}

impl Item {
    /// What can be switched, moved or left out.
    pub(super) fn features(&self) -> &dyn Features {
        match self {
            Self::Array { features, .. } => &**features,
            Self::Row(row) => &row.columns,
            Self::Text(cut) => &cut.switches,
        }
    }

    /// How its numbers become records; `None` where the model takes them as they are.
    pub(super) fn wording(&self) -> Option<&dyn Wording> {
        match self {
            Self::Array { .. } => None,
            Self::Row(row) => Some(&**row),
            Self::Text(cut) => Some(&**cut),
        }
    }

    /// The record of the input itself.
    pub(super) fn record(&self) -> Option<Record> {
        self.wording().map(|wording| wording.record(self.features().input()))
    }

    /// The shape of its numbers.
    pub(super) fn shape(&self) -> Vec<usize> {
        match self {
            Self::Array { shape, .. } => shape.clone(),
            Self::Row(_) | Self::Text(_) => vec![self.features().input().len()],
        }
    }

    /// How its numbers make a picture.
    pub(super) fn frame(&self, range: [f64; 2]) -> Frame {
        match self {
            Self::Array { shape, .. } => Frame::of(shape, range),
            Self::Row(_) | Self::Text(_) => Frame::of(&self.shape(), [0.0, 1.0]),
        }
    }

    /// What tells it from others, whatever their files are called.
    pub(super) fn sha256(&self) -> String {
        let bytes: Vec<u8> = match self {
            Self::Array { features, .. } => {
                features.input().iter().flat_map(|value| value.to_le_bytes()).collect()
            }
            Self::Row(row) => row
                .values()
                .into_iter()
                .flat_map(|(_, value)| [value.into_bytes(), vec![0]].concat())
                .collect(),
            Self::Text(cut) => cut.text.text().as_bytes().to_vec(),
        };
        model::hash(&bytes)
    }

    /// What the page shows of it and its answers.
    pub(super) fn subject(&self, answers: &[Answer]) -> Subject {
        match self {
            Self::Array { .. } => Subject::Picture,
            Self::Row(row) => rows::subject(row, answers),
            Self::Text(cut) => texts::subject(cut),
        }
    }

    /// What an answer keeps or changes, in lines for the terminal.
    pub(super) fn lines(&self, answer: &Answer) -> Vec<String> {
        match self {
            Self::Array { .. } => Vec::new(),
            Self::Row(row) => rows::lines(row, answer),
            Self::Text(cut) => texts::lines(cut, answer),
        }
    }

    /// The answer as a file of its kind: its name and what it holds; `None` for arrays.
    pub(super) fn file(&self, answer: &Answer) -> anyhow::Result<Option<(&'static str, Vec<u8>)>> {
        Ok(match self {
            Self::Array { .. } => None,
            Self::Row(row) => Some(("answer.csv", rows::csv(row, answer)?)),
            Self::Text(cut) => Some(("answer.txt", texts::built(cut, answer).into_bytes())),
        })
    }
}

/// The name of a file, for people.
fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

//! The page of an explanation: what was found, how sure it is and what it cost; and an index page for many.

mod answer;
mod belief;
mod index;
mod record;
mod regions;
mod scores;
mod strip;
mod subject;

pub use index::{IndexEntry, Outcome, index_html};
pub(crate) use record::table;
pub use subject::{Lever, Row, Subject, Text};

use gradless_explain::Answer;
use serde::{Deserialize, Serialize};

use crate::html;
use crate::missing;
use crate::picture::{Marks, Picture, PictureError, changed_pixels, overlay};

/// All that the page shows: the answers as the session gave them, and what stands around them.
///
/// Strings may hold anything; they are escaped. In JSON a number that is NaN or infinite is `null`, and `null` is read
/// as NaN, which the page shows as a dash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// What was explained, such as the file's name.
    pub title: String,
    /// How the numbers of an input make a picture.
    pub frame: Frame,
    /// What the input is, if it is no picture.
    #[serde(default)]
    pub subject: Subject,
    /// The input.
    #[serde(deserialize_with = "missing::numbers")]
    pub input: Vec<f64>,
    /// Names of the classes; a class without one is shown by its number.
    pub classes: Vec<String>,
    /// What was found.
    pub answers: Vec<Answer>,
    /// Settings in the order to show them.
    pub settings: Vec<(String, String)>,
    /// Facts about the model: name, hash, engine, shape, preprocessing.
    pub model: Vec<(String, String)>,
    /// The command that repeats the run.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// The version of gradless.
    pub version: String,
    /// Duration of the whole run.
    #[serde(deserialize_with = "missing::number")]
    pub seconds: f64,
}

/// How the numbers of an input make a picture: black to white over their range.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// 1 for grey, 3 for colour.
    pub channels: usize,
    /// Rows of a plane.
    pub rows: usize,
    /// Columns of a plane.
    pub columns: usize,
    /// The number that is black.
    pub low: f64,
    /// The number that is white.
    pub high: f64,
}

impl Frame {
    /// The frame of inputs of this shape; what is not a grey or colour picture is shown as a grey one, its planes below each other.
    pub fn of(shape: &[usize], [low, high]: [f64; 2]) -> Self {
        let numbers = shape.iter().product::<usize>();
        let (channels, rows, columns) = match *shape {
            [channels @ (1 | 3), rows, columns] => (channels, rows, columns),
            [.., columns] if shape.len() > 1 => (1, numbers / columns.max(1), columns),
            _ => (1, 1, numbers),
        };
        Self { channels, rows, columns, low, high }
    }

    /// An input as a picture.
    pub fn picture(&self, values: &[f64]) -> Result<Picture, PictureError> {
        let shades = values.iter().map(|value| (value - self.low) / (self.high - self.low)).collect();
        Picture::clamped(self.channels, self.rows, self.columns, shades)
    }

    /// What differs, in shades.
    fn shades(&self, change: &[f64]) -> Vec<f64> {
        change.iter().map(|value| value / (self.high - self.low)).collect()
    }

    /// An answer drawn on its input: what a part keeps, or what a change adds and removes.
    pub fn overlay(&self, input: &[f64], answer: &Answer) -> Result<Picture, PictureError> {
        if let Some(located) = &answer.located {
            return self.outlined(input, answer, located);
        }
        let marks = if answer.is_part() { Marks::Kept } else { Marks::Change };
        overlay(&self.picture(input)?, &self.shades(&answer.change), marks)
    }

    /// Pixels of an answer: those that are brighter than "absent" or before, and those that are darker.
    fn marked(&self, answer: &Answer) -> (usize, usize) {
        let marks = changed_pixels(&self.shades(&answer.change), self.rows * self.columns);
        let brighter = marks.iter().filter(|mark| mark.brighter).count();
        (brighter, marks.len() - brighter)
    }
}

impl Page {
    /// The page: one HTML file that fetches nothing and runs nothing.
    ///
    /// Pictures with a side above 1024 pixels are shown smaller; long traces are thinned to a few hundred points.
    pub fn to_html(&self) -> String {
        let mut body = String::new();
        record::header(self, &mut body);
        body.push_str("<main>\n");
        match &self.subject {
            Subject::Picture => strip::write(self, &mut body),
            Subject::Table(row) => subject::write_row(self, row, &mut body),
            Subject::Text(text) => subject::write_text(self, text, &mut body),
        }
        for (index, answer) in self.answers.iter().enumerate() {
            answer::write(self, answer, index, &mut body);
        }
        record::write(self, &mut body);
        body.push_str("</main>\n");
        html::page(&self.title, &body)
    }

    /// The name of a class, or its number.
    fn class_name(&self, class: usize) -> String {
        match self.classes.get(class).map(|name| name.trim()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => class.to_string(),
        }
    }

    /// Whether the least change was asked for.
    fn is_attack(&self) -> bool {
        self.answers.first().is_some_and(|answer| answer.attack.is_some())
    }

    /// The class of the input, if anything was asked.
    fn original_class(&self) -> usize {
        self.answers.first().map_or(0, |answer| answer.original.class)
    }
}

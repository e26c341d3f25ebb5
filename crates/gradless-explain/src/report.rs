//! One page that shows what was found, how sure it is and what it cost; and an index page for many.
//!
//! The structures are plain data: saved as JSON they can be drawn again later. Nothing here asks the model anything.

mod case;
mod curve;
mod format;
mod html;
mod index;
mod minimum;
mod missing;
mod record;
mod scores;
mod strip;

pub use index::{IndexEntry, Outcome, index_html};
pub use minimum::Minimum;

use serde::{Deserialize, Serialize};

use crate::picture::{Picture, changed_pixels};

/// All that the page shows.
///
/// Strings may hold anything; they are escaped. In JSON a number that is NaN or infinite is `null`, and `null` is read
/// as NaN, which the page shows as a dash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What was explained, such as the file's name.
    pub title: String,
    /// The input.
    pub original: Picture,
    /// The class the model gives the input.
    pub original_class: usize,
    /// The model's scores for the input, one per class; empty if it answers labels only.
    #[serde(deserialize_with = "missing::numbers")]
    pub original_scores: Vec<f64>,
    /// Names of the classes; a class without one is shown by its number.
    pub class_names: Vec<String>,
    /// What was searched for.
    pub cases: Vec<Case>,
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

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The question.
    pub mode: Mode,
    /// Whether the class condition holds by more than the noise floor, for the exact values and for the 8-bit picture.
    pub valid: bool,
    /// The plain sentence: what was found, or why nothing was and what to try.
    pub explanation: String,
    /// The pertinent positive itself, or the original with the change made. Not valid: the closest miss.
    pub picture: Picture,
    /// What to mark on the original, in the units of the picture: a pertinent positive's distance from the background, or
    /// a pertinent negative's change. Empty: the values of `picture`, or its difference to the original.
    #[serde(deserialize_with = "missing::numbers")]
    pub change: Vec<f64>,
    /// The class the model gives `picture`.
    pub class: usize,
    /// The model's scores for `picture`, one per class; empty if it answers labels only.
    #[serde(deserialize_with = "missing::numbers")]
    pub scores: Vec<f64>,
    /// By how much the class condition holds.
    #[serde(deserialize_with = "missing::number")]
    pub margin: f64,
    /// The model's noise floor, in the same unit.
    #[serde(deserialize_with = "missing::number")]
    pub noise: f64,
    /// The margin asked for, if one was.
    pub kappa: Option<f64>,
    /// Sum of the absolute values of what was found.
    #[serde(deserialize_with = "missing::number")]
    pub norm_l1: f64,
    /// Euclidean length of what was found.
    #[serde(deserialize_with = "missing::number")]
    pub norm_l2: f64,
    /// Values that differ from "absent", each channel of a pixel counted.
    pub nonzeros: usize,
    /// Queries the method asked.
    pub queries: u64,
    /// Queries that went out, repeats included.
    pub sent: u64,
    /// Queries at the first valid point.
    pub first_valid: Option<u64>,
    /// Queries at the best valid point.
    pub best_valid: Option<u64>,
    /// Whether every part of the answer is needed.
    pub minimal: Minimal,
    /// Why the search ended.
    pub stop_reason: String,
    /// Duration of this search.
    #[serde(deserialize_with = "missing::number")]
    pub seconds: f64,
    /// How the search went.
    pub trace: Vec<TracePoint>,
    /// How well answers from other seeds agree, in words, if that was asked.
    pub agreement: Option<String>,
}

/// The two questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// What is enough for the class?
    #[serde(rename = "pp")]
    PertinentPositive,
    /// What would change the class?
    #[serde(rename = "pn")]
    PertinentNegative,
}

/// Whether leaving out any single part of the answer breaks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Minimal {
    /// It does: each was tried.
    Checked,
    /// The budget ended before all were tried.
    BudgetEnded,
    /// It was not tried.
    NotAsked,
}

/// A moment of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Queries so far.
    pub queries: u64,
    /// The objective at the weights of that moment.
    #[serde(deserialize_with = "missing::number")]
    pub objective: f64,
    /// The l1 norm of the point.
    #[serde(deserialize_with = "missing::number")]
    pub norm_l1: f64,
    /// Whether the class condition holds there.
    pub valid: bool,
}

impl Report {
    /// The page: one HTML file that fetches nothing and runs nothing.
    ///
    /// Pictures with a side above 1024 pixels are shown smaller; long traces are thinned to a few hundred points.
    pub fn to_html(&self) -> String {
        let mut body = String::new();
        record::header(self, &mut body);
        body.push_str("<main>\n");
        strip::write(self, &mut body);
        for (index, case) in self.cases.iter().enumerate() {
            case::write(self, case, index, &mut body);
        }
        record::write(self, &mut body);
        body.push_str("</main>\n");
        html::page(&self.title, &body)
    }

    /// The name of a class, or its number.
    fn class_name(&self, class: usize) -> String {
        match self.class_names.get(class).map(|name| name.trim()) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => class.to_string(),
        }
    }

    /// What to mark on the original for a case.
    fn marked(&self, case: &Case) -> Vec<f64> {
        let values = case.picture.values();
        match case.mode {
            _ if !case.change.is_empty() => case.change.clone(),
            Mode::PertinentPositive => values.to_vec(),
            Mode::PertinentNegative => {
                values.iter().zip(self.original.values()).map(|(after, before)| after - before).collect()
            }
        }
    }

    /// Marked pixels of a case: those that are brighter than "absent" and those that are darker.
    fn marked_pixels(&self, case: &Case) -> (usize, usize) {
        let marks = changed_pixels(&self.marked(case), self.original.pixels());
        let brighter = marks.iter().filter(|mark| mark.brighter).count();
        (brighter, marks.len() - brighter)
    }
}

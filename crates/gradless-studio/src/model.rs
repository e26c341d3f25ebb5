//! The seam to the models: who loads them and asks them for the scores under the pen.

use std::sync::Arc;

use serde::Serialize;

/// Loads models.
pub trait Models: Send + Sync {
    /// The model that words of the command line name (`--model M.onnx`); the embedded one if there are none.
    ///
    /// # Errors
    ///
    /// Why it cannot be loaded, for people.
    fn open(&self, words: &[String]) -> Result<Arc<dyn Classifier>, String>;
}

/// A model that can be asked for scores.
pub trait Classifier: Send + Sync {
    /// What is known of it.
    fn facts(&self) -> Facts;

    /// Its scores of an input.
    ///
    /// # Errors
    ///
    /// Why it has none, for people.
    fn scores(&self, input: Input<'_>) -> Result<Vec<f64>, String>;

    /// A picture as it sees it.
    ///
    /// # Errors
    ///
    /// Why it does not, for people.
    fn seen(&self, picture: &[u8]) -> Result<Seen, String>;
}

/// What a model is asked about.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A picture, as its file is.
    Picture(&'a [u8]),
    /// A row of a table: the names of its columns, and its cells.
    Row(&'a [String], &'a [String]),
    /// A text.
    Text(&'a str),
}

/// What the page shows of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// What it is called.
    pub name: String,
    /// The names of its classes; those without one are numbered.
    pub classes: Vec<String>,
    /// How many there are; 0 where that is known with the first input only.
    pub count: usize,
    /// The shape of its inputs, channels first; empty for tables and texts.
    pub shape: Vec<usize>,
    /// The numbers black and white stand for.
    pub range: [f64; 2],
    /// Whether it is the embedded network of digits.
    pub is_embedded: bool,
}

/// A picture as a model sees it, in its size and colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its width.
    pub columns: u32,
    /// Its height.
    pub rows: u32,
    /// Red, green and blue of every pixel, row after row.
    pub rgb: Vec<u8>,
}

//! A small language: a question to a small model, put together word by word, asked, and its answers.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::{Folder, Ran, gradless};

/// A row of white pixels: class 1 of the model `rows` by 4 to 0.5.
pub(crate) const ROW: [f64; 16] =
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// A run of `gradless explain` that is being put together.
pub(crate) struct Question {
    pub(crate) folder: Folder,
    words: Vec<String>,
}

/// The path of a small model.
pub(crate) fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(format!("{name}.onnx"));
    path.to_str().unwrap().to_owned()
}

/// The bytes of a picture with these shades, channels first.
pub(crate) fn picture(channels: usize, columns: usize, values: &[f64]) -> Vec<u8> {
    let pixels = values.len() / channels;
    let side = |count: usize| u32::try_from(count).unwrap();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(columns), side(pixels / columns));
    encoder.set_color(if channels == 3 { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shades from 0 to 1")]
    let byte = |value: f64| (255.0 * value).round() as u8;
    let places = (0..pixels).flat_map(|pixel| (0..channels).map(move |channel| channel * pixels + pixel));
    let interleaved: Vec<u8> = places.map(|place| byte(values[place])).collect();
    encoder.write_header().unwrap().write_image_data(&interleaved).unwrap();
    bytes
}

/// The bytes of a `float64` array.
pub(crate) fn array(shape: &[usize], values: &[f64]) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", shape.join(", "));
    header.push_str(&" ".repeat(63 - (header.len() + 10) % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let numbers = values.iter().flat_map(|value| value.to_le_bytes());
    b"\x93NUMPY\x01\x00".iter().copied().chain(length).chain(header.into_bytes()).chain(numbers).collect()
}

impl Question {
    /// Asks a small model, with a budget that is enough for it; the name is the test's own.
    pub(crate) fn new(name: &str, model: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let folder = Folder::new(&format!("explain-{name}-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let out = folder.path("out");
        let words = ["explain", "--format", "json", "--model", &self::model(model), "--out", &out];
        Self { words: words.map(str::to_owned).to_vec(), folder }
    }

    /// About the row of white pixels.
    pub(crate) fn about_the_row(self) -> Self {
        self.about(&picture(1, 4, &ROW))
    }

    /// About a picture, given by its file's bytes.
    pub(crate) fn about(self, file: &[u8]) -> Self {
        self.file("--input", "x.png", file)
    }

    /// With a flag that takes a file.
    pub(crate) fn file(self, flag: &str, name: &str, bytes: &[u8]) -> Self {
        self.folder.put(name, bytes);
        self.path(flag, name)
    }

    /// With a flag that takes a path below the question's folder.
    pub(crate) fn path(mut self, flag: &str, name: &str) -> Self {
        let path = self.folder.path(name);
        self.words.extend([flag.to_owned(), path]);
        self
    }

    /// With more words, separated by spaces. A flag that was there goes with its value.
    pub(crate) fn with(mut self, words: &str) -> Self {
        self.words = self.joined(words);
        self
    }

    fn joined(&self, words: &str) -> Vec<String> {
        let mut joined = self.words.clone();
        for flag in words.split_whitespace().filter(|word| word.starts_with("--")) {
            if let Some(at) = joined.iter().position(|word| word == flag) {
                let value = joined[at + 1..].iter().take_while(|word| !word.starts_with("--")).count();
                joined.drain(at..=at + value);
            }
        }
        joined.extend(words.split_whitespace().map(str::to_owned));
        joined
    }

    /// All words so far.
    pub(crate) fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }

    /// Runs the command.
    pub(crate) fn ask(&self) -> Ran {
        gradless(&self.words())
    }

    /// Runs the command with other words at its end, or instead of those before.
    pub(crate) fn ask_with(&self, words: &str) -> Ran {
        gradless(&self.joined(words).iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Runs the command as people do.
    pub(crate) fn ask_for_people(&self) -> Ran {
        self.ask_with("--format human")
    }

    /// Where the command writes.
    pub(crate) fn out(&self, name: &str) -> String {
        self.folder.path(&format!("out/{name}"))
    }

    /// The text of a file the command has written.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.out(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

/// The answers of a run: one, or a list of them.
pub(crate) fn records(told: &Value) -> Vec<Value> {
    told.as_array().cloned().unwrap_or_else(|| vec![told.clone()])
}

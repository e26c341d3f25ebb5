//! What a model file does not say about itself: layout, preprocessing, what its scores and classes mean.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{LoadError, Problem};
use crate::file;

/// No description is longer than this, a thousand class names included.
const MAX_BYTES: u64 = 1 << 20;

/// What a caller must know of a model and what must be done to its inputs.
///
/// Callers' inputs are always channels first, in the caller's space (say grey values from 0 to 1). On the way to the network
/// $x$ in channel $c$ becomes $(\text{scale}\cdot x - \text{mean}_c)/\text{std}_c$, and the axes are turned if the network
/// wants channels last. Everything has a default, so an empty description is one.
///
/// ```
/// use gradless_models::{Description, Layout};
///
/// let description = Description::parse(
///     r#"
///     layout = "nhwc"
///     mean = [0.49, 0.48, 0.45]
///     std = [0.25, 0.24, 0.26]
///     scores = "logits"
///     classes = ["cat", "dog"]
///     "#,
/// )?;
/// assert_eq!((description.layout, description.range), (Layout::Nhwc, [0.0, 1.0]));
/// # Ok::<(), gradless_models::DescriptionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Description {
    /// Where the network has its channels.
    pub layout: Layout,
    /// The shape of one input, channels first; needed if the file leaves axes open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<usize>>,
    /// What the caller's numbers are multiplied with, before anything else.
    pub scale: f64,
    /// What is then subtracted, one number per channel; nothing if empty.
    pub mean: Vec<f64>,
    /// What it is then divided by, one number per channel; nothing if empty.
    pub std: Vec<f64>,
    /// The least and the largest value of a number in the caller's space.
    pub range: [f64; 2],
    /// How pictures of another size were brought to the network's when it was trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resize: Option<Resize>,
    /// The output that holds the scores, where the file has several that could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What the scores are.
    pub scores: ScoreKind,
    /// The names of the classes; numbers if empty.
    pub classes: Vec<String>,
}

impl Default for Description {
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            shape: None,
            scale: 1.0,
            mean: Vec::new(),
            std: Vec::new(),
            range: [0.0, 1.0],
            resize: None,
            output: None,
            scores: ScoreKind::default(),
            classes: Vec::new(),
        }
    }
}

/// Where a network has its channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Batch, channel, row, column.
    #[default]
    Nchw,
    /// Batch, row, column, channel.
    Nhwc,
}

/// How a picture of another size becomes one of the network's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resize {
    /// Its middle: the sides are scaled until they cover 8/7 of the network's, and what is beyond the network's is cut off, as when
    /// classifiers of ImageNet are tested (256 pixels, of which 224).
    Crop,
    /// All of it, with grey bars where it does not reach.
    Letterbox,
    /// All of it, stretched.
    Squash,
}

impl Resize {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crop => "crop",
            Self::Letterbox => "letterbox",
            Self::Squash => "squash",
        }
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Crop => "their middle (crop)",
            Self::Letterbox => "all of them within grey bars (letterbox)",
            Self::Squash => "all of them, stretched (squash)",
        }
    }
}

/// What scores are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreKind {
    /// Any numbers, the largest wins.
    Logits,
    /// Not negative, with sum 1.
    Probabilities,
    /// Probabilities if they look so at an ordinary input, else logits.
    #[default]
    Auto,
}

/// How far the sum of probabilities may be from 1 in single precision.
const SUM_TOLERANCE: f64 = 1e-4;

impl ScoreKind {
    /// What scores are by their looks, so many for each input: probabilities if all are.
    pub(crate) fn of(scores: &[f64], classes: usize) -> Self {
        let is_distribution = |scores: &[f64]| {
            scores.iter().all(|score| *score >= 0.0)
                && (scores.iter().sum::<f64>() - 1.0).abs() < SUM_TOLERANCE
        };
        let all = scores.chunks_exact(classes.max(1)).all(is_distribution);
        if all { Self::Probabilities } else { Self::Logits }
    }
}

impl Description {
    /// Reads a description from text.
    pub fn parse(text: &str) -> Result<Self, DescriptionError> {
        let description: Self =
            toml::from_str(text).map_err(|error| DescriptionError::Syntax { message: error.to_string() })?;
        description.check()?;
        Ok(description)
    }

    /// Reads a description from a file.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let read = || {
            let bytes = file::read(path, MAX_BYTES)?;
            let text = String::from_utf8(bytes)
                .map_err(|error| DescriptionError::Syntax { message: error.to_string() })?;
            Ok::<_, Problem>(Self::parse(&text)?)
        };
        read().map_err(|problem| problem.at(path))
    }

    /// The description beside a model: `lenet.toml` for `lenet.onnx`; the default if there is none.
    pub fn beside(model: &Path) -> Result<Self, LoadError> {
        let path = model.with_extension("toml");
        if path.exists() { Self::load(&path) } else { Ok(Self::default()) }
    }

    /// Whether the numbers make sense on their own.
    pub(crate) fn check(&self) -> Result<(), DescriptionError> {
        let finite = |what, values: &[f64]| {
            let bad = values.iter().copied().enumerate().find(|(_, value)| !value.is_finite());
            bad.map_or(Ok(()), |(index, value)| Err(DescriptionError::NotFinite { what, index, value }))
        };
        finite("scale", &[self.scale])?;
        finite("mean", &self.mean)?;
        finite("std", &self.std)?;
        finite("range", &self.range)?;
        if self.scale == 0.0 {
            return Err(DescriptionError::Zero { what: "scale", index: 0 });
        }
        if let Some(index) = self.std.iter().position(|value| *value == 0.0) {
            return Err(DescriptionError::Zero { what: "std", index });
        }
        if self.range[0] >= self.range[1] {
            return Err(DescriptionError::Range { low: self.range[0], high: self.range[1] });
        }
        match &self.shape {
            Some(shape) if shape.is_empty() || shape.contains(&0) => Err(DescriptionError::EmptyShape),
            _ => Ok(()),
        }
    }

    /// The way from the caller's space to the network's tensor, for inputs of this shape (channels first).
    pub(crate) fn preparation(&self, shape: &[usize]) -> Result<Preparation, DescriptionError> {
        // A flat input has one channel.
        let channels = if shape.len() > 1 { shape[0] } else { 1 };
        for (what, found) in [("mean", self.mean.len()), ("std", self.std.len())] {
            if found != 0 && found != channels {
                return Err(DescriptionError::Channels { what, expected: channels, found });
            }
        }
        let affine = |c: usize| {
            let std = self.std.get(c).copied().unwrap_or(1.0);
            let mean = self.mean.get(c).copied().unwrap_or(0.0);
            (self.scale / std, -mean / std)
        };
        let pixels = shape.iter().product::<usize>() / channels;
        let turned = self.layout == Layout::Nhwc && channels > 1;
        Ok(Preparation { affine: (0..channels).map(affine).collect(), pixels, turned })
    }
}

/// One pass from the caller's numbers to the network's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Preparation {
    /// Factor and offset per channel.
    affine: Vec<(f64, f64)>,
    pixels: usize,
    turned: bool,
}

impl Preparation {
    /// Numbers per input.
    pub(crate) fn dim(&self) -> usize {
        self.affine.len() * self.pixels
    }

    /// Writes one input. Numbers too large for single precision become infinite and show in the scores.
    #[expect(clippy::cast_possible_truncation, reason = "single precision is what the network takes")]
    pub(crate) fn write(&self, x: &[f64], out: &mut [f32]) {
        self.write_as(x, out, |value| value as f32);
    }

    /// Writes one input in another precision.
    pub(crate) fn write_as<T>(&self, x: &[f64], out: &mut [T], narrow: impl Fn(f64) -> T) {
        let channels = self.affine.len();
        for ((c, x), &(a, b)) in x.chunks_exact(self.pixels).enumerate().zip(&self.affine) {
            if self.turned {
                for (out, x) in out[c..].iter_mut().step_by(channels).zip(x) {
                    *out = narrow(a * x + b);
                }
            } else {
                for (out, x) in out[c * self.pixels..].iter_mut().zip(x) {
                    *out = narrow(a * x + b);
                }
            }
        }
    }
}

/// What is wrong with a description.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptionError {
    /// It cannot be understood.
    #[error("the description cannot be understood: {message}")]
    Syntax {
        /// What and where.
        message: String,
    },
    /// A number is NaN or infinite.
    #[error("{what}[{index}] in the description is {value}: a finite number is needed")]
    NotFinite {
        /// Which entry.
        what: &'static str,
        /// Where in it.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// A number that is divided by, or that would wipe out the input, is 0.
    #[error("{what}[{index}] in the description is 0: it must not be")]
    Zero {
        /// Which entry.
        what: &'static str,
        /// Where in it.
        index: usize,
    },
    /// The range holds nothing.
    #[error("the range in the description goes from {low} to {high}: the first must be below the second")]
    Range {
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
    },
    /// The shape has no axes or an axis of length 0.
    #[error("the shape in the description holds no numbers: give the lengths of all axes, each at least 1")]
    EmptyShape,
    /// Not one number per channel.
    #[error(
        "{what} in the description has {found} numbers, the model has {expected} channels: give one per channel"
    )]
    Channels {
        /// Which entry.
        what: &'static str,
        /// Channels of the model.
        expected: usize,
        /// Numbers found.
        found: usize,
    },
    /// Not one name per class.
    #[error("the description names {found} classes, the model has {expected}")]
    Classes {
        /// Classes of the model.
        expected: usize,
        /// Names found.
        found: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_description_changes_nothing() {
        let description = Description::parse("").unwrap();
        assert_eq!(description, Description::default());
        let mut out = [0.0; 4];
        description.preparation(&[1, 2, 2]).unwrap().write(&[0.0, 0.5, -1.0, 3.0], &mut out);
        assert_eq!(out, [0.0, 0.5, -1.0, 3.0]);
    }

    #[test]
    fn mean_and_std_are_per_channel_and_channels_move_last() {
        let mut description = Description { scale: 2.0, mean: vec![1.0, 10.0], ..Description::default() };
        description.std = vec![0.5, 2.0];
        let (x, mut out) = ([1.0, 2.0, 3.0, 1.0, 2.0, 3.0], [0.0; 6]);
        description.preparation(&[2, 1, 3]).unwrap().write(&x, &mut out);
        assert_eq!(out, [2.0, 6.0, 10.0, -4.0, -3.0, -2.0]);
        description.layout = Layout::Nhwc;
        description.preparation(&[2, 1, 3]).unwrap().write(&x, &mut out);
        assert_eq!(out, [2.0, -4.0, 6.0, -3.0, 10.0, -2.0]);
    }

    #[test]
    fn a_description_survives_being_written() {
        let description =
            Description { shape: Some(vec![3, 8, 8]), std: vec![0.5; 3], ..Description::default() };
        assert_eq!(Description::parse(&toml::to_string(&description).unwrap()).unwrap(), description);
    }

    #[test]
    fn bad_descriptions_are_refused_with_the_entry_named() {
        for (text, part) in [
            ("colour = 1", "colour"),
            ("layout = \"chwn\"", "chwn"),
            ("scale = nan", "scale[0]"),
            ("scale = 0", "scale[0]"),
            ("mean = [0.0, inf]", "mean[1]"),
            ("std = [1.0, 0.0]", "std[1]"),
            ("range = [1.0, 0.0]", "from 1 to 0"),
            ("range = [0.0]", "range"),
            ("shape = []", "shape"),
            ("shape = [1, 0]", "shape"),
            ("shape = [-1]", "shape"),
            ("scores = 3", "scores"),
            ("= nothing", "understood"),
        ] {
            let error = Description::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let description = Description { mean: vec![0.5; 2], ..Description::default() };
        let wrong = DescriptionError::Channels { what: "mean", expected: 3, found: 2 };
        assert_eq!(description.preparation(&[3, 4, 4]), Err(wrong));
    }
}

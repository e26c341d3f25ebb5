//! What models are asked about: pictures and arrays, one or many, turned into the numbers of one input.

mod content;
mod jpeg;
mod picture;
mod array;
mod source;

pub(crate) use source::Source;

use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use content::Content;
use gradless::PerCoordinate;
use gradless_explain::features::are_photographs;
use gradless_models::{Description, Resize};
use picture::Picture;
use serde::Serialize;

const DIGIT: &[u8] = include_bytes!("../assets/digits/5.png");
/// Digits beside and below each other.
const SHEET: &[u8] = include_bytes!("../assets/digits/sheet.png");
/// The shape of the embedded digits.
pub(crate) const DIGIT_SHAPE: [usize; 3] = [1, 28, 28];

/// What inputs must become.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// The shape of one input of the model, channels first.
    pub(crate) shape: Vec<usize>,
    /// The numbers black and white stand for.
    pub(crate) range: [f64; 2],
    /// How pictures of another size become those of the model, and colour grey if it must; they are refused if not given.
    pub(crate) resize: Option<Resize>,
}

impl Space {
    /// How many numbers one input has.
    pub(crate) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// What values stand for, if 0 is black.
    ///
    /// The order of the operations matters: pictures that were written with it come back as they were.
    fn scale(&self, white: f64) -> anyhow::Result<impl Fn(f64) -> f64 + Copy + use<>> {
        let [low, high] = self.range;
        ensure!(
            (high - low).is_finite(),
            "has black and white, for which the range {low} to {high} in the model's description has no numbers"
        );
        Ok(move |value| low + (high - low) * value / white)
    }

    /// Channels, rows and columns, if inputs are pictures.
    fn picture(&self) -> anyhow::Result<[usize; 3]> {
        match *self.shape {
            [channels @ (1 | 3), rows, columns] => Ok([channels, rows, columns]),
            [channels, _, _] => bail!(
                "is a picture, but the model takes {channels} channels, pictures have 1 or 3: pass an array (.npy)"
            ),
            ref shape => bail!(
                "is a picture, but the model takes inputs of shape {shape:?}, which are not pictures: pass an array (.npy)"
            ),
        }
    }
}

/// How pictures are brought to a model's size, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResizeWord {
    /// As the model was trained: `resize` in its description; else crop above 64 x 64 and squash below
    Trained,
    /// The middle of the picture, its shorter side brought to 8/7 of the model's and cut to it
    Crop,
    /// All of it, with grey bars
    Letterbox,
    /// All of it, stretched
    Squash,
}

/// How pictures become those of a model: as asked; photographs also if nothing is asked.
pub(crate) fn resize(
    asked: Option<ResizeWord>,
    description: &Description,
    shape: &[usize],
) -> Option<Resize> {
    let photographs = are_photographs(shape);
    let by_size = if photographs { Resize::Crop } else { Resize::Squash };
    match asked {
        None if !photographs => None,
        None | Some(ResizeWord::Trained) => Some(description.resize.unwrap_or(by_size)),
        Some(ResizeWord::Crop) => Some(Resize::Crop),
        Some(ResizeWord::Letterbox) => Some(Resize::Letterbox),
        Some(ResizeWord::Squash) => Some(Resize::Squash),
    }
}

/// The embedded digit, a 5.
pub(crate) fn digit(space: &Space) -> anyhow::Result<Vec<f64>> {
    Picture::decode(DIGIT).and_then(|picture| picture.numbers(space)).context("the embedded digit")
}

/// The embedded sheet of digits, one after the other.
pub(crate) fn digits(space: &Space) -> anyhow::Result<Vec<Vec<f64>>> {
    let [_, rows, columns] = DIGIT_SHAPE;
    Picture::decode(SHEET).and_then(|sheet| sheet.tiles(rows, columns, space)).context("the embedded digits")
}

/// One input from a file: a picture (PNG, JPEG) or an array (`.npy`).
pub(crate) fn read(path: &Path, space: &Space) -> anyhow::Result<Vec<f64>> {
    let read = || match content::of_file(path)? {
        Content::Picture => {
            space.picture()?;
            Picture::open(path)?.numbers(space)
        }
        Content::Array => array::read(path, space),
        Content::Images => {
            bail!("holds many images (IDX), one input is needed: a picture or an array (.npy)")
        }
    };
    read().with_context(|| path.display().to_string())
}

/// One input from the bytes of a picture (PNG, JPEG).
pub(crate) fn decode(bytes: &[u8], space: &Space) -> anyhow::Result<Vec<f64>> {
    space.picture()?;
    Picture::decode(bytes)?.numbers(space)
}

/// Which numbers of an input a file marks: those at the bright places of a picture (at least half of white, in any
/// channel), or where an array (`.npy`) is not 0.
///
/// A place is marked in all channels or in none. Masks are never resized: where they end is what they say.
pub(crate) fn mask(path: &Path, space: &Space) -> anyhow::Result<Vec<bool>> {
    let read = || match content::of_file(path)? {
        Content::Picture => {
            space.picture()?;
            Picture::open(path)?.bright(space)
        }
        Content::Array => array::mask(path, space),
        Content::Images => bail!("holds many images (IDX), one mask is needed: a picture or an array (.npy)"),
    };
    read().with_context(|| path.display().to_string())
}

/// The label of every pixel: the grey levels or colours of a picture, or the whole numbers of an array (`.npy`) of rows and columns. Labels
/// are never resized.
pub(crate) fn labels(path: &Path, space: &Space) -> anyhow::Result<Vec<u32>> {
    let [_, rows, columns] = space.picture()?;
    let read = || match content::of_file(path)? {
        Content::Picture => Picture::open(path)?.labels(rows, columns),
        Content::Array => array::labels(path, rows, columns),
        Content::Images => bail!("holds many images (IDX), one picture of labels is needed"),
    };
    read().with_context(|| path.display().to_string())
}

/// A colour of three numbers from 0 to 255 (`124,116,104`), for every place; `None` if it is none.
pub(crate) fn colour(text: &str, space: &Space) -> anyhow::Result<Option<PerCoordinate>> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != 3 || Path::new(text).exists() {
        return Ok(None);
    }
    let [channels, rows, columns] = space.picture()?;
    let scale = space.scale(255.0)?;
    let mut levels = Vec::new();
    for part in parts {
        let level = part.trim().parse().ok().filter(|level| (0.0..=255.0).contains(level));
        levels.push(scale(
            level.with_context(|| format!("{text} is no colour: three numbers from 0 to 255 are needed"))?,
        ));
    }
    ensure!(channels == 3, "{text} is a colour, the model takes grey pictures: give one number");
    Ok(Some(
        levels
            .iter()
            .flat_map(|&level| std::iter::repeat_n(level, rows * columns))
            .collect::<Vec<f64>>()
            .into(),
    ))
}

/// One number for all places (`0.5`), or a file with one for each, read as an input is.
pub(crate) fn number_or_file(text: &str, space: &Space) -> anyhow::Result<PerCoordinate> {
    if let Ok(number) = text.trim().parse::<f64>() {
        ensure!(number.is_finite(), "{text} is not a finite number");
        return Ok(number.into());
    }
    let path = Path::new(text);
    ensure!(
        path.exists(),
        "{text} is neither a number nor a file: write 0.5, or the path of a .npy file or a picture"
    );
    Ok(read(path, space)?.into())
}

#[cfg(test)]
mod tests;

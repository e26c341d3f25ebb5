//! What models are asked about: pictures and arrays, one or many, turned into the numbers of one input.

mod content;
mod jpeg;
mod picture;
mod array;
mod source;

pub(crate) use source::Source;

use std::path::Path;

use anyhow::{Context, bail, ensure};
use content::Content;
use gradless::PerCoordinate;
use picture::Picture;

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
    /// Whether pictures of another size are stretched to the model's, and colour is turned to grey if it must be.
    pub(crate) resize: bool,
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

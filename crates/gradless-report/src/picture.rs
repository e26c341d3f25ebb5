//! Pictures: grey or colour values between 0 and 1, and the 8-bit files made of them.

mod base64;
mod overlay;
mod regions;
mod shrink;

pub(crate) use overlay::changed_pixels;
pub use overlay::{Marks, overlay};
pub use regions::{Outline, heat, outlined};

use serde::{Deserialize, Serialize};

/// The largest width and height.
pub const LARGEST_SIDE: usize = 1 << 16;

/// A grey or colour image. Values lie between 0 and 1, channel first, then row by row.
///
/// Once made it is valid: reading one from JSON makes the same checks as [`Picture::new`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Picture {
    channels: usize,
    height: usize,
    width: usize,
    values: Vec<f64>,
}

/// What may be wrong with a picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Neither grey nor colour.
    #[error(
        "a picture has 1 channel (grey) or 3 (red, green, blue), not {channels}: choose the channels to show"
    )]
    Channels {
        /// Channels found.
        channels: usize,
    },
    /// Nothing to see, or too much.
    #[error("a picture of {height} x {width} pixels cannot be drawn: each side must be between 1 and 65536")]
    Size {
        /// Rows found.
        height: usize,
        /// Columns found.
        width: usize,
    },
    /// The values do not fill the picture.
    #[error("{found} values do not make {channels} x {height} x {width} pixels: {expected} are needed")]
    Count {
        /// Channels of the picture.
        channels: usize,
        /// Rows of the picture.
        height: usize,
        /// Columns of the picture.
        width: usize,
        /// Values needed.
        expected: usize,
        /// Values found.
        found: usize,
    },
    /// A value is outside 0..=1 or not a number.
    #[error("value {index} is {value}, outside 0..=1: undo the model's preprocessing first, or clamp")]
    Range {
        /// Where it is.
        index: usize,
        /// What it is.
        value: f64,
    },
}

impl Picture {
    /// A picture of these values, if they are one.
    pub fn new(channels: usize, height: usize, width: usize, values: Vec<f64>) -> Result<Self, PictureError> {
        if channels != 1 && channels != 3 {
            return Err(PictureError::Channels { channels });
        }
        if !(1..=LARGEST_SIDE).contains(&height) || !(1..=LARGEST_SIDE).contains(&width) {
            return Err(PictureError::Size { height, width });
        }
        let expected = channels.saturating_mul(height).saturating_mul(width);
        if values.len() != expected {
            let found = values.len();
            return Err(PictureError::Count { channels, height, width, expected, found });
        }
        if let Some(index) = values.iter().position(|value| !(0.0..=1.0).contains(value)) {
            return Err(PictureError::Range { index, value: values[index] });
        }
        Ok(Self { channels, height, width, values })
    }

    /// As [`Picture::new`], after values outside 0..=1 were moved to the nearer end. NaN stays an error.
    pub fn clamped(
        channels: usize,
        height: usize,
        width: usize,
        mut values: Vec<f64>,
    ) -> Result<Self, PictureError> {
        for value in &mut values {
            *value = value.clamp(0.0, 1.0);
        }
        Self::new(channels, height, width, values)
    }

    /// 1 for grey, 3 for colour.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The values, channel first, then row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Pixels, whatever the number of channels.
    pub fn pixels(&self) -> usize {
        self.height * self.width
    }

    /// What the 8-bit file says: every value at the nearest multiple of 1/255, halves up.
    #[must_use]
    pub fn quantised(&self) -> Self {
        let values = self.values.iter().map(|&value| f64::from(byte(value)) / 255.0).collect();
        Self { values, ..*self }
    }

    /// The picture as a PNG file: 8 bits, grey or RGB, at its own size, rounded as [`Picture::quantised`] says.
    #[expect(
        clippy::missing_panics_doc,
        reason = "writing a picture of a checked size into memory does not fail"
    )]
    pub fn to_png(&self) -> Vec<u8> {
        self.encode().expect("writing a picture of a checked size into memory does not fail")
    }

    /// The PNG file as an address that a page can show without fetching anything.
    pub fn data_uri(&self) -> String {
        format!("data:image/png;base64,{}", base64::encode(&self.to_png()))
    }

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let side = |side: usize| u32::try_from(side).map_err(|_| png::EncodingError::LimitsExceeded);
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, side(self.width)?, side(self.height)?);
        encoder.set_color(if self.channels == 1 { png::ColorType::Grayscale } else { png::ColorType::Rgb });
        encoder.set_depth(png::BitDepth::Eight);
        let pixels = self.pixels();
        let bytes: Vec<u8> = (0..pixels)
            .flat_map(|pixel| {
                (0..self.channels).map(move |channel| byte(self.values[channel * pixels + pixel]))
            })
            .collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(file)
    }

    /// Brightness of a pixel as the eye weighs the colours (Rec. 709), on the stored values.
    fn brightness(&self, pixel: usize) -> f64 {
        let pixels = self.pixels();
        if self.channels == 1 {
            return self.values[pixel];
        }
        let [r, g, b] = [0, 1, 2].map(|channel| self.values[channel * pixels + pixel]);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values lie between 0 and 1")]
fn byte(value: f64) -> u8 {
    (value * 255.0).round() as u8
}

/// A picture as it stands in a file, before it was looked at.
#[derive(Deserialize)]
struct Unchecked {
    channels: usize,
    height: usize,
    width: usize,
    values: Vec<f64>,
}

impl TryFrom<Unchecked> for Picture {
    type Error = PictureError;

    fn try_from(found: Unchecked) -> Result<Self, PictureError> {
        Self::new(found.channels, found.height, found.width, found.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(file: &[u8]) -> (png::ColorType, u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        (info.color_type, info.width, info.height, bytes)
    }

    #[test]
    fn a_grey_file_holds_the_nearest_bytes() {
        let picture = Picture::new(1, 1, 4, vec![0.0, 0.5, 0.25, 1.0]).unwrap();
        assert_eq!(decoded(&picture.to_png()), (png::ColorType::Grayscale, 4, 1, vec![0, 128, 64, 255]));
    }

    #[test]
    fn a_colour_file_has_its_channels_side_by_side() {
        let picture = Picture::new(3, 2, 1, vec![1.0, 0.0, 0.2, 0.4, 0.0, 1.0]).unwrap();
        let bytes = vec![255, 51, 0, 0, 102, 255];
        assert_eq!(decoded(&picture.to_png()), (png::ColorType::Rgb, 1, 2, bytes));
    }

    #[test]
    fn quantised_is_what_the_file_says_and_stays_as_it_is() {
        let picture = Picture::new(1, 1, 3, vec![0.1, 0.501, 0.999]).unwrap();
        let quantised = picture.quantised();
        assert_eq!(quantised.values(), [26.0 / 255.0, 128.0 / 255.0, 1.0]);
        assert_eq!(quantised.quantised(), quantised);
        assert_eq!(quantised.to_png(), picture.to_png());
    }

    #[test]
    fn what_is_not_a_picture_is_refused_with_what_was_found() {
        assert_eq!(Picture::new(2, 1, 1, vec![0.0; 2]), Err(PictureError::Channels { channels: 2 }));
        assert_eq!(Picture::new(1, 0, 3, vec![]), Err(PictureError::Size { height: 0, width: 3 }));
        let count = PictureError::Count { channels: 1, height: 2, width: 2, expected: 4, found: 3 };
        assert_eq!(Picture::new(1, 2, 2, vec![0.0; 3]), Err(count));
        assert_eq!(Picture::new(1, 1, 2, vec![0.0, 1.5]), Err(PictureError::Range { index: 1, value: 1.5 }));
        assert!(matches!(Picture::new(1, 1, 1, vec![f64::NAN]), Err(PictureError::Range { index: 0, .. })));
        assert!(Picture::clamped(1, 1, 1, vec![f64::NAN]).is_err());
        assert_eq!(Picture::clamped(1, 1, 2, vec![-0.5, 1.5]).unwrap().values(), [0.0, 1.0]);
    }

    #[test]
    fn a_picture_from_json_is_checked_too() {
        let picture = Picture::new(1, 1, 2, vec![0.0, 0.3]).unwrap();
        let json = serde_json::to_string(&picture).unwrap();
        assert_eq!(serde_json::from_str::<Picture>(&json).unwrap(), picture);
        assert!(serde_json::from_str::<Picture>(&json.replace("0.3", "3.0")).is_err());
    }
}

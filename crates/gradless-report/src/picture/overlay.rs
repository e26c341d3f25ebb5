//! Draws a change over the picture it changes.

use super::{Picture, PictureError};

/// The colours of a change, from Okabe and Ito's palette: told apart with any of the common colour blindnesses, and both
/// light, as the picture below is darkened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// What became brighter in orange (`#E69F00`), what became darker in sky blue (`#56B4E9`).
    Change,
    /// What was kept in yellow (`#F0E442`), whatever its sign.
    Kept,
}

impl Marks {
    fn colour(self, brighter: bool) -> [u8; 3] {
        match (self, brighter) {
            (Self::Kept, _) => [0xF0, 0xE4, 0x42],
            (Self::Change, true) => [0xE6, 0x9F, 0x00],
            (Self::Change, false) => [0x56, 0xB4, 0xE9],
        }
    }
}

/// The share of its colour that the weakest mark has. Below about one half a mark is hard to see on a bright pixel.
const WEAKEST: f64 = 0.6;

/// Marks `change` on a dark grey version of `original`.
///
/// The larger the change of a pixel (its largest over the channels), the purer its colour; the smallest is still well
/// visible. A pixel whose channels move in both directions counts as what their sum says. On pictures of more than 150
/// pixels a side sparse marks are drawn wider than one pixel, or nobody would find them.
///
/// Values of `change` that are not numbers are left out.
///
/// # Errors
///
/// When `change` has not as many values as `original`.
pub fn overlay(original: &Picture, change: &[f64], marks: Marks) -> Result<Picture, PictureError> {
    let Picture { channels, height, width, .. } = *original;
    let (expected, found) = (original.values.len(), change.len());
    if expected != found {
        return Err(PictureError::Count { channels, height, width, expected, found });
    }
    let pixels = original.pixels();
    let changed = changed_pixels(change, pixels);
    let largest = changed.iter().map(|mark| mark.size).fold(0.0, f64::max);
    let reach = if changed.len() * 50 <= pixels { (height.max(width) / 150).min(8) } else { 0 };

    let mut values: Vec<f64> = (0..pixels).map(|pixel| faded(original.brightness(pixel))).collect();
    values.extend_from_within(..);
    values.extend_from_within(..pixels);
    let mut drawn = vec![0.0; pixels];
    for mark in &changed {
        let share = WEAKEST + (1.0 - WEAKEST) * mark.size / largest;
        let colour = marks.colour(mark.brighter).map(|byte| f64::from(byte) / 255.0);
        let (row, column) = (mark.pixel / width, mark.pixel % width);
        for y in row.saturating_sub(reach)..=(row + reach).min(height - 1) {
            for x in column.saturating_sub(reach)..=(column + reach).min(width - 1) {
                let pixel = y * width + x;
                // Where marks meet, a pixel's own comes first, then the strongest.
                let rank = if pixel == mark.pixel { f64::INFINITY } else { mark.size };
                if rank > drawn[pixel] {
                    drawn[pixel] = rank;
                    let below = faded(original.brightness(pixel));
                    for (channel, colour) in colour.iter().enumerate() {
                        values[channel * pixels + pixel] = below + share * (colour - below);
                    }
                }
            }
        }
    }
    Ok(Picture { channels: 3, height, width, values })
}

/// Dark enough that both colours stand out from white, light enough that the picture is recognised.
pub(super) fn faded(brightness: f64) -> f64 {
    0.07 + 0.33 * brightness
}

/// One changed pixel.
pub(crate) struct Mark {
    pixel: usize,
    size: f64,
    pub(crate) brighter: bool,
}

/// The pixels with a change in any channel.
pub(crate) fn changed_pixels(change: &[f64], pixels: usize) -> Vec<Mark> {
    let mark = |pixel: usize| {
        let channels =
            || change.iter().skip(pixel).step_by(pixels).copied().filter(|value| value.is_finite());
        let size = channels().map(f64::abs).fold(0.0, f64::max);
        (size > 0.0).then(|| Mark { pixel, size, brighter: channels().sum::<f64>() >= 0.0 })
    };
    (0..pixels).filter_map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(picture: &Picture, pixel: usize) -> [f64; 3] {
        [0, 1, 2].map(|channel| picture.values()[channel * picture.pixels() + pixel])
    }

    #[test]
    fn the_largest_change_has_the_pure_colour_and_no_change_is_grey() {
        let original = Picture::new(1, 1, 3, vec![0.0, 1.0, 1.0]).unwrap();
        let drawn = overlay(&original, &[0.5, -0.5, 0.0], Marks::Change).unwrap();
        assert_eq!(rgb(&drawn.quantised(), 0).map(|v| v * 255.0), [230.0, 159.0, 0.0]);
        assert_eq!(rgb(&drawn.quantised(), 1).map(|v| v * 255.0), [86.0, 180.0, 233.0]);
        assert_eq!(rgb(&drawn, 2), [faded(1.0); 3]);
    }

    #[test]
    fn the_smallest_change_is_still_seen() {
        let original = Picture::new(1, 1, 2, vec![1.0, 1.0]).unwrap();
        let drawn = overlay(&original, &[1e-9, -1.0], Marks::Change).unwrap();
        let [r, _, b] = rgb(&drawn, 0);
        assert!(r - b > 0.5, "orange over white: red {r}, blue {b}");
    }

    #[test]
    fn colours_are_told_apart_by_the_sum_of_the_channels() {
        let original = Picture::new(3, 1, 2, vec![0.5; 6]).unwrap();
        let drawn = overlay(&original, &[0.2, -0.3, -0.1, 0.1, 0.0, 0.0], Marks::Change).unwrap();
        assert!(rgb(&drawn, 0)[0] > rgb(&drawn, 0)[2], "up");
        assert!(rgb(&drawn, 1)[0] < rgb(&drawn, 1)[2], "down");
    }

    #[test]
    fn sparse_marks_on_a_large_picture_are_wider_and_stay_inside() {
        let original = Picture::new(1, 200, 200, vec![0.0; 40_000]).unwrap();
        let mut change = vec![0.0; 40_000];
        change[0] = 1.0;
        change[100 * 200 + 100] = -1.0;
        let drawn = overlay(&original, &change, Marks::Change).unwrap();
        let marked = (0..40_000).filter(|&pixel| rgb(&drawn, pixel) != [faded(0.0); 3]).count();
        assert_eq!(marked, 4 + 9);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_what_is_not_a_number_left_out() {
        let original = Picture::new(1, 1, 2, vec![0.0, 1.0]).unwrap();
        assert!(matches!(overlay(&original, &[0.0], Marks::Kept), Err(PictureError::Count { found: 1, .. })));
        let drawn = overlay(&original, &[f64::NAN, f64::INFINITY], Marks::Kept).unwrap();
        assert_eq!(drawn, overlay(&original, &[0.0, 0.0], Marks::Kept).unwrap());
    }
}

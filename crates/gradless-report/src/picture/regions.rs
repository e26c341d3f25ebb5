//! Draws regions of a picture: where an answer lies, and how much every region matters.

use super::overlay::faded;
use super::{Picture, PictureError};

/// How regions are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outline {
    /// What was kept, in its own colours within a yellow line (`#F0E442`); the rest is dark and grey.
    Kept,
    /// What was taken away, tinted in sky blue (`#56B4E9`) within a line of it; the rest keeps its colours.
    Removed,
}

/// The share of its tint that a removed pixel has.
const TINT: f64 = 0.55;
/// Pixels of a side for which the line is one pixel wide.
const PER_LINE: usize = 160;
/// What speaks for the class: vermilion (`#D55E00`); what speaks against it: blue (`#0072B2`).
const FOR: [f64; 3] = [213.0 / 255.0, 94.0 / 255.0, 0.0];
const AGAINST: [f64; 3] = [0.0, 114.0 / 255.0, 178.0 / 255.0];
/// The share of its colour that the strongest region has.
const STRONGEST: f64 = 0.85;

/// The picture with the marked pixels outlined.
///
/// # Errors
///
/// When there are not as many marks as pixels.
pub fn outlined(original: &Picture, marked: &[bool], outline: Outline) -> Result<Picture, PictureError> {
    let (height, width) = (original.height, original.width);
    check(original, marked.len())?;
    let line = (height.max(width) / PER_LINE).max(1);
    let is_marked = |row: Option<usize>, column: Option<usize>| match (row, column) {
        (Some(row), Some(column)) if row < height && column < width => marked[row * width + column],
        // The picture's edge closes a region.
        _ => false,
    };
    let on_line = |pixel: usize| {
        let (row, column) = (pixel / width, pixel % width);
        (1..=line).any(|far| {
            let sides = [
                (row.checked_sub(far), Some(column)),
                (Some(row + far), Some(column)),
                (Some(row), column.checked_sub(far)),
                (Some(row), Some(column + far)),
            ];
            sides.into_iter().any(|(row, column)| !is_marked(row, column))
        })
    };
    let colour = match outline {
        Outline::Kept => [0xF0, 0xE4, 0x42],
        Outline::Removed => [0x56, 0xB4, 0xE9],
    };
    let colour = colour.map(|byte: u8| f64::from(byte) / 255.0);
    let drawn = |pixel: usize| {
        let own = rgb(original, pixel);
        match (marked[pixel], outline) {
            (true, _) if on_line(pixel) => colour,
            (true, Outline::Kept) | (false, Outline::Removed) => own,
            (false, Outline::Kept) => [faded(original.brightness(pixel)); 3],
            (true, Outline::Removed) => mixed([faded(original.brightness(pixel)); 3], colour, TINT),
        }
    };
    Ok(picture(original, drawn))
}

/// How much every pixel's region matters, drawn over a dark grey version of the picture: the more, the purer the colour. What is not
/// larger than its standard error is not drawn.
///
/// # Errors
///
/// When there are not as many numbers as pixels.
pub fn heat(original: &Picture, importance: &[f64], error: &[f64]) -> Result<Picture, PictureError> {
    check(original, importance.len())?;
    check(original, error.len())?;
    let is_known =
        |pixel: usize| importance[pixel].is_finite() && importance[pixel].abs() > error[pixel].abs();
    let known = (0..original.pixels()).filter(|&pixel| is_known(pixel));
    let most = known.map(|pixel| importance[pixel].abs()).fold(0.0, f64::max);
    let drawn = |pixel: usize| {
        let below = [faded(original.brightness(pixel)); 3];
        if most == 0.0 || !is_known(pixel) {
            return below;
        }
        let size = importance[pixel];
        mixed(below, if size > 0.0 { FOR } else { AGAINST }, STRONGEST * size.abs() / most)
    };
    Ok(picture(original, drawn))
}

fn check(original: &Picture, found: usize) -> Result<(), PictureError> {
    let Picture { height, width, .. } = *original;
    let expected = original.pixels();
    if found == expected {
        Ok(())
    } else {
        Err(PictureError::Count { channels: 1, height, width, expected, found })
    }
}

fn rgb(original: &Picture, pixel: usize) -> [f64; 3] {
    let pixels = original.pixels();
    match original.channels {
        1 => [original.values[pixel]; 3],
        _ => [0, 1, 2].map(|channel| original.values[channel * pixels + pixel]),
    }
}

fn mixed(below: [f64; 3], above: [f64; 3], share: f64) -> [f64; 3] {
    [0, 1, 2].map(|channel| below[channel] + share * (above[channel] - below[channel]))
}

/// A colour picture of the same size.
fn picture(original: &Picture, drawn: impl Fn(usize) -> [f64; 3]) -> Picture {
    let pixels = original.pixels();
    let mut values = vec![0.0; 3 * pixels];
    for pixel in 0..pixels {
        for (channel, value) in drawn(pixel).into_iter().enumerate() {
            values[channel * pixels + pixel] = value;
        }
    }
    Picture { channels: 3, height: original.height, width: original.width, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 6 x 6, a square of 4 x 4 marked.
    fn square() -> (Picture, Vec<bool>) {
        let picture = Picture::new(3, 6, 6, (0..108).map(|i| f64::from(i) / 108.0).collect()).unwrap();
        (picture, (0..36).map(|i| (1..5).contains(&(i / 6)) && (1..5).contains(&(i % 6))).collect())
    }

    #[test]
    fn what_is_kept_has_its_own_colours_within_a_line() {
        let (original, marked) = square();
        let drawn = outlined(&original, &marked, Outline::Kept).unwrap();
        assert_eq!(rgb(&drawn, 14), rgb(&original, 14), "inside");
        assert_eq!(rgb(&drawn, 7), [240.0 / 255.0, 228.0 / 255.0, 66.0 / 255.0], "on the line");
        let grey = rgb(&drawn, 0);
        assert!(grey[0] == grey[1] && grey[1] == grey[2], "outside");
        assert!(outlined(&original, &marked[1..], Outline::Kept).is_err());
    }

    #[test]
    fn what_is_removed_is_tinted_and_the_rest_is_as_it_was() {
        let (original, marked) = square();
        let drawn = outlined(&original, &marked, Outline::Removed).unwrap();
        assert_eq!(rgb(&drawn, 0), rgb(&original, 0));
        let [r, _, b] = rgb(&drawn, 14);
        assert!(b > r, "blue");
    }

    #[test]
    fn heat_is_drawn_where_it_is_known() {
        let (original, _) = square();
        let mut importance = vec![0.0; 36];
        (importance[3], importance[4], importance[5]) = (2.0, -1.0, 0.5);
        let drawn = heat(&original, &importance, &[0.6; 36]).unwrap();
        let [r, _, b] = rgb(&drawn, 3);
        assert!(r > 0.6 && b < 0.2, "for");
        let [r, _, b] = rgb(&drawn, 4);
        assert!(b > r, "against");
        let [r, g, b] = rgb(&drawn, 5);
        assert!(r == g && g == b, "not known well enough");
        assert!(heat(&original, &importance, &[0.6; 35]).is_err());
    }
}

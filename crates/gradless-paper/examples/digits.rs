//! Writes the first test image of each digit as `0.png` to `9.png`: how `assets/digits` was made.
//!
//! `cargo run -p gradless-paper --example digits -- data/mnist assets/digits`

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

use gradless_paper::data::{Split, mnist};

fn main() -> Result<(), Box<dyn Error>> {
    let [from, to] = std::env::args_os()
        .skip(1)
        .map(PathBuf::from)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "two folders are needed: where MNIST is, and where the pictures go")?;
    let test = mnist(&from, Split::Test)?;
    for digit in 0..10 {
        let index = test.labels.iter().position(|&label| label == digit).ok_or("a digit is missing")?;
        let (width, height) = (u32::try_from(test.images.width)?, u32::try_from(test.images.height)?);
        let mut encoder = png::Encoder::new(File::create(to.join(format!("{digit}.png")))?, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header()?.write_image_data(test.images.image(index))?;
    }
    Ok(())
}

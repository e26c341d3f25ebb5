//! The sheet of digits that the command carries: examples that changes of digits begin at.
//!
//! `cargo run --release -p bench --bin sheet -- --data data` writes `assets/digits/sheet.png`: of every class the first 32 training
//! digits that the embedded network gets right and is sure of, a row each.

use std::error::Error;
use std::path::PathBuf;

use gradless::{Inputs, Model};
use gradless_models::Onnx;
use gradless_paper::data::{Split, mnist};
use gradless_report::picture::Picture;

/// Digits of each class.
const PER_CLASS: usize = 32;
/// The network is sure where its class leads by this much; 2 is the most there is.
const SURE: f64 = 1.8;
const SIDE: usize = 28;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let data = match &words[..] {
        [] => std::env::var_os("GRADLESS_DATA").map_or_else(|| "data".into(), PathBuf::from),
        [flag, folder] if flag == "--data" => folder.into(),
        _ => return Err("only --data DIR is understood".into()),
    };
    let digits = mnist(&data.join("mnist"), Split::Train)?;
    let network = Onnx::load("assets/lenet.onnx")?;
    let mut shades = vec![0.0; 10 * SIDE * PER_CLASS * SIDE];
    for class in 0..10_u8 {
        let mut found = 0;
        for index in (0..digits.labels.len()).filter(|&index| digits.labels[index] == class) {
            let pixels: Vec<f64> =
                digits.images.image(index).iter().map(|&byte| f64::from(byte) / 255.0).collect();
            if lead(&network, &pixels, usize::from(class))? < SURE {
                continue;
            }
            for (row, line) in pixels.chunks_exact(SIDE).enumerate() {
                let start = (usize::from(class) * SIDE + row) * PER_CLASS * SIDE + found * SIDE;
                shades[start..start + SIDE].copy_from_slice(line);
            }
            found += 1;
            if found == PER_CLASS {
                break;
            }
        }
    }
    let sheet = Picture::clamped(1, 10 * SIDE, PER_CLASS * SIDE, shades)?;
    std::fs::write("assets/digits/sheet.png", sheet.to_png())?;
    Ok(())
}

/// How far a class is ahead of the others.
fn lead(network: &Onnx, pixels: &[f64], class: usize) -> Result<f64, Box<dyn Error>> {
    let mut scores = vec![0.0; network.classes()];
    network.scores(Inputs { points: pixels, dim: pixels.len() }, &mut scores)?;
    let others = scores.iter().enumerate().filter(|&(i, _)| i != class).map(|(_, &score)| score);
    Ok(scores[class] - others.fold(f64::NEG_INFINITY, f64::max))
}

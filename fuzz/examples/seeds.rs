//! Writes the seeds of the corpus that only a program can make: snapshots without their headers, and JPEG pictures.
//!
//! `cargo run --manifest-path fuzz/Cargo.toml --example seeds`

use std::error::Error;
use std::io::Cursor;
use std::path::Path;

use gradless::{Answers, Ask, Config, Method, Preset, Problem, Regulariser, Set, Solver};
use image::{DynamicImage, ImageFormat, RgbImage};

/// Bytes of a snapshot before its body.
const HEADER: usize = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let (snapshots, pictures) = (corpus.join("snapshot"), corpus.join("picture"));
    for folder in [&snapshots, &pictures] {
        std::fs::create_dir_all(folder)?;
    }
    for method in ["zo-ada-exp-grad+", "zo-exp-storm", "auto"] {
        for answered in [0, 1, 4, 9] {
            let body = snapshot(method, answered)?;
            std::fs::write(snapshots.join(format!("{method}-{answered}")), body)?;
        }
    }
    let picture =
        DynamicImage::ImageRgb8(RgbImage::from_fn(4, 4, |x, y| image::Rgb([40 * x as u8, 60 * y as u8, 9])));
    for (name, picture) in [("jpeg", picture.clone()), ("jpeg-grey", picture.grayscale())] {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Jpeg)?;
        std::fs::write(pictures.join(name), bytes.into_inner())?;
    }
    Ok(())
}

/// A run after so many answers.
fn snapshot(method: &str, answered: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let problem =
        Problem::builder(3).regulariser(Regulariser::l1(0.1)).set(Set::bounds(-1.0, 1.0)).build()?;
    let mut config = Config::new(Method::named(method)?, Preset::Practical);
    config.budget.queries = Some(500);
    let mut solver = Solver::new(problem, config)?;
    for _ in 0..answered {
        let values: Vec<f64> = match solver.ask() {
            Ask::Evaluate(queries) => {
                queries.to_matrix().chunks(3).map(|x| x.iter().map(|v| v * v).sum()).collect()
            }
            _ => break,
        };
        solver.tell(Answers::Values(&values))?;
    }
    Ok(solver.snapshot()[HEADER..].to_vec())
}

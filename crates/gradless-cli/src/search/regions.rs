//! What is written of an answer that is made of regions: which pixel is of which, how much each matters, and how the answer formed.

use std::fs;
use std::path::Path;

use anyhow::Context;
use gradless_explain::Answer;
use gradless_explain::answer::{Heat, Located};
use gradless_report::Frame;

use crate::npy;
use crate::run::folder::put;

pub(super) const LABELS: &str = "regions.npy";
pub(super) const HEAT: &str = "heat.npy";
pub(super) const ERROR: &str = "heat-error.npy";
pub(super) const PICTURE: &str = "heat.png";
pub(super) const FRAMES: &str = "frames";

/// Writes the files of an answer; pictures of how it formed if they are asked for.
pub(super) fn write(
    place: &Path,
    frame: Frame,
    input: &[f64],
    answer: &Answer,
    located: &Located,
    frames: bool,
) -> anyhow::Result<()> {
    let shape = [frame.rows, frame.columns];
    let labels: Vec<f64> = located.regions.iter().map(|region| region.map_or(-1.0, f64::from)).collect();
    npy::write(&place.join(LABELS), &shape, &labels)?;
    if let Some(heat) = &located.heat {
        for (name, numbers) in [(HEAT, &heat.importance), (ERROR, &heat.error)] {
            npy::write(&place.join(name), &shape, &Heat::map(numbers, &located.regions))?;
        }
    }
    if let Some(picture) = frame.heat(input, located) {
        put(&place.join(PICTURE), &picture?.to_png())?;
    }
    if frames {
        let folder = place.join(FRAMES);
        fs::create_dir_all(&folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        for forming in &located.forming {
            let so_far = Answer { used: forming.used.clone(), ..answer.without_arrays() };
            let picture = frame.outlined(input, &so_far, located)?;
            put(&folder.join(format!("{:06}.png", forming.queries)), &picture.to_png())?;
        }
    }
    Ok(())
}

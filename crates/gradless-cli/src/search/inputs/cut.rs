//! What of an input can be left out or changed: its pixels, or regions that it is cut into; and what stands where they are absent.

use std::path::Path;

use anyhow::Context;
use gradless_explain::features::are_photographs;
use gradless_explain::{Background, Features, Partition, Pixels, Regions, Strategy};

use super::super::Settings;
use crate::input::{self, Space};

/// The word for pixels.
const PIXELS: &str = "pixels";
/// Before the path of a label image.
const LABELS: &str = "regions=";

/// Whether inputs of this shape are cut into regions: if that is asked for, or they are photographs and nothing else is.
pub(crate) fn into_regions(features: Option<&str>, shape: &[usize], strategy: Option<Strategy>) -> bool {
    match features {
        Some(PIXELS) => false,
        Some(_) => true,
        None => {
            are_photographs(shape) && matches!(strategy, None | Some(Strategy::Refine | Strategy::Select))
        }
    }
}

/// How inputs are cut up.
#[derive(Default)]
pub(in crate::search) struct Cut {
    /// Into what; not at all if not given.
    pub(in crate::search) partition: Option<Partition>,
    /// What stands where something is absent, if that was said.
    pub(in crate::search) absent: Option<Background>,
}

impl Cut {
    /// What the words mean for such inputs.
    pub(in crate::search) fn of(
        features: Option<&str>,
        absent: Option<&str>,
        settings: &Settings,
        space: &Space,
    ) -> anyhow::Result<Self> {
        let partition = into_regions(features, &space.shape, settings.options.strategy)
            .then(|| features.map_or_else(|| Ok(Partition::default()), |word| partition(word, space)))
            .transpose()
            .context("--features")?;
        let absent = absent.map(|text| background(text, space)).transpose().context("--absent")?;
        Ok(Self { partition, absent })
    }

    /// The features of an input.
    pub(in crate::search) fn features(&self, pixels: Pixels) -> anyhow::Result<Box<dyn Features + Send>> {
        let Some(partition) = &self.partition else {
            let absent = match &self.absent {
                None => pixels.absent.clone(),
                Some(background) => {
                    let numbers = background.numbers(&pixels.input, &pixels.shape);
                    numbers.context("--absent diffusion is for regions: add --features regions")?.into()
                }
            };
            return Ok(Box::new(Pixels { absent, ..pixels }));
        };
        let background = self.absent.clone().unwrap_or_default();
        Ok(Box::new(Regions::new(pixels, partition, background)?))
    }
}

/// `regions`, `regions=N`, `grid`, `grid=N`, or `regions=FILE` with a label image.
fn partition(word: &str, space: &Space) -> anyhow::Result<Partition> {
    let file = word.strip_prefix(LABELS).filter(|rest| rest.parse::<f64>().is_err());
    match file {
        Some(path) => input::labels(Path::new(path), space).map(Partition::Labels),
        None => word.parse().map_err(|needed: String| {
            anyhow::anyhow!("{word}: {PIXELS}, {needed}, or regions=FILE with a picture of labels")
        }),
    }
}

/// `blur`, `mean`, `diffusion`, a colour `R,G,B`, a number or a file.
fn background(text: &str, space: &Space) -> anyhow::Result<Background> {
    if let Ok(background) = text.parse() {
        return Ok(background);
    }
    if let Some(colour) = input::colour(text, space)? {
        return Ok(Background::Values(colour));
    }
    input::number_or_file(text, space).map(Background::Values)
}

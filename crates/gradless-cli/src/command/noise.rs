//! `gradless noise`: how far rounding blurs a model's scores, and the radius that follows from it.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use gradless::Model;
use gradless::drive::NoiseProbe;
use gradless_models::ModelNoise;
use serde::Serialize;

use super::Outcome;
use crate::input::{self, ResizeWord, Space};
use crate::model::{self, Loaded, ModelArguments};
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  gradless noise                                        the embedded LeNet at the embedded digit
  gradless noise --model resnet20.onnx                  at the middle of its inputs
  gradless noise --model resnet20.onnx --input cat.png  at a picture

A difference of scores is divided by the radius, and so is its noise: below the radius that is printed, slopes are made
of rounding. Usually 100 to 260 queries.
";

/// Measures the noise floor of a model, and the smoothing radius it asks for
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Noise {
    #[command(flatten)]
    model: ModelArguments,

    /// Where to measure: a picture (PNG, JPEG) or an array (.npy); the middle of the model's inputs if none is given
    #[arg(long, value_name = "X.png")]
    input: Option<PathBuf>,

    /// Bring pictures of another size or colour to the model's: crop (their middle), letterbox (all of them within grey bars), squash
    /// (stretched), or trained (also without a word): as `resize` in the model's description says, else crop above 64 x 64, squash below
    /// [default: trained for models above 64 x 64, else they are refused]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, default_missing_value = "trained", hide_possible_values = true)]
    resize: Option<ResizeWord>,

    /// Chooses the directions
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Report {
    model: String,
    engine: &'static str,
    seed: u64,
    #[serde(flatten)]
    noise: ModelNoise,
}

impl Noise {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let Loaded { name, onnx: model, .. } = model::load(&self.model)?;
        let space = Space {
            resize: input::resize(self.resize, model.description(), model.shape()),
            shape: model.shape().to_vec(),
            range: model.description().range,
        };
        let point = match (&self.input, &self.model.model) {
            (Some(path), _) => input::read(path, &space)?,
            (None, None) => input::digit(&space)?,
            (None, Some(_)) => middle(&model)?,
        };
        let probe = NoiseProbe { seed: self.seed, ..NoiseProbe::default() };
        let noise = ModelNoise::measure(&model, &point, probe)
            .with_context(|| format!("the noise of {name} cannot be measured"))?;
        let engine = model.engine();
        let human = format!("{name} on {engine}\n{noise}");
        terminal.result(&human, &Report { model: name, engine, seed: self.seed, noise })?;
        Ok(Outcome::Done)
    }
}

fn middle(model: &model::BlackBox) -> anyhow::Result<Vec<f64>> {
    let [low, high] = model.description().range;
    let middle = low + (high - low) / 2.0;
    if middle.is_finite() {
        Ok(vec![middle; model.inputs()])
    } else {
        bail!(
            "the description gives the range {low} to {high}, which has no middle: say where to measure with `--input X.png`"
        )
    }
}

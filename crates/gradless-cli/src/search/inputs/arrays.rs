//! Pictures and arrays of numbers.

use anyhow::Context;
use gradless::PerCoordinate;
use gradless_explain::{Background, Disturbance, Features, Grid, Partition, Pixels};

use super::super::{Call, Settings};
use super::cut::Cut;
use crate::input::{self, Source, Space};
use crate::model::{self, BlackBox, Loaded};

/// Pictures and arrays, and what is said of their numbers.
pub(in crate::search) struct Arrays {
    /// Where they come from; the embedded digit if nowhere.
    source: Option<Source>,
    pub(in crate::search) space: Space,
    lower: PerCoordinate,
    upper: PerCoordinate,
    background: PerCoordinate,
    frozen: Vec<bool>,
    /// What of an input can be left out or changed.
    cut: Cut,
}

impl Arrays {
    pub(in crate::search) fn open(
        call: &Call<'_>,
        loaded: &Loaded,
        settings: &Settings,
    ) -> anyhow::Result<Self> {
        let description = loaded.onnx.description();
        let range @ [low, high] = description.range;
        let shape = loaded.onnx.shape().to_vec();
        let resize = input::resize(call.resize, description, &shape);
        let space = Space { shape, range, resize };
        let source = call.input.as_deref().map(|path| Source::open(path, &space)).transpose()?;
        let mut background: PerCoordinate = 0.0_f64.clamp(low, high).into();
        if let Some(grid) = grid(&space) {
            // What 8 bits cannot hold would not be absent in a saved picture.
            background = grid.nearest(0.0_f64.clamp(low, high)).into();
        }
        let read = |flag: &str, text: &Option<String>| -> anyhow::Result<Option<PerCoordinate>> {
            let read = text.as_deref().map(|text| input::number_or_file(text, &space)).transpose();
            read.with_context(|| format!("--{flag}"))
        };
        let lower = read("lower", call.lower)?.unwrap_or(low.into());
        let upper = read("upper", call.upper)?.unwrap_or(high.into());
        let cut = Cut::of(call.features, call.absent.as_deref(), settings, &space)?;
        if let Some(Background::Values(values)) = &cut.absent {
            background.clone_from(values);
        }
        let frozen = match call.freeze {
            Some(path) => input::mask(path.as_ref(), &space).context("--freeze")?,
            None => Vec::new(),
        };
        Ok(Self { source, space, lower, upper, background, frozen, cut })
    }

    pub(super) fn len(&self) -> usize {
        self.source.as_ref().map_or(1, Source::len)
    }

    pub(super) fn is_many(&self) -> bool {
        self.source.as_ref().is_some_and(Source::is_many)
    }

    pub(super) fn name(&self, index: usize) -> String {
        self.source.as_ref().map_or_else(|| "5.png".to_owned(), |source| source.name(index))
    }

    pub(super) fn read(
        &self,
        index: usize,
        disturbance: Disturbance,
    ) -> anyhow::Result<Box<dyn Features + Send>> {
        let input = match &self.source {
            Some(source) => source.read(index, &self.space)?,
            None => input::digit(&self.space)?,
        };
        self.cut.features(Pixels {
            input,
            shape: self.space.shape.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            absent: self.background.clone().into(),
            frozen: self.frozen.clone(),
            grid: grid(&self.space),
            disturbance: Some(disturbance),
        })
    }

    /// How inputs are cut up, in words; `None` if they are not.
    pub(super) fn partition(&self) -> Option<String> {
        self.cut.partition.as_ref().map(Partition::words)
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.space.shape
    }

    pub(super) fn sha256(&self) -> String {
        let numbers =
            [&self.lower, &self.upper, &self.background].into_iter().flat_map(|list| list.values().iter());
        let frozen = self.frozen.iter().map(|&frozen| u8::from(frozen));
        model::hash(&numbers.flat_map(|value| value.to_le_bytes()).chain(frozen).collect::<Vec<u8>>())
    }
}

/// The values a saved picture can hold; none for what is not a picture.
fn grid(space: &Space) -> Option<Grid> {
    let [low, high] = space.range;
    matches!(space.shape[..], [1 | 3, _, _]).then_some(Grid { low, high, steps: 255 })
}

/// How the model takes its numbers.
pub(super) fn facts(arrays: &Arrays, model: &BlackBox) -> Vec<(String, String)> {
    let description = model.description();
    let list = |values: &[f64], none: &str| {
        if values.is_empty() { none.to_owned() } else { format!("{values:?}") }
    };
    let pairs = [
        ("input", format!("{:?}, {:?}", model.shape(), description.layout).to_lowercase()),
        ("range", format!("{} to {}", description.range[0], description.range[1])),
        (
            "scale, mean, std",
            format!(
                "{}, {}, {}",
                description.scale,
                list(&description.mean, "0"),
                list(&description.std, "1")
            ),
        ),
    ];
    let resized = arrays.space.resize.map(|how| ("pictures of another size", how.words().to_owned()));
    pairs.into_iter().chain(resized).map(|(name, value)| (name.to_owned(), value)).collect()
}

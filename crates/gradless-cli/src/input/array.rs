//! Arrays as inputs: `uint8` and `bool` as pictures over the range of the model, other numbers as they are.

use std::path::Path;

use anyhow::bail;

use super::Space;
use crate::npy::{Npy, Numbers};

/// How the numbers of one input lie in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// As the model takes them.
    Same,
    /// Rows, columns, channels, and so in need of turning.
    ChannelsLast,
}

/// One input from a file that holds one.
pub(super) fn read(path: &Path, space: &Space) -> anyhow::Result<Vec<f64>> {
    let mut array = Npy::open(path)?;
    let Some(layout) = layout(array.shape(), &space.shape) else {
        if let Some(count) = inputs(array.shape(), space) {
            bail!("holds {count} inputs, one is needed: save one with numpy.save");
        }
        bail!(misfit(array.shape(), space));
    };
    scaled(layout.turn(array.all()?, space), space)
}

/// How many inputs lie along the first axis; `None` if the whole array is one input.
pub(super) fn count(path: &Path, space: &Space) -> anyhow::Result<Option<usize>> {
    let array = Npy::open(path)?;
    match array.shape() {
        shape if layout(shape, &space.shape).is_some() => Ok(None),
        shape => match inputs(shape, space) {
            None => bail!(misfit(shape, space)),
            count => Ok(count),
        },
    }
}

fn inputs(shape: &[usize], space: &Space) -> Option<usize> {
    let (count, item) = shape.split_first()?;
    layout(item, &space.shape).map(|_| *count)
}

/// One of many inputs; the others are not read.
pub(super) fn item(path: &Path, index: usize, space: &Space) -> anyhow::Result<Vec<f64>> {
    let mut array = Npy::open(path)?;
    let layout = array.shape().get(1..).and_then(|item| layout(item, &space.shape));
    let Some(layout) = layout else { bail!(misfit(array.shape(), space)) };
    scaled(layout.turn(array.item(index)?, space), space)
}

/// Where an array is not 0. One channel speaks for all; of several, any.
pub(super) fn mask(path: &Path, space: &Space) -> anyhow::Result<Vec<bool>> {
    let mut array = Npy::open(path)?;
    let channels = if let [channels, _, _] = *space.shape { channels } else { 1 };
    let pixels = space.count() / channels;
    let layout = match *space.shape {
        [_, rows, columns] if layout(array.shape(), &[1, rows, columns]).is_some() => Layout::Same,
        _ => match layout(array.shape(), &space.shape) {
            Some(layout) => layout,
            None => bail!(misfit(array.shape(), space)),
        },
    };
    let values = layout.turn(array.all()?, space).values;
    let marked = |place| values[place..].iter().step_by(pixels).any(|&value| value != 0.0);
    Ok((0..pixels).map(marked).collect::<Vec<bool>>().repeat(channels))
}

/// A label for every pixel: arrays of rows and columns that hold whole numbers.
pub(super) fn labels(path: &Path, rows: usize, columns: usize) -> anyhow::Result<Vec<u32>> {
    let mut array = Npy::open(path)?;
    let found = array.shape().to_vec();
    if layout(&found, &[1, rows, columns]).is_none() {
        bail!(
            "is an array of shape {found:?}, labels for {:?} are needed: they are not resized",
            [rows, columns]
        );
    }
    let label = |value: f64| {
        let is_whole = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
        if is_whole {
            Ok(value as u32)
        } else {
            Err(anyhow::anyhow!("holds the label {value}: whole numbers from 0 are needed"))
        }
    };
    array.all()?.values.into_iter().map(label).collect()
}

/// The layout of an array of this shape: the model's, flat, one channel without its axis, or channels last; all of them
/// also after a leading 1.
///
/// The model's own shape comes first, so a shape that reads both ways (3 x 3 x 3) has its channels first.
fn layout(shape: &[usize], model: &[usize]) -> Option<Layout> {
    let of = |shape: &[usize]| match *model {
        _ if shape == model || shape == [model.iter().product::<usize>()] => Some(Layout::Same),
        [1, rows, columns] if shape == [rows, columns] => Some(Layout::Same),
        [channels, rows, columns] if shape == [rows, columns, channels] => Some(Layout::ChannelsLast),
        _ => None,
    };
    of(shape).or_else(|| of(shape.strip_prefix(&[1])?))
}

impl Layout {
    fn turn(self, numbers: Numbers, space: &Space) -> Numbers {
        match (self, &*space.shape) {
            (Self::ChannelsLast, &[channels, ..]) => {
                let plane = |channel: usize| numbers.values[channel..].iter().step_by(channels).copied();
                Numbers { values: (0..channels).flat_map(plane).collect(), ..numbers }
            }
            _ => numbers,
        }
    }
}

fn scaled(numbers: Numbers, space: &Space) -> anyhow::Result<Vec<f64>> {
    match numbers.white {
        Some(white) => Ok(numbers.values.into_iter().map(space.scale(white)?).collect()),
        None => Ok(numbers.values),
    }
}

fn misfit(found: &[usize], space: &Space) -> String {
    let model = &space.shape;
    let also = match **model {
        [channels, rows, columns] => {
            format!(", {:?} or {} in a row", [rows, columns, channels], space.count())
        }
        [_] => String::new(),
        _ => format!(" or {} in a row", space.count()),
    };
    format!("is an array of shape {found:?}, the model takes {model:?}{also}: arrays are not resized")
}

#[cfg(test)]
mod tests;

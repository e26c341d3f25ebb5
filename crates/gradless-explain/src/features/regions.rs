//! Regions of a picture: each is there, all channels of it together, or it is not.
//!
//! A picture is cut into superpixels, squares, or what the user has drawn. Where a region is absent a background stands: the picture
//! blurred, its mean colour, what diffuses in from around, a colour, another picture.

mod fill;
mod map;
mod superpixels;
mod tree;

use std::str::FromStr;

use gradless::PerCoordinate;
use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub(crate) use fill::{blurred_planes, mean_planes};
pub(crate) use map::Map;

use super::disturbance::uniform;
use super::{Coordinates, Disturbed, Features, Kind, Move, Pixels, Shown, Strength, check};
use crate::absent::{BLUR, Background};
use crate::question::{Origin, Place, Question, QuestionError};
use fill::diffused;
use map::STAYS;
use superpixels::Image;

/// Regions that a picture is cut into.
pub const REGIONS: usize = 256;
/// Squares each way of a grid.
const SQUARES: usize = 14;
/// More regions than this are not told apart by a search.
const MOST_REGIONS: usize = 4_096;
/// Pictures with a longer side than this are cut into regions unless something else is asked for.
const SMALL: usize = 64;
/// Other backgrounds: blurs of these shares of the width, and the mean colour.
const NARROW: f64 = 0.5;
const WIDE: f64 = 2.0;
/// Where a picture moves over each of them, in units of the widest shift, down and to the right, from as far up and to the left as it may.
const CORNERS: [[usize; 2]; 3] = [[0, 2], [2, 0], [2, 2]];

/// How a picture is cut up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partition {
    /// About so many patches of similar colour.
    Superpixels(usize),
    /// So many squares each way.
    Grid(usize),
    /// The label of every pixel, row by row: equal labels are one region.
    Labels(Vec<u32>),
}

impl Default for Partition {
    fn default() -> Self {
        Self::Superpixels(REGIONS)
    }
}

impl Partition {
    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Self::Superpixels(count) => format!("about {count} superpixels"),
            Self::Grid(squares) => format!("{squares} x {squares} squares"),
            Self::Labels(_) => "the labels given".to_owned(),
        }
    }
}

impl FromStr for Partition {
    type Err = String;

    /// `regions`, `regions=N`, `grid` or `grid=N`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, count) = match text.trim().split_once('=') {
            Some((kind, count)) => (kind, Some(count)),
            None => (text.trim(), None),
        };
        let number = |most: usize, otherwise: usize| match count {
            None => Ok(otherwise),
            Some(count) => count
                .parse()
                .ok()
                .filter(|count| (2..=most).contains(count))
                .ok_or_else(|| format!("{kind}=N needs a whole number from 2 to {most}")),
        };
        match kind {
            "regions" => number(MOST_REGIONS, REGIONS).map(Self::Superpixels),
            "grid" => number(64, SQUARES).map(Self::Grid),
            _ => Err("regions, regions=N, grid or grid=N is needed".to_owned()),
        }
    }
}

/// Whether pictures of this shape are cut into regions unless something else is asked for: above 64 x 64.
pub fn are_photographs(shape: &[usize]) -> bool {
    matches!(*shape, [_, rows, columns] if rows.max(columns) > SMALL)
}

/// The regions of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    picture: Pixels,
    background: Background,
    /// The numbers of the background, where they do not depend on what is there.
    absent: Option<Vec<f64>>,
    map: Map,
}

impl Regions {
    /// Cuts a picture up. What is frozen of it always stays; its own `absent` is not used.
    pub fn new(
        picture: Pixels,
        partition: &Partition,
        background: Background,
    ) -> Result<Self, QuestionError> {
        let &[channels, rows, columns] = &picture.shape[..] else { return Err(QuestionError::NotAPicture) };
        let pixels = rows * columns;
        let expected = channels * pixels;
        if picture.input.len() != expected || expected == 0 {
            return Err(QuestionError::Length { found: picture.input.len(), expected });
        }
        let nothing = PerCoordinate::from(0.0);
        let given = if let Background::Values(values) = &background { values } else { &nothing };
        check(&picture.input, picture.bounds(), given, &picture.frozen)?;
        let [low, high] = picture.extent();
        let width = if high > low && (high - low).is_finite() { high - low } else { 1.0 };
        let planes: Vec<Vec<f64>> = picture
            .input
            .chunks_exact(pixels)
            .map(|plane| plane.iter().map(|value| (value - low) / width).collect())
            .collect();
        let image = Image { planes: &planes, rows, columns };
        let labels = match partition {
            Partition::Superpixels(count) => image.patches(*count),
            Partition::Grid(squares) => {
                let at = |k: usize, length: usize| k * squares / length;
                (0..pixels).map(|i| at(i / columns, rows) * squares + at(i % columns, columns)).collect()
            }
            Partition::Labels(labels) if labels.len() != pixels => {
                return Err(QuestionError::Labels { found: labels.len(), rows, columns });
            }
            Partition::Labels(labels) => labels.iter().map(|&label| label as usize).collect(),
        };
        // A place is frozen in all channels or in none; in any counts as all.
        let is_frozen = |i: usize| picture.frozen.iter().skip(i).step_by(pixels).any(|frozen| *frozen);
        let stays: Vec<bool> = (0..pixels).map(is_frozen).collect();
        let mut different = labels.clone();
        different.sort_unstable();
        different.dedup();
        if different.len() > MOST_REGIONS {
            return Err(QuestionError::TooManyRegions { found: different.len(), most: MOST_REGIONS });
        }
        let map = Map::new(&labels, &stays, &image);
        if map.count() < 2 {
            return Err(QuestionError::OneRegion { found: map.count() });
        }
        let shown =
            |numbers: PerCoordinate| (0..expected).map(|i| on_grid(&picture, numbers.at(i))).collect();
        let absent = background.numbers(&picture.input, &picture.shape).map(shown);
        Ok(Self { picture, background, absent, map })
    }

    /// What stands where a region is absent.
    pub fn background(&self) -> &Background {
        &self.background
    }

    /// The region of every pixel, row by row; `None` for those that always stay.
    pub fn labels(&self) -> Vec<Option<u32>> {
        self.map.regions()
    }

    /// Writes the picture with those regions that are there.
    fn draw(&self, is_there: &[bool], input: &mut [f64]) {
        if let Some(absent) = &self.absent {
            return self.draw_over(is_there, absent, input);
        }
        let there = self.pixels_there(is_there);
        let (rows, columns) = self.plane();
        let planes = self.picture.input.chunks_exact(rows * columns);
        for (plane, out) in planes.zip(input.chunks_exact_mut(rows * columns)) {
            let filled = diffused(plane, &there, rows, columns);
            for ((out, fill), there) in out.iter_mut().zip(filled).zip(&there) {
                // What is there is left as it is, to the bit.
                *out = if *there { fill } else { on_grid(&self.picture, fill) };
            }
        }
    }

    fn draw_over(&self, is_there: &[bool], absent: &[f64], input: &mut [f64]) {
        let pixels = self.map.cells.len();
        let picture = self.picture.input.chunks_exact(pixels).zip(absent.chunks_exact(pixels));
        for ((plane, absent), out) in picture.zip(input.chunks_exact_mut(pixels)) {
            for (i, &cell) in self.map.cells.iter().enumerate() {
                out[i] = if cell == STAYS || is_there[cell] { plane[i] } else { absent[i] };
            }
        }
    }

    fn pixels_there(&self, is_there: &[bool]) -> Vec<bool> {
        self.map.cells.iter().map(|&cell| cell == STAYS || is_there[cell]).collect()
    }

    fn plane(&self) -> (usize, usize) {
        match self.picture.shape[..] {
            [_, rows, columns] => (rows, columns),
            _ => (1, self.picture.input.len()),
        }
    }

    /// Another background: a blur of this share of the usual width, mixed with so much of the mean colour. It is not rounded to what a saved
    /// picture can hold: networks see the contours that rounding leaves in smooth places.
    fn other(&self, width: f64, mean: f64) -> Vec<f64> {
        let Pixels { input, shape, .. } = &self.picture;
        let usual = if let Background::Blur(width) = self.background { width } else { BLUR };
        let blurred = if mean < 1.0 { blurred_planes(input, shape, width * usual) } else { Vec::new() };
        let flat = if mean > 0.0 { mean_planes(input, shape) } else { Vec::new() };
        let at = |i: usize| match (blurred.get(i), flat.get(i)) {
            (Some(blurred), Some(flat)) => mean * flat + (1.0 - mean) * blurred,
            (Some(one), None) | (None, Some(one)) => *one,
            (None, None) => 0.0,
        };
        (0..input.len()).map(at).collect()
    }

    /// Other backgrounds over which an answer should hold, the hardest first: the mean colour, a wider blur, a narrower one. Over each the
    /// picture is moved, too: strides of a network make it see something else then.
    fn others(&self) -> [Vec<f64>; 3] {
        [self.other(1.0, 1.0), self.other(WIDE, 0.0), self.other(NARROW, 0.0)]
    }
}

/// The nearest number that a saved picture can hold, where it is saved as one.
fn on_grid(picture: &Pixels, value: f64) -> f64 {
    picture.grid.map_or(value, |grid| grid.nearest(value))
}

impl Features for Regions {
    fn kind(&self) -> Kind {
        Kind::Regions
    }

    fn input(&self) -> &[f64] {
        &self.picture.input
    }

    fn bounds(&self) -> [&PerCoordinate; 2] {
        self.picture.bounds()
    }

    fn coordinates(&self, question: Question) -> Result<Coordinates<'_>, QuestionError> {
        let count = self.map.count();
        let place = Place { current: 1.0, absent: 0.0, bounds: [0.0, 1.0], frozen: false };
        let shown = Switched { regions: self, origin: question.origin(), others: self.others() };
        let places = std::iter::repeat_n(place, count);
        let mut coordinates = Coordinates::new(question, places, (0..count).collect(), (1, count), shown);
        coordinates.leaves_some(self.map.cells.contains(&STAYS));
        Ok(coordinates)
    }

    /// Nothing of it, and every second region.
    fn samples(&self) -> [Vec<f64>; 2] {
        [false, true].map(|some| {
            let is_there: Vec<bool> = (0..self.map.count()).map(|region| some && region % 2 == 0).collect();
            let mut input = vec![0.0; self.picture.input.len()];
            self.draw(&is_there, &mut input);
            input
        })
    }
}

/// The model is shown the picture with those regions that are there.
struct Switched<'a> {
    regions: &'a Regions,
    origin: Origin,
    others: [Vec<f64>; 3],
}

impl Switched<'_> {
    /// Which regions are there, given which have moved from where they cost nothing.
    fn is_there(&self, moved: &[bool]) -> Vec<bool> {
        moved.iter().map(|moved| *moved == (self.origin == Origin::Absent)).collect()
    }
}

fn there(point: &[f64]) -> Vec<bool> {
    point.iter().map(|x| *x >= 0.5).collect()
}

impl Shown for Switched<'_> {
    fn write(&self, point: &[f64], input: &mut [f64]) {
        self.regions.draw(&there(point), input);
    }

    /// A region is there if most of it is as in the picture.
    fn read(&self, input: &[f64], point: &mut [f64]) {
        let Regions { picture, map, .. } = self.regions;
        let mut same = vec![0.0; point.len()];
        for (i, (x, own)) in input.iter().zip(&picture.input).enumerate() {
            let cell = map.cells[i % map.cells.len()];
            if cell != STAYS {
                same[cell] += if x == own { 1.0 } else { -1.0 };
            }
        }
        for (x, same) in point.iter_mut().zip(same) {
            *x = f64::from(u8::from(same > 0.0));
        }
    }

    fn snap(&self, _: usize, value: f64) -> f64 {
        value.round()
    }

    fn differs(&self, _: usize, value: f64, other: f64) -> bool {
        value.round() != other.round()
    }

    fn between(&self, _: usize, _: f64, _: f64) -> Option<f64> {
        None
    }

    fn moves(&self) -> Option<Vec<Vec<Move>>> {
        let value = if self.origin == Origin::Absent { 1.0 } else { 0.0 };
        let to =
            |region: usize| vec![Move { to: vec![(region, value)], cost: self.regions.map.area(region) }];
        Some((0..self.regions.map.count()).map(to).collect())
    }

    fn as_saved(&self, input: &[f64]) -> Option<Vec<f64>> {
        let grid = self.regions.picture.grid?;
        let saved: Vec<f64> = input.iter().map(|&value| grid.nearest(value)).collect();
        (saved != input).then_some(saved)
    }

    fn map(&self) -> Option<&Map> {
        Some(&self.regions.map)
    }

    fn variants(&self) -> usize {
        self.others.len()
    }

    fn variant(&self, which: usize, point: &[f64], input: &mut [f64]) {
        self.regions.draw_over(&there(point), &self.others[which], input);
        if let Some((disturbance, planes)) = self.regions.picture.disturbing().filter(|(by, _)| by.shift > 0)
        {
            disturbance.shift(input, planes, CORNERS[which].map(|times| times * disturbance.shift));
        }
    }

    fn disturbance(&self) -> Option<Disturbed> {
        let (disturbance, _) = self.regions.picture.disturbing()?;
        let backgrounds = format!(
            "other backgrounds (blurs {NARROW} to {WIDE} times as wide, mixed with the mean colour), {}",
            disturbance.words()
        );
        Some(Disturbed { words: backgrounds, noise: None })
    }

    fn disturb(&self, input: &mut [f64], moved: &[bool], strength: Strength, rng: &mut dyn Rng) {
        let Some((disturbance, planes)) = self.regions.picture.disturbing() else { return };
        let is_there = self.is_there(moved);
        if is_there.contains(&false) {
            let width = NARROW * (WIDE / NARROW).powf(uniform(rng));
            let background = self.regions.other(width, uniform(rng));
            self.regions.draw_over(&is_there, &background, input);
        }
        let (Strength::Times(times) | Strength::NoiseTimes(times)) = strength;
        disturbance.with_noise(times * disturbance.noise).apply(input, planes, rng);
    }
}

#[cfg(test)]
mod tests;

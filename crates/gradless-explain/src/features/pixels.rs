//! Pixels of a picture, or the numbers of what is none: each may take any value between its bounds.

use gradless::PerCoordinate;
use rand_core::Rng;

use super::disturbance::Planes;
use super::{Coordinates, Disturbance, Disturbed, Features, Kind, Shown, Strength, check};
use crate::absent::Absent;
use crate::question::{Place, Question, QuestionError};

/// A picture, channels first, or a list of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// The input.
    pub input: Vec<f64>,
    /// Its shape: channels, rows, columns for a picture.
    pub shape: Vec<usize>,
    /// The least number allowed at each place.
    pub lower: PerCoordinate,
    /// The largest number allowed at each place.
    pub upper: PerCoordinate,
    /// What is there where a pixel is not.
    pub absent: Absent,
    /// Places that stay as they are; empty for none.
    pub frozen: Vec<bool>,
    /// Values a saved picture can hold; none for what is not saved as one.
    pub grid: Option<Grid>,
    /// What answers should survive; pictures only.
    pub disturbance: Option<Disturbance>,
}

impl Pixels {
    /// Numbers between `lower` and `upper`, absent being 0, nothing frozen.
    pub fn new(input: Vec<f64>, shape: Vec<usize>, lower: f64, upper: f64) -> Self {
        Self {
            input,
            shape,
            lower: lower.into(),
            upper: upper.into(),
            absent: 0.0.into(),
            frozen: Vec::new(),
            grid: None,
            disturbance: None,
        }
    }

    /// A disturbed copy of a picture; the picture itself where nothing disturbs it.
    pub fn disturbed(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut copy = self.input.clone();
        if let Some((disturbance, planes)) = self.disturbing() {
            disturbance.apply(&mut copy, planes, rng);
        }
        copy
    }

    /// How it is disturbed, if it is a picture with a range.
    pub(super) fn disturbing(&self) -> Option<(Disturbance, Planes)> {
        let disturbance = self.disturbance.filter(|_| self.kind() == Kind::Pixels)?;
        let (rows, columns) = self.plane();
        let range @ [low, high] = self.extent();
        (low < high && (high - low).is_finite()).then_some((disturbance, Planes { rows, columns, range }))
    }

    /// The least and the largest number of all places.
    pub(super) fn extent(&self) -> [f64; 2] {
        let least = self.lower.values().iter().copied().fold(f64::INFINITY, f64::min);
        [least, self.upper.values().iter().copied().fold(f64::NEG_INFINITY, f64::max)]
    }

    /// Rows and columns of a plane.
    fn plane(&self) -> (usize, usize) {
        match self.shape[..] {
            [.., rows, columns] => (rows.max(1), columns.max(1)),
            _ => (1, self.input.len().max(1)),
        }
    }
}

impl Features for Pixels {
    fn kind(&self) -> Kind {
        if self.shape.len() == 3 { Kind::Pixels } else { Kind::Numbers }
    }

    fn input(&self) -> &[f64] {
        &self.input
    }

    fn bounds(&self) -> [&PerCoordinate; 2] {
        [&self.lower, &self.upper]
    }

    fn coordinates(&self, question: Question) -> Result<Coordinates<'_>, QuestionError> {
        let expected = self.shape.iter().product();
        if self.input.len() != expected {
            return Err(QuestionError::Length { found: self.input.len(), expected });
        }
        check(&self.input, self.bounds(), self.absent.values(), &self.frozen)?;
        let place = |i: usize| Place {
            current: self.input[i],
            absent: self.absent.at(i),
            bounds: [self.lower.at(i), self.upper.at(i)],
            frozen: self.frozen.get(i).copied().unwrap_or(false),
        };
        let layout = self.plane();
        // The channels of a pixel are one feature.
        let features =
            if self.kind() == Kind::Pixels { layout.0 * layout.1 } else { self.input.len().max(1) };
        let dim = self.input.len();
        let feature = (0..dim).map(|i| i % features).collect();
        let disturbed = self.disturbing();
        let values = Values { grid: self.grid, disturbed };
        Ok(Coordinates::new(question, (0..dim).map(place), feature, layout, values))
    }

    /// All low, and all in the middle.
    fn samples(&self) -> [Vec<f64>; 2] {
        let finite = |value: f64, otherwise: f64| if value.is_finite() { value } else { otherwise };
        let bounds =
            |i: usize| (finite(self.lower.at(i), self.input[i]), finite(self.upper.at(i), self.input[i]));
        let all =
            |value: &dyn Fn((f64, f64)) -> f64| (0..self.input.len()).map(|i| value(bounds(i))).collect();
        [all(&|(low, _)| low), all(&|(low, high)| f64::midpoint(low, high))]
    }
}

/// Values a saved picture can hold: `low`, `high`, and so many steps between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// What 0 stands for.
    pub low: f64,
    /// What the largest byte stands for.
    pub high: f64,
    /// The largest byte: 255.
    pub steps: u32,
}

impl Grid {
    /// The nearest value it can hold.
    pub fn nearest(self, value: f64) -> f64 {
        let width = (self.high - self.low) / f64::from(self.steps);
        let step = ((value - self.low) / width).round().clamp(0.0, f64::from(self.steps));
        // One division, so that bytes come back as the numbers they were read as.
        self.low + step * (self.high - self.low) / f64::from(self.steps)
    }
}

/// The model is shown the values themselves.
struct Values {
    grid: Option<Grid>,
    disturbed: Option<(Disturbance, Planes)>,
}

impl Shown for Values {
    fn write(&self, point: &[f64], input: &mut [f64]) {
        input.copy_from_slice(point);
    }

    fn read(&self, input: &[f64], point: &mut [f64]) {
        point.copy_from_slice(input);
    }

    fn disturbance(&self) -> Option<Disturbed> {
        let (disturbance, Planes { range: [low, high], .. }) = self.disturbed?;
        let noise = disturbance.noise * (high - low);
        Some(Disturbed { words: disturbance.words(), noise: (noise > 0.0).then_some(noise) })
    }

    fn disturb(&self, input: &mut [f64], _: &[bool], strength: Strength, rng: &mut dyn Rng) {
        let Some((disturbance, planes)) = self.disturbed else { return };
        let disturbance = match strength {
            Strength::Times(times) => disturbance.with_noise(times * disturbance.noise),
            Strength::NoiseTimes(times) => disturbance.with_noise(times * disturbance.noise).noise_alone(),
        };
        disturbance.apply(input, planes, rng);
    }

    fn snap(&self, _: usize, value: f64) -> f64 {
        self.grid.map_or(value, |grid| grid.nearest(value))
    }

    fn step(&self) -> Option<f64> {
        self.grid.map(|grid| (grid.high - grid.low) / f64::from(grid.steps))
    }

    fn as_saved(&self, input: &[f64]) -> Option<Vec<f64>> {
        let grid = self.grid?;
        let saved: Vec<f64> = input.iter().map(|&value| grid.nearest(value)).collect();
        (saved != input).then_some(saved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: Grid = Grid { low: 0.0, high: 1.0, steps: 255 };

    #[test]
    fn the_channels_of_a_pixel_are_one_feature() {
        let picture = Pixels::new(vec![0.5; 12], vec![3, 2, 2], 0.0, 1.0);
        let coordinates = picture.coordinates(Question::Part).unwrap();
        assert_eq!((coordinates.dim(), coordinates.features, coordinates.layout), (12, 4, (2, 2)));
        let mut point = coordinates.origin.clone();
        (point[1], point[5], point[6]) = (0.5, 0.5, 0.25);
        assert_eq!(coordinates.used(&point), [1, 2]);
        assert_eq!(picture.kind().many(), "pixels");
    }

    #[test]
    fn values_are_those_a_picture_can_hold_and_exactly_the_origin_where_that_is_as_near() {
        let picture = Pixels { grid: Some(GRID), ..Pixels::new(vec![0.501, 0.2], vec![1, 1, 2], 0.0, 1.0) };
        let change = picture.coordinates(Question::CHANGE).unwrap();
        assert_eq!(change.snap(0, 0.502), 0.501, "the same byte is no change");
        assert_eq!(change.snap(0, 0.6), 153.0 / 255.0);
        assert_eq!(change.as_saved(&[0.5, 0.2]), Some(vec![128.0 / 255.0, 0.2]));
        assert_eq!(change.as_saved(&[0.0, 0.2]), None);
    }

    #[test]
    fn senseless_lists_are_named() {
        let ask = |pixels: Pixels| pixels.coordinates(Question::Part).err();
        let picture = Pixels::new(vec![0.5; 4], vec![4], 0.0, 1.0);
        assert_eq!(
            ask(Pixels { shape: vec![5], ..picture.clone() }),
            Some(QuestionError::Length { found: 4, expected: 5 })
        );
        assert!(matches!(
            ask(Pixels { input: vec![f64::NAN; 4], ..picture.clone() }),
            Some(QuestionError::NotFinite { index: 0, .. })
        ));
        assert!(matches!(
            ask(Pixels { lower: 2.0.into(), ..picture.clone() }),
            Some(QuestionError::Crossed { .. })
        ));
        assert!(matches!(
            ask(Pixels { upper: f64::NAN.into(), ..picture.clone() }),
            Some(QuestionError::ListNan { .. })
        ));
        assert!(matches!(
            ask(Pixels { frozen: vec![true; 3], ..picture }),
            Some(QuestionError::ListLength { .. })
        ));
    }
}

//! The space an experiment works in: pixels, or pixels normalised by channel.

use gradless::PerCoordinate;

use crate::data::{DataSet, Images};

/// Mean and standard deviation of the channels of CIFAR-10, as in the authors' scripts.
const CIFAR10: [(f64, f64); 3] = [(0.4914, 0.2023), (0.4822, 0.1994), (0.4465, 0.2010)];

/// From bytes to numbers, and from numbers to what the networks take: pixels from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Space {
    /// Mean and standard deviation per channel.
    channels: &'static [(f64, f64)],
}

impl Space {
    pub(super) fn of(set: DataSet) -> Self {
        match set {
            DataSet::Mnist => Self { channels: &[(0.0, 1.0)] },
            DataSet::Cifar10 => Self { channels: &CIFAR10 },
        }
    }

    /// One image as numbers.
    pub(super) fn input(self, images: &Images, index: usize) -> Vec<f64> {
        let bytes = images.image(index);
        let pixels = bytes.len() / self.channels.len();
        let number = |(place, &byte): (usize, &u8)| {
            let (mean, std) = self.channels[place / pixels];
            (f64::from(byte) / 255.0 - mean) / std
        };
        bytes.iter().enumerate().map(number).collect()
    }

    /// What black (0) or white (1) is at every place.
    pub(super) fn level(self, pixel: f64, dim: usize) -> PerCoordinate {
        let pixels = dim / self.channels.len();
        let level = |&(mean, std): &(f64, f64)| std::iter::repeat_n((pixel - mean) / std, pixels);
        self.channels.iter().flat_map(level).collect::<Vec<f64>>().into()
    }

    /// Turns numbers into pixels, in place.
    pub(super) fn to_pixels(self, row: &mut [f64]) {
        let pixels = row.len() / self.channels.len();
        for (row, &(mean, std)) in row.chunks_exact_mut(pixels).zip(self.channels) {
            for x in row {
                *x = *x * std + mean;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_to_pixels_loses_nothing_worth_mentioning() {
        let pixels: Vec<u8> = (0..=255).chain(0..=255).chain(0..=255).collect();
        let images = Images { channels: 3, height: 16, width: 16, pixels };
        let space = Space::of(DataSet::Cifar10);
        let mut row = space.input(&images, 0);
        assert!(
            (row[0] + 0.4914 / 0.2023).abs() < 1e-12 && (row[767] - (1.0 - 0.4465) / 0.201).abs() < 1e-12
        );
        let (low, high) = (space.level(0.0, 768), space.level(1.0, 768));
        assert!((low.at(300) + 0.4822 / 0.1994).abs() < 1e-12 && (high.at(767) - row[767]).abs() < 1e-12);
        space.to_pixels(&mut row);
        for (x, &byte) in row.iter().zip(images.image(0)) {
            assert!((x - f64::from(byte) / 255.0).abs() < 1e-15);
        }
    }
}

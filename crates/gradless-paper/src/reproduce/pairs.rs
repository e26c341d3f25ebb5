//! Paired comparisons: two arms on the same images, and whether chance explains the difference.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::question::Mode;
use super::stream;
use super::summary::{Cell, Summary, mean, quantile};

/// Resamples of the images behind an interval.
const RESAMPLES: usize = 10_000;

/// Two arms on the images both were run on, at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What was searched for.
    pub mode: Mode,
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// Images both were run on.
    pub images: usize,
    /// The mean of the first's ratio minus the second's.
    pub difference: f64,
    /// 95 % of bootstrap means lie in it.
    pub interval: [f64; 2],
    /// The mean of the second's ratio.
    pub scale: f64,
}

/// What a pair shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first is lower.
    First,
    /// The second is lower.
    Second,
    /// Zero is in the interval.
    Equal,
}

impl Pair {
    /// All pairs of the best arms of a mode, in the paper's order.
    pub fn all(summary: &Summary, mode: Mode, seed: u64) -> Vec<Self> {
        let cells = summary.main(mode);
        let others = |i: usize| cells[i + 1..].iter();
        (0..cells.len())
            .flat_map(|i| others(i).map(move |other| (i, other)))
            .map(|(i, other)| Self::new(cells[i], other, seed))
            .filter(|pair| pair.images > 0)
            .collect()
    }

    fn new(first: &Cell, second: &Cell, seed: u64) -> Self {
        let value = |cell: &Cell, image: usize| {
            cell.images.iter().position(|&i| i == image).and_then(|place| cell.finals.get(place).copied())
        };
        let both: Vec<(f64, f64)> =
            first.images.iter().filter_map(|&i| Some((value(first, i)?, value(second, i)?))).collect();
        let differences: Vec<f64> = both.iter().map(|(first, second)| first - second).collect();
        let names = [first.arm.to_string(), second.arm.to_string()];
        let words = ["pairs", first.mode.name(), &names[0], &names[1], &seed.to_string()];
        let interval = bootstrap(&differences, ChaCha8Rng::from_seed(stream::key(&words)));
        let [first_name, second_name] = names;
        Self {
            mode: first.mode,
            first: first_name,
            second: second_name,
            images: both.len(),
            difference: mean(&differences),
            interval,
            scale: mean(&both.iter().map(|&(_, second)| second).collect::<Vec<_>>()),
        }
    }

    /// What it shows.
    pub fn verdict(&self) -> Verdict {
        match self.interval {
            [_, high] if high < 0.0 => Verdict::First,
            [low, _] if low > 0.0 => Verdict::Second,
            _ => Verdict::Equal,
        }
    }
}

/// The middle 95 % of the means of resamples. A single value says nothing about its spread: everything is possible.
fn bootstrap(values: &[f64], mut random: ChaCha8Rng) -> [f64; 2] {
    if values.len() < 2 {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let count = values.len() as u64;
    let mut draw = || {
        // The high half of a product: uniform up to one part in 2^64 / count.
        let place = (u128::from(random.next_u64()) * u128::from(count)) >> 64;
        values[usize::try_from(place).unwrap_or(0)]
    };
    let mut means = || (0..count).map(|_| draw()).sum::<f64>() / count as f64;
    let means: Vec<f64> = (0..RESAMPLES).map(|_| means()).collect();
    [0.025, 0.975].map(|share| quantile(means.clone(), share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_about_two_standard_errors_wide_on_each_side() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
        let [low, high] = bootstrap(&values, ChaCha8Rng::from_seed([3; 32]));
        // Mean 4.5, standard deviation 2.872: standard error 0.2872.
        assert!((low - (4.5 - 1.96 * 0.2872)).abs() < 0.03, "{low}");
        assert!((high - (4.5 + 1.96 * 0.2872)).abs() < 0.03, "{high}");
        assert_eq!([low, high], bootstrap(&values, ChaCha8Rng::from_seed([3; 32])));
    }

    #[test]
    fn one_image_decides_nothing() {
        assert_eq!(bootstrap(&[1.0], ChaCha8Rng::from_seed([0; 32]))[0], f64::NEG_INFINITY);
    }
}

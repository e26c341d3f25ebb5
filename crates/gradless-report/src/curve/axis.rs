//! Axes: where a value lies, and at which values to write a number.

use super::super::format::{count, number};

/// A straight or logarithmic axis between two places of the drawing.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    log: bool,
}

/// Positive values are drawn on a logarithmic axis if the largest is this many times the smallest.
const WIDE: f64 = 50.0;

impl Axis {
    pub(super) fn linear(low: f64, high: f64, start: f64, end: f64) -> Self {
        // A single value needs some room around it.
        let high = if high > low { high } else { low + low.abs().max(1.0) };
        Self { low, high, start, end, log: false }
    }

    /// An axis that holds all values.
    pub(super) fn fitting(values: impl Iterator<Item = f64>, from_zero: bool, start: f64, end: f64) -> Self {
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if from_zero {
            return Self::linear(low.min(0.0), high, start, end);
        }
        if low > 0.0 && high >= WIDE * low {
            return Self { low: low.log10(), high: high.log10(), start, end, log: true };
        }
        Self::linear(low, high, start, end)
    }

    /// A twentieth more room at either end.
    pub(super) fn padded(self) -> Self {
        let room = (self.high - self.low) / 20.0;
        Self { low: self.low - room, high: self.high + room, ..self }
    }

    pub(super) fn is_log(&self) -> bool {
        self.log
    }

    /// The place of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)
    }

    /// About `wanted` round values with their labels.
    pub(super) fn ticks(&self, wanted: u32) -> Vec<(f64, String)> {
        let step = if self.log {
            ((self.high - self.low) / f64::from(wanted)).ceil()
        } else {
            round_step((self.high - self.low) / f64::from(wanted))
        };
        let first = (self.low / step - 1e-9).ceil();
        let mut ticks = Vec::new();
        let mut index = 0.0;
        while (first + index) * step <= self.high + 1e-9 * step && ticks.len() < 20 {
            // Adding zero turns -0 into 0.
            let value = (first + index) * step + 0.0;
            let value = if self.log { 10_f64.powf(value) } else { value };
            ticks.push((value, label(value)));
            index += 1.0;
        }
        ticks
    }
}

/// The next of 1, 2, 5, 10, ... that is not below.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough * (1.0 - 1e-9));
    step.unwrap_or(10.0) * power
}

/// Thousands and millions by a letter: an axis has little room.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1000 and 10000")]
fn label(value: f64) -> String {
    match value.abs() {
        1e6..1e9 => format!("{}M", number(value / 1e6)),
        1e4..1e6 => format!("{}k", number(value / 1e3)),
        1e3..1e4 if value > 0.0 => count(value.round() as u64),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks(4).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_lie_on_the_axis() {
        assert_eq!(labels(&Axis::linear(0.0, 5000.0, 0.0, 1.0)), ["0", "2,000", "4,000"]);
        assert_eq!(labels(&Axis::linear(0.0, 40_000.0, 0.0, 1.0)), ["0", "10k", "20k", "30k", "40k"]);
        assert_eq!(labels(&Axis::linear(-0.3, 0.1, 0.0, 1.0)), ["−0.3", "−0.2", "−0.1", "0", "0.1"]);
        assert_eq!(labels(&Axis::fitting([0.02, 30.0].into_iter(), false, 0.0, 1.0)), ["0.1", "1", "10"]);
    }

    #[test]
    fn ends_lie_at_the_ends() {
        for axis in [Axis::linear(2.0, 4.0, 10.0, 50.0), Axis::linear(7.0, 7.0, 10.0, 50.0)] {
            assert_eq!((axis.at(axis.low), axis.at(axis.high)), (10.0, 50.0));
        }
        let log = Axis::fitting([0.01, 100.0].into_iter(), false, 0.0, 4.0);
        assert!((log.at(1.0) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn one_value_and_extreme_ones_have_an_axis() {
        for values in [vec![3.0], vec![0.0], vec![-1e99, 1e99], vec![1e-300, 1e99], vec![-5.0, -5.0]] {
            let axis = Axis::fitting(values.iter().copied(), false, 0.0, 1.0);
            assert!(!axis.ticks(4).is_empty(), "{values:?}");
            assert!(values.iter().all(|&value| (-1e-9..=1.0 + 1e-9).contains(&axis.at(value))), "{values:?}");
        }
    }
}

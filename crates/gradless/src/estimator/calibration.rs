//! Measures the noise of the black box and finds the radius at which curvature shows above it.

use serde::{Deserialize, Serialize};

use crate::query::{Base, Row};

/// Values on the line: the number Moré & Wild recommend for deterministic and stochastic noise alike.
const LINE: usize = 7;
/// Spacings tried before giving up on the noise.
const ATTEMPTS: u32 = 4;
/// Directions along which noise is measured and a radius is tried: seven values alone underestimate the noise by a
/// factor of three once in 25 times, and along a single direction the curvature may vanish by chance.
pub(crate) const CALIBRATION_DIRECTIONS: usize = 3;
/// Radii tried before settling for the last one.
const TRIALS: u32 = 16;
/// The longest step of a trial on one side, in radii.
const LONGEST_STEP: f64 = 4.0;
/// Where noise hides everything within the longest trial for which there is room, the radius is so many times that.
const BEYOND: f64 = 2.0;
/// The first radius tried is this share of the one at which noise and curvature meet if the function changes by its own size
/// over the largest radius: fewer trials than from the start, and rarely too far.
const UNDER: f64 = 0.25;
/// A difference on one side that is this many standard deviations of the noise tells the slope. So it does where slopes are flat
/// but the radius is this share of the largest: it will where they are steep. Elsewhere both sides are asked, at a larger radius.
/// Chosen by experiment (`bench --bin noise`, seeds 100 to 109).
const TELLING: f64 = 50.0;
const SMALL: f64 = 0.02;
/// The ratio of the observed difference to what noise explains: below, noise hides the curvature; above, curvature biases the slope.
const WANTED: std::ops::RangeInclusive<f64> = 1.5..=6.0;

/// On which sides of a point a difference takes its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sides {
    One,
    Two,
    /// One where noise is so small that this tells the slope, two elsewhere.
    OneIfTelling,
}

/// The dialogue that ends in a radius: a few rows at a time along one direction from $x_1$.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibration {
    sides: Sides,
    start: f64,
    largest: f64,
    /// The longest radius that is tried: a trial takes steps of several times its radius, for which there may be no room.
    longest_trial: f64,
    stage: Stage,
    /// The answers of this round, some of which failed and are asked once more, and its first sample.
    told: Option<(Vec<f64>, u64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Stage {
    Noise { spacing: f64, attempt: u32 },
    Radius { noise: f64, radius: f64, too_small: Option<f64>, too_large: Option<f64>, trial: u32 },
}

/// What a round of answers led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Calibrated {
    /// Ask again.
    More,
    /// Use this radius on these sides, one or two; the noise is `None` if it could not be told from the function.
    Done { radius: f64, noise: Option<f64>, sides: Sides },
}

impl Calibration {
    /// Begins at one radius and goes no further than the largest.
    pub(crate) fn new(sides: Sides, start: f64, largest: f64) -> Self {
        let start = start.min(largest);
        let stage = Stage::Noise { spacing: start, attempt: 1 };
        Self { sides, start, largest, longest_trial: largest, stage, told: None }
    }

    /// Tries no radius whose steps are longer than the largest radius. Where noise hides everything up to there, the largest is
    /// taken untried.
    #[must_use]
    pub(crate) fn with_steps_within_largest(mut self) -> Self {
        self.longest_trial = self.largest / LONGEST_STEP;
        let spacing = self.start.min(self.largest / 3.0);
        self.stage = Stage::Noise { spacing, attempt: 1 };
        self
    }

    /// Direction and signed length of the points of this round; the base point itself has no direction.
    fn steps(&self) -> Vec<Option<(usize, f64)>> {
        match self.stage {
            Stage::Noise { spacing, .. } => {
                let along = |u| (0..LINE).map(move |i| (i != 3).then_some((u, (i as f64 - 3.0) * spacing)));
                (0..CALIBRATION_DIRECTIONS).flat_map(along).collect()
            }
            Stage::Radius { radius: nu, .. } => {
                let central = self.sides == Sides::Two;
                let lengths: &[f64] = if central { &[3.0, 1.0, -1.0, -3.0] } else { &[LONGEST_STEP, 1.0] };
                let along = |u| lengths.iter().map(move |length| Some((u, length * nu)));
                let base = (!central).then_some(None);
                base.into_iter().chain((0..CALIBRATION_DIRECTIONS).flat_map(along)).collect()
            }
        }
    }

    /// The longest step of this round.
    pub(crate) fn reach(&self) -> f64 {
        self.steps().into_iter().flatten().fold(0.0, |reach: f64, (_, length)| reach.max(length.abs()))
    }

    /// The rows to ask for now: all of this round, or those that failed. With independent noise every row gets a sample of its
    /// own, with common noise all share one.
    pub(crate) fn rows(&self, next_sample: u64, independent: bool) -> Vec<Row> {
        let first_sample = self.told.as_ref().map_or(next_sample, |told| told.1);
        let sample = |i: usize| first_sample + if independent { i as u64 } else { 0 };
        let missing = |i: usize| self.told.as_ref().is_none_or(|(told, _)| !told[i].is_finite());
        let steps = self.steps().into_iter().enumerate().filter(|&(i, _)| missing(i));
        steps.map(|(i, step)| Row { base: Base::Centre, step, sample: sample(i) }).collect()
    }

    /// How many new samples the rows to ask for now use up.
    pub(crate) fn samples(&self) -> u64 {
        if self.told.is_some() { 0 } else { self.steps().len() as u64 }
    }

    /// Takes the answers to the rows, the first of which had this sample if all of the round were asked.
    pub(crate) fn tell(&mut self, values: &[f64], first_sample: u64) -> Calibrated {
        let values = match self.told.take() {
            Some((mut told, _)) => {
                let failed = told.iter_mut().filter(|value| !value.is_finite());
                failed.zip(values).for_each(|(told, value)| *told = *value);
                told
            }
            // Noise is told by whole lines: with one failed answer in ten half of them would be lost.
            None if values.iter().any(|value| !value.is_finite()) => {
                self.told = Some((values.to_vec(), first_sample));
                return Calibrated::More;
            }
            None => values.to_vec(),
        };
        match self.stage {
            Stage::Noise { spacing, attempt } => self.tell_line(&values, spacing, attempt),
            Stage::Radius { .. } => self.tell_trial(&values),
        }
    }

    fn tell_line(&mut self, values: &[f64], spacing: f64, attempt: u32) -> Calibrated {
        let next = match pooled_noise_level(values) {
            NoiseLevel::Found(noise) => {
                let radius = self.first_radius(noise, values);
                self.stage = Stage::Radius { noise, radius, too_small: None, too_large: None, trial: 1 };
                return Calibrated::More;
            }
            NoiseLevel::SpacingTooSmall => (spacing * 100.0).min(self.largest / 3.0),
            NoiseLevel::SpacingTooLarge => spacing / 100.0,
        };
        if attempt == ATTEMPTS || next == spacing {
            return Calibrated::Done { radius: self.start, noise: None, sides: self.settled() };
        }
        self.stage = Stage::Noise { spacing: next, attempt: attempt + 1 };
        Calibrated::More
    }

    fn first_radius(&self, noise: f64, values: &[f64]) -> f64 {
        let size = values.iter().filter(|value| value.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
        let share = noise / size;
        let met = if self.sides == Sides::Two { share.cbrt() } else { share.sqrt() };
        (UNDER * met * self.largest).max(self.start).min(self.longest_trial)
    }

    /// The sides if nothing more can be asked: two, unless one was wanted.
    pub(crate) fn settled(&self) -> Sides {
        if self.sides == Sides::One { Sides::One } else { Sides::Two }
    }

    /// The radius to use if nothing more can be asked, and the noise if it is known: the largest radius that was found too
    /// small, since a larger one is what was wanted.
    pub(crate) fn best_known(&self) -> (f64, Option<f64>) {
        match self.stage {
            Stage::Noise { .. } => (self.start, None),
            Stage::Radius { noise, too_small, .. } => (too_small.unwrap_or(self.start), Some(noise)),
        }
    }

    /// Whether the numbers make sense, for a dialogue that comes from outside.
    pub(crate) fn is_consistent(&self) -> bool {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let stage = match self.stage {
            Stage::Noise { spacing, attempt } => positive(spacing) && (1..=ATTEMPTS).contains(&attempt),
            Stage::Radius { noise, radius, too_small, too_large, trial } => {
                let bounds = [too_small, too_large];
                positive(noise)
                    && positive(radius)
                    && bounds.into_iter().flatten().all(positive)
                    && (1..=TRIALS).contains(&trial)
            }
        };
        let told = self.told.as_ref().is_none_or(|(told, _)| {
            told.len() == self.steps().len() && told.iter().any(|value| !value.is_finite())
        });
        stage && told && [self.start, self.largest, self.longest_trial].into_iter().all(positive)
    }

    fn tell_trial(&mut self, values: &[f64]) -> Calibrated {
        let Stage::Radius { noise, radius, ref mut too_small, ref mut too_large, ref mut trial } = self.stage
        else {
            return Calibrated::More;
        };
        let in_noise = |difference: f64| (difference / (8.0 * noise)).powi(2);
        let (ratio, telling) = if self.sides == Sides::Two {
            let third = |v: &[f64]| v[0] - 3.0 * v[1] + 3.0 * v[2] - v[3];
            (root_mean(values.chunks_exact(4).map(|v| in_noise(third(v)))), true)
        } else {
            let along = || values[1..].chunks_exact(2);
            let second = |v: &[f64]| v[0] - 4.0 * v[1] + 3.0 * values[0];
            let first = root_mean(along().map(|v| (v[1] - values[0]).powi(2)));
            (
                root_mean(along().map(|v| in_noise(second(v)))),
                first >= TELLING * noise || radius <= SMALL * self.largest,
            )
        };
        let hidden = ratio < *WANTED.start() && radius >= self.longest_trial;
        let last = *trial == TRIALS || hidden;
        if last || WANTED.contains(&ratio) {
            if self.sides == Sides::OneIfTelling && !telling {
                self.sides = Sides::Two;
                let radius = (4.0 * radius).min(self.longest_trial);
                self.stage = Stage::Radius { noise, radius, too_small: None, too_large: None, trial: 1 };
                return Calibrated::More;
            }
            let sides = if self.sides == Sides::Two { Sides::Two } else { Sides::One };
            let radius = if hidden { self.largest.min(BEYOND * radius) } else { radius };
            return Calibrated::Done { radius, noise: Some(noise), sides };
        }
        // Where all directions failed (NaN) it is too far: the black box may not like points out there.
        if ratio < *WANTED.start() {
            *too_small = Some(radius);
        } else {
            *too_large = Some(radius);
        }
        let next = match (*too_small, *too_large) {
            (Some(small), Some(large)) => (small * large).sqrt(),
            (Some(small), None) => (4.0 * small).min(self.longest_trial),
            (None, Some(large)) => large / 4.0,
            (None, None) => radius,
        };
        *trial += 1;
        let trial = *trial;
        let (too_small, too_large) = (*too_small, *too_large);
        self.stage = Stage::Radius { noise, radius: next, too_small, too_large, trial };
        Calibrated::More
    }
}

/// The root of the mean of those that are finite: directions along which an answer failed say nothing. NaN if all failed.
fn root_mean(squares: impl Iterator<Item = f64>) -> f64 {
    let finite = squares.filter(|square| square.is_finite());
    let (sum, count) = finite.fold((0.0, 0.0), |(sum, count), square| (sum + square, count + 1.0));
    (sum / count).sqrt()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum NoiseLevel {
    /// Standard deviation of one value.
    Found(f64),
    /// Too many equal values: the black box is flat at this spacing.
    SpacingTooSmall,
    /// The function itself dominates every difference.
    SpacingTooLarge,
}

/// The root mean square over the lines on which noise was found; what the first line says if it was found on none.
fn pooled_noise_level(values: &[f64]) -> NoiseLevel {
    let levels: Vec<NoiseLevel> = values.chunks_exact(LINE).map(noise_level).collect();
    let found: Vec<f64> = levels
        .iter()
        .filter_map(|level| match level {
            NoiseLevel::Found(noise) => Some(*noise),
            NoiseLevel::SpacingTooSmall | NoiseLevel::SpacingTooLarge => None,
        })
        .collect();
    let largest = found.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        let mean = found.iter().map(|noise| (noise / largest).powi(2)).sum::<f64>() / found.len() as f64;
        return NoiseLevel::Found(largest * mean.sqrt());
    }
    levels.first().copied().unwrap_or(NoiseLevel::SpacingTooLarge)
}

/// ECnoise: differences of order $k$ of a smooth function vanish, those of the noise have variance $\binom{2k}{k}\sigma^2$.
///
/// Moré & Wild, Estimating computational noise, SIAM J. Sci. Comput. 2011, Section 5. Three consecutive orders must
/// agree within a factor of four, and the differences of the first must change sign.
fn noise_level(values: &[f64]) -> NoiseLevel {
    if values.iter().any(|value| !value.is_finite()) {
        return NoiseLevel::SpacingTooLarge;
    }
    // Relative to the largest value, so that no square overflows; to its power of two, so that dividing does not round and
    // values on an exact line stay there.
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let scale = f64::from_bits(largest.to_bits() & f64::INFINITY.to_bits());
    if scale == 0.0 {
        return NoiseLevel::SpacingTooSmall;
    }
    let mut differences: Vec<f64> = values.iter().map(|value| value / scale).collect();
    let mut levels = Vec::new();
    let mut gamma = 1.0;
    for k in 1..values.len() {
        differences = differences.windows(2).map(|pair| pair[1] - pair[0]).collect();
        if k == 1 && 2 * differences.iter().filter(|d| **d == 0.0).count() >= differences.len() {
            return NoiseLevel::SpacingTooSmall;
        }
        let k = k as f64;
        gamma *= 0.5 * k / (2.0 * k - 1.0);
        let mean_square = differences.iter().map(|d| d * d).sum::<f64>() / differences.len() as f64;
        let least = differences.iter().copied().fold(f64::INFINITY, f64::min);
        let most = differences.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        levels.push(((gamma * mean_square).sqrt(), least < 0.0 && most > 0.0));
    }
    let agreeing = levels.windows(3).find(|three| {
        let sizes = three.iter().map(|(level, _)| *level);
        let least = sizes.clone().fold(f64::INFINITY, f64::min);
        three[0].1 && sizes.fold(0.0, f64::max) <= 4.0 * least
    });
    match agreeing {
        Some(three) => NoiseLevel::Found(scale * three[0].0),
        None => NoiseLevel::SpacingTooLarge,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic stand-in for noise: uniform on [-1, 1], standard deviation 0.577.
    fn jitter(i: u64) -> f64 {
        let mut z = i.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn calibrate(sides: Sides, largest: f64, f: impl Fn(f64) -> f64, sigma: f64) -> (f64, Option<f64>, u64) {
        calibrate_seeded(sides, largest, f, sigma, 0)
    }

    fn calibrate_seeded(
        sides: Sides,
        largest: f64,
        f: impl Fn(f64) -> f64,
        sigma: f64,
        seed: u64,
    ) -> (f64, Option<f64>, u64) {
        let mut calibration = Calibration::new(sides, 1e-3, largest);
        let mut asked = 0;
        loop {
            let (rows, first) = (calibration.rows(asked, true), asked);
            let noise = |row: &Row| sigma * jitter(row.sample + 1_000_000 * seed);
            let value = |row: &Row| f(row.step.map_or(0.0, |(_, t)| t)) + noise(row);
            let values: Vec<f64> = rows.iter().map(value).collect();
            asked += rows.len() as u64;
            if let Calibrated::Done { radius, noise, .. } = calibration.tell(&values, first) {
                return (radius, noise, asked);
            }
        }
    }

    #[test]
    fn noise_is_found_within_a_factor_of_three_from_1e_minus_7_to_1e_minus_2() {
        for sigma in [1e-7, 1e-5, 1e-3, 1e-2] {
            let (_, noise, asked) = calibrate(Sides::One, 1.0, |t| (3.0 * t).sin() + t * t, sigma);
            let ratio = noise.expect("noise is there") / (0.577 * sigma);
            assert!((0.33..3.0).contains(&ratio), "sigma {sigma}: ratio {ratio}");
            assert!(asked <= 140, "{asked} queries");
        }
    }

    #[test]
    fn the_radius_grows_with_the_noise_and_stops_at_the_largest() {
        let radius = |sigma| calibrate(Sides::Two, 0.5, |t| (3.0 * t).sin(), sigma).0;
        let radii: Vec<f64> = [1e-8, 1e-6, 1e-4, 1e-2].into_iter().map(radius).collect();
        assert!(radii.windows(2).all(|pair| pair[0] < pair[1]), "{radii:?}");
        let (radius, ..) = calibrate(Sides::Two, 0.5, |t| 5.0 * t * t, 0.1);
        assert_eq!(radius, 0.5, "a quadratic has no third difference: any radius is right for it");
    }

    #[test]
    fn the_radius_is_never_far_too_small() {
        // The right radius for sin(3t) under this noise is about 0.3; 500 seeds.
        let radii: Vec<f64> = (0..500)
            .map(|seed| calibrate_seeded(Sides::Two, 0.5, |t| (3.0 * t).sin(), 0.1, seed).0)
            .collect();
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least > 0.03, "{least}");
    }

    #[test]
    fn without_noise_the_start_is_kept() {
        let (radius, noise, _) = calibrate(Sides::One, 1.0, |_| 2.0, 0.0);
        assert_eq!((radius, noise), (1e-3, None));
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "rounding is what is tested")]
    fn values_on_an_exact_line_have_no_noise() {
        // As a rounded function gives them where it is nearly straight: the steps are equal to the last bit.
        for (start, step) in [(8.9, 3e-6), (0.7, -1e-7), (-3e5, 0.25)] {
            let values: Vec<f64> =
                (0..7_i16).map(|i| f64::from((start + f64::from(i) * step) as f32)).collect();
            let step = values[1] - values[0];
            let line: Vec<f64> = (0..7_i16).map(|i| values[0] + f64::from(i) * step).collect();
            assert_eq!(noise_level(&line), NoiseLevel::SpacingTooLarge, "{line:?}");
        }
    }

    #[test]
    fn one_side_is_enough_where_noise_is_small() {
        let sides = |sigma: f64| {
            let mut calibration = Calibration::new(Sides::OneIfTelling, 1e-3, 0.5);
            let mut asked = 0;
            loop {
                let (rows, first) = (calibration.rows(asked, true), asked);
                asked += rows.len() as u64;
                let value =
                    |row: &Row| (3.0 * row.step.map_or(0.0, |(_, t)| t)).sin() + sigma * jitter(row.sample);
                let values: Vec<f64> = rows.iter().map(value).collect();
                if let Calibrated::Done { sides, .. } = calibration.tell(&values, first) {
                    return sides;
                }
            }
        };
        assert_eq!([1e-6, 1e-4, 1e-2].map(sides), [Sides::One, Sides::One, Sides::Two]);
    }

    #[test]
    fn what_failed_is_asked_once_more_under_the_same_samples() {
        let mut calibration = Calibration::new(Sides::One, 1e-3, 1.0);
        let all = calibration.rows(100, true);
        let mut values: Vec<f64> = all.iter().map(|row| 1.0 + 0.1 * jitter(row.sample)).collect();
        let whole = {
            let mut calm = calibration.clone();
            calm.tell(&values, 100);
            calm
        };
        let (lost, kept) = (values[5], values.clone());
        values[5] = f64::NAN;
        assert_eq!(calibration.tell(&values, 100), Calibrated::More);
        let again = calibration.rows(121, true);
        assert_eq!((again.len(), again[0].sample, calibration.samples()), (1, all[5].sample, 0));
        assert_eq!((calibration.tell(&[lost], 121), kept[5]), (Calibrated::More, lost));
        assert_eq!(calibration, whole);
    }

    #[test]
    fn failed_answers_end_in_the_start() {
        let (radius, noise, _) = calibrate(Sides::One, 1.0, |_| f64::NAN, 0.0);
        assert_eq!((radius, noise), (1e-3, None));
    }
}

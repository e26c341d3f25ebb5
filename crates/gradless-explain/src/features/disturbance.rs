//! Small random disturbances of a picture: an answer that means something survives them.

use gradless::random::below;
use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::condition::Stability;

/// How a picture is disturbed.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `noise` | 0.15 | deviation of the Gaussian noise on every number, as a share of the range of numbers |
/// | `shift` | 1, of small pictures 0 | pixels by which the picture moves at most, each way |
/// | `brightness` | 0.1 | by how much of itself the picture gets brighter or darker at most |
///
/// The noise is chosen by experiment: `docs/benchmarks/meaning.md`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the table above says it once, with the defaults")]
pub struct Disturbance {
    pub noise: f64,
    pub shift: usize,
    pub brightness: f64,
}

/// Below so many pixels a shift by one is no small disturbance.
const SMALL: usize = 16;

impl Disturbance {
    /// Nothing.
    pub const NOTHING: Self = Self { noise: 0.0, shift: 0, brightness: 0.0 };

    /// That of photographs that are cut into regions. Noise on a smooth background is seen as something: with 0.02 of it most answers are lost.
    pub const OF_REGIONS: Self = Self { noise: 0.0, shift: 2, brightness: 0.1 };

    /// That of inputs of this shape; small pictures are not moved.
    pub fn of(shape: &[usize]) -> Self {
        let is_small = !matches!(shape, [.., rows, columns] if *rows.min(columns) >= SMALL);
        Self { noise: 0.15, shift: usize::from(!is_small), brightness: 0.1 }
    }
}

/// What an answer must survive, as people write it: whether it is asked, and how a picture is disturbed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steadiness {
    /// Whether it is asked.
    pub stability: Stability,
    /// What is disturbed; as a picture of its shape is if that is not said.
    pub disturbance: Option<Disturbance>,
}

impl std::str::FromStr for Steadiness {
    type Err = String;

    /// `off`, `on`, or a list such as `noise=0.1,shift=2`: what is not in it is not disturbed.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "on" => return Ok(Self::default()),
            "off" => return Ok(Self { stability: Stability::Off, ..Self::default() }),
            _ => {}
        }
        let needed = || {
            "on, off, or a list such as noise=0.15,shift=1,brightness=0.1,draws=100 is needed (shares up to 1, whole pixels, 10 to \
             100000 draws)"
                .to_owned()
        };
        let mut steadiness = Self::default();
        for pair in text.split(',') {
            let (name, value) = pair.split_once('=').ok_or_else(needed)?;
            let share = || value.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(needed);
            let whole = |range: std::ops::RangeInclusive<usize>| {
                value.parse().ok().filter(|count| range.contains(count)).ok_or_else(needed)
            };
            let given = || steadiness.disturbance.unwrap_or(Disturbance::NOTHING);
            match name.trim() {
                "noise" => steadiness.disturbance = Some(Disturbance { noise: share()?, ..given() }),
                "brightness" => {
                    steadiness.disturbance = Some(Disturbance { brightness: share()?, ..given() });
                }
                "shift" => steadiness.disturbance = Some(Disturbance { shift: whole(0..=1_000)?, ..given() }),
                "draws" => steadiness.stability = Stability::On { draws: whole(10..=100_000)? },
                _ => return Err(needed()),
            }
        }
        Ok(steadiness)
    }
}

/// The picture that is disturbed: its planes one after the other, each of so many rows and columns, and what its numbers may be.
#[derive(Clone, Copy)]
pub(super) struct Planes {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The numbers of black and white.
    pub(super) range: [f64; 2],
}

impl Disturbance {
    /// The same with other noise.
    #[must_use]
    pub fn with_noise(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    /// Noise alone.
    #[must_use]
    pub fn noise_alone(self) -> Self {
        Self { shift: 0, brightness: 0.0, ..self }
    }

    /// In words.
    pub fn words(&self) -> String {
        let mut words = Vec::new();
        if self.noise > 0.0 {
            words.push(format!("noise of {} of the range", (1e4 * self.noise).round() / 1e4));
        }
        if self.shift > 0 {
            words.push(format!(
                "shifts by up to {} pixel{}",
                self.shift,
                if self.shift == 1 { "" } else { "s" }
            ));
        }
        if self.brightness > 0.0 {
            words.push(format!("brightness by up to {:.0} %", 100.0 * self.brightness));
        }
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }

    /// Disturbs a picture in place. Moved pictures are continued by their edges; no number leaves the range.
    pub(super) fn apply(&self, picture: &mut [f64], planes: Planes, mut rng: &mut dyn Rng) {
        let [low, high] = planes.range;
        if self.shift > 0 {
            let widest = 2 * self.shift + 1;
            let by = [below(&mut rng, widest), below(&mut rng, widest)];
            self.shift(picture, planes, by);
        }
        let factor = 1.0 + self.brightness * (2.0 * uniform(rng) - 1.0);
        let noise = self.noise * (high - low);
        for x in picture {
            let normal: f64 = if noise > 0.0 { StandardNormal.sample(rng) } else { 0.0 };
            *x = (low + factor * (*x - low) + noise * normal).clamp(low, high);
        }
    }

    /// Moves a picture in place, down and to the right by so many pixels from as far up and to the left as it may be moved.
    pub(super) fn shift(&self, picture: &mut [f64], planes: Planes, [down, right]: [usize; 2]) {
        let Planes { rows, columns, .. } = planes;
        let moved = |at: usize, by: usize, most: usize| (at + self.shift).saturating_sub(by).min(most - 1);
        for plane in picture.chunks_exact_mut(rows * columns) {
            let before = plane.to_vec();
            for (i, x) in plane.iter_mut().enumerate() {
                *x = before[moved(i / columns, down, rows) * columns + moved(i % columns, right, columns)];
            }
        }
    }
}

/// A number in $[0, 1)$.
pub(super) fn uniform(rng: &mut dyn Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use gradless::random::{Key, Purpose};

    use super::*;

    const PLANES: Planes = Planes { rows: 3, columns: 3, range: [0.0, 1.0] };

    fn disturbed(disturbance: Disturbance, draw: u64) -> Vec<f64> {
        let mut picture = vec![0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.25];
        let key = Key { seed: 1, purpose: Purpose::Disturbances };
        disturbance.apply(&mut picture, PLANES, &mut key.stream(draw, 0));
        picture
    }

    #[test]
    fn shifts_move_the_whole_picture_and_continue_its_edge() {
        let shift = Disturbance { noise: 0.0, shift: 1, brightness: 0.0 };
        let mut seen: Vec<Vec<f64>> = (0..100).map(|draw| disturbed(shift, draw)).collect();
        seen.sort_by(|a, b| a.partial_cmp(b).unwrap());
        seen.dedup();
        // Nine ways, all of them different here.
        assert_eq!(seen.len(), 9);
        assert!(seen.contains(&vec![0.5, 0.0, 0.0, 0.0, 0.25, 0.25, 0.0, 0.25, 0.25]), "up and to the left");
        assert!(seen.contains(&vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]), "down and to the right");
    }

    #[test]
    fn noise_and_brightness_stay_in_the_range_and_differ_by_draw() {
        let both = Disturbance { noise: 0.3, shift: 0, brightness: 0.5 };
        let [first, second] = [0, 1].map(|draw| disturbed(both, draw));
        assert!(first != second && first == disturbed(both, 0));
        assert!(first.iter().chain(&second).all(|x| (0.0..=1.0).contains(x)));
        let middle: Vec<f64> =
            (0..4_000).map(|draw| disturbed(both.with_noise(0.05), draw)[4] - 0.5).collect();
        let square = middle.iter().map(|x| x * x).sum::<f64>() / 4_000.0;
        // 0.05^2 of noise and (0.5 * 0.5)^2 / 3 of brightness.
        assert!((square - 0.0025 - 0.0625 / 3.0).abs() < 0.002, "{square}");
        assert_eq!(disturbed(Disturbance::NOTHING, 3)[4], 0.5);
        assert_eq!([Disturbance::of(&[3, 8, 32]), Disturbance::of(&[12])].map(|small| small.shift), [0, 0]);
    }

    #[test]
    fn what_must_be_survived_is_off_on_or_a_list() {
        let read = |text: &str| text.parse::<Steadiness>();
        assert_eq!(read("off").unwrap().stability, Stability::Off);
        assert_eq!(read("on"), Ok(Steadiness::default()));
        let given = read("noise=0.05,shift=2").unwrap();
        assert_eq!(given.disturbance, Some(Disturbance { noise: 0.05, shift: 2, brightness: 0.0 }));
        let draws = read("draws=500").unwrap();
        assert_eq!((draws.stability, draws.disturbance), (Stability::On { draws: 500 }, None));
        for wrong in
            ["", "much", "noise", "noise=2", "noise=nan", "shift=-1", "shift=1.5", "draws=3", "blur=1"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_say_what_is_done() {
        assert_eq!(
            Disturbance::of(&[1, 28, 28]).words(),
            "noise of 0.15 of the range, shifts by up to 1 pixel, brightness by up to 10 %"
        );
    }
}

//! Probes of slopes: waves over a picture, single features, and what is changed pulled in.

use std::f64::consts::PI;

use gradless::random::below;
use rand_core::Rng;

use super::{Dense, Held};
use crate::error::ExplainError;
use crate::features::Coordinates;
use crate::question::Norm;

/// How far a probe goes, as a share of how far the point is from the input.
const FAR: f64 = 0.2;
/// Features of which the one that was probed longest ago is probed.
const OLDEST_OF: usize = 8;
/// Weight of the newest probe in what probes of its kind tell.
const NEWEST: f64 = 0.05;
/// One in so many probes is of the kind that tells less.
const OTHER: usize = 10;

/// What is probed next.
pub(super) struct Probes {
    /// The numbers of every feature, and when it was probed last.
    features: Vec<(Vec<usize>, u64)>,
    /// Waves, long ones first, and which is next.
    waves: Vec<(usize, usize)>,
    next: usize,
    made: u64,
    /// How much squared slopes have grown by waves and by features.
    told: [Option<f64>; 2],
    /// Whether what is changed is pulled in, one number at a time.
    pulls: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wave = 0,
    Feature = 1,
    Pull = 2,
}

impl Probes {
    pub(super) fn new(coordinates: &Coordinates<'_>, norm: Norm) -> Self {
        let mut features = vec![(Vec::new(), 0); coordinates.features];
        for at in coordinates.free() {
            features[coordinates.feature[at]].0.push(at);
        }
        features.retain(|(numbers, _)| !numbers.is_empty());
        let (rows, columns) = coordinates.layout;
        let mut waves: Vec<(usize, usize)> = Vec::new();
        // A sum of absolute values is small where few numbers change: waves tell nothing about single ones.
        if rows > 1 && norm != Norm::L1 {
            waves.extend((0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))));
        }
        waves.sort_by_key(|&(row, column)| (row * row + column * column, row));
        Self { features, waves, next: 0, made: 0, told: [None; 2], pulls: norm == Norm::L1 }
    }

    /// How many were made.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// Which kind comes next: the one that tells more, now and then the other.
    fn kind(&self, rng: &mut impl Rng) -> Kind {
        if self.pulls && below(rng, 2) == 0 {
            return Kind::Pull;
        }
        if self.next >= self.waves.len() {
            return Kind::Feature;
        }
        let worth = |kind: Kind| self.told[kind as usize].unwrap_or(f64::INFINITY);
        let waves = worth(Kind::Wave) > worth(Kind::Feature);
        let other = below(rng, OTHER) == 0 && below(rng, 2) == 0;
        if waves == other { Kind::Feature } else { Kind::Wave }
    }

    fn note(&mut self, kind: Kind, told: f64) {
        self.made += 1;
        if let Some(old) = self.told.get_mut(kind as usize) {
            *old = Some(old.map_or(told, |old| old + NEWEST * (told - old)));
        }
    }

    /// The numbers of a feature that was not probed for long.
    fn oldest(&mut self, rng: &mut impl Rng) -> &[usize] {
        let mut best = below(rng, self.features.len());
        for _ in 0..OLDEST_OF {
            let other = below(rng, self.features.len());
            if self.features[other].1 < self.features[best].1 {
                best = other;
            }
        }
        self.features[best].1 = self.made + 1;
        &self.features[best].0
    }
}

impl<R: Rng> Dense<'_, '_, '_, R> {
    /// Probes slopes around a point; gives a probe that is valid and smaller.
    pub(super) fn probe(&mut self, base: &Held, count: usize) -> Result<Option<Held>, ExplainError> {
        let kinds: Vec<Kind> =
            (0..count.min(self.attack.left())).map(|_| self.probes.kind(&mut self.rng)).collect();
        let points: Vec<Vec<f64>> = kinds.iter().map(|&kind| self.probed(base, kind)).collect();
        let direction = self.attack.direction(&base.scores);
        let mut best: Option<Held> = None;
        let mut size = if base.valid { self.size(&base.point) } else { f64::NEG_INFINITY };
        for (kind, held) in kinds.into_iter().zip(self.ask(points)?) {
            let Some(held) = held else { continue };
            let told = self.learn(base, &held, direction);
            self.probes.note(kind, told);
            let found = self.size(&held.point);
            if held.valid && found < size {
                (size, best) = (found, Some(held));
            }
        }
        Ok(best)
    }

    /// Corrects slopes along a move, as far as it takes (Kaczmarz 1937). By how much their squares grew.
    pub(super) fn learn(&mut self, base: &Held, held: &Held, [rises, falls]: [usize; 2]) -> f64 {
        let steps = held.point.iter().zip(&base.point).map(|(new, old)| new - old).enumerate();
        let moved: Vec<(usize, f64)> = steps.filter(|&(_, step)| step != 0.0).collect();
        let square: f64 = moved.iter().map(|(_, step)| step * step).sum();
        if square == 0.0 {
            return 0.0;
        }
        let mut errors = vec![0.0; self.classes];
        for (class, error) in errors.iter_mut().enumerate() {
            let told: f64 =
                moved.iter().map(|&(at, step)| step * self.slopes[at * self.classes + class]).sum();
            *error = held.scores[class] - base.scores[class] - told;
            for &(at, step) in &moved {
                self.slopes[at * self.classes + class] += *error * step / square;
            }
        }
        (errors[rises] - errors[falls]).powi(2) / square
    }

    /// The point that a probe of this kind asks about, on the grid.
    fn probed(&mut self, base: &Held, kind: Kind) -> Vec<f64> {
        let coordinates = self.attack.search.ledger.around.coordinates;
        if kind == Kind::Pull {
            let moved = coordinates.moved(&base.point);
            if !moved.is_empty() {
                let at = moved[below(&mut self.rng, moved.len())];
                let share = [0.0, 0.5, 0.75, 0.9][below(&mut self.rng, 4)];
                let mut point = base.point.clone();
                point[at] = coordinates
                    .snap(at, coordinates.origin[at] + share * (point[at] - coordinates.origin[at]));
                return point;
            }
        }
        let probe = if kind == Kind::Wave { self.wave() } else { self.feature() };
        let size = super::super::length(&base.point, &coordinates.origin);
        let steps = if kind == Kind::Wave { 2.0 } else { 1.0 };
        let least = steps * coordinates.step().unwrap_or(0.0) * (probe.len() as f64).sqrt();
        let far = (FAR * if size > 0.0 { size } else { 0.5 }).max(least);
        // Towards the input, or up the slope.
        let direction = self.attack.direction(&base.scores);
        let inward: f64 =
            probe.iter().map(|&(at, step)| step * (coordinates.origin[at] - base.point[at])).sum();
        let slope: f64 = probe.iter().map(|&(at, step)| step * self.slope(at, direction)).sum();
        let sign = if inward.abs() > 1e-9 { inward.signum() } else { slope.signum() };
        let mut point = base.point.clone();
        for sign in [sign, -sign] {
            for &(at, step) in &probe {
                let (lower, upper) = coordinates.bounds[at];
                point[at] = coordinates.snap(at, (base.point[at] + sign * far * step).clamp(lower, upper));
            }
            if point != base.point {
                break;
            }
        }
        point
    }

    /// A wave over the picture, of length 1.
    fn wave(&mut self) -> Vec<(usize, f64)> {
        let (rows, columns) = self.attack.search.ledger.around.coordinates.layout;
        let (down, across) = self.probes.waves[self.probes.next.min(self.probes.waves.len() - 1)];
        self.probes.next += 1;
        let wave =
            |at: usize, times: usize, of: usize| (PI * (at as f64 + 0.5) * times as f64 / of as f64).cos();
        let height = |at: usize| {
            let place = at % (rows * columns);
            wave(place / columns, down, rows) * wave(place % columns, across, columns)
        };
        let mut probe: Vec<(usize, f64)> = self.free.iter().map(|&at| (at, height(at))).collect();
        let length = probe.iter().map(|(_, step)| step * step).sum::<f64>().sqrt();
        for (_, step) in &mut probe {
            *step /= length.max(f64::MIN_POSITIVE);
        }
        probe
    }

    /// A feature that was not probed for long, all its numbers together; of length 1. In a sum of absolute values one of them.
    fn feature(&mut self) -> Vec<(usize, f64)> {
        let numbers = self.probes.oldest(&mut self.rng).to_vec();
        if self.norm == Norm::L1 {
            return vec![(numbers[below(&mut self.rng, numbers.len())], 1.0)];
        }
        let step = 1.0 / (numbers.len() as f64).sqrt();
        numbers.into_iter().map(|at| (at, step)).collect()
    }
}

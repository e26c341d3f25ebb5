//! What is remembered of $\nabla l$: a slope for each coordinate, where it was seen, and which to look at next.

mod choice;
mod curvature;
mod rehearing;

use curvature::Curvature;
use rehearing::Surveys;
use serde::{Deserialize, Serialize};

use super::component::Component;
use super::likeness::Likeness;

/// How much of a new slope enters the memory of an old one: slopes on both sides of a kink average out.
const RENEWAL: f64 = 0.85;
/// The same where slopes are noisy, or change at kinks again and again: they average out over more looks.
const NOISY_RENEWAL: f64 = 0.5;
/// How much of what is known of the curvature is left after a look.
const CURVATURE_FADES: f64 = 0.9;
/// How much of what the slopes got wrong along a step is added to them.
const CORRECTION: f64 = 0.3;
/// Between two surveys this many times their cost goes into looks: the first where the surveys say where to look, the second
/// where they do not.
const SURVEY_PAUSES: [u64; 2] = [1, 8];
/// Surveys say where to look if what is found there is this many times the average of all coordinates not looked at.
const TELLING: f64 = 4.0;

/// Slopes of $l$ along the coordinates, refreshed a few at a time.
///
/// A look gives the slopes of a block of coordinates, a survey hints at all of them at once:
///
/// $$ \hat c = \frac1m\sum_j \bigl(y_j - \langle h, u_j\rangle\bigr)u_j $$
///
/// is an unbiased estimate of $\nabla l - h$ whatever the memory $h$ holds, and the better it is, the less noise there is in
/// it. So the few steep coordinates of a high-dimensional function are found with about $\ln d$ queries each and then looked
/// at alone, exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    without: Option<Component>,
    /// The slope along each coordinate, and where on it that was; 0 before it was looked at.
    slopes: Vec<f64>,
    places: Vec<f64>,
    curvature: Curvature,
    /// The mean slope beside each coordinate when it was looked at last, and how much that tells.
    beside: Vec<f64>,
    likeness: f64,
    /// How many others each coordinate was looked at together with the last time.
    company: Vec<usize>,
    noisy: bool,
    kinked: bool,
    /// When each coordinate was looked at last; 0 if it was not.
    seen: Vec<u64>,
    /// What the surveys say is lacking of each slope, 0 once it was looked at, and the weight of what they say.
    hints: Vec<f64>,
    evidence: f64,
    /// Coordinates not looked at yet.
    unseen: usize,
    since: SinceSurvey,
    surveys: Surveys,
}

/// What came of the last survey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SinceSurvey {
    /// The looks that cost as much as it; 0 before the first.
    cost: u64,
    /// The mean square of the slopes that were lacking then, over all coordinates never looked at.
    average: f64,
    /// Looks since, coordinates looked at for the first time in them, and the squares of their slopes.
    looks: u64,
    coordinates: u64,
    found: f64,
}

impl SinceSurvey {
    /// Whether the looks found more where it pointed than elsewhere.
    fn is_telling(&self) -> bool {
        self.found > TELLING * self.average * self.coordinates as f64
    }
}

impl Memory {
    /// Nothing is known.
    pub(crate) fn new(dim: usize, without: Option<Component>) -> Self {
        Self {
            without,
            slopes: vec![0.0; dim],
            places: vec![0.0; dim],
            curvature: Curvature::default(),
            beside: vec![0.0; dim],
            likeness: 0.0,
            company: vec![0; dim],
            noisy: false,
            kinked: false,
            seen: vec![0; dim],
            hints: vec![0.0; dim],
            evidence: 0.0,
            unseen: dim,
            since: SinceSurvey::default(),
            surveys: Surveys::default(),
        }
    }

    /// Slopes are noisy from now on.
    pub(crate) fn expect_noise(&mut self) {
        self.noisy = true;
    }

    /// Slopes are seen on both sides of kinks from now on, or no longer.
    pub(crate) fn expect_kinks(&mut self, kinked: bool) {
        self.kinked = kinked;
    }

    /// One that knows nothing but whether slopes are noisy.
    pub(crate) fn emptied(&self) -> Self {
        Self { noisy: self.noisy, ..Self::new(self.slopes.len(), self.without) }
    }

    /// Whether it is of this many coordinates and its parts agree, for a memory that comes from outside.
    pub(crate) fn fits(&self, dim: usize) -> bool {
        let Self { slopes, places, beside, likeness, company, hints, seen, unseen, .. } = self;
        [slopes, places, beside, hints].iter().all(|v| v.len() == dim)
            && seen.len() == dim
            && company.len() == dim
            && seen.iter().filter(|&&seen| seen == 0).count() == *unseen
            && (0.0..=1.0).contains(likeness)
            && self.surveys.fits(dim)
    }

    /// Whether every coordinate was looked at.
    pub(crate) fn is_complete(&self) -> bool {
        self.unseen == 0
    }

    /// The curvature along a coordinate.
    pub(crate) fn curvature(&self) -> f64 {
        match self.without {
            Some(Component::Curvature) => 0.0,
            _ if self.noisy => self.curvature.noisy_value(),
            _ => self.curvature.value(),
        }
    }

    /// What is left of what is known of the curvature after a look. Under noise, what it replaces is no more than it brings: a
    /// point that rests tells nothing new.
    fn curvature_left(&self, groups: &[Vec<usize>], x: &[f64]) -> f64 {
        if !self.noisy || self.curvature.moves == 0.0 {
            return CURVATURE_FADES;
        }
        let seen = groups.iter().flatten().filter(|&&i| self.seen[i] > 0);
        let moves: f64 = seen.map(|&i| (x[i] - self.places[i]).powi(2)).sum();
        (1.0 - moves / self.curvature.moves).max(CURVATURE_FADES)
    }

    /// The coordinates beside one that were looked at.
    fn seen_beside(&self, i: usize) -> impl Iterator<Item = usize> {
        let beside = [i.checked_sub(1), Some(i + 1).filter(|&next| next < self.seen.len())];
        beside.into_iter().flatten().filter(|&j| self.seen[j] > 0)
    }

    /// Their mean slope; `None` if there are none.
    fn mean_beside(&self, i: usize) -> Option<f64> {
        self.mean_slope(self.seen_beside(i))
    }

    fn mean_slope(&self, of: impl Iterator<Item = usize>) -> Option<f64> {
        let (sum, count) = of.fold((0.0, 0.0), |(sum, n), j| (sum + self.slopes[j], n + 1.0));
        (count > 0.0).then(|| sum / count)
    }

    /// By how much a slope has changed since it was seen if it changes as those beside it.
    fn drift(&self, i: usize) -> f64 {
        match self.mean_beside(i) {
            Some(mean) if self.likeness > 0.0 && self.seen_beside(i).any(|j| self.seen[j] > self.seen[i]) => {
                self.likeness * (mean - self.beside[i])
            }
            _ => 0.0,
        }
    }

    /// What is known of the slopes at a point: as they were seen, and as the curvature and those beside them say that they have
    /// changed since.
    pub(crate) fn slopes_at(&self, x: &[f64], slopes: &mut [f64]) {
        let curvature = self.curvature();
        let known = self.slopes.iter().zip(self.places.iter().zip(&self.seen));
        for ((slope, x), (remembered, (place, &seen))) in slopes.iter_mut().zip(x).zip(known) {
            *slope = if seen == 0 { 0.0 } else { remembered + curvature * (x - place) };
        }
        if self.likeness > 0.0 {
            for (i, slope) in slopes.iter_mut().enumerate() {
                *slope += self.drift(i);
            }
        }
    }

    /// On which side of `x` the slope along a coordinate was seen; 0 where it was on both.
    pub(crate) fn side(&self, i: usize, x: f64) -> f64 {
        match self.places[i] - x {
            apart if self.seen[i] > 0 && apart != 0.0 => apart.signum(),
            _ => 0.0,
        }
    }

    /// Forgets all slopes, where they are not to be remembered.
    pub(crate) fn forget_at(&mut self, x: &[f64]) {
        if self.without == Some(Component::Memory) {
            self.slopes.fill(0.0);
            self.places.copy_from_slice(x);
        }
    }

    /// Takes in new slopes of groups of coordinates at `x`, given as `changes` of their sums from what was known there, which all of a
    /// group share alike; `time` is above 0.
    pub(crate) fn look(&mut self, groups: &[Vec<usize>], x: &[f64], changes: &[f64], time: u64) {
        self.since.looks += 1;
        let curvature = self.curvature();
        self.curvature.fade(self.curvature_left(groups, x));
        let renewal = match self.without {
            Some(Component::Averaging | Component::Memory) => 1.0,
            _ if self.noisy || self.kinked => NOISY_RENEWAL,
            _ => RENEWAL,
        };
        let looked_at = || groups.iter().flat_map(|group| group.iter().map(|&i| (i, group.len())));
        let drifts: Vec<f64> = looked_at().map(|(i, _)| self.drift(i)).collect();
        for ((i, size), drift) in looked_at().zip(drifts) {
            let change = changes[i] / size as f64;
            self.slopes[i] += drift;
            let moved = x[i] - self.places[i];
            let share = if self.seen[i] == 0 {
                self.unseen -= 1;
                self.since.coordinates += 1;
                self.since.found += change * change;
                self.surveys.find(i, change);
                1.0
            } else {
                self.slopes[i] += curvature * moved;
                self.curvature.learn(moved, curvature * moved + change);
                renewal
            };
            self.slopes[i] += share * change;
            (self.places[i], self.seen[i], self.hints[i]) = (x[i], time, 0.0);
            self.company[i] = size - 1;
        }
        self.look_beside(groups);
    }

    /// Looks beside the coordinates that were just looked at, and how alike all are that were, each alone: those of a group are
    /// taken to be alike and prove nothing.
    fn look_beside(&mut self, groups: &[Vec<usize>]) {
        for &i in groups.iter().flatten() {
            self.beside[i] = self.mean_beside(i).unwrap_or(0.0);
        }
        if self.without != Some(Component::Neighbours) {
            let alone = |&i: &usize| self.seen[i] > 0 && self.company[i] == 0;
            let beside = |i: usize| self.mean_slope(self.seen_beside(i).filter(alone));
            let pairs = (0..self.seen.len()).filter(alone).filter_map(|i| Some((self.slopes[i], beside(i)?)));
            self.likeness = Likeness::of(pairs).value();
        }
    }

    /// Adds to the slopes what they got wrong along a step: `error` is by how much $l$ rose more than they said.
    pub(crate) fn correct(&mut self, from: &[f64], to: &[f64], error: f64) {
        let length: f64 = from.iter().zip(to).map(|(from, to)| (to - from).powi(2)).sum();
        let factor = CORRECTION * error / length;
        if length > 0.0 && factor.is_finite() {
            let steps = from.iter().zip(to).map(|(from, to)| to - from);
            for ((slope, step), &seen) in self.slopes.iter_mut().zip(steps).zip(&self.seen) {
                *slope += if seen > 0 { factor * step } else { 0.0 };
            }
        }
    }

    /// Whether all coordinates should be looked at together now, to learn which to look at alone.
    pub(crate) fn wants_survey(&self) -> bool {
        let [short, long] = SURVEY_PAUSES;
        let pause = if self.since.is_telling() { short } else { long };
        let surveys = self.without != Some(Component::Surveys);
        // Slopes that are alike side by side are told by looks here and there.
        surveys && self.likeness == 0.0 && self.unseen > 0 && self.since.looks >= pause * self.since.cost
    }

    /// Keeps the rows of a survey, to be heard again.
    pub(crate) fn keep_survey(&mut self, draw: u64, rows: Vec<f64>) {
        self.surveys.add(draw, rows);
    }

    /// A survey along `size` directions has told what is lacking, with this variance in every coordinate.
    ///
    /// The more the memory holds, the less of it disturbs the others: surveys are averaged by the inverse of their variance.
    pub(crate) fn survey(&mut self, lacking: &[f64], variance: f64, size: usize, looked_at: usize) {
        self.since = SinceSurvey {
            cost: size.div_ceil(looked_at.max(1)) as u64,
            average: variance * size as f64 / self.unseen.max(1) as f64,
            ..SinceSurvey::default()
        };
        let weight = 1.0 / variance;
        if !weight.is_finite() {
            return;
        }
        self.evidence += weight;
        let share = weight / self.evidence;
        for ((hint, new), seen) in self.hints.iter_mut().zip(lacking).zip(&self.seen) {
            if *seen == 0 {
                *hint += share * (new - *hint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn alone(coordinates: &[usize]) -> Vec<Vec<usize>> {
        coordinates.iter().map(|&i| vec![i]).collect()
    }

    pub(super) fn seen(dim: usize, coordinates: &[usize], x: &[f64], slopes: &[f64]) -> Memory {
        let mut memory = Memory::new(dim, None);
        memory.look(&alone(coordinates), x, slopes, 1);
        memory
    }

    #[test]
    fn a_first_look_is_taken_as_it_is_and_a_second_averaged() {
        let mut memory = seen(3, &[1], &[0.0; 3], &[9.0, 2.0, 9.0]);
        let mut slopes = [1.0; 3];
        memory.slopes_at(&[0.0; 3], &mut slopes);
        assert_eq!(slopes, [0.0, 2.0, 0.0]);
        assert!(!memory.is_complete());
        memory.look(&alone(&[1]), &[0.0; 3], &[0.0, 1.0, 0.0], 2);
        memory.slopes_at(&[0.0; 3], &mut slopes);
        assert_eq!(slopes, [0.0, 2.85, 0.0]);
        memory.expect_kinks(true);
        memory.look(&alone(&[1]), &[0.0; 3], &[0.0, -1.0, 0.0], 3);
        memory.slopes_at(&[0.0; 3], &mut slopes);
        assert!((slopes[1] - 2.35).abs() < 1e-12, "by half where there are kinks: {}", slopes[1]);
    }

    #[test]
    fn two_looks_tell_the_curvature_and_the_curvature_foretells_the_third() {
        // l = 3 x²/2 along each of two coordinates.
        let mut memory = seen(2, &[0, 1], &[1.0, 1.0], &[3.0, 3.0]);
        memory.look(&alone(&[0]), &[0.5, 1.0], &[-1.5, 0.0], 2);
        assert!((memory.curvature() - 3.0).abs() < 1e-12);
        let mut slopes = [0.0; 2];
        memory.slopes_at(&[0.5, -1.0], &mut slopes);
        assert!((slopes[1] + 3.0).abs() < 1e-12, "{slopes:?}");
    }

    /// 40 of 60 coordinates were looked at, and then every other one.
    pub(super) fn looked_at_with_gaps(slope: impl Fn(usize) -> f64) -> Memory {
        let slopes: Vec<f64> = (0..60).map(slope).collect();
        let coordinates: Vec<usize> = (0..40).chain((41..60).step_by(2)).collect();
        seen(60, &coordinates, &[0.0; 60], &slopes)
    }

    #[test]
    fn slopes_between_those_that_are_alike_are_guessed_and_looked_at_last() {
        let smooth = |i: usize| 2.0 + (0.1 * i as f64).sin();
        let memory = looked_at_with_gaps(smooth);
        let mut slopes = [0.0; 60];
        memory.slopes_at(&[0.0; 60], &mut slopes);
        for i in (42..58).step_by(2) {
            assert!((slopes[i] / smooth(i) - 0.8).abs() < 0.05, "{i}: {}", slopes[i]);
        }
        assert_eq!(slopes[43], smooth(43), "what was seen stays");
        // Unseen, it is the only one beside which none was seen.
        let mut apart = memory.clone();
        (apart.seen[41], apart.unseen) = (0, apart.unseen + 1);
        assert_eq!(apart.choose(|_| false, 1, &[0; 60]), alone(&[41]));
        assert!(!memory.wants_survey(), "looks tell as much");
    }

    #[test]
    fn slopes_without_order_are_not_guessed() {
        let memory = looked_at_with_gaps(|i| testkit::noise::normal(i as u64));
        let mut slopes = [0.0; 60];
        memory.slopes_at(&[0.0; 60], &mut slopes);
        assert!((42..58).step_by(2).all(|i| slopes[i] == 0.0));
        assert!(memory.wants_survey());
    }

    #[test]
    fn a_slope_changes_with_those_beside_it_and_its_next_look_counts_from_there() {
        let mut memory = looked_at_with_gaps(|_| 1.0);
        let x = [0.0; 60];
        // The two beside coordinate 20 have doubled since.
        let mut changes = [0.0; 60];
        (changes[19], changes[21]) = (1.0, 1.0);
        memory.look(&alone(&[19, 21]), &x, &changes, 2);
        let mut slopes = [0.0; 60];
        memory.slopes_at(&x, &mut slopes);
        let guess = slopes[20];
        assert!(guess > 1.5 && guess < 2.0, "{guess}");
        memory.look(&alone(&[20]), &x, &[0.0; 60], 3);
        memory.slopes_at(&x, &mut slopes);
        assert!((slopes[20] - guess).abs() < 1e-12, "as expected: {}", slopes[20]);
    }

    #[test]
    fn surveys_are_averaged_by_the_inverse_of_their_variance() {
        let mut memory = Memory::new(2, None);
        memory.survey(&[1.0, 0.0], 1.0, 8, 2);
        memory.survey(&[5.0, 0.0], 3.0, 8, 2);
        assert_eq!(memory.hints[0], 2.0);
        memory.survey(&[7.0, 0.0], 0.0, 8, 2);
        assert_eq!(memory.hints[0], 2.0, "nothing was lacking");
    }

    #[test]
    fn a_step_that_rose_unforeseen_turns_the_slopes_against_it() {
        let mut memory = seen(2, &[0, 1], &[0.0; 2], &[-1.0, 0.0]);
        memory.correct(&[0.0, 0.0], &[2.0, 0.0], 4.0);
        let mut slopes = [0.0; 2];
        memory.slopes_at(&[0.0; 2], &mut slopes);
        assert!((slopes[0] - (-1.0 + CORRECTION * 2.0)).abs() < 1e-12 && slopes[1] == 0.0, "{slopes:?}");
    }
}

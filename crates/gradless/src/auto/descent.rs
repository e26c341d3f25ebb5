//! Steps that are watched: taken with the slopes that are remembered, and taken back where $l$ rose unforeseen.

use serde::{Deserialize, Serialize};

use super::component::Component;
use super::memory::Memory;
use super::wide::Wide;
use crate::estimator::Sides;
use crate::vector;

/// The share of the way to where $r$ is smallest that the steepest coordinate goes in the first step.
const FIRST_STEP: f64 = 0.25;
/// The weight after a step that was kept, and after one that was taken back.
const WEIGHT_AFTER_ACCEPT: f64 = 0.88;
const WEIGHT_AFTER_REJECT: f64 = 3.0;
/// A step may end above the last objective, but not above all of the last few.
const RECENT: usize = 5;
/// The share of what $l$ has to lose that a step of the first descent may lose unforeseen, how it shrinks with every descent
/// from the start, and how small it may become: one that went over the edge too fast is followed by a more careful one.
const SURPRISE: f64 = 0.05;
const CARE: f64 = 0.5;
const LEAST_SURPRISE: f64 = 0.01;
/// How much of the way back to the start a descent from the best point begins.
const WAY_BACK: f64 = 0.2;
/// A further descent from the start begins without some of so many stretches of it, each left out if a random word is below this: one
/// in four. Without that all took the same way (14 % of the runs about hard digits of the training set never came to their
/// target, with it 4 %).
pub(super) const STRETCHES: usize = 8;
const LEFT_OUT: u64 = u64::MAX / 4;
/// The least that $l$ is taken to have to lose, as a share of its size at the centre.
const LEAST: f64 = 0.02;
/// What counts as an improvement, and how many iterations without one end a descent in which every coordinate was looked at.
const IMPROVEMENT: f64 = 0.01;
const PATIENCE: u64 = 60;
/// Descents in a row that bring nothing before more queries are taken not to pay; where $l$ has nothing to lose, one seldom finds
/// what another did not.
const VAIN_DESCENTS: u32 = 10;
const VAIN_DESCENTS_DOWNHILL: u32 = 2;
/// Iterations without an improvement that end a descent with long differences.
const WIDE_PATIENCE: u64 = 20;
/// How many iterations without an improvement make way for a method that averages, where there is noise between samples.
const STALL: u64 = 20;
/// What is gained by less than so many standard deviations may be nothing: the lowest of many values is low by chance.
const TELLING_GAIN: f64 = 6.0;
/// Noise of one value below this share of what was gained is small enough for a radius measured again to pay.
const SMALL_NOISE: f64 = 3e-3;
/// A slope of this many standard deviations of its noise is no reason to move a coordinate from 0. Chosen by experiment (`bench --bin
/// noise`, seeds 100 to 109: of 0, 1, 2 and 3).
const DOUBT: f64 = 2.0;
/// A value that is this many standard deviations of its noise too high may be as low as it should be.
const SLACK: f64 = 4.0;
/// Slopes cancel where values move so many times as much as all of them say.
const CANCELS: f64 = 4.0;
/// The iteration after which noise is looked for again, and how much later every time after that: it may be there only
/// where nothing has been asked yet.
const FIRST_PROBE: u64 = 2;
const PROBES_APART: u64 = 4;

/// A descent with a memory, and where it ends another: from near the best point, as long as that brings something, then from
/// the start again, by turns. Near the best point kinks can be passed on another side, from the start another valley found.
///
/// The objective of a hard problem has poor stationary points, the minimiser of $r$ often being one: there $r$ is 0 and
/// $l$ flat. A method that always takes the longest step which lowers $l + r$ ends in it at once. So the value of $l$
/// there is asked first: it tells what $l$ has to lose, and no step may lose more than a share of that beyond what the
/// slopes foretold. The path then follows the side of $l$ the start is on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Descent {
    start: Vec<f64>,
    /// The point steps are taken from: the last that was kept.
    pub(super) centre: Vec<f64>,
    /// $l$ there; `None` before the first answer of a descent.
    loss: Option<f64>,
    /// $\eta$; `None` until there is something to scale it by.
    weight: Option<f64>,
    /// The last objectives that were kept, the newest last.
    recent: Vec<f64>,
    /// By how much the slopes say that $l$ changes on the way to the point asked now.
    foreseen: f64,
    pub(super) memory: Memory,
    without: Option<Component>,
    /// Coordinates in a look.
    looked_at: usize,
    /// $l$ where $r$ is smallest.
    pub(super) reference: ReferenceLoss,
    /// The lowest objective of this descent that counted, and iterations since.
    lowest: f64,
    since: u64,
    /// The share of what $l$ has to lose that a step may lose unforeseen.
    surprise: f64,
    /// The lowest objective of all descents before, and how many of them in a row brought nothing.
    best: f64,
    vain: u32,
    /// Whether this descent began near the best point.
    returned: bool,
    /// The iteration from which the point reached is to be asked for noise again.
    next_probe: u64,
    /// The standard deviation of one value, where every value has its own noise, and whether differences on one side tell slopes
    /// all the same.
    noise: f64,
    pub(super) one_sided: bool,
    /// The objective at the start.
    first: f64,
    measured_again: bool,
    /// The steepest slope of the first step.
    pub(super) steepest: Option<f64>,
    pub(super) wide: Wide,
    pub(super) slopes: Sided,
}

/// The minimiser of $r$, and what is known of $l$ there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum ReferenceLoss {
    /// To be asked.
    Unknown,
    /// $r$ is as low at the start: there is nothing to lose.
    NotNeeded,
    /// $l$ there is not above $l$ at the start: there is nothing to lose on the way.
    Downhill,
    /// $l$ there is above $l$ at the start.
    Loss(f64),
}

/// From which sides of the start slopes along coordinates that rest there are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Sided {
    Both,
    /// One at a time: between both they cancelled.
    One,
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes on from here.
    GoesOn,
    /// The descent has ended; another begins.
    Restarts,
    /// More queries would not pay.
    Settled,
}

impl Descent {
    /// `looked_at` is how many coordinates an iteration looks at, `cheaper` whether $r$ is lower somewhere else than at the start.
    pub(super) fn new(start: &[f64], looked_at: usize, cheaper: bool, without: Option<Component>) -> Self {
        Self {
            start: start.to_vec(),
            centre: start.to_vec(),
            loss: None,
            weight: None,
            recent: Vec::new(),
            foreseen: 0.0,
            memory: Memory::new(start.len(), without),
            without,
            looked_at: looked_at.max(1),
            reference: if cheaper { ReferenceLoss::Unknown } else { ReferenceLoss::NotNeeded },
            lowest: f64::INFINITY,
            since: 0,
            surprise: SURPRISE,
            best: f64::INFINITY,
            vain: 0,
            returned: false,
            next_probe: FIRST_PROBE,
            noise: 0.0,
            one_sided: false,
            first: f64::INFINITY,
            measured_again: false,
            steepest: None,
            wide: Wide::default(),
            slopes: Sided::Both,
        }
    }

    /// Every value has its own noise, of this standard deviation if it could be measured; differences take values on these sides.
    pub(super) fn expect_noise(&mut self, noise: Option<f64>, sides: Sides) {
        self.noise = noise.unwrap_or(self.noise);
        self.one_sided = sides == Sides::One;
        self.memory.expect_noise();
    }

    /// The last point that was kept; the start where noise hides whether it is any better.
    pub(super) fn reached(&self) -> &[f64] {
        let gained = self.first - self.lowest.min(self.best);
        if self.noise > 0.0 && gained < TELLING_GAIN * self.noise { &self.start } else { &self.centre }
    }

    /// Whether to look for noise again now, once.
    pub(super) fn wants_probe(&mut self, iteration: u64) -> bool {
        let due = iteration >= self.next_probe;
        if due {
            self.next_probe = iteration.saturating_mul(PROBES_APART);
        }
        due
    }

    /// The coordinates to look at next, in so many groups, `x` being the point asked at.
    pub(super) fn choose(&self, x: &[f64], count: usize, shuffle: &[u64]) -> Vec<Vec<usize>> {
        self.memory.choose(|i| x[i] != 0.0 || self.centre[i] != 0.0, count, shuffle)
    }

    /// $l$ where $r$ is smallest has been asked; `None` if that failed.
    pub(super) fn learn_reference(&mut self, loss: Option<f64>) {
        self.reference = loss.map_or(ReferenceLoss::NotNeeded, ReferenceLoss::Loss);
    }

    /// Keeps the point that was asked, or takes the step back; the slopes learn from it either way.
    pub(super) fn weigh(&mut self, x: &[f64], loss: f64, objective: f64) -> Verdict {
        if self.first == f64::INFINITY {
            self.first = objective;
        }
        let slack = SLACK * self.noise;
        if let (Some(before), false) = (self.loss, self.without == Some(Component::Correction)) {
            let error = loss - before - self.foreseen;
            self.memory.correct(&self.centre, x, error - error.clamp(-slack, slack));
        }
        match self.loss {
            None => {
                let first = self.best == f64::INFINITY;
                if first && matches!(self.reference, ReferenceLoss::Loss(there) if there <= loss) {
                    self.reference = ReferenceLoss::Downhill;
                }
                self.keep(x, loss, objective);
            }
            // Nothing moved: the slopes seen so far ask for no step.
            Some(_) if x == self.centre => self.scale_weight(WEIGHT_AFTER_ACCEPT),
            Some(before) => {
                let ceiling = self.recent.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let allowed = match self.reference {
                    ReferenceLoss::Loss(there) if self.without != Some(Component::Watching) => {
                        self.surprise * (there - before).max(LEAST * there.abs())
                    }
                    ReferenceLoss::Loss(_)
                    | ReferenceLoss::Downhill
                    | ReferenceLoss::NotNeeded
                    | ReferenceLoss::Unknown => f64::INFINITY,
                };
                let surprise = loss - before - self.foreseen.min(0.0);
                if objective < ceiling + slack && surprise <= allowed + slack {
                    self.keep(x, loss, objective);
                    self.scale_weight(WEIGHT_AFTER_ACCEPT);
                } else {
                    self.scale_weight(WEIGHT_AFTER_REJECT);
                }
            }
        }
        self.verdict(objective)
    }

    /// Whether $l + r$ at a point that was come across is below the last that was kept; it is expected there next.
    pub(super) fn expect_leap(&mut self, loss: f64, objective: f64) -> bool {
        let (Some(&kept), Some(before)) = (self.recent.last(), self.loss) else { return false };
        self.foreseen = loss - before;
        objective < kept
    }

    /// The start.
    pub(super) fn centre_of_start(&self) -> &[f64] {
        &self.start
    }

    /// Descents in a row that brought nothing.
    pub(super) fn vain_descents(&self) -> u32 {
        self.vain
    }

    /// The point asked gave no answer: the next step will be shorter, from the last point that was kept.
    pub(super) fn take_back(&mut self) {
        self.scale_weight(WEIGHT_AFTER_REJECT);
        self.foreseen = 0.0;
    }

    /// Whether its vectors have the length of the space and its numbers make sense.
    pub(super) fn is_consistent(&self, dim: usize) -> bool {
        let full = |v: &Vec<f64>| v.len() == dim && vector::first_not_finite(v).is_none();
        full(&self.start)
            && full(&self.centre)
            && self.memory.fits(dim)
            && self.looked_at > 0
            && (0.0..f64::INFINITY).contains(&self.noise)
            && !self.first.is_nan()
            && self.recent.len() <= RECENT
            && self.wide.is_consistent(dim)
    }

    fn keep(&mut self, x: &[f64], loss: f64, objective: f64) {
        self.centre.copy_from_slice(x);
        self.loss = Some(loss);
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push(objective);
    }

    fn scale_weight(&mut self, factor: f64) {
        self.weight = self.weight.map(|weight| (weight * factor).clamp(f64::MIN_POSITIVE, f64::MAX));
    }

    fn verdict(&mut self, objective: f64) -> Verdict {
        if objective < self.lowest - IMPROVEMENT * self.lowest.abs() || self.lowest == f64::INFINITY {
            self.lowest = objective;
            self.since = 0;
            return Verdict::GoesOn;
        }
        self.since += 1;
        let complete = self.memory.is_complete() || self.wide.reach.is_some();
        if self.since < self.patience() || !complete {
            return Verdict::GoesOn;
        }
        let better = self.best == f64::INFINITY || self.lowest < self.best - IMPROVEMENT * self.best.abs();
        self.vain = if better { 0 } else { self.vain + 1 };
        self.best = self.best.min(self.lowest);
        if self.wide.begun {
            return Verdict::Settled;
        }
        let most = match self.reference {
            _ if self.without == Some(Component::Descents) => 0,
            // Another descent would take the same way.
            ReferenceLoss::NotNeeded | ReferenceLoss::Unknown => 0,
            ReferenceLoss::Downhill => VAIN_DESCENTS_DOWNHILL,
            ReferenceLoss::Loss(_) => VAIN_DESCENTS,
        };
        if self.vain >= most { Verdict::Settled } else { Verdict::Restarts }
    }

    /// Whether nothing has improved for a while.
    pub(super) fn has_stalled(&self) -> bool {
        self.since >= STALL
    }

    /// Whether to measure the radius again here, once: what was measured at the start may not suit where the run has got to. Not
    /// where noise is so large that only a larger radius would do, unless there is one (`longer`).
    pub(super) fn wants_measure_again(&mut self, longer: bool) -> bool {
        let gained = self.first - self.lowest.min(self.best);
        let pays = !self.measured_again && (longer || self.noise < SMALL_NOISE * gained);
        if pays {
            (self.measured_again, self.since) = (true, 0);
        }
        pays
    }

    /// A look at every coordinate, or more where there are few; with long differences fewer.
    fn patience(&self) -> u64 {
        let pass = (self.start.len() / self.looked_at) as u64;
        if self.wide.reach.is_some() { WIDE_PATIENCE } else { PATIENCE.max(pass) }
    }

    /// Whether descents with longer differences follow those with short ones; where there are others from the start they do not.
    pub(super) fn may_widen(&self) -> bool {
        let others = matches!(self.reference, ReferenceLoss::Loss(_));
        let off = self.wide.forbidden || self.without == Some(Component::LongDifferences);
        // Where nothing ever moved, every length has been tried.
        let moves = self.steepest.is_some_and(|steepest| steepest > 0.0);
        moves && !others && !off && self.noise == 0.0
    }

    /// Whether the next descent should begin near the best point.
    pub(super) fn wants_return(&self) -> bool {
        (!self.returned || self.vain == 0) && self.without != Some(Component::Returns)
    }

    /// Begins another descent near the best point, with what is remembered of the slopes.
    pub(super) fn return_to(&mut self, best: &[f64]) {
        self.begin(best);
        vector::move_towards(&mut self.centre, &self.start, WAY_BACK);
        self.returned = true;
        self.memory.expect_kinks(true);
    }

    /// Begins another descent, more carefully, from here: a part of the start, so that it may find another valley.
    pub(super) fn restart(&mut self, from: &[f64]) {
        self.begin(from);
        self.returned = false;
        self.memory = self.memory.emptied();
        self.slopes = Sided::Both;
        self.memory.expect_kinks(false);
        self.surprise = (CARE * self.surprise).max(LEAST_SURPRISE);
    }

    /// Begins another descent at the best point, with differences as long as this, or as short as at first.
    pub(super) fn widen(&mut self, best: &[f64], reach: Option<f64>) {
        self.begin(best);
        self.wide.reach = reach;
        self.memory = self.memory.emptied();
        self.memory.expect_kinks(false);
    }

    fn begin(&mut self, from: &[f64]) {
        self.wide.leap = None;
        self.centre.copy_from_slice(from);
        (self.loss, self.weight) = (None, None);
        self.recent.clear();
        self.foreseen = 0.0;
        (self.lowest, self.since) = (f64::INFINITY, 0);
    }

    /// The start without some stretches of it, where it is as `cheapest`; one word of `luck` for each stretch.
    pub(super) fn part_of_start(&self, cheapest: &[f64], luck: [u64; STRETCHES]) -> Vec<f64> {
        let length = self.start.len().div_ceil(STRETCHES);
        let stretches = self.start.chunks(length).zip(cheapest.chunks(length)).zip(luck);
        let part = |((start, cheapest), word)| if word < LEFT_OUT { cheapest } else { start };
        stretches.flat_map(part).copied().collect()
    }

    /// $\eta$. At first the one that moves the steepest coordinate by a share of `reach`, `slope` being what is known of slopes.
    pub(super) fn weight(&mut self, slope: f64, reach: f64) -> f64 {
        let weight = match self.weight {
            Some(weight) => weight,
            None if slope > 0.0 => {
                self.steepest.get_or_insert(slope);
                let length = self.wide.reach.unwrap_or(FIRST_STEP * reach);
                *self.weight.insert(slope / length)
            }
            // Nothing pulls: any weight gives the same step, none.
            None => 1.0,
        };
        weight + self.memory.curvature()
    }

    /// Takes from the slopes of coordinates that are 0 what noise alone may have made of them, differences having been taken at
    /// this radius: most coordinates of a sparse answer would be moved by it and have to be moved back.
    pub(super) fn doubt(&self, slopes: &mut [f64], radius: f64) {
        if self.noise == 0.0 {
            return;
        }
        let rows = (self.looked_at + 1) as f64;
        let sides = if self.one_sided { 1.0 } else { 0.5 };
        let doubt = DOUBT * self.noise * (sides / rows).sqrt() / radius;
        for (slope, x) in slopes.iter_mut().zip(&self.centre) {
            if *x == 0.0 {
                *slope -= slope.clamp(-doubt, doubt);
            }
        }
    }

    /// Whether differences with this mean, which differ by so much from it, say that values move while slopes cancel: much more in the
    /// mean than in any slope seen so far.
    pub(super) fn cancels(&mut self, mean: f64, spread: f64) -> bool {
        let known = spread.max(self.steepest.unwrap_or(0.0));
        let off = self.slopes == Sided::One || self.noise > 0.0 || self.without == Some(Component::OneSide);
        let cancels = !off && mean.abs() > CANCELS * known;
        if cancels {
            self.slopes = Sided::One;
        }
        cancels
    }

    /// Whether a coordinate still is where slopes cancelled.
    pub(super) fn rests(&self, i: usize, x: f64) -> bool {
        self.slopes == Sided::One && x == self.start[i]
    }

    /// A slope seen from one side counts for steps to that side alone.
    pub(super) fn keep_to_sides(&self, slopes: &mut [f64]) {
        if self.slopes == Sided::One {
            for (i, slope) in slopes.iter_mut().enumerate() {
                let side = self.memory.side(i, self.centre[i]);
                if self.rests(i, self.centre[i]) && side * *slope > 0.0 {
                    *slope = 0.0;
                }
            }
        }
    }

    /// What the slopes at the centre foretell of a step to `next`.
    pub(super) fn foresee(&mut self, slopes: &[f64], next: &[f64]) {
        let half = 0.5 * self.memory.curvature();
        let steps = next.iter().zip(&self.centre).map(|(y, x)| y - x);
        self.foreseen = slopes.iter().zip(steps).map(|(slope, step)| (slope + half * step) * step).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_that_cannot_be_is_no_part_of_a_run() {
        let mut descent = Descent::new(&[0.0; 3], 2, false, None);
        assert!(descent.is_consistent(3));
        for noise in [-1.0, f64::NAN, f64::INFINITY] {
            descent.expect_noise(Some(noise), Sides::Two);
            assert!(!descent.is_consistent(3), "{noise}");
        }
    }

    #[test]
    fn what_noise_hides_is_no_reason_to_leave_the_start() {
        let mut descent = Descent::new(&[0.0; 2], 2, false, None);
        descent.expect_noise(Some(1.0), Sides::Two);
        descent.weigh(&[0.0; 2], 10.0, 10.0);
        descent.weigh(&[1.0; 2], 5.0, 5.0);
        assert_eq!(descent.reached(), [0.0; 2]);
        descent.weigh(&[2.0; 2], 3.0, 3.0);
        assert_eq!(descent.reached(), [2.0; 2]);
    }

    #[test]
    fn descents_begin_near_the_best_point_while_that_pays_and_then_at_the_start() {
        let mut descent = Descent::new(&[1.0; 2], 2, true, None);
        assert!(descent.wants_return());
        descent.return_to(&[0.0; 2]);
        assert_eq!(descent.centre, [WAY_BACK; 2]);
        assert!(descent.wants_return(), "it brought something");
        descent.vain = 1;
        assert!(!descent.wants_return());
        descent.restart(&[1.0, 0.0]);
        assert_eq!((&descent.centre[..], descent.surprise), (&[1.0, 0.0][..], CARE * SURPRISE));
        assert!(descent.wants_return());
        assert!(!Descent::new(&[1.0; 2], 2, true, Some(Component::Returns)).wants_return());
    }

    #[test]
    fn a_part_of_the_start_lacks_stretches_of_it() {
        let start: Vec<f64> = (1..=20).map(f64::from).collect();
        let descent = Descent::new(&start, 2, true, None);
        let mut luck = [u64::MAX; STRETCHES];
        assert_eq!(descent.part_of_start(&[0.5; 20], luck), start);
        (luck[0], luck[6]) = (0, LEFT_OUT - 1);
        let part = descent.part_of_start(&[0.5; 20], luck);
        // Stretches of three; the seventh is the last and has two, the eighth none.
        let lacking: Vec<usize> = (0..20).filter(|&i| part[i] == 0.5).collect();
        assert_eq!(lacking, [0, 1, 2, 18, 19]);
        assert!((3..18).all(|i| part[i] == start[i]));
    }

    #[test]
    fn slopes_that_noise_may_have_made_move_nothing_from_zero() {
        let mut descent = Descent::new(&[0.0, 0.0, 1.0], 7, false, None);
        let told = [0.3, -2.0, 0.3];
        let mut slopes = told;
        descent.doubt(&mut slopes, 0.5);
        assert_eq!(slopes, told, "there is none");
        // A slope from eight differences on two sides has a quarter of the noise of a value over the radius.
        descent.expect_noise(Some(0.4), Sides::Two);
        descent.doubt(&mut slopes, 0.5);
        assert!(slopes[0] == 0.0 && (slopes[1] + 1.6).abs() < 1e-12 && slopes[2] == 0.3, "{slopes:?}");
    }

    #[test]
    fn the_radius_is_measured_again_once_and_only_where_noise_is_small() {
        for (noise, pays) in [(1e-3, true), (0.1, false)] {
            let mut descent = Descent::new(&[0.0; 2], 2, false, None);
            descent.expect_noise(Some(noise), Sides::Two);
            descent.weigh(&[0.0; 2], 10.0, 10.0);
            descent.weigh(&[1.0; 2], 5.0, 5.0);
            assert_eq!(descent.wants_measure_again(false), pays, "{noise}");
            assert_eq!(descent.wants_measure_again(true), !pays, "{noise}: a larger one may do");
            assert!(!descent.wants_measure_again(true));
        }
    }
}

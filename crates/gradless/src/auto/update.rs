//! The descent as an update: what it asks for, how it takes the answers, and when it hands over.

use super::cheapest_point;
use super::descent::{Descent, ReferenceLoss, STRETCHES, Sided, Verdict};
use super::wide::Differences;
use crate::direction::{Directions, Norms};
use crate::estimator::{
    BatchSize, CALIBRATION_DIRECTIONS, Difference, Layout, Noise, Plan, Radius, Sides, mean_of_finite,
};
use crate::method::{Method, Preset};
use crate::prox::{self, Step, StepError};
use crate::random::{Key, Purpose};
use crate::room::{self, Share};
use crate::set::Set;
use crate::update::{
    Basis, Baton, Draw, Found, Judgement, Moved, PROBE_ROWS, Parts, Room, Sight, Update, View, Wish,
};
use crate::vector;

/// As many directions as keep the maximum norm of the noise at a fixed share of the signal.
const SURVEY: BatchSize = BatchSize::LogDim { factor: 8.0 };
/// Iterations that a method needs to average anything.
const ENOUGH_TO_AVERAGE: u64 = 10;

impl Update for Descent {
    fn step(&mut self, view: &View<'_>, d: &mut [f64], v: &mut [f64]) -> Result<Moved, StepError> {
        let Parts { space, generator, prox, .. } = view.parts;
        self.memory.slopes_at(&self.centre, d);
        self.doubt(d, view.radius);
        self.keep_to_sides(d);
        let reach = reach(view.parts, &self.centre);
        let weight = self.weight(steepness(view.parts, d, &self.centre), reach);
        let step = Step { x: &self.centre, g: d, eta: weight };
        prox.step(&space.regulariser, &space.set, step, v)?;
        self.foresee(d, v);
        let modulus = generator.modulus(&self.centre, v);
        let stationarity = modulus * weight * generator.distance(&self.centre, v);
        Ok(Moved { weight, stationarity, share: 1.0 })
    }

    fn fits(&self, dim: usize) -> bool {
        self.is_consistent(dim)
    }

    /// Radii are large where every value has its own noise, and what curvature adds to a difference cancels between two sides;
    /// where they need not be large, one side will do.
    fn layout(&self, _difference: Difference, noise: Noise) -> Layout {
        if noise == Noise::Independent && !self.one_sided { Layout::Central } else { Layout::Shared }
    }

    /// Where a sample is shared, the way down is the same for all of them at first, and no radius has to be measured.
    fn measured_sides(&self, _difference: Difference, noise: Noise) -> Option<Sides> {
        match noise {
            Noise::Common => None,
            Noise::Independent => Some(Sides::OneIfTelling),
            Noise::None | Noise::Detect => Some(Sides::One),
        }
    }

    fn basis(&self) -> Basis {
        Basis::Values
    }

    fn sight(&self) -> Sight {
        Sight::Few { complete: self.memory.is_complete() }
    }

    /// A look for noise where the run has got to; first of all the value where $r$ is smallest; now and then a survey.
    fn wish(&mut self, view: &View<'_>, spare: u64) -> Option<Wish> {
        let may_come = view.config.noise == Noise::Detect && view.noise == Noise::None;
        if may_come && spare >= PROBE_ROWS as u64 && self.wants_probe(view.iteration) {
            return Some(Wish::Probe);
        }
        if self.reference == ReferenceLoss::Unknown && view.iteration <= 1 {
            return Some(Wish::Value { at: cheapest_point(view.parts) });
        }
        if !self.memory.wants_survey() {
            return None;
        }
        let dim = view.parts.space.dim();
        let size = SURVEY.resolve(dim);
        let layout = self.layout(view.parts.difference, view.noise);
        let plan = Plan::new(layout, size, survey_radius(view, layout));
        (plan.len() as u64 <= spare && size < dim).then_some(Wish::Survey(plan))
    }

    fn take_value(&mut self, loss: Option<f64>) {
        self.learn_reference(loss);
    }

    fn side(&self, view: &View<'_>, i: usize) -> f64 {
        let side = if view.draws.is_multiple_of(2) { 1.0 } else { -1.0 };
        if self.rests(i, view.x[i]) { side } else { 0.0 }
    }

    fn leans(&self) -> bool {
        self.slopes == Sided::One
    }

    fn take_survey(&mut self, view: &View<'_>, directions: &Directions, slopes: &[f64]) {
        let mut expected = vec![0.0; view.x.len()];
        self.memory.slopes_at(view.centre, &mut expected);
        let mut lacking = vec![0.0; view.x.len()];
        let mut residuals = residuals(directions, slopes, &expected);
        residuals.iter_mut().filter(|residual| !residual.is_finite()).for_each(|residual| *residual = 0.0);
        if view.centre == view.x && self.cancels_in(&residuals) {
            return;
        }
        // What all rows have in common is no slope: curvature, or what the value at the point itself is apart from that at the centre.
        let common = residuals.iter().sum::<f64>() / slopes.len() as f64;
        for residual in &mut residuals {
            *residual -= common;
        }
        let spread = residuals.iter().map(|r| r * r).sum::<f64>() * slopes.len() as f64;
        directions.accumulate(&residuals, &mut lacking);
        self.steepest.get_or_insert(vector::norm_max(&lacking));
        let (size, looked_at) = (slopes.len(), view.parts.m - 1);
        self.memory.survey(&lacking, spread / size as f64, size, looked_at);
        let rows = residuals.iter().map(|residual| size as f64 * residual).collect();
        self.memory.keep_survey(directions.iteration(), rows);
    }

    /// Directions on the coordinates that the memory chooses; for a measurement on a whole block, half of it where something is.
    fn draw(&self, view: &View<'_>, purpose: Draw, directions: &mut Directions) {
        let Parts { m, room, ref space, .. } = *view.parts;
        let (count, reach) = match purpose {
            Draw::Estimate => (m, view.radius),
            Draw::Measurement { reach } => (CALIBRATION_DIRECTIONS.max(m), reach),
        };
        let mut shuffle = vec![0; view.x.len()];
        Key { seed: view.config.seed, purpose: Purpose::Directions }.fill(view.draws, 2, &mut shuffle);
        let coordinates = (m - 1).min(shuffle.len());
        let chosen = self.choose(view.x, coordinates, &shuffle);
        let shares = match room {
            Room::Needed => room::shares(&space.set, view.x, &chosen, reach, share_of_room(view, reach)),
            Room::NotNeeded | Room::Nowhere => vec![1.0; chosen.len()],
        };
        directions.choose(view.draws, count, chosen, shares);
    }

    /// Takes the slopes along the directions into the memory; a direction whose answer failed is taken to be as remembered.
    fn absorb(&mut self, view: &View<'_>, found: Found<'_>, d: &mut [f64]) {
        // The slopes are those where the differences were taken.
        let x = view.centre;
        self.memory.forget_at(x);
        self.memory.slopes_at(x, d);
        let mut changes = vec![0.0; x.len()];
        let mut residuals = residuals(found.directions, &found.plan.slopes(found.values), d);
        // What the value at the point itself is apart from that at the centre is in all rows and cancels where none is missing.
        let shared = self.layout(view.parts.difference, view.noise) == Layout::Shared;
        let apart = shared && view.centre != view.x;
        let common = mean_of_finite(residuals.iter()).filter(|_| apart).unwrap_or(0.0);
        residuals.iter_mut().filter(|residual| !residual.is_finite()).for_each(|residual| *residual = common);
        if self.wide.reach.is_some() {
            self.look_for_leap(view, found);
        } else if shared && !apart && self.cancels_in(&residuals) {
            return;
        }
        found.directions.accumulate(&residuals, &mut changes);
        self.memory.look(found.directions.groups(), x, &changes, found.draw);
        if view.noise == Noise::None {
            self.memory.hear_again(view.config.seed);
        }
    }

    /// Keeps the point reached or takes the step to it back; begins another descent where this one has ended, and hands over where
    /// noise stalls it.
    fn judge(&mut self, view: &View<'_>, loss: Option<f64>, penalty: f64) -> Judgement {
        let Some(loss) = loss else { return Judgement::Step };
        let verdict = self.weigh(view.x, loss, loss + penalty);
        if let (Verdict::GoesOn, Some(point)) = (verdict, self.leap_to(view)) {
            return Judgement::GoTo(point);
        }
        let noisy = matches!(view.noise, Noise::Common | Noise::Independent);
        if noisy && self.has_stalled() {
            let longer = view.radius < 0.5 * view.parts.largest_radius;
            if view.noise == Noise::Independent && self.wants_measure_again(longer) {
                return Judgement::MeasureAt(self.centre.clone());
            }
            if let Some(baton) = self.successor(view) {
                return Judgement::HandOver(Box::new(baton));
            }
        }
        match verdict {
            Verdict::GoesOn => Judgement::Step,
            Verdict::Restarts => {
                self.descend_again(view);
                Judgement::GoTo(self.centre.clone())
            }
            Verdict::Settled => self.go_wide(view).unwrap_or(Judgement::Settled),
        }
    }

    fn withdraw(&mut self) -> Option<&[f64]> {
        self.take_back();
        Some(&self.centre)
    }

    fn learn_noise(&mut self, noise: Noise, deviation: Option<f64>, sides: Sides) {
        if noise == Noise::Independent {
            self.expect_noise(deviation, sides);
        }
    }

    fn end(&self, noise: Noise) -> Option<&[f64]> {
        Some(self.reached()).filter(|&reached| noise == Noise::Independent && reached != self.centre)
    }
}

impl Descent {
    /// Whether these residuals, each a share of their mean, say that slopes cancel.
    fn cancels_in(&mut self, residuals: &[f64]) -> bool {
        let mean: f64 = residuals.iter().sum();
        let count = residuals.len() as f64;
        let spread =
            residuals.iter().fold(0.0, |spread: f64, residual| spread.max((count * residual - mean).abs()));
        self.cancels(mean, spread)
    }

    /// Remembers the lowest of the points that were asked, where it is lower than the point itself.
    fn look_for_leap(&mut self, view: &View<'_>, found: Found<'_>) {
        let space = &view.parts.space;
        if view.parts.room != Room::Needed && space.set != Set::Free {
            // They may lie outside of K.
            return;
        }
        let lowest = found.values[0] + space.penalty(view.x);
        let mut point = vec![0.0; view.x.len()];
        let mut best: Option<(usize, f64)> = None;
        for (j, &loss) in found.values[1..].iter().enumerate().filter(|(_, loss)| loss.is_finite()) {
            found.directions.write(j, view.centre, found.plan.radius(), &mut point);
            let objective = loss + space.penalty(&point);
            if objective < best.map_or(lowest, |best| best.1) {
                best = Some((j, objective));
            }
        }
        self.wide.leap = best.map(|(j, objective)| {
            found.directions.write(j, view.centre, found.plan.radius(), &mut point);
            let mut inside = point.clone();
            prox::project(&space.set, &point, &mut inside);
            (inside, objective)
        });
    }

    /// The point to leap to, if it is lower than the centre.
    fn leap_to(&mut self, view: &View<'_>) -> Option<Vec<f64>> {
        let (point, objective) = self.wide.leap.take()?;
        let loss = objective - view.parts.space.penalty(&point);
        self.expect_leap(loss, objective).then_some(point)
    }

    /// Begins another descent with longer or shorter differences from the best point; `None` if that has been tried often enough.
    fn go_wide(&mut self, view: &View<'_>) -> Option<Judgement> {
        let best = view.best.filter(|_| view.noise == Noise::None && self.may_widen())?;
        let moved = best.iter().zip(self.centre_of_start()).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
        let largest = match view.parts.space.set.max_norm() {
            size if size.is_finite() => view.parts.largest_radius,
            _ if moved > 0.0 => moved,
            _ => view.parts.largest_radius,
        };
        if !self.wide.begun {
            self.wide.narrow = view.radius;
        }
        let vain = self.vain_descents() > 0;
        let reach = match self.wide.next(vain, largest)? {
            Differences::Long(reach) => Some(reach),
            Differences::Short => None,
        };
        let best = best.to_vec();
        self.widen(&best, reach);
        Some(Judgement::AskAround { point: best, radius: reach.unwrap_or(self.wide.narrow) })
    }

    /// ZO-AdaExpGrad+, which averages, from the last point that was kept. `None` where that method has no exact step, or what is
    /// left is too little for it to average anything.
    fn successor(&self, view: &View<'_>) -> Option<Baton> {
        let mut recipe = Method::of_the_paper().recipe(Preset::Practical);
        if let Some(steepest) = self.steepest {
            recipe = recipe.with_weight(steepest);
        }
        if let given @ (Radius::Fixed(_) | Radius::NoiseAware { .. }) = view.parts.radius_rule {
            recipe = recipe.with_radius(given);
        }
        let baton = Baton::new(&view.parts.space, view.config, recipe, self.reached()).ok()?;
        // Under noise every direction takes two values.
        let needed = ENOUGH_TO_AVERAGE * 2 * baton.parts.m as u64;
        (needed <= view.remaining && baton.parts.room != Room::Nowhere).then_some(baton)
    }

    /// Begins another descent: near the best point, or from a part of the start. Where nothing better was found than the point at which
    /// $r$ is smallest, a descent from near it ends in it.
    fn descend_again(&mut self, view: &View<'_>) {
        let cheapest = cheapest_point(view.parts);
        let best = view.best.filter(|&best| *best != cheapest);
        if let Some(best) = best.filter(|_| self.wants_return()) {
            self.return_to(best);
        } else {
            let mut luck = [0; STRETCHES];
            let key = Key { seed: view.config.seed, purpose: Purpose::Directions };
            key.fill(view.draws, 3, &mut luck);
            let part = self.part_of_start(&cheapest, luck);
            let mut from = vec![0.0; part.len()];
            prox::project(&view.parts.space.set, &part, &mut from);
            self.restart(&from);
        }
    }
}

/// How far a first step may go: to where $r$ is smallest, or half the width of $K$; 1 where neither says.
fn reach(parts: &Parts, x: &[f64]) -> f64 {
    let away = vector::norm_max(x);
    let size = parts.space.set.max_norm();
    let reach = if away > 0.0 { away } else { size };
    if reach.is_finite() && reach > 0.0 { reach } else { 1.0 }
}

/// The steepest slope known at $x$: of $l$ along a coordinate, or of $r$ on the way to where it is smallest.
fn steepness(parts: &Parts, d: &[f64], x: &[f64]) -> f64 {
    let length = vector::norm_l1(x);
    let regulariser = if length > 0.0 { parts.space.regulariser.value(x) / length } else { 0.0 };
    vector::norm_max(d) + regulariser
}

/// The radius was measured along a few coordinates; what is of third order along all of them, or of second on one side, is as
/// much larger as they are more.
fn survey_radius(view: &View<'_>, layout: Layout) -> f64 {
    let Parts { space, m, room, .. } = view.parts;
    let share = ((m - 1) as f64 / space.dim() as f64).min(1.0);
    let radius = match view.noise {
        Noise::Independent if layout == Layout::Central => share.cbrt() * view.radius,
        Noise::Independent => share.sqrt() * view.radius,
        Noise::None | Noise::Common | Noise::Detect => view.radius,
    };
    if *room != Room::Needed {
        return radius;
    }
    let (dim, norms) = (space.dim(), Norms::of_signs(space.dim()));
    radius.min(room::longest_radius(&space.set, dim, norms, share_of_room(view, radius)))
}

/// The share of $K$'s size that perturbations of this length may take.
fn share_of_room(view: &View<'_>, length: f64) -> Share {
    match view.noise {
        _ if matches!(view.parts.radius_rule, Radius::Fixed(_)) => Share::Whole,
        _ if length <= view.parts.radius => Share::Small,
        Noise::Common | Noise::Independent => Share::Medium,
        Noise::None | Noise::Detect => Share::Whole,
    }
}

/// $\frac1m(y_j - \langle h, u_j\rangle)$ with $h$ the memory, for each direction; not finite where an answer failed. Summed up along
/// the directions they are an unbiased estimate of what the memory lacks of the slopes, whatever it holds.
fn residuals(directions: &Directions, slopes: &[f64], memory: &[f64]) -> Vec<f64> {
    let share = 1.0 / slopes.len() as f64;
    slopes.iter().enumerate().map(|(j, slope)| share * (slope - directions.dot(j, memory))).collect()
}

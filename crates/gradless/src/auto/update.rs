//! The parts of an iteration that only a method with a memory of slopes has.

use super::config::Output;
use super::parts::Parts;
use super::phases::PROBE_ROWS;
use super::state::{Averaged, Phase, State, Update, first_phase};
use super::{Asked, Solver};
use crate::auto::{Elsewhere, STRETCHES, Verdict};
use crate::direction::Directions;
use crate::estimator::{Estimator, Layout, Noise, Plan, Radius, mean_of_finite};
use crate::method::{Method, Preset};
use crate::prox;
use crate::query::{Base, Row};
use crate::random::{Key, Purpose};
use crate::room::{self, Share};
use crate::stop::StopReason;
use crate::trace::Notice;
use crate::vector;

/// The one sample that steps are watched under: with it a black box that is noisy between samples repeats itself.
const WATCHED_SAMPLE: u64 = 0;
/// Iterations that a method needs to average anything.
const ENOUGH_TO_AVERAGE: u64 = 10;

impl Solver {
    /// The first sample of an estimate's plan, and how many are used up with it.
    pub(super) fn samples_of(&self, plan: &Plan) -> (u64, u64) {
        match self.state.update {
            Update::Trust(_) => (WATCHED_SAMPLE, 0),
            Update::Mirror(_) | Update::Optimistic(_) => (self.state.next_sample, plan.samples()),
        }
    }

    /// What noise means for a method with a memory. Where a sample is shared, the way down is the same for all of them at
    /// first, and no radius has to be measured. Where every value has its own, one is.
    pub(super) fn reconsider(&mut self) {
        if let (Update::Trust(_), Noise::Common) = (&self.state.update, self.state.noise) {
            self.state.phase = Phase::Iterate;
        }
    }

    /// Goes on from the last point that was kept with ZO-AdaExpGrad+, which averages. Not where that method has no exact step, or
    /// what is left is too little for it to average anything: `false` then.
    fn give_way(&mut self) -> bool {
        let Update::Trust(trust) = &self.state.update else { return false };
        let mut recipe = Method::of_the_seed().recipe(Preset::Practical);
        if let Some(steepest) = trust.steepest {
            recipe = recipe.with_weight(steepest);
        }
        if let Estimator::Differences {
            radius: given @ (Radius::Fixed(_) | Radius::NoiseAware { .. }), ..
        } = self.config.recipe.estimator
        {
            recipe = recipe.with_radius(given);
        }
        let mut config = self.config.clone();
        config.recipe = recipe;
        let Ok(parts) = Parts::in_space(self.parts.space.clone(), &config) else { return false };
        // Under noise every direction takes two values.
        if self.remaining() < ENOUGH_TO_AVERAGE * 2 * parts.m as u64 {
            return false;
        }
        self.state.x.copy_from_slice(trust.reached());
        if self.config.output == Output::Auto {
            self.state.handed.clone_from(&self.state.x);
        }
        self.state.averaged = Averaged::default();
        self.state.update = Update::new(&parts, &config, &self.state.x);
        self.state.radius = parts.radius;
        self.state.notices.push(Notice::GaveWay);
        (self.config, self.parts) = (config, parts);
        if !matches!(self.state.phase, Phase::Probe { .. }) {
            self.state.phase = first_phase(&self.parts, &self.config, self.state.noise);
        }
        true
    }

    /// Looks for noise again where the run has got to, if that is due and leaves enough for an iteration.
    pub(super) fn prepare_late_probe(&mut self, to_spare: u64) -> bool {
        let State { update: Update::Trust(trust), noise: Noise::None, t, .. } = &mut self.state else {
            return false;
        };
        if self.config.noise != Noise::Detect || to_spare < PROBE_ROWS as u64 || !trust.wants_probe(*t) {
            return false;
        }
        self.state.phase = Phase::Probe { told: None };
        true
    }

    /// Asks for $l$ where $r$ is smallest, if that is still to be done and there is something to pay it with.
    pub(super) fn prepare_elsewhere(&mut self) -> bool {
        let Update::Trust(trust) = &self.state.update else { return false };
        if trust.elsewhere != Elsewhere::Unknown || self.state.t > 1 {
            return false;
        }
        self.state.v = self.parts.cheapest_point();
        let row = Row { base: Base::Sparse, step: None, sample: WATCHED_SAMPLE };
        self.hand_out(vec![row], 0, Asked::Elsewhere);
        true
    }

    pub(super) fn take_elsewhere(&mut self, values: &[f64]) {
        self.count_failed(values);
        let loss = values.first().copied().filter(|loss| loss.is_finite());
        if let Some(loss) = loss {
            self.observe_sparse(loss);
        }
        if let Update::Trust(trust) = &mut self.state.update {
            trust.learn_elsewhere(loss);
        }
    }

    /// Asks along directions through all coordinates, if that is due and leaves enough for an iteration.
    pub(super) fn prepare_survey(&mut self, to_spare: u64) -> bool {
        let Update::Trust(trust) = &self.state.update else { return false };
        let size = self.parts.survey_size();
        let radius = self.survey_radius();
        let plan = Plan::new(self.layout(), size, radius);
        if !trust.memory.wants_survey() || plan.len() as u64 > to_spare || size >= self.parts.space.dim() {
            return false;
        }
        self.parts.survey.draw(self.state.draws, size);
        let State { x, centre, .. } = &mut self.state;
        if !centre.is_empty() {
            let Parts { space, survey, .. } = &self.parts;
            room::retreat(&space.set, survey.norms(), radius, survey.perturbed(), x, centre);
        }
        self.hand_out(plan.rows(WATCHED_SAMPLE), 0, Asked::Survey(plan));
        true
    }

    /// The radius was measured along a few coordinates; what is of third order along all of them, or of second on one side, is as
    /// much larger as they are more.
    fn survey_radius(&self) -> f64 {
        let share = ((self.parts.m - 1) as f64 / self.parts.space.dim() as f64).min(1.0);
        let radius = match self.state.noise {
            Noise::Independent if self.layout() == Layout::Central => share.cbrt() * self.state.radius,
            Noise::Independent => share.sqrt() * self.state.radius,
            Noise::None | Noise::Common | Noise::Detect => self.state.radius,
        };
        if self.state.centre.is_empty() {
            return radius;
        }
        let Parts { space, survey, .. } = &self.parts;
        radius.min(room::longest_radius(&space.set, space.dim(), survey.norms(), self.share_of_room(radius)))
    }

    /// The share of $K$'s size that perturbations of this length may take.
    fn share_of_room(&self, length: f64) -> Share {
        match self.state.noise {
            _ if matches!(self.parts.radius_rule, Radius::Fixed(_)) => Share::Whole,
            _ if length <= self.parts.radius => Share::Small,
            Noise::Common | Noise::Independent => Share::Medium,
            Noise::None | Noise::Detect => Share::Whole,
        }
    }

    pub(super) fn take_survey(&mut self, plan: &Plan, values: &[f64]) {
        self.count_failed(values);
        self.state.draws += 1;
        let slopes = plan.slopes(values);
        if slopes.iter().any(|slope| slope.is_finite() && *slope != 0.0) {
            self.note_change(true);
        }
        let State { update: Update::Trust(trust), d: expected, x, centre, .. } = &mut self.state else {
            return;
        };
        let x = if centre.is_empty() { x } else { centre };
        trust.memory.slopes_at(x, expected);
        let mut lacking = vec![0.0; x.len()];
        let mut residuals = residuals(&self.parts.survey, &slopes, expected);
        residuals.iter_mut().filter(|residual| !residual.is_finite()).for_each(|residual| *residual = 0.0);
        let spread = residuals.iter().map(|r| r * r).sum::<f64>() * slopes.len() as f64;
        self.parts.survey.accumulate(&residuals, &mut lacking);
        trust.steepest.get_or_insert(vector::norm_max(&lacking));
        let (size, looked_at) = (slopes.len(), self.parts.m - 1);
        trust.memory.survey(&lacking, spread / size as f64, size, looked_at);
    }

    /// Draws the directions of the present iteration, on chosen coordinates where there is a memory.
    pub(super) fn draw_directions(&mut self) {
        match self.state.update {
            Update::Trust(_) => self.draw_block(self.parts.m, self.state.radius),
            Update::Mirror(_) | Update::Optimistic(_) => {
                self.parts.directions.draw(self.state.draws, self.parts.m);
            }
        }
    }

    /// Draws so many directions on the coordinates that the memory chooses, for steps up to this length.
    pub(super) fn draw_block(&mut self, count: usize, reach: f64) {
        let Update::Trust(trust) = &self.state.update else { return };
        let draws = self.state.draws;
        let mut shuffle = vec![0; self.state.x.len()];
        Key { seed: self.config.seed, purpose: Purpose::Directions }.fill(draws, 2, &mut shuffle);
        let coordinates = (self.parts.m - 1).min(shuffle.len());
        let chosen = trust.choose(&self.state.x, coordinates, &shuffle);
        let shares = if self.state.centre.is_empty() {
            vec![1.0; chosen.len()]
        } else {
            room::shares(&self.parts.space.set, &self.state.x, &chosen, reach, self.share_of_room(reach))
        };
        self.parts.directions.choose(draws, count, chosen, shares);
    }

    /// Takes the slopes along the directions into the memory; a direction whose answer failed is taken to be as remembered.
    pub(super) fn remember_slopes(&mut self, slopes: &[f64], iteration: u64) {
        let shared = self.layout() == Layout::Shared;
        let State { update: Update::Trust(trust), d: expected, x, centre, .. } = &mut self.state else {
            return;
        };
        // The slopes are those where the differences were taken.
        let apart = !centre.is_empty() && centre != x;
        let x = if apart { centre } else { x };
        trust.memory.forget_at(x);
        trust.memory.slopes_at(x, expected);
        let mut changes = vec![0.0; x.len()];
        let mut residuals = residuals(&self.parts.directions, slopes, expected);
        // What the value at the point itself is apart from that at the centre is in all rows and cancels where none is missing.
        let common = mean_of_finite(residuals.iter()).filter(|_| apart && shared).unwrap_or(0.0);
        residuals.iter_mut().filter(|residual| !residual.is_finite()).for_each(|residual| *residual = common);
        self.parts.directions.accumulate(&residuals, &mut changes);
        trust.memory.look(self.parts.directions.groups(), x, &changes, iteration);
    }

    /// The point reached does not answer: where there is a memory, the step to it is taken back.
    pub(super) fn withdraw(&mut self) {
        if let Update::Trust(trust) = &mut self.state.update {
            trust.withdraw();
            self.state.x.copy_from_slice(&trust.centre);
        }
    }

    /// Keeps the point reached or takes the step to it back; `false` where the descent ends with it.
    pub(super) fn judge_point(&mut self, loss: Option<f64>, penalty: f64) -> bool {
        let (Update::Trust(trust), Some(loss)) = (&mut self.state.update, loss) else { return true };
        let verdict = trust.judge(&self.state.x, loss, loss + penalty);
        let noisy = matches!(self.state.noise, Noise::Common | Noise::Independent);
        let stalled = noisy && trust.has_stalled();
        let longer = self.state.radius < 0.5 * self.parts.largest_radius;
        if stalled && self.state.noise == Noise::Independent && trust.wants_measure_again(longer) {
            self.state.x.copy_from_slice(&trust.centre);
            self.state.phase = first_phase(&self.parts, &self.config, self.state.noise);
            self.begin_anew();
            return false;
        }
        if stalled && self.give_way() {
            self.begin_anew();
            return false;
        }
        match verdict {
            Verdict::GoesOn => true,
            Verdict::Restarts => {
                self.descend_again();
                self.begin_anew();
                false
            }
            Verdict::Settled => {
                self.state.phase = Phase::Finale(StopReason::Stagnation);
                self.begin_anew();
                false
            }
        }
    }
}

impl Solver {
    /// Begins another descent: near the best point, or from a part of the start. Where nothing better was found than the point at which
    /// $r$ is smallest, a descent from near it ends in it.
    fn descend_again(&mut self) {
        let cheapest = self.parts.cheapest_point();
        let Update::Trust(trust) = &mut self.state.update else { return };
        let best = self.state.best.as_ref().map(|best| &best.x).filter(|&best| *best != cheapest);
        if let Some(best) = best.filter(|_| trust.wants_return()) {
            trust.return_to(best);
        } else {
            let mut luck = [0; STRETCHES];
            let key = Key { seed: self.config.seed, purpose: Purpose::Directions };
            key.fill(self.state.draws, 3, &mut luck);
            let part = trust.part_of_start(&cheapest, luck);
            let mut from = vec![0.0; part.len()];
            prox::project(&self.parts.space.set, &part, &mut from);
            trust.restart(&from);
        }
        self.state.x.copy_from_slice(&trust.centre);
    }

    /// An iteration has ended without a step.
    fn begin_anew(&mut self) {
        self.state.d.fill(0.0);
        self.state.counts.iterations += 1;
        self.state.t += 1;
    }
}

/// $\frac1m(y_j - \langle h, u_j\rangle)$ with $h$ the memory, for each direction; not finite where an answer failed. Summed up along
/// the directions they are an unbiased estimate of what the memory lacks of the slopes, whatever it holds.
fn residuals(directions: &Directions, slopes: &[f64], memory: &[f64]) -> Vec<f64> {
    let share = 1.0 / slopes.len() as f64;
    slopes.iter().enumerate().map(|(j, slope)| share * (slope - directions.dot(j, memory))).collect()
}

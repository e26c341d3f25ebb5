//! What is asked in each phase of a run, and what the answers lead to.

use super::config::{Config, PreviousValue};
use super::parts::Parts;
use super::state::{Past, Phase, State, Update, first_phase};
use super::{Asked, Pending, Solver};
use crate::estimator::{
    CALIBRATION_DIRECTIONS, Calibrated, Difference, Estimator, Layout, Noise, Plan, Sides,
};
use crate::query::{Base, Row};
use crate::room;
use crate::step_size::StepRule;
use crate::stop::{Status, StopReason};
use crate::trace::Notice;

/// A batch with at most one failed answer in so many is completed.
const FEW: usize = 4;
/// How often a base point is asked for the probe: twice under one sample, once under another.
pub(super) const PROBE_ROWS: usize = 3;

/// How the rows of an estimate are arranged, given what is known of the noise.
pub(super) fn layout(config: &Config, noise: Noise) -> Layout {
    let difference = match config.recipe.estimator {
        Estimator::Differences { difference, .. } => difference,
        Estimator::Gradients { .. } => Difference::Auto,
    };
    if matches!(config.recipe.step, StepRule::Trust { .. }) {
        // Radii are large under noise, and what curvature adds to a difference cancels between two sides; where they need not be
        // large, one side will do (`Solver::layout`).
        return if noise == Noise::Independent { Layout::Central } else { Layout::Shared };
    }
    match (difference, noise) {
        (Difference::Auto | Difference::Forward, Noise::None | Noise::Detect) => Layout::Shared,
        (Difference::Forward, Noise::Common | Noise::Independent) => Layout::Paired,
        (Difference::Central, _) | (Difference::Auto, Noise::Common | Noise::Independent) => Layout::Central,
    }
}

/// Two values that differ in their last digits only are the same: sums in another order round otherwise.
const ROUNDING: f64 = 1e-12;

fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > ROUNDING * a.abs().max(b.abs())
}

impl Solver {
    /// Prepares the next batch, moving through the phases until one has something to ask or the run has ended.
    pub(super) fn prepare(&mut self) {
        while self.pending.is_none() && !matches!(self.state.phase, Phase::Stopped(_)) {
            match &self.state.phase {
                Phase::Probe { .. } => self.prepare_probe(),
                Phase::Calibrate(_) => self.prepare_calibration(),
                Phase::Iterate => self.prepare_iteration(),
                Phase::AskAgain { .. } => self.prepare_again(),
                Phase::Finale(_) => self.prepare_finale(),
                Phase::Stopped(_) => {}
            }
        }
    }

    fn prepare_probe(&mut self) {
        if self.remaining() < PROBE_ROWS as u64 {
            self.state.phase = Phase::Finale(self.exhausted());
            return;
        }
        let Phase::Probe { told } = &self.state.phase else { return };
        // What was told stays; only what failed is asked again, under the same samples.
        let sample = self.state.next_sample;
        let samples = [sample, sample, sample + 1];
        let failed = told.map_or([true; PROBE_ROWS], |told| told.map(|value| !value.is_finite()));
        let rows = samples.into_iter().zip(failed).filter(|(_, failed)| *failed);
        let rows = rows.map(|(sample, _)| Row { base: Base::Current, step: None, sample }).collect();
        self.hand_out(rows, 0, Asked::Probe);
    }

    fn prepare_calibration(&mut self) {
        let Phase::Calibrate(calibration) = &self.state.phase else { return };
        let rows = calibration.rows(self.state.next_sample, self.state.noise != Noise::Common);
        let (reach, samples) = (calibration.reach(), calibration.samples());
        let (known, sides) = (calibration.best_known(), calibration.settled());
        let fits = rows.len() as u64 + self.iteration_cost() + self.reserve() <= self.remaining();
        // Where nothing more can be paid for, what is known so far must do.
        if !fits {
            self.choose_radius(known.0, known.1, sides);
            return;
        }
        match self.state.update {
            // On a whole block, half of it where something is.
            Update::Trust(_) => self.draw_block(CALIBRATION_DIRECTIONS.max(self.parts.m), reach),
            Update::Mirror(_) | Update::Optimistic(_) => {
                self.parts.directions.draw(0, CALIBRATION_DIRECTIONS);
            }
        }
        self.retreat(reach);
        self.hand_out(rows, samples, Asked::Calibration);
    }

    fn prepare_iteration(&mut self) {
        let status = Status {
            iterations: self.state.counts.iterations,
            seconds: self.state.seconds,
            best: self.state.best.as_ref().map(|best| best.objective),
            history: &self.state.history,
        };
        if let Some(reason) = self.config.stop.check(&status) {
            self.state.phase =
                if reason.leaves_room() { Phase::Finale(reason) } else { Phase::Stopped(reason) };
            return;
        }
        let needed = self.iteration_cost() + self.reserve();
        let available = self.remaining();
        if needed > available {
            if self.state.counts.iterations == 0 {
                self.state.notices.push(Notice::BudgetTooSmall { needed, available });
            }
            self.state.phase = Phase::Finale(self.exhausted());
            return;
        }
        if self.prepare_late_probe(available - needed) || self.prepare_elsewhere() {
            return;
        }
        if self.prepare_survey(available - needed) {
            return;
        }
        if matches!(self.config.recipe.estimator, Estimator::Gradients { .. }) {
            self.prepare_gradients();
        } else {
            let plan = self.plan();
            self.draw_directions();
            self.retreat(self.state.radius);
            let (first_sample, samples) = self.samples_of(&plan);
            self.hand_out(plan.rows(first_sample), samples, Asked::Estimate(plan));
        }
    }

    fn prepare_gradients(&mut self) {
        let first = self.state.next_sample;
        let m = self.parts.m as u64;
        let with_previous = self.carry() > 0.0;
        let rows_at = |base| (0..m).map(move |j| Row { base, step: None, sample: first + j });
        let mut rows: Vec<Row> = rows_at(Base::Current).collect();
        if with_previous {
            rows.extend(rows_at(Base::Previous));
        }
        self.hand_out(rows, m, Asked::Gradients { with_previous });
    }

    fn prepare_again(&mut self) {
        let Phase::AskAgain { told, rows: failed } = &self.state.phase else { return };
        if failed.len() as u64 > self.remaining() {
            // The base points were counted when they were found to have failed, the others wait to be counted.
            let waiting = told.iter().filter(|value| !value.is_finite()).count() - failed.len();
            self.state.counts.failed += waiting as u64;
            self.state.phase = Phase::Stopped(self.exhausted());
            return;
        }
        let plan = self.plan();
        // The samples were used up when the batch was first answered.
        let (next, used) = self.samples_of(&plan);
        let first_sample = next - used;
        let all = plan.rows(first_sample);
        let rows = failed.iter().filter_map(|&row| all.get(row).copied()).collect();
        self.draw_directions();
        self.hand_out(rows, 0, Asked::Again(plan));
    }

    pub(super) fn take_values(&mut self, kind: Asked, values: &[f64]) {
        match kind {
            Asked::Probe => self.take_probe(values),
            Asked::Elsewhere => self.take_elsewhere(values),
            Asked::Survey(plan) => self.take_survey(&plan, values),
            Asked::Calibration => self.take_calibration(values),
            Asked::Estimate(plan) => {
                let rows = self.rows_to_ask_again(&plan, values);
                if rows.is_empty() {
                    self.take_estimate(&plan, values);
                } else {
                    self.state.counts.failed += rows.len() as u64;
                    self.state.phase = Phase::AskAgain { told: values.to_vec(), rows };
                }
            }
            Asked::Again(plan) => self.take_again(&plan, values),
            Asked::Finale { repeats } => self.take_finale(values, repeats),
            Asked::Gradients { .. } => {}
        }
    }

    fn take_probe(&mut self, values: &[f64]) {
        self.count_failed(values);
        let Phase::Probe { told } = &self.state.phase else { return };
        let again = told.is_some();
        let mut told = told.unwrap_or([f64::NAN; PROBE_ROWS]);
        let open = told.iter_mut().filter(|value| !value.is_finite());
        open.zip(values).for_each(|(told, value)| *told = *value);
        if told.iter().any(|value| !value.is_finite()) {
            let late = self.state.t > 1;
            self.state.phase = if again && late {
                Phase::Iterate
            } else if again && !self.endures() {
                Phase::Stopped(StopReason::BaseFailed { iteration: 0 })
            } else {
                Phase::Probe { told: Some(told) }
            };
            return;
        }
        self.state.next_sample += 2;
        let [first, same, other] = told;
        let noise = if differ(first, same) {
            self.state.notices.push(Notice::NotRepeatable { values: [first, same] });
            Noise::Independent
        } else if differ(first, other) {
            self.state.notices.push(Notice::CommonNoise { values: [first, other] });
            Noise::Common
        } else {
            Noise::None
        };
        self.state.noise = noise;
        self.observe_point(first);
        self.state.phase = first_phase(&self.parts, &self.config, noise);
        self.reconsider();
    }

    fn take_calibration(&mut self, values: &[f64]) {
        self.count_failed(values);
        let Phase::Calibrate(calibration) = &mut self.state.phase else { return };
        // What this round used up has been counted.
        let first_sample = self.state.next_sample.saturating_sub(calibration.samples());
        if let Calibrated::Done { radius, noise, sides } = calibration.tell(values, first_sample) {
            self.choose_radius(radius, noise, sides);
        }
    }

    fn choose_radius(&mut self, radius: f64, noise: Option<f64>, sides: Sides) {
        self.state.radius = radius;
        if let (Update::Trust(trust), Noise::Independent) = (&mut self.state.update, self.state.noise) {
            trust.learn_noise(noise, sides);
        }
        self.state.notices.push(Notice::RadiusChosen { noise, radius });
        self.state.phase = Phase::Iterate;
    }

    pub(super) fn count_failed(&mut self, values: &[f64]) {
        self.state.counts.failed += values.iter().filter(|value| !value.is_finite()).count() as u64;
    }

    /// The rows without which an estimate is worth nothing, and whose answers failed.
    fn failed_bases(&self, plan: &Plan, values: &[f64]) -> Vec<usize> {
        match self.state.update {
            // The point itself, which is watched.
            Update::Trust(_) if !values[0].is_finite() => vec![0],
            _ => plan.failed_bases(values),
        }
    }

    /// The rows that are asked once more. Slopes of a block come from all its rows together, so that a few that failed are; where
    /// many did, they may well fail again.
    fn rows_to_ask_again(&self, plan: &Plan, values: &[f64]) -> Vec<usize> {
        let failed: Vec<usize> = (0..values.len()).filter(|&row| !values[row].is_finite()).collect();
        let few = failed.len() <= values.len() / FEW;
        if few && matches!(self.state.update, Update::Trust(_)) {
            failed
        } else {
            self.failed_bases(plan, values)
        }
    }

    fn take_again(&mut self, plan: &Plan, values: &[f64]) {
        let Phase::AskAgain { told, rows } = &self.state.phase else { return };
        let mut told = told.clone();
        for (&row, &value) in rows.iter().zip(values) {
            told[row] = value;
        }
        if self.failed_bases(plan, &told).is_empty() {
            self.state.phase = Phase::Iterate;
            self.take_estimate(plan, &told);
        } else {
            // The base points' first failures were counted when they were asked again.
            self.count_failed(&told);
            self.state.draws += 1;
            self.state.phase = if self.endures() {
                self.withdraw();
                Phase::Iterate
            } else {
                Phase::Stopped(StopReason::BaseFailed { iteration: self.state.t })
            };
        }
    }

    /// Counts an iteration whose base point failed twice; `false` if there were too many in a row.
    fn endures(&mut self) -> bool {
        self.state.bad_iterations += 1;
        self.state.bad_iterations < self.config.failures.patience.max(1)
    }

    /// How the rows of an estimate are arranged now.
    pub(super) fn layout(&self) -> Layout {
        match &self.state.update {
            Update::Trust(trust) if trust.one_sided => Layout::Shared,
            _ => layout(&self.config, self.state.noise),
        }
    }

    /// The plan of the present iteration.
    fn plan(&self) -> Plan {
        let mut plan = Plan::new(self.layout(), self.parts.m, self.state.radius);
        if matches!(self.state.update, Update::Trust(_)) {
            plan = plan.with_value_at_point();
        }
        if self.carry() > 0.0 {
            let known = match self.config.previous_value {
                PreviousValue::Reuse => self.state.previous_loss,
                PreviousValue::AskAgain => None,
            };
            plan.and_previous(known)
        } else {
            plan
        }
    }

    /// How much of the past enters the present estimate.
    pub(super) fn carry(&self) -> f64 {
        match self.state.past {
            Past::Usable => self.parts.momentum.carry(self.state.t, self.parts.m),
            Past::Stale => 0.0,
        }
    }

    fn iteration_cost(&self) -> u64 {
        if matches!(self.config.recipe.estimator, Estimator::Gradients { .. }) {
            let points = if self.carry() > 0.0 { 2 } else { 1 };
            (points * self.parts.m) as u64
        } else {
            self.plan().len() as u64
        }
    }

    /// What is left of the two budgets: queries, and points sent.
    fn left(&self) -> (u64, u64) {
        let left = |limit: Option<u64>, used: u64| limit.map_or(u64::MAX, |limit| limit.saturating_sub(used));
        let (budget, counts) = (self.config.budget, self.state.counts);
        (left(budget.queries, counts.queries), left(budget.sent, counts.sent))
    }

    /// Queries that may still be handed out.
    pub(super) fn remaining(&self) -> u64 {
        let (queries, sent) = self.left();
        queries.min(sent)
    }

    /// Which of the two budgets ends the run.
    fn exhausted(&self) -> StopReason {
        let (queries, sent) = self.left();
        if sent < queries { StopReason::Sent } else { StopReason::Queries }
    }

    pub(super) fn hand_out(&mut self, rows: Vec<Row>, samples: u64, kind: Asked) {
        self.state.counts.sent += rows.len() as u64;
        self.pending = Some(Pending { rows, samples, kind });
    }

    /// Whether answers that wait for others to be asked again fit the batch they belong to, for a run that comes
    /// from outside.
    pub(super) fn waits_consistently(&self) -> bool {
        match &self.state.phase {
            Phase::AskAgain { told, rows } => {
                let plan = self.plan();
                told.len() == plan.len()
                    && !rows.is_empty()
                    && *rows == self.rows_to_ask_again(&plan, told)
                    && self.samples_of(&plan).0 >= self.samples_of(&plan).1
            }
            _ => true,
        }
    }

    /// Moves the point differences are taken around so far inside that steps of this length along the directions drawn stay in
    /// $K$. Does nothing where queries may lie anywhere.
    fn retreat(&mut self, reach: f64) {
        let State { x, centre, .. } = &mut self.state;
        if !centre.is_empty() {
            let Parts { space, directions, .. } = &self.parts;
            room::retreat(&space.set, directions.norms(), reach, directions.perturbed(), x, centre);
        }
    }
}

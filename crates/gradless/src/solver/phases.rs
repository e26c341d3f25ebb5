//! What is asked in each phase of a run, and what the answers lead to.

use super::state::{Phase, State, first_phase, view};
use super::{Asked, Pending, Solver};
use crate::direction::Directions;
use crate::estimator::{Calibrated, Estimator, Noise, Plan, Sides};
use crate::query::{Base, Row};
use crate::room;
use crate::stop::{Status, StopReason};
use crate::trace::Notice;
use crate::update::{Basis, Draw, PROBE_ROWS, Room, Sight};

/// A batch with at most one failed answer in so many is completed.
const FEW: usize = 4;

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
                Phase::Finish(_) => self.prepare_finish(),
                Phase::Stopped(_) => {}
            }
        }
    }

    fn prepare_probe(&mut self) {
        if self.remaining() < PROBE_ROWS as u64 {
            self.state.phase = Phase::Finish(self.state.books.exhausted(self.config.budget));
            return;
        }
        let Phase::Probe { told } = &self.state.phase else { return };
        // What was told stays; only what failed is asked again, under the same samples.
        let sample = self.state.sampling.next_sample;
        let samples = [sample, sample, sample + 1];
        let failed = told.map_or([true; PROBE_ROWS], |told| told.map(|value| !value.is_finite()));
        let rows = samples.into_iter().zip(failed).filter(|(_, failed)| *failed);
        let rows = rows.map(|(sample, _)| Row { base: Base::Current, step: None, sample }).collect();
        self.hand_out(rows, 0, Asked::Probe);
    }

    fn prepare_calibration(&mut self) {
        let Phase::Calibrate(calibration) = &self.state.phase else { return };
        let rows =
            calibration.rows(self.state.sampling.next_sample, self.state.sampling.noise != Noise::Common);
        let (reach, samples) = (calibration.reach(), calibration.samples());
        let (known, sides) = (calibration.best_known(), calibration.settled());
        let fits = rows.len() as u64 + self.iteration_cost() + self.reserve() <= self.remaining();
        // Where nothing more can be paid for, what is known so far must do.
        if !fits {
            self.choose_radius(known.0, known.1, sides);
            return;
        }
        self.draw(Draw::Measurement { reach });
        self.retreat(reach);
        self.hand_out(rows, samples, Asked::Calibration);
    }

    fn prepare_iteration(&mut self) {
        let status = Status {
            iterations: self.state.books.counts.iterations,
            seconds: self.state.books.seconds,
            best: self.state.points.best_objective(),
            history: &self.state.books.history,
        };
        if let Some(reason) = self.config.stop.check(&status) {
            self.state.phase =
                if reason.leaves_room() { Phase::Finish(reason) } else { Phase::Stopped(reason) };
            return;
        }
        let needed = self.iteration_cost() + self.reserve();
        let available = self.remaining();
        if needed > available {
            if self.state.books.counts.iterations == 0 {
                self.state.books.notices.push(Notice::BudgetTooSmall { needed, available });
            }
            self.state.phase = Phase::Finish(self.state.books.exhausted(self.config.budget));
            return;
        }
        if self.prepare_wish(available - needed) {
            return;
        }
        if self.tells_gradients() {
            self.prepare_gradients();
        } else {
            let plan = self.plan();
            self.draw(Draw::Estimate);
            self.retreat(self.state.sampling.radius);
            let (first_sample, samples) = self.state.sampling.samples_of(&plan, self.basis());
            self.hand_out(plan.rows(first_sample), samples, Asked::Estimate(plan));
        }
    }

    fn prepare_gradients(&mut self) {
        let first = self.state.sampling.next_sample;
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
            self.state.books.counts.failed += waiting as u64;
            self.state.phase = Phase::Stopped(self.state.books.exhausted(self.config.budget));
            return;
        }
        let plan = self.plan();
        // The samples were used up when the batch was first answered.
        let (next, used) = self.state.sampling.samples_of(&plan, self.basis());
        let first_sample = next - used;
        let all = plan.rows(first_sample);
        let rows = failed.iter().filter_map(|&row| all.get(row).copied()).collect();
        self.draw(Draw::Estimate);
        self.hand_out(rows, 0, Asked::Again(plan));
    }

    pub(super) fn take_values(&mut self, kind: Asked, values: &[f64]) {
        match kind {
            Asked::Probe => self.take_probe(values),
            Asked::Value => self.take_value(values),
            Asked::Survey(plan) => self.take_survey(&plan, values),
            Asked::Calibration => self.take_calibration(values),
            Asked::Estimate(plan) => {
                let rows = self.rows_to_ask_again(&plan, values);
                if rows.is_empty() {
                    self.take_estimate(&plan, values);
                } else {
                    self.state.books.counts.failed += rows.len() as u64;
                    self.state.phase = Phase::AskAgain { told: values.to_vec(), rows };
                }
            }
            Asked::Again(plan) => self.take_again(&plan, values),
            Asked::Finish { repeats } => self.take_finish(values, repeats),
            Asked::Gradients { .. } => {}
        }
    }

    fn take_probe(&mut self, values: &[f64]) {
        self.state.books.count_failed(values);
        let Phase::Probe { told } = &self.state.phase else { return };
        let again = told.is_some();
        let mut told = told.unwrap_or([f64::NAN; PROBE_ROWS]);
        let open = told.iter_mut().filter(|value| !value.is_finite());
        open.zip(values).for_each(|(told, value)| *told = *value);
        if told.iter().any(|value| !value.is_finite()) {
            let late = self.state.books.t > 1;
            self.state.phase = if again && late {
                Phase::Iterate
            } else if again && !self.state.books.endures(self.config.failures) {
                Phase::Stopped(StopReason::BaseFailed { iteration: 0 })
            } else {
                Phase::Probe { told: Some(told) }
            };
            return;
        }
        self.state.sampling.next_sample += 2;
        let [first, same, other] = told;
        let noise = if differ(first, same) {
            self.state.books.notices.push(Notice::NotRepeatable { values: [first, same] });
            Noise::Independent
        } else if differ(first, other) {
            self.state.books.notices.push(Notice::CommonNoise { values: [first, other] });
            Noise::Common
        } else {
            Noise::None
        };
        self.state.sampling.noise = noise;
        self.state.points.observe_current(&self.parts.space, first);
        self.state.phase = first_phase(&self.parts, self.state.relay.update(), noise);
    }

    fn take_calibration(&mut self, values: &[f64]) {
        self.state.books.count_failed(values);
        let Phase::Calibrate(calibration) = &mut self.state.phase else { return };
        // What this round used up has been counted.
        let first_sample = self.state.sampling.next_sample.saturating_sub(calibration.samples());
        if let Calibrated::Done { radius, noise, sides } = calibration.tell(values, first_sample) {
            self.choose_radius(radius, noise, sides);
        }
    }

    fn choose_radius(&mut self, radius: f64, deviation: Option<f64>, sides: Sides) {
        let State { phase, relay, sampling, books, .. } = &mut self.state;
        sampling.radius = radius;
        relay.update_mut().learn_noise(sampling.noise, deviation, sides);
        books.notices.push(Notice::RadiusChosen { noise: deviation, radius });
        *phase = Phase::Iterate;
    }

    /// The rows without which an estimate is worth nothing, and whose answers failed.
    fn failed_bases(&self, plan: &Plan, values: &[f64]) -> Vec<usize> {
        match self.basis() {
            // The point itself, whose value is compared.
            Basis::Values if !values[0].is_finite() => vec![0],
            Basis::Values | Basis::Slopes => plan.failed_bases(values),
        }
    }

    /// The rows that are asked once more. Where the slopes of a few coordinates come from all rows together, a few that failed are;
    /// where many did, they may well fail again.
    fn rows_to_ask_again(&self, plan: &Plan, values: &[f64]) -> Vec<usize> {
        let failed: Vec<usize> = (0..values.len()).filter(|&row| !values[row].is_finite()).collect();
        let few = failed.len() <= values.len() / FEW;
        if few && self.state.relay.update().sight() != Sight::All {
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
            self.state.books.count_failed(&told);
            self.state.sampling.draws += 1;
            self.state.phase = if self.state.books.endures(self.config.failures) {
                self.withdraw();
                Phase::Iterate
            } else {
                Phase::Stopped(StopReason::BaseFailed { iteration: self.state.books.t })
            };
        }
    }

    /// The point reached does not answer: the update may take the step to it back.
    fn withdraw(&mut self) {
        let State { relay, points, .. } = &mut self.state;
        if let Some(kept) = relay.update_mut().withdraw() {
            points.x.copy_from_slice(kept);
        }
    }

    pub(super) fn basis(&self) -> Basis {
        self.state.relay.update().basis()
    }

    fn tells_gradients(&self) -> bool {
        matches!(self.state.relay.recipe().estimator, Estimator::Gradients { .. })
    }

    /// The plan of the present iteration.
    fn plan(&self) -> Plan {
        let State { relay, sampling, books, .. } = &self.state;
        sampling.plan(&self.parts, relay.update(), books.t, self.config.previous_value)
    }

    /// How much of the past enters the present estimate.
    pub(super) fn carry(&self) -> f64 {
        self.state.sampling.carry(&self.parts, self.state.books.t)
    }

    fn iteration_cost(&self) -> u64 {
        if self.tells_gradients() {
            let points = if self.carry() > 0.0 { 2 } else { 1 };
            (points * self.parts.m) as u64
        } else {
            self.plan().len() as u64
        }
    }

    /// Queries that may still be handed out.
    pub(super) fn remaining(&self) -> u64 {
        self.state.books.remaining(self.config.budget)
    }

    /// Draws the directions that the update wants.
    fn draw(&mut self, purpose: Draw) {
        let State { relay, points, sampling, books, .. } = &self.state;
        let view = view(&self.config, &self.parts, points, sampling, books);
        relay.update().draw(&view, purpose, &mut self.directions);
    }

    pub(super) fn hand_out(&mut self, rows: Vec<Row>, samples: u64, kind: Asked) {
        self.state.books.counts.sent += rows.len() as u64;
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
                    && self.state.sampling.samples_of(&plan, self.basis()).0
                        >= self.state.sampling.samples_of(&plan, self.basis()).1
            }
            _ => true,
        }
    }

    /// Moves the point differences are taken around so far inside that steps of this length along the directions drawn stay in
    /// $K$, and to the side where the update wants them. Does nothing where queries may lie anywhere.
    fn retreat(&mut self, reach: f64) {
        self.move_centre(reach, |solver| &solver.directions);
    }

    pub(super) fn move_centre(&mut self, reach: f64, of: impl Fn(&Self) -> &Directions) {
        let mut centre = std::mem::take(&mut self.state.points.centre);
        let directions = of(self);
        let State { relay, points, sampling, books, .. } = &self.state;
        let (set, x, update) = (&self.parts.space.set, &points.x, relay.update());
        if self.parts.room == Room::Needed {
            room::retreat(set, directions.norms(), reach, directions.perturbed(), x, &mut centre);
        } else {
            centre.clear();
        }
        if update.leans() {
            centre.resize(x.len(), 0.0);
            if self.parts.room != Room::Needed {
                centre.copy_from_slice(x);
            }
            let view = view(&self.config, &self.parts, points, sampling, books);
            directions.perturbed().each(x.len(), |i, share| {
                let by = share * reach;
                centre[i] = room::lean(set, i, x[i], centre[i], by * update.side(&view, i));
            });
        }
        self.state.points.centre = centre;
    }
}

//! One iteration: answers to an estimate, estimate to a step, step to a record.

use super::Solver;
use super::config::Flat;
use super::state::{Candidate, Past, Phase, State, Update};
use crate::estimator::{Plan, Reduced};
use crate::momentum::Momentum;
use crate::prox::{Step, StepError};
use crate::random::{Key, Purpose};
use crate::space::Sizes;
use crate::stop::StopReason;
use crate::trace::{Notice, Record};
use crate::vector;

/// How fast the radius grows where nothing changes.
const RADIUS_GROWTH: f64 = 4.0;

/// What an estimate rests on, for the books.
struct Evidence {
    loss: Option<f64>,
    kept: usize,
    failed: usize,
    of: usize,
}

/// What a step did.
struct Moved {
    weight: f64,
    stationarity: f64,
    /// The share of the way to $v_t$ that is taken.
    share: f64,
}

impl Moved {
    /// A descent has ended: there was no step.
    fn nowhere() -> Self {
        Self { weight: 0.0, stationarity: 0.0, share: 0.0 }
    }
}

impl Solver {
    /// Differences have been answered, base points included.
    pub(super) fn take_estimate(&mut self, plan: &Plan, values: &[f64]) {
        let carry = self.carry();
        let Reduced { mut coefficients, loss, kept, failed, flat } = plan.reduce(values, carry);
        let draw = self.state.draws;
        self.state.draws += 1;
        let evidence = Evidence { loss, kept, failed, of: values.len() };
        if !self.survives_failures(&evidence, self.parts.m) || (flat && self.grows_radius()) {
            return;
        }
        self.note_change(!flat);
        if let Update::Trust(_) = self.state.update {
            self.remember_slopes(&plan.slopes(values), draw);
            self.finish_iteration(&evidence);
            return;
        }
        let factor = self.parts.directions.factor();
        if factor != 1.0 {
            scale(&mut coefficients, factor);
        }
        scale(&mut self.state.d, carry);
        self.parts.directions.accumulate(&coefficients, &mut self.state.d);
        self.finish_iteration(&evidence);
    }

    /// Gradients have been answered.
    pub(super) fn take_gradients(&mut self, with_previous: bool, gradients: &[f64], values: Option<&[f64]>) {
        let dim = self.parts.space.full_dim();
        let m = self.parts.m;
        let rows: Vec<&[f64]> = gradients.chunks_exact(dim).collect();
        let fine = |row: usize| {
            rows[row].iter().all(|g| g.is_finite()) && values.is_none_or(|values| values[row].is_finite())
        };
        // A sample counts only if it is fine at both points: the correction must see the same samples.
        let kept: Vec<usize> = (0..m).filter(|&j| fine(j) && (!with_previous || fine(j + m))).collect();
        let loss = values
            .filter(|_| !kept.is_empty())
            .map(|values| kept.iter().map(|&j| values[j]).sum::<f64>() / kept.len() as f64);
        let failed = (0..rows.len()).filter(|&row| !fine(row)).count();
        let evidence = Evidence { loss, kept: kept.len(), failed, of: rows.len() };
        if !self.survives_failures(&evidence, m) {
            return;
        }
        let carry = if with_previous { self.carry() } else { 0.0 };
        let share = 1.0 / kept.len() as f64;
        scale(&mut self.state.d, carry);
        for &j in &kept {
            self.parts.space.add_restricted(rows[j], share, &mut self.state.d);
            if with_previous {
                self.parts.space.add_restricted(rows[j + m], -carry * share, &mut self.state.d);
            }
        }
        self.finish_iteration(&evidence);
    }

    /// Keeps in mind whether values change within the radius at all.
    pub(super) fn note_change(&mut self, changed: bool) {
        self.state.flat_looks = match self.state.flat_looks {
            _ if changed => Some(0),
            Some(looks) => Some(looks + 1),
            None => None,
        };
    }

    /// Every difference was exactly zero: asks again further out, unless that has been tried. A block of coordinates on which
    /// nothing depends is no reason while values changed elsewhere.
    fn grows_radius(&mut self) -> bool {
        let largest = self.parts.largest_radius;
        let blocks = matches!(self.state.update, Update::Trust(_));
        let sweep = (self.parts.space.dim() / self.parts.m) as u64;
        let changes = self.state.flat_looks.is_some_and(|looks| looks < sweep);
        if self.config.flat == Flat::Accept || (blocks && changes) {
            return false;
        }
        let iteration = self.state.t;
        if self.state.radius >= largest {
            let known = |notice: &Notice| matches!(notice, Notice::Flat { .. });
            let everywhere = match &self.state.update {
                Update::Trust(trust) => trust.memory.is_complete(),
                Update::Mirror(_) | Update::Optimistic(_) => true,
            };
            if everywhere && !self.state.notices.iter().any(known) {
                self.state.notices.push(Notice::Flat { iteration, radius: self.state.radius });
            }
            if blocks {
                self.state.radius = self.parts.radius;
            }
            return false;
        }
        let radius = (self.state.radius * RADIUS_GROWTH).min(largest);
        self.state.radius = radius;
        // The point before keeps the distance of the old radius from the boundary, and its estimate was made with it.
        self.state.past = Past::Stale;
        self.state.notices.push(Notice::RadiusGrown { iteration, radius });
        true
    }

    /// Keeps the books on failures; `false` if there is nothing to make a step from.
    fn survives_failures(&mut self, evidence: &Evidence, wanted: usize) -> bool {
        let Evidence { kept, failed, of, .. } = *evidence;
        self.state.counts.failed += failed as u64;
        // Said once; the counter has the rest.
        let said = |notice: &Notice| matches!(notice, Notice::AnswersFailed { .. });
        if failed > 0 && !self.state.notices.iter().any(said) {
            self.state.notices.push(Notice::AnswersFailed { iteration: self.state.t, failed, of });
        }
        let lost = (wanted - kept) as f64 / wanted as f64;
        self.state.bad_iterations =
            if lost > self.config.failures.share || kept == 0 { self.state.bad_iterations + 1 } else { 0 };
        if self.state.bad_iterations >= self.config.failures.patience.max(1) {
            self.state.phase = Phase::Stopped(StopReason::TooManyFailures { failed, of });
            return false;
        }
        kept > 0
    }

    /// $d_t$ is there: takes the step, writes the record, moves on to $t + 1$.
    fn finish_iteration(&mut self, evidence: &Evidence) {
        self.sample_random_iterate(evidence.loss);
        let (sizes, penalty) = self.parts.space.measure(self.state.evaluated());
        if let Some(loss) = evidence.loss {
            self.observe(loss, penalty);
        }
        if !self.judge_point(evidence.loss, penalty) {
            self.record(evidence, &Moved::nowhere(), &sizes, penalty);
            return;
        }
        let moved = match self.compute_step() {
            Ok(moved) => moved,
            Err(error) => {
                // What a failed step has written is of no use.
                self.state.v.clear();
                self.state.phase = Phase::Stopped(StopReason::Step(error));
                return;
            }
        };
        self.record(evidence, &moved, &sizes, penalty);
        if self.parts.momentum != Momentum::Plain {
            let State { previous, x, centre, .. } = &mut self.state;
            previous.copy_from_slice(if centre.is_empty() { x } else { centre });
            self.state.previous_loss = evidence.loss;
        }
        vector::move_towards(&mut self.state.x, &self.state.v, moved.share);
        if self.averages() {
            self.state.averaged.add(&self.state.x);
        }
        self.state.past = Past::Usable;
        self.state.stationarity = Some(moved.stationarity);
        self.state.counts.iterations += 1;
        self.state.t += 1;
    }

    /// Finds $v_t$ and how much of the way to it is taken.
    fn compute_step(&mut self) -> Result<Moved, StepError> {
        let Self { parts, state, .. } = self;
        let (regulariser, set) = (&parts.space.regulariser, &parts.space.set);
        state.v.resize(state.x.len(), 0.0);
        match &mut state.update {
            Update::Mirror(rule) => {
                let weight = rule.weight(|| parts.generator.dual_norm(&state.d));
                let step = Step { x: &state.x, g: &state.d, eta: weight };
                parts.prox.step(regulariser, set, step, &mut state.v)?;
                let modulus = parts.generator.modulus(&state.x, &state.v);
                let stationarity = modulus * weight * parts.generator.distance(&state.x, &state.v);
                let share = rule.advance(stationarity);
                Ok(Moved { weight, stationarity, share })
            }
            Update::Optimistic(rule) => {
                let weight = rule.prepare(&state.d);
                let step = Step { x: &rule.point, g: &rule.lead, eta: weight };
                parts.prox.step(regulariser, set, step, &mut state.v)?;
                let modulus = parts.generator.modulus(&rule.point, &state.v);
                let stationarity = modulus * weight * rule.accept(&state.v);
                Ok(Moved { weight, stationarity, share: rule.share() })
            }
            Update::Trust(rule) => {
                rule.memory.slopes_at(&rule.centre, &mut state.d);
                rule.doubt(&mut state.d, state.radius);
                let reach = parts.reach(&rule.centre);
                let weight = rule.weight(parts.steepness(&state.d, &rule.centre), reach);
                let step = Step { x: &rule.centre, g: &state.d, eta: weight };
                parts.prox.step(regulariser, set, step, &mut state.v)?;
                rule.foresee(&state.d, &state.v);
                let modulus = parts.generator.modulus(&rule.centre, &state.v);
                let stationarity = modulus * weight * parts.generator.distance(&rule.centre, &state.v);
                Ok(Moved { weight, stationarity, share: 1.0 })
            }
        }
    }

    fn record(&mut self, evidence: &Evidence, moved: &Moved, sizes: &Sizes, regulariser: f64) {
        self.state.history.push(Record {
            iteration: self.state.t,
            queries: self.state.counts.queries,
            objective: evidence.loss.map(|loss| loss + regulariser),
            loss: evidence.loss,
            regulariser,
            norm_l1: sizes.l1,
            norm_l2: sizes.l2_squared.sqrt(),
            nonzeros: sizes.nonzeros,
            step_size: moved.weight,
            radius: self.state.radius,
            stationarity: moved.stationarity,
            kept: evidence.kept,
            best: self.state.best.as_ref().map(|best| best.objective),
        });
    }

    /// Keeps $x_t$ with probability $1/t$: in the end every iterate is kept with the same probability.
    fn sample_random_iterate(&mut self, loss: Option<f64>) {
        let t = self.state.t;
        let key = Key { seed: self.config.seed, purpose: Purpose::Reservoir };
        if key.uniform(t) * (t as f64) < 1.0 {
            let mut random = std::mem::take(&mut self.state.random);
            random.copy_from_slice(self.state.evaluated());
            (self.state.random, self.state.random_loss) = (random, loss);
        }
    }

    /// A value of $l$ at the point that an iteration asks for, and $r$ there.
    fn observe(&mut self, loss: f64, penalty: f64) {
        let mut best = self.state.best.take();
        keep_best(&mut best, self.state.evaluated(), loss, penalty);
        self.state.best = best;
    }

    /// A value of $l$ at $x_t$.
    pub(super) fn observe_point(&mut self, loss: f64) {
        let penalty = self.parts.space.penalty(&self.state.x);
        keep_best(&mut self.state.best, &self.state.x, loss, penalty);
    }

    /// A value of $l$ at the prox point.
    pub(super) fn observe_sparse(&mut self, loss: f64) {
        let penalty = self.parts.space.penalty(&self.state.v);
        keep_best(&mut self.state.best, &self.state.v, loss, penalty);
    }
}

fn keep_best(best: &mut Option<Candidate>, x: &[f64], loss: f64, penalty: f64) {
    let objective = loss + penalty;
    match best {
        _ if !objective.is_finite() => {}
        None => *best = Some(Candidate { x: x.to_vec(), loss, objective }),
        Some(best) if objective < best.objective => {
            best.x.copy_from_slice(x);
            (best.loss, best.objective) = (loss, objective);
        }
        Some(_) => {}
    }
}

fn scale(d: &mut [f64], factor: f64) {
    if factor == 0.0 {
        d.fill(0.0);
    } else {
        for d in d {
            *d *= factor;
        }
    }
}

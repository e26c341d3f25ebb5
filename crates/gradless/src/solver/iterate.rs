//! One iteration: answers to an estimate, estimate to a step, step to a record.

use super::Solver;
use super::books::Evidence;
use super::points::{Averaged, Points};
use super::sampling::Past;
use super::state::{Phase, State, first_phase, view};
use crate::estimator::{Plan, Reduced};
use crate::policy::{Flat, Output};
use crate::random::{Key, Purpose};
use crate::stop::StopReason;
use crate::trace::Notice;
use crate::update::{Basis, Baton, Found, Judgement, Moved, Sight, scale};
use crate::vector;

/// How fast the radius grows where nothing changes.
const RADIUS_GROWTH: f64 = 4.0;

impl Solver {
    /// Differences have been answered, base points included.
    pub(super) fn take_estimate(&mut self, plan: &Plan, values: &[f64]) {
        let carry = self.carry();
        let Reduced { coefficients, loss, kept, failed, flat } = plan.reduce(values, carry);
        let draw = self.state.sampling.draws;
        self.state.sampling.draws += 1;
        let evidence = Evidence { loss, kept, wanted: self.parts.m, failed, of: values.len() };
        if !self.survives_failures(&evidence) || (flat && self.grows_radius()) {
            return;
        }
        self.state.sampling.note_change(!flat);
        let Self { config, parts, directions, state, .. } = self;
        let State { relay, points, step, sampling, books, .. } = state;
        let found = Found { plan, values, directions, draw, coefficients: &coefficients, carry };
        relay.update_mut().absorb(&view(config, parts, points, sampling, books), found, &mut step.d);
        self.finish_iteration(&evidence);
    }

    /// Gradients have been answered.
    pub(super) fn take_gradients(&mut self, with_previous: bool, gradients: &[f64], values: Option<&[f64]>) {
        let space = &self.parts.space;
        let m = self.parts.m;
        let rows: Vec<&[f64]> = gradients.chunks_exact(space.full_dim()).collect();
        let fine = |row: usize| {
            rows[row].iter().all(|g| g.is_finite()) && values.is_none_or(|values| values[row].is_finite())
        };
        // A sample counts only if it is fine at both points: the correction must see the same samples.
        let kept: Vec<usize> = (0..m).filter(|&j| fine(j) && (!with_previous || fine(j + m))).collect();
        let loss = values
            .filter(|_| !kept.is_empty())
            .map(|values| kept.iter().map(|&j| values[j]).sum::<f64>() / kept.len() as f64);
        let failed = (0..rows.len()).filter(|&row| !fine(row)).count();
        let evidence = Evidence { loss, kept: kept.len(), wanted: m, failed, of: rows.len() };
        if !self.survives_failures(&evidence) {
            return;
        }
        let carry = if with_previous { self.carry() } else { 0.0 };
        let share = 1.0 / kept.len() as f64;
        let (space, d) = (&self.parts.space, &mut self.state.step.d);
        scale(d, carry);
        for &j in &kept {
            space.add_restricted(rows[j], share, d);
            if with_previous {
                space.add_restricted(rows[j + m], -carry * share, d);
            }
        }
        self.finish_iteration(&evidence);
    }

    /// Every difference was exactly zero: asks again further out, unless that has been tried. Where estimates see a few coordinates
    /// each, those on which nothing depends are no reason while values changed elsewhere.
    fn grows_radius(&mut self) -> bool {
        let State { relay, sampling, books, .. } = &mut self.state;
        let sight = relay.update().sight();
        let sweep = (self.parts.space.dim() / self.parts.m) as u64;
        let changes = sampling.flat_looks.is_some_and(|looks| looks < sweep);
        if self.config.flat == Flat::Accept || (sight != Sight::All && changes) {
            return false;
        }
        let iteration = books.t;
        if sampling.radius >= self.parts.largest_radius {
            if sight != (Sight::Few { complete: false }) {
                books.say_once(Notice::Flat { iteration, radius: sampling.radius });
            }
            if sight != Sight::All {
                sampling.radius = self.parts.radius;
            }
            return false;
        }
        let radius = (sampling.radius * RADIUS_GROWTH).min(self.parts.largest_radius);
        sampling.radius = radius;
        // The point before keeps the distance of the old radius from the boundary, and its estimate was made with it.
        sampling.past = Past::Stale;
        books.notices.push(Notice::RadiusGrown { iteration, radius });
        true
    }

    /// `false` if there is nothing to make a step from.
    fn survives_failures(&mut self, evidence: &Evidence) -> bool {
        match self.state.books.enter_failures(evidence, self.config.failures) {
            Ok(()) => evidence.kept > 0,
            Err(reason) => {
                self.state.phase = Phase::Stopped(reason);
                false
            }
        }
    }

    /// $d_t$ is there: takes the step, writes the record, moves on to $t + 1$.
    fn finish_iteration(&mut self, evidence: &Evidence) {
        let (sizes, penalty) = self.parts.space.measure(self.state.evaluated());
        let drawn = self.draws_random_iterate();
        let Self { config, parts, state, .. } = self;
        let State { relay, points, step, sampling, books, .. } = state;
        let at_centre = relay.update().basis() == Basis::Slopes;
        points.observe_iterate(at_centre, evidence.loss, penalty, drawn);
        let update = relay.update_mut();
        let seen = view(config, parts, points, sampling, books);
        let moved = match update.judge(&seen, evidence.loss, penalty) {
            Judgement::Step => {
                step.v.resize(points.x.len(), 0.0);
                update.step(&seen, &mut step.d, &mut step.v)
            }
            other => {
                step.d.fill(0.0);
                let best = points.best_objective();
                books.record(evidence, Moved::nowhere(), (&sizes, penalty), sampling.radius, best);
                self.go_on_without_step(other);
                self.state.books.next_iteration();
                return;
            }
        };
        let moved = match moved {
            Ok(moved) => moved,
            Err(error) => {
                // What a failed step has written is of no use.
                step.v.clear();
                state.phase = Phase::Stopped(StopReason::Step(error));
                return;
            }
        };
        books.record(evidence, moved, (&sizes, penalty), sampling.radius, points.best_objective());
        sampling.keep_previous(parts, points.centre(), evidence.loss);
        vector::move_towards(&mut points.x, &step.v, moved.share);
        step.stationarity = Some(moved.stationarity);
        books.next_iteration();
        if self.averages() {
            let Points { x, averaged, .. } = &mut self.state.points;
            averaged.add(x);
        }
    }

    /// The point is left, or is the last.
    fn go_on_without_step(&mut self, judgement: Judgement) {
        let State { phase, relay, points, sampling, .. } = &mut self.state;
        match judgement {
            Judgement::Step => {}
            Judgement::GoTo(point) => points.x = point,
            Judgement::AskAround { point, radius } => {
                points.x = point;
                sampling.radius = radius;
            }
            Judgement::MeasureAt(point) => {
                points.x = point;
                *phase = first_phase(&self.parts, relay.update(), sampling.noise);
            }
            Judgement::HandOver(baton) => self.hand_over(*baton),
            Judgement::Settled => *phase = Phase::Finish(StopReason::Stagnation),
        }
    }

    /// Another update goes on, with parts of its own.
    fn hand_over(&mut self, baton: Baton) {
        let State { phase, relay, points, sampling, books, .. } = &mut self.state;
        points.x.copy_from_slice(&baton.from);
        if self.config.output == Output::Auto {
            points.handed.clone_from(&points.x);
        }
        points.averaged = Averaged::default();
        self.parts = relay.hand_over(baton);
        self.directions = self.parts.directions(self.config.seed);
        sampling.begin(&self.parts, &points.x);
        books.notices.push(Notice::GaveWay);
        *phase = first_phase(&self.parts, relay.update(), sampling.noise);
    }

    /// Whether $x_t$ becomes the random iterate, with probability $1/t$: in the end every iterate is it with the same probability.
    fn draws_random_iterate(&self) -> bool {
        let t = self.state.books.t;
        let key = Key { seed: self.config.seed, purpose: Purpose::Reservoir };
        key.uniform(t) * (t as f64) < 1.0
    }
}

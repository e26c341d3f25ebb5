//! What an update wants to be asked beside its estimates.

use super::state::{Phase, State, view};
use super::{Asked, Solver};
use crate::estimator::Plan;
use crate::query::{Base, Row};
use crate::update::{COMPARED_SAMPLE, Wish};

impl Solver {
    /// Asks for what the update wishes, if it does; an iteration leaves so many queries to spare.
    pub(super) fn prepare_wish(&mut self, spare: u64) -> bool {
        let State { relay, points, sampling, books, .. } = &mut self.state;
        let view = view(&self.config, &self.parts, points, sampling, books);
        match relay.update_mut().wish(&view, spare) {
            None => return false,
            Some(Wish::Probe) => self.state.phase = Phase::Probe { told: None },
            Some(Wish::Value { at }) => {
                self.state.step.v = at;
                let row = Row { base: Base::Sparse, step: None, sample: COMPARED_SAMPLE };
                self.hand_out(vec![row], 0, Asked::Value);
            }
            Some(Wish::Survey(plan)) => self.prepare_survey(plan),
        }
        true
    }

    fn prepare_survey(&mut self, plan: Plan) {
        self.survey.draw(self.state.sampling.draws, plan.directions());
        self.move_centre(plan.radius(), |solver| &solver.survey);
        self.hand_out(plan.rows(COMPARED_SAMPLE), 0, Asked::Survey(plan));
    }

    pub(super) fn take_value(&mut self, values: &[f64]) {
        self.state.books.count_failed(values);
        let loss = values.first().copied().filter(|loss| loss.is_finite());
        if let Some(loss) = loss {
            self.observe_sparse(loss);
        }
        self.state.relay.update_mut().take_value(loss);
    }

    pub(super) fn take_survey(&mut self, plan: &Plan, values: &[f64]) {
        let State { relay, points, sampling, books, .. } = &mut self.state;
        books.count_failed(values);
        sampling.draws += 1;
        let slopes = plan.slopes(values);
        if slopes.iter().any(|slope| slope.is_finite() && *slope != 0.0) {
            sampling.note_change(true);
        }
        let view = view(&self.config, &self.parts, points, sampling, books);
        relay.update_mut().take_survey(&view, &self.survey, &slopes);
    }

    /// A value of $l$ at the prox point.
    pub(super) fn observe_sparse(&mut self, loss: f64) {
        let State { points, step, .. } = &mut self.state;
        points.observe(&self.parts.space, &step.v, loss);
    }
}

//! The end of a run: the points that may be its answer are evaluated, under noise several times.

use super::points::{Averaged, Points};
use super::state::{Phase, State};
use super::{Asked, Solver};
use crate::estimator::{Estimator, Noise, deviation_of_finite, mean_of_finite};
use crate::policy::{Finish, Output};
use crate::query::{Base, Row};
use crate::trace::Notice;
use crate::update::Basis;

/// Evaluations of each final point under noise: their mean has a quarter of the noise of one.
const NOISY_REPEATS: usize = 16;
/// Noise of one value beyond this share of what a run has gained is said to be large.
const LARGE_NOISE: f64 = 0.01;

impl Solver {
    /// What must be left for the last points.
    pub(super) fn reserve(&self) -> u64 {
        let gradients = matches!(self.state.relay.recipe().estimator, Estimator::Gradients { .. });
        if self.config.finish == Finish::Skip || gradients {
            return 0;
        }
        // The last iterate and the prox point, under noise the average, and where one update handed over to another.
        let points = 2 + u64::from(self.averages()) + u64::from(!self.state.points.handed.is_empty());
        points * self.final_repeats() as u64
    }

    /// Asks for the last points, if they can be paid.
    pub(super) fn prepare_finish(&mut self) {
        let Phase::Finish(reason) = &self.state.phase else { return };
        let reason = reason.clone();
        let repeats = self.final_repeats();
        let State { relay, points, sampling, .. } = &mut self.state;
        if let Some(end) = relay.update().end(sampling.noise) {
            points.x.copy_from_slice(end);
            points.averaged = Averaged::default();
        }
        let mut bases = vec![Base::Current];
        if self.state.has_own_sparse_point() {
            bases.push(Base::Sparse);
        }
        if !self.state.points.averaged.x.is_empty() {
            bases.push(Base::Averaged);
        }
        if !self.state.points.handed.is_empty() {
            bases.push(Base::Handed);
        }
        let gradients = matches!(self.state.relay.recipe().estimator, Estimator::Gradients { .. });
        let mut rows: Vec<Row> = Vec::new();
        let sample = self.state.sampling.next_sample;
        for base in bases {
            rows.extend((0..repeats).map(|i| Row { base, step: None, sample: sample + i as u64 }));
        }
        if self.config.finish == Finish::Skip
            || gradients
            || rows.len() as u64 > self.state.books.remaining(self.config.budget)
        {
            self.state.phase = Phase::Stopped(reason);
            return;
        }
        self.hand_out(rows, repeats as u64, Asked::Finish { repeats });
    }

    /// What the last points are worth.
    pub(super) fn take_finish(&mut self, values: &[f64], repeats: usize) {
        self.state.books.count_failed(values);
        let mut points = values.chunks_exact(repeats);
        let last = points.next().unwrap_or_default();
        let sparse = if self.state.has_own_sparse_point() { points.next() } else { None }.unwrap_or_default();
        let averaged = if self.state.points.averaged.x.is_empty() { None } else { points.next() };
        self.state.points.averaged.loss = averaged.and_then(|values| mean_of_finite(values.iter()));
        self.state.points.last_loss = mean_of_finite(last.iter());
        let handed = points.next().and_then(|values| mean_of_finite(values.iter()));
        self.state.points.sparse_loss =
            if sparse.is_empty() { self.state.points.last_loss } else { mean_of_finite(sparse.iter()) };
        let noise = deviation_of_finite(last);
        self.return_if_better(handed, noise);
        self.weigh_noise(noise);
        if matches!(self.state.sampling.noise, Noise::None | Noise::Detect) {
            if let Some(loss) = self.state.points.last_loss {
                self.state.points.observe_current(&self.parts.space, loss);
            }
            if let Some(loss) = self.state.points.sparse_loss.filter(|_| !sparse.is_empty()) {
                self.observe_sparse(loss);
            }
        }
        if let Phase::Finish(reason) = &self.state.phase {
            self.state.phase = Phase::Stopped(reason.clone());
        }
    }

    /// Goes back to where one update handed over, if nothing that came after is as good beyond what noise explains; `loss` is $l$
    /// there, `noise` the standard deviation of one value.
    fn return_if_better(&mut self, loss: Option<f64>, noise: f64) {
        let Some(loss) = loss else { return };
        // Twice the standard deviation of a difference of two means.
        let unclear = 2.0 * noise * (2.0 / NOISY_REPEATS as f64).sqrt();
        let objective = |x: &[f64], loss: Option<f64>| loss.map(|loss| loss + self.parts.space.penalty(x));
        let Points { x, averaged, handed, last_loss, .. } = &self.state.points;
        let others = [objective(x, *last_loss), objective(&averaged.x, averaged.loss)];
        let here = loss + self.parts.space.penalty(handed);
        if others.into_iter().flatten().all(|other| here < other - unclear) {
            self.state.points.x = std::mem::take(&mut self.state.points.handed);
            self.state.points.last_loss = Some(loss);
            self.state.points.averaged = Averaged::default();
        }
    }

    /// Says so where the noise of one value is not small beside what the run has gained.
    fn weigh_noise(&mut self, noise: f64) {
        let first = self.state.books.history.iter().find_map(|record| record.objective);
        let (Some(first), Some(loss)) = (first, self.state.points.last_loss) else { return };
        let gained = first - loss - self.parts.space.penalty(&self.state.points.x);
        if noise > LARGE_NOISE * gained.abs() {
            self.state.books.notices.push(Notice::NoiseLarge { noise, gained });
        }
    }

    /// Whether the iterates are averaged: they dance around the answer where there is noise.
    pub(super) fn averages(&self) -> bool {
        let dances = match self.state.sampling.noise {
            Noise::Independent => true,
            // All values were of one sample.
            Noise::Common => self.state.relay.update().basis() == Basis::Slopes,
            Noise::None | Noise::Detect => false,
        };
        dances && self.config.output == Output::Auto
    }

    /// How often each of the last points is asked.
    fn final_repeats(&self) -> usize {
        match self.state.sampling.noise {
            Noise::None | Noise::Detect => 1,
            Noise::Common | Noise::Independent => NOISY_REPEATS,
        }
    }
}

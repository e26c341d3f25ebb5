//! Makes what was found smaller: features that are not needed go, values come closer to where they cost nothing.

use std::collections::VecDeque;

use super::Selection;
use crate::answer::Minimal;
use crate::error::ExplainError;
use crate::question::Origin;

/// Halvings of the way of a number.
const HALVINGS: usize = 6;

impl Selection<'_, '_, '_> {
    /// Drops what is not needed, pulls values in, and says whether no single feature of the best can go.
    pub(super) fn settle(&mut self) -> Result<Minimal, ExplainError> {
        if self.best.is_none() {
            return Ok(Minimal::NotAsked);
        }
        self.drop_features()?;
        if self.search.question.origin() == Origin::Input {
            self.pull()?;
            self.drop_features()?;
        }
        Ok(if self.trials.left() < 2 { Minimal::BudgetEnded } else { Minimal::Checked })
    }

    /// The best without features it does not need: each is tried in turn, the weakest first, until none has gone since it was tried.
    fn drop_features(&mut self) -> Result<(), ExplainError> {
        let Some(best) = &self.best else { return Ok(()) };
        let around = self.search.ledger.around.coordinates;
        let gain = |feature: usize| {
            let of_feature = self.levers.iter().filter(|lever| lever.feature == feature);
            of_feature.map(|lever| lever.gain).fold(f64::NEG_INFINITY, f64::max)
        };
        let used = around.used(&best.held.point);
        let mut order: Vec<(f64, usize)> = used.into_iter().map(|feature| (gain(feature), feature)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut waiting: VecDeque<usize> = order.into_iter().map(|(_, feature)| feature).collect();
        let mut needed = 0;
        while needed < waiting.len()
            && let Some(feature) = waiting.pop_front()
            && let Some(best) = &self.best
        {
            let mut less = best.held.point.clone();
            for i in (0..less.len()).filter(|&i| around.feature[i] == feature) {
                less[i] = around.origin[i];
            }
            // Nothing at all was tried first.
            if less != around.origin && self.is_allowed(&less) && self.take(less)? {
                needed = 0;
            } else {
                waiting.push_back(feature);
                needed += 1;
            }
        }
        Ok(())
    }

    /// Brings every value as close to where it costs nothing as the question allows.
    fn pull(&mut self) -> Result<(), ExplainError> {
        let Some(best) = &self.best else { return Ok(()) };
        let around = self.search.ledger.around.coordinates;
        let mut features = around.used(&best.held.point);
        let distance = |feature: usize| -> f64 {
            let places = (0..best.held.point.len()).filter(|&i| around.feature[i] == feature);
            places.map(|i| (best.held.point[i] - around.origin[i]).abs()).sum()
        };
        features.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)));
        for feature in features {
            self.cheaper(feature)?;
            self.closer_to_origin(feature)?;
        }
        Ok(())
    }

    /// The cheapest move of a feature that does as well, supposing that dearer ones do if cheaper ones do.
    fn cheaper(&mut self, feature: usize) -> Result<(), ExplainError> {
        let Some(best) = &self.best else { return Ok(()) };
        let held = best.held.point.clone();
        let around = self.search.ledger.around.coordinates;
        let cost =
            |point: &[f64]| -> f64 { point.iter().zip(&around.origin).map(|(x, o)| (x - o).abs()).sum() };
        let moved = |to: &[(usize, f64)]| {
            let mut point = held.clone();
            for &(i, value) in to {
                point[i] = value;
            }
            point
        };
        let mut points: Vec<Vec<f64>> = self.moves[feature].iter().map(|one| moved(&one.to)).collect();
        points.retain(|point| cost(point) < cost(&held) && self.is_allowed(point));
        points.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        let (mut fails, mut works) = (0, points.len());
        while fails < works {
            let middle = fails.midpoint(works);
            if self.take(points[middle].clone())? { works = middle } else { fails = middle + 1 }
        }
        Ok(())
    }

    /// Brings a number back towards the origin, by halves of the values between.
    fn closer_to_origin(&mut self, feature: usize) -> Result<(), ExplainError> {
        let around = self.search.ledger.around.coordinates;
        let Some(best) = &self.best else { return Ok(()) };
        let moved = |i: &usize| around.feature[*i] == feature && best.held.point[*i] != around.origin[*i];
        let places: Vec<usize> = (0..best.held.point.len()).filter(moved).collect();
        let [i] = places[..] else { return Ok(()) };
        let mut point = best.held.point.clone();
        let (mut fails, mut works) = (around.origin[i], point[i]);
        for _ in 0..HALVINGS {
            let Some(middle) = around.between(i, fails, works) else { break };
            point[i] = middle;
            if self.is_allowed(&point) && self.take(point.clone())? { works = middle } else { fails = middle }
        }
        Ok(())
    }
}

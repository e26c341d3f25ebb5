//! Asks about sets of regions, and keeps the best of those that answer the question.

use super::{Best, Refining, Set};
use crate::answer::{Minimal, Step};
use crate::error::ExplainError;
use crate::ledger::loss;
use crate::strategy::direct::Held;

/// What the model said of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// By how much the condition holds.
    pub(super) margin: f64,
    /// How much speaks for it: the same without a threshold.
    pub(super) signal: f64,
}

impl Refining<'_, '_, '_> {
    /// The point of a set: its regions moved.
    pub(super) fn point(&self, set: &Set) -> Vec<f64> {
        let around = self.search.ledger.around.coordinates;
        let mut point = around.origin.clone();
        for region in set.regions() {
            let (lower, upper) = around.bounds[region];
            point[region] = if point[region] == lower { upper } else { lower };
        }
        point
    }

    /// What the model says of sets; those the queries do not suffice for have none.
    pub(super) fn ask(&mut self, sets: &[Set]) -> Result<Vec<Option<Told>>, ExplainError> {
        let points: Vec<Vec<f64>> = sets.iter().map(|set| self.point(set)).collect();
        let condition = self.search.ledger.around.condition;
        let told = |scores: Vec<f64>| {
            let is_known = !scores.is_empty() && scores.iter().all(|score| !score.is_nan());
            is_known.then(|| Told { margin: condition.margin(&scores), signal: condition.signal(&scores) })
        };
        let told = self.trials.scores(&points)?.into_iter().map(told).collect();
        self.search.ledger.report();
        Ok(told)
    }

    /// What the model says of one set.
    pub(super) fn ask_one(&mut self, set: &Set) -> Result<Option<Told>, ExplainError> {
        Ok(self.ask(std::slice::from_ref(set))?.into_iter().next().flatten())
    }

    pub(super) fn holds(&self, told: Option<Told>) -> bool {
        told.is_some_and(|told| self.search.ledger.is_valid(told.margin))
    }

    /// Takes a set if it answers the question, over other backgrounds too; whether it does.
    pub(super) fn take(&mut self, set: &Set) -> Result<bool, ExplainError> {
        let told = self.ask_one(set)?;
        let Some(told) = told.filter(|told| self.search.ledger.is_valid(told.margin)) else {
            return Ok(false);
        };
        let cost = self.cost(set);
        let known = self.search.ledger.queries();
        let best = |point: Vec<f64>| Best {
            set: set.clone(),
            held: Held { point, margin: told.margin, known },
            cost,
            minimal: Minimal::BudgetEnded,
        };
        if self.undisturbed.as_ref().is_none_or(|other| cost < other.cost) {
            self.undisturbed = Some(best(self.point(set)));
        }
        if !self.withstands(set)? {
            return Ok(false);
        }
        if self.best.as_ref().is_none_or(|other| cost < other.cost) {
            let best = best(self.point(set));
            self.record(&best);
            self.best = Some(best);
        }
        Ok(true)
    }

    /// Whether a set answers the question over other backgrounds too: asked one after the other until one fails.
    fn withstands(&mut self, set: &Set) -> Result<bool, ExplainError> {
        let Some(variants) = self.trials.variants() else { return Ok(true) };
        if let Some(&known) = self.withstood.get(set) {
            return Ok(known);
        }
        let point = self.point(set);
        let holds = self.trials.withstands(&point, variants)?;
        // What the queries did not suffice for is not known.
        if let Some(holds) = holds {
            self.withstood.insert(set.clone(), holds);
        }
        Ok(holds == Some(true))
    }

    fn record(&mut self, best: &Best) {
        let ledger = &self.search.ledger;
        let loss = loss(best.held.margin, ledger.kappa);
        let count = best.set.regions().count();
        self.course.steps.push(Step {
            queries: ledger.queries(),
            objective: Some(best.cost),
            loss: Some(loss),
            norm_l1: count as f64,
            norm_l2: (count as f64).sqrt(),
            nonzeros: count,
            step_size: 1.0,
            best: Some(best.cost),
        });
        self.course.iterations += 1;
    }
}

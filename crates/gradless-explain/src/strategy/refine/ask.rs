//! Asks about sets of regions, and keeps the best of those that answer the question.

use super::{Best, Refining, Set};
use crate::answer::{Forming, Step};
use crate::condition::Condition;
use crate::error::ExplainError;
use crate::ledger::loss;
use crate::question::{Origin, Question};
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
        let mut points: Vec<Vec<f64>> = sets.iter().map(|set| self.point(set)).collect();
        let condition = self.search.ledger.around.condition;
        // What is needed is asked of everything else, too.
        let others: Vec<Set> =
            if self.needs_rest() { sets.iter().map(|set| self.rest(set)).collect() } else { Vec::new() };
        points.extend(others.iter().map(|set| self.point(set)));
        let leaves = Condition::leaves(condition.class);
        let count = sets.len();
        let told = |(k, scores): (usize, Vec<f64>)| {
            let condition = if k < count { condition } else { leaves };
            let is_known = !scores.is_empty() && scores.iter().all(|score| !score.is_nan());
            is_known.then(|| Told { margin: condition.margin(&scores), signal: condition.signal(&scores) })
        };
        let scores = self.trials.scores(&points)?;
        for (set, scores) in sets.iter().chain(&others).zip(&scores).filter(|(_, scores)| !scores.is_empty())
        {
            self.note(set, scores);
        }
        let mut told: Vec<Option<Told>> = scores.into_iter().enumerate().map(told).collect();
        let of_rest = told.split_off(sets.len());
        for (told, rest) in told.iter_mut().zip(of_rest) {
            *told = told.zip(rest).map(|(told, rest)| Told {
                margin: told.margin.min(rest.margin),
                signal: told.signal.min(rest.signal),
            });
        }
        self.search.ledger.report();
        Ok(told)
    }

    /// Notes what the model said of a set it was not asked about before.
    fn note(&mut self, set: &Set, scores: &[f64]) {
        let odds = self.search.ledger.around.condition.own_log_odds(scores);
        if odds.is_finite() && self.noted.insert(set.clone()) {
            let there =
                set.marks().iter().map(|moved| *moved == (self.search.question.origin() == Origin::Absent));
            self.course.asked.push((there.collect(), odds));
        }
    }

    /// What the model says of one set.
    pub(super) fn ask_one(&mut self, set: &Set) -> Result<Option<Told>, ExplainError> {
        Ok(self.ask(std::slice::from_ref(set))?.into_iter().next().flatten())
    }

    /// Whether everything else must not be enough.
    pub(super) fn needs_rest(&self) -> bool {
        self.search.question == Question::Essential
    }

    /// Everything else that may move.
    pub(super) fn rest(&self, set: &Set) -> Set {
        self.free.without(&set.regions().collect::<Vec<_>>())
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
        };
        if self.undisturbed.as_ref().is_none_or(|other| cost < other.cost) {
            self.undisturbed = Some(best(self.point(set)));
        }
        if !self.withstands(set)? {
            return Ok(false);
        }
        if self.best.as_ref().is_none_or(|other| cost < other.cost) {
            let best = best(self.point(set));
            let scores = self.trials.scores(std::slice::from_ref(&best.held.point))?.concat();
            self.search.ledger.keep(&best.held.point, &scores, told.margin);
            self.search.ledger.settle();
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
        let condition = self.search.ledger.around.condition;
        let mut holds = self.trials.withstands(&self.point(set), variants, condition)?;
        if self.needs_rest() && holds == Some(true) {
            let rest = self.point(&self.rest(set));
            holds = self.trials.withstands(&rest, variants, Condition::leaves(condition.class))?;
        }
        // What the queries did not suffice for is not known.
        if let Some(holds) = holds {
            self.withstood.insert(set.clone(), holds);
        }
        Ok(holds == Some(true))
    }

    pub(super) fn record(&mut self, best: &Best) {
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
        self.course.forming.push(Forming { queries: ledger.queries(), used: best.set.regions().collect() });
        ledger.report_holding(&best.held.point);
        self.course.iterations += 1;
    }
}

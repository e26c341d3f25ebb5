//! The search from coarse to fine: which regions of a picture answer the question, as few and as connected as they can be?
//!
//! What groups of regions do alone and what is lost without each is asked first. A set grows from the strongest group over its
//! neighbours until it answers the question; another is made of the strongest, wherever they lie. Of each what is not needed goes, group
//! by group and then region by region, and what is left is tried with something added and more taken away. Every plan is independent of
//! the budget, so that more queries only go further.

mod ask;
mod gather;
mod improve;
mod reduce;
mod screen;
mod set;

use std::collections::{HashMap, HashSet};

use super::direct::Held;
use super::trial::Trials;
use super::{Course, Found, Search};
use crate::answer::Minimal;
use crate::condition::Condition;
use crate::error::ExplainError;
use crate::features::Map;
use crate::question::Origin;
use screen::Screened;
use set::Set;

/// What every connected piece beyond the first counts, as a share of the area.
const PIECE: f64 = 0.15;
/// Strongest groups that sets grow from.
const SEEDS: usize = 2;

/// A set that answers the question, and what it costs.
struct Best {
    set: Set,
    held: Held,
    cost: f64,
}

struct Refining<'a, 'b, 'c> {
    search: &'a Search<'b>,
    trials: &'a Trials<'a, 'b>,
    course: &'c mut Course,
    map: &'a Map,
    /// Regions that may move.
    free: Set,
    /// The best that holds over other backgrounds too, and the best whether it does or not.
    best: Option<Best>,
    undisturbed: Option<Best>,
    /// Which sets were found to hold over other backgrounds.
    withstood: HashMap<Set, bool>,
    /// Sets that the model was asked about.
    noted: HashSet<Set>,
    /// Sets of which no single region can go.
    minimal: HashSet<Set>,
}

impl Search<'_> {
    /// The smallest set of regions that answers the question.
    pub(super) fn refine(
        &self,
        map: &Map,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Found, ExplainError> {
        let around = self.ledger.around.coordinates;
        let known = if self.question.origin() == Origin::Input { &around.origin } else { &around.whole };
        trials.remember(known, self.original_scores);
        let free = Set::of(around.dim(), around.free());
        let mut refining = Refining {
            search: self,
            trials,
            course,
            map,
            free,
            best: None,
            undisturbed: None,
            withstood: HashMap::new(),
            noted: HashSet::new(),
            minimal: HashSet::new(),
        };
        refining.run()?;
        let needs_rest = refining.needs_rest();
        if let Some(Best { set, held, .. }) = refining.best.take().or(refining.undisturbed.take()) {
            let minimal =
                if refining.minimal.contains(&set) { Minimal::Checked } else { Minimal::BudgetEnded };
            let rest = refining.point(&refining.rest(&set));
            let mut found = self.finished(held.point, minimal, Some(held.known))?;
            if self.question.origin() == Origin::Absent && !set.is_empty() {
                let (_, scores) = self.ledger.look(&rest)?;
                if needs_rest {
                    found.margin = found
                        .margin
                        .min(Condition::leaves(self.ledger.around.condition.class).margin(&scores));
                }
                course.without = Some(scores);
            }
            return Ok(found);
        }
        let nearest = self.ledger.nearest().map_or_else(|| around.origin.clone(), |near| near.point);
        self.finished(nearest, Minimal::NotAsked, None)
    }
}

impl Refining<'_, '_, '_> {
    fn run(&mut self) -> Result<(), ExplainError> {
        // Nothing may be enough already; everything is, or nothing can be found.
        let nothing = Set::none(self.map.count());
        if self.take(&nothing)? {
            self.minimal.insert(nothing);
            return Ok(());
        }
        let screened = self.screen()?;
        for seed in screened.seeds(SEEDS) {
            let grown = self.grow(&screened, seed)?;
            self.reduced(grown)?;
            if seed == screened.strongest() {
                let gathered = self.gather(&screened)?;
                self.reduced(gathered)?;
                self.improve(&screened)?;
            }
        }
        self.improve(&screened)?;
        self.settle()
    }

    /// What is left of a set when everything has gone that is not needed, from groups to single regions.
    fn reduced(&mut self, set: Option<Set>) -> Result<(), ExplainError> {
        let Some(mut set) = set else { return Ok(()) };
        for level in 0..self.map.levels() {
            set = self.reduce(set, level)?;
        }
        Ok(())
    }

    /// What a set costs: its area, and more if it is in pieces.
    fn cost(&self, set: &Set) -> f64 {
        let pieces = self.map.pieces(set.marks());
        self.area(set) * (1.0 + PIECE * pieces.saturating_sub(1) as f64)
    }

    fn area(&self, set: &Set) -> f64 {
        set.regions().map(|region| self.map.area(region)).sum()
    }

    /// Leaves nothing in the answer that can go. What joins two pieces makes a set cheaper without being needed; what is left without it is
    /// the answer, even if it is in more pieces.
    fn settle(&mut self) -> Result<(), ExplainError> {
        let Some(best) = self.best.as_ref().or(self.undisturbed.as_ref()) else { return Ok(()) };
        if self.minimal.contains(&best.set) {
            return Ok(());
        }
        let set = self.reduce(best.set.clone(), self.map.levels() - 1)?;
        if !self.minimal.contains(&set) {
            return Ok(());
        }
        let Some(told) = self.ask_one(&set)? else { return Ok(()) };
        let held = Held { point: self.point(&set), margin: told.margin, known: self.search.ledger.queries() };
        let settled = Best { cost: self.cost(&set), set, held };
        self.record(&settled);
        *(if self.best.is_some() { &mut self.best } else { &mut self.undisturbed }) = Some(settled);
        Ok(())
    }
}

impl Screened {
    /// The groups that sets grow from, the strongest first.
    fn seeds(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        let worth = |&group: &usize| self.groups[group].alone / self.groups[group].area;
        order.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        order.truncate(count);
        order
    }

    fn strongest(&self) -> usize {
        self.seeds(1).first().copied().unwrap_or(0)
    }
}

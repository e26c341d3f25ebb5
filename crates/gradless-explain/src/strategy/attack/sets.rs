//! Sets of units at the ends of what they may be: smaller and smaller ones that alter the class.
//!
//! A scan of blocks gives a set that alters the class; leaving out what it does not need makes it 1-minimal; without the one that is missed least
//! it is the beginning of a search for a set that has one less, in which one unit is changed for another at a time. What to change is drawn by what
//! all answers so far have taught about single units ([`Effects`]).

mod blocks;
mod improve;
mod prune;

use std::collections::HashSet;

use gradless::random::{Key, Purpose};
use rand_core::Rng;

use super::Attack;
use super::effects::Effects;
use super::units::{Change, Units};
use crate::error::ExplainError;
use improve::Front;

/// A set of changes, and what the model says of it.
#[derive(Clone)]
struct Held {
    set: Vec<Change>,
    /// Scores that guide.
    scores: Vec<f64>,
    /// By how much the class condition holds of them.
    margin: f64,
    valid: bool,
}

/// A search over sets.
struct Sets<'a, 'b, 'c, R> {
    attack: &'c mut Attack<'a, 'b>,
    units: Units<'a>,
    effects: Effects,
    origin: Vec<f64>,
    asked: HashSet<Vec<Change>>,
    fronts: Vec<Front>,
    rng: R,
}

/// Where a search of another kind can begin: a point where the class is altered, and slopes of the scores.
pub(super) struct Begun {
    pub(super) point: Vec<f64>,
    /// Slopes of every class at every slot.
    pub(super) slopes: Vec<f64>,
}

impl<'a, 'b> Attack<'a, 'b> {
    /// Searches the smallest set of units.
    pub(super) fn sets(&mut self, units: Units<'a>) -> Result<(), ExplainError> {
        self.search_of(units).search()
    }

    /// A set of blocks that alters the class.
    pub(super) fn of_blocks(&mut self, units: Units<'a>) -> Result<Option<Begun>, ExplainError> {
        let mut sets = self.search_of(units);
        let held = sets.blocks()?;
        Ok(sets.begun(held))
    }

    /// A set that alters the class, of which nothing can be left out.
    pub(super) fn of_units(&mut self, units: Units<'a>) -> Result<Option<Begun>, ExplainError> {
        let mut sets = self.search_of(units);
        let Some(mut held) = sets.begin()? else { return Ok(None) };
        if !held.valid {
            let Some(valid) = sets.improved(held)? else { return Ok(None) };
            held = valid;
        }
        let held = match sets.pruned(held.clone())? {
            Some((smaller, _)) => smaller,
            None => held,
        };
        Ok(sets.begun(Some(held)))
    }

    fn search_of<'c>(&'c mut self, units: Units<'a>) -> Sets<'a, 'b, 'c, impl Rng + use<>> {
        let key = Key { seed: self.search.options.config.seed, purpose: Purpose::Moves };
        let origin = self.guide(self.search.original_scores);
        Sets {
            effects: Effects::new(units.slots(), origin.len()),
            fronts: vec![Front::default(); origin.len()],
            attack: self,
            units,
            origin,
            asked: HashSet::new(),
            rng: key.stream(0, 0),
        }
    }
}

impl<R: Rng> Sets<'_, '_, '_, R> {
    fn search(&mut self) -> Result<(), ExplainError> {
        let Some(mut held) = self.begin()? else { return Ok(()) };
        loop {
            if held.valid {
                let Some((smaller, near)) = self.pruned(held)? else { return Ok(()) };
                if smaller.set.len() <= 1 {
                    return Ok(());
                }
                held = near;
                self.effects.drift();
            }
            let Some(found) = self.improved(held)? else { return Ok(()) };
            held = found;
        }
    }

    fn begun(&self, held: Option<Held>) -> Option<Begun> {
        let held = held.filter(|held| held.valid)?;
        Some(Begun { point: self.units.point(&held.set), slopes: self.effects.slopes().to_vec() })
    }

    /// A class that should rise, and one that should fall.
    fn direction(&self, scores: &[f64]) -> [usize; 2] {
        self.attack.direction(scores)
    }

    /// Nothing changed.
    fn nothing(&self) -> Held {
        let margin = self.attack.margin(&self.origin);
        Held { set: Vec::new(), scores: self.origin.clone(), margin, valid: false }
    }

    /// Asks about sets and learns from the difference to one that is known; what was not answered is left out.
    fn ask(&mut self, sets: Vec<Vec<Change>>, from: &Held) -> Result<Vec<Held>, ExplainError> {
        let points: Vec<Vec<f64>> = sets.iter().map(|set| self.units.point(set)).collect();
        let answers = self.attack.ask(&points)?;
        let mut found = Vec::new();
        for (set, (raw, margin)) in sets.into_iter().zip(answers) {
            if raw.iter().any(|score| score.is_nan()) {
                continue;
            }
            let scores = self.attack.guide(&raw);
            let rose: Vec<f64> = scores.iter().zip(&from.scores).map(|(new, old)| new - old).collect();
            let direction = self.direction(&scores);
            self.effects.learn(&self.moved(&from.set, &set), &rose, direction);
            self.asked.insert(sorted(&set));
            let valid = self.attack.search.ledger.is_valid(margin);
            found.push(Held { margin: self.attack.margin(&scores), set, scores, valid });
        }
        Ok(found)
    }

    /// How far slots go from one set to another.
    fn moved(&self, from: &[Change], to: &[Change]) -> Vec<(usize, f64)> {
        let mut moved: Vec<(usize, f64)> = Vec::new();
        for change in to.iter().filter(|change| !from.contains(change)) {
            moved.extend(self.units.terms(*change));
        }
        for change in from.iter().filter(|change| !to.contains(change)) {
            for (slot, step) in self.units.terms(*change) {
                match moved.iter_mut().find(|(other, _)| *other == slot) {
                    Some((_, total)) => *total -= step,
                    None => moved.push((slot, -step)),
                }
            }
        }
        moved.retain(|&(_, step)| step != 0.0);
        moved
    }
}

/// A set in one order.
fn sorted(set: &[Change]) -> Vec<Change> {
    let mut sorted = set.to_vec();
    sorted.sort_unstable();
    sorted
}

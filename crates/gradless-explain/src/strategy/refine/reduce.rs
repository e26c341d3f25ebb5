//! Takes away what a set does not need.

use super::{Refining, Set};
use crate::error::ExplainError;

/// Numbers of groups that are taken away together.
const TOGETHER: [usize; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
/// A gain of cost below this counts as this.
const SLIGHT: f64 = 1e-4;

/// A group that may go, and the set without it.
struct Loose {
    regions: Vec<usize>,
    less: Set,
    /// What its loss takes from the answer, for what it costs.
    price: f64,
}

impl Refining<'_, '_, '_> {
    /// The set without groups of a level it does not need. All are tried alone; those that take least from the answer for what they cost
    /// go first, as many together as can. Those that cannot go alone are tried again when nothing else can go, for regions only.
    pub(super) fn reduce(&mut self, mut set: Set, level: usize) -> Result<Set, ExplainError> {
        let groups = self.map.groups(level);
        let is_last = level + 1 == self.map.levels();
        let mut candidates = groups.clone();
        let mut is_whole = true;
        let mut has_changed = false;
        loop {
            let Some(loose) = self.loose(&set, &candidates)? else { return Ok(set) };
            if let Some(less) = self.less(&set, &loose)? {
                set = less;
                candidates = loose.into_iter().map(|loose| loose.regions).collect();
                (is_whole, has_changed) = (false, true);
            } else if is_last && has_changed && !is_whole {
                candidates.clone_from(&groups);
                (is_whole, has_changed) = (true, false);
            } else {
                if is_last && is_whole && self.trials.left() > 1 {
                    self.minimal.insert(set.clone());
                }
                return Ok(set);
            }
        }
    }

    /// Groups without any one of which the question is still answered, undisturbed, the best to go first; `None` where the queries do not
    /// suffice.
    fn loose(&mut self, set: &Set, groups: &[Vec<usize>]) -> Result<Option<Vec<Loose>>, ExplainError> {
        let Some(before) = self.ask_one(set)? else { return Ok(None) };
        let mut loose: Vec<Loose> = Vec::new();
        for group in groups {
            let regions: Vec<usize> = group.iter().copied().filter(|&region| set.has(region)).collect();
            if !regions.is_empty() {
                loose.push(Loose { less: set.without(&regions), regions, price: 0.0 });
            }
        }
        let sets: Vec<Set> = loose.iter().map(|loose| loose.less.clone()).collect();
        let told = self.ask(&sets)?;
        let cost = self.cost(set);
        for (loose, told) in loose.iter_mut().zip(&told) {
            let Some(told) = told else { return Ok(None) };
            let saved = (cost - self.cost(&loose.less)).max(SLIGHT);
            let lost = before.margin - told.margin;
            loose.price = if lost > 0.0 { lost / saved } else { lost * saved };
        }
        let mut holds = told.into_iter().map(|told| self.holds(told));
        loose.retain(|_| holds.next() == Some(true));
        loose.sort_by(|a, b| a.price.total_cmp(&b.price));
        Ok(Some(loose))
    }

    /// The set without as many of the loose groups as can go together, the first ones first; else without any one that can.
    fn less(&mut self, set: &Set, loose: &[Loose]) -> Result<Option<Set>, ExplainError> {
        let together = |count: usize| {
            loose[..count].iter().fold(set.clone(), |less, loose| less.without(&loose.regions))
        };
        let sets: Vec<Set> =
            TOGETHER.iter().filter(|&&count| count <= loose.len()).map(|&count| together(count)).collect();
        let told = self.ask(&sets)?;
        for (less, told) in sets.iter().zip(told).rev() {
            if self.holds(told) && self.take(less)? {
                return Ok(Some(less.clone()));
            }
        }
        for Loose { less, .. } in loose.iter().skip(1) {
            if self.take(less)? {
                return Ok(Some(less.clone()));
            }
        }
        Ok(None)
    }
}

//! Tries the best with something added: more may go then than was added.

use std::collections::HashSet;

use super::{Refining, Screened, Set};
use crate::error::ExplainError;

/// Groups that are added, one at a time: the most promising.
const ADDED: usize = 24;
/// Those that do most for their area and are followed.
const FOLLOWED: usize = 4;

impl Refining<'_, '_, '_> {
    /// As long as that makes it smaller: the best with another group, without everything that is not needed then.
    pub(super) fn improve(&mut self, screened: &Screened) -> Result<(), ExplainError> {
        let levels = self.map.levels();
        let middle = levels.saturating_sub(2);
        let mut groups: Vec<Vec<usize>> = (middle..levels).flat_map(|level| self.map.groups(level)).collect();
        for group in &mut groups {
            group.retain(|&region| self.free.has(region));
        }
        let mut tried: HashSet<(Set, Set)> = HashSet::new();
        while let Some(best) = self.best.as_ref().or(self.undisturbed.as_ref()) {
            let (set, cost) = (best.set.clone(), best.cost);
            if set.is_empty() {
                return Ok(());
            }
            let Some(before) = self.ask_one(&set)? else { return Ok(()) };
            let promise = |group: &Vec<usize>| {
                let new = group.iter().filter(|&&region| !set.has(region));
                let (sum, count) =
                    new.fold((0.0, 0), |(sum, count), &region| (sum + screened.promise[region], count + 1));
                if count == 0 { f64::NEG_INFINITY } else { sum / f64::from(count) }
            };
            let mut order: Vec<(f64, &Vec<usize>)> =
                groups.iter().map(|group| (promise(group), group)).collect();
            order.retain(|(promise, _)| promise.is_finite());
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            let sets: Vec<Set> = order.iter().take(ADDED).map(|(_, group)| set.with(group)).collect();
            let told = self.ask(&sets)?;
            let mut gains: Vec<(f64, Set)> = Vec::new();
            for (more, told) in sets.into_iter().zip(told) {
                let Some(told) = told else { return Ok(()) };
                let gain = (told.margin - before.margin)
                    / (self.area(&more) - self.area(&set)).max(f64::MIN_POSITIVE);
                if gain > 0.0 && !tried.contains(&(set.clone(), more.clone())) {
                    gains.push((gain, more));
                }
            }
            gains.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, more) in gains.into_iter().take(FOLLOWED) {
                tried.insert((set.clone(), more.clone()));
                if self.take(&more)? {
                    self.reduce(more, levels - 1)?;
                }
                if self.best.as_ref().is_some_and(|best| best.cost < cost) {
                    break;
                }
            }
            if self.best.as_ref().is_none_or(|best| best.cost >= cost) {
                return Ok(());
            }
        }
        Ok(())
    }
}

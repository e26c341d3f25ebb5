//! Sets that answer the question, to begin with: grown over neighbours, or made of the strongest groups.

use super::screen::{Group, Screened};
use super::{Refining, Set};
use crate::error::ExplainError;

/// Neighbours that are tried at every step, the most promising first.
const TRIED: usize = 8;
/// Numbers of groups that are tried together grow by one part in so many, some of them at once.
const GROWTH: usize = 3;
const AT_ONCE: usize = 4;

impl Refining<'_, '_, '_> {
    /// A set grown from a group: the neighbour that does most for its area joins, until the question is answered.
    pub(super) fn grow(&mut self, screened: &Screened, seed: usize) -> Result<Option<Set>, ExplainError> {
        let groups = &screened.groups;
        let mut inside = vec![false; groups.len()];
        let Some(first) = groups.get(seed) else { return Ok(None) };
        inside[seed] = true;
        let mut set = Set::of(self.map.count(), first.regions.iter().copied());
        loop {
            if self.take(&set)? {
                return Ok(Some(set));
            }
            let Some(before) = self.ask_one(&set)? else { return Ok(None) };
            let outside = |group: &usize| !inside[*group];
            let touches = |group: &usize| groups[*group].near.iter().any(|&other| inside[other]);
            let mut next: Vec<usize> = (0..groups.len()).filter(outside).filter(touches).collect();
            if next.is_empty() {
                next = (0..groups.len()).filter(outside).collect();
            }
            next.sort_by(|&a, &b| groups[b].promise().total_cmp(&groups[a].promise()));
            next.truncate(TRIED);
            let sets: Vec<Set> = next.iter().map(|&group| set.with(&groups[group].regions)).collect();
            let told = self.ask(&sets)?;
            let signal = |k: usize| told[k].map_or(f64::NEG_INFINITY, |told| told.signal);
            let gain = |k: usize| (signal(k) - before.signal) / groups[next[k]].area;
            let order = (0..next.len()).filter(|&k| told[k].is_some());
            // The smallest that answers the question, else the one that does most for its area.
            let valid = order.clone().filter(|&k| self.holds(told[k]));
            let smallest = valid.min_by(|&a, &b| groups[next[a]].area.total_cmp(&groups[next[b]].area));
            let Some(chosen) = smallest.or_else(|| order.max_by(|&a, &b| gain(a).total_cmp(&gain(b)))) else {
                return Ok(None);
            };
            inside[next[chosen]] = true;
            set = sets[chosen].clone();
        }
    }

    /// The strongest groups together, as few of them as answer the question.
    pub(super) fn gather(&mut self, screened: &Screened) -> Result<Option<Set>, ExplainError> {
        let mut order: Vec<&Group> = screened.groups.iter().collect();
        order.sort_by(|a, b| b.promise().total_cmp(&a.promise()));
        let mut counts = Vec::new();
        let mut count = 1;
        while count < order.len() {
            counts.push(count);
            count += (count / GROWTH).max(1);
        }
        counts.push(order.len());
        for few in counts.chunks(AT_ONCE) {
            let first = |count: usize| {
                let regions = order[..count].iter().flat_map(|group| group.regions.iter().copied());
                Set::of(self.map.count(), regions)
            };
            let sets: Vec<Set> = few.iter().map(|&count| first(count)).collect();
            let told = self.ask(&sets)?;
            for (set, told) in sets.into_iter().zip(told) {
                if told.is_none() {
                    return Ok(None);
                }
                if self.holds(told) && self.take(&set)? {
                    return Ok(Some(set));
                }
            }
        }
        Ok(None)
    }
}

//! Leaves out of a set what it does not need.

use rand_core::Rng;

use super::{Held, Sets};
use crate::answer::Minimal;
use crate::error::ExplainError;
use crate::strategy::attack::units::Change;

/// What became of a set whose groups were left out, each by itself.
pub(super) enum Without {
    /// Some can go.
    Smaller(Held),
    /// None can; the set without the group that is missed least.
    Needed(Held),
    /// The queries ended, or there is nothing to leave out.
    Unknown,
}

impl Without {
    /// The smaller set.
    pub(super) fn smaller(self) -> Option<Held> {
        match self {
            Self::Smaller(held) => Some(held),
            Self::Needed(_) | Self::Unknown => None,
        }
    }
}

impl<R: Rng> Sets<'_, '_, '_, R> {
    /// The set without what it does not need, and that without the unit it misses least; `None` if the queries do not suffice to know.
    pub(super) fn pruned(&mut self, mut held: Held) -> Result<Option<(Held, Held)>, ExplainError> {
        loop {
            self.attack.minimal = Minimal::BudgetEnded;
            if held.set.len() <= 1 {
                self.attack.minimal = Minimal::Checked;
                return Ok(Some((held.clone(), held)));
            }
            if self.attack.left() < held.set.len() {
                return Ok(None);
            }
            let ones: Vec<Vec<usize>> = held.set.iter().map(|change| vec![change.unit]).collect();
            match self.without(&held, &ones)? {
                Without::Smaller(smaller) => held = smaller,
                Without::Needed(near) => {
                    self.attack.minimal = Minimal::Checked;
                    return Ok(Some((held, near)));
                }
                Without::Unknown => return Ok(None),
            }
        }
    }

    /// Leaves out groups of units: those that are missed least, as many as can go together.
    pub(super) fn without(&mut self, held: &Held, groups: &[Vec<usize>]) -> Result<Without, ExplainError> {
        let is_in = |change: &Change, group: &[usize]| group.contains(&change.unit);
        let groups: Vec<&Vec<usize>> =
            groups.iter().filter(|group| held.set.iter().any(|change| is_in(change, group))).collect();
        if groups.len() <= 1 {
            return Ok(Without::Unknown);
        }
        let without = |gone: &[&Vec<usize>]| -> Vec<Change> {
            held.set.iter().copied().filter(|change| !gone.iter().any(|group| is_in(change, group))).collect()
        };
        let asked = self.ask(groups.iter().map(|group| without(&[group])).collect(), held)?;
        if asked.len() < groups.len() {
            return Ok(Without::Unknown);
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|&a, &b| {
            asked[b].valid.cmp(&asked[a].valid).then(asked[b].margin.total_cmp(&asked[a].margin))
        });
        let count = asked.iter().filter(|one| one.valid).count();
        let mut best = asked[order[0]].clone();
        if count == 0 {
            return Ok(Without::Needed(best));
        }
        let (mut goes, mut fails) = (1, count + 1);
        while fails - goes > 1 {
            let middle = goes.midpoint(fails);
            let gone: Vec<&Vec<usize>> = order[..middle].iter().map(|&at| groups[at]).collect();
            match self.ask(vec![without(&gone)], held)?.pop() {
                Some(found) if found.valid => (goes, best) = (middle, found),
                Some(_) => fails = middle,
                None => break,
            }
        }
        Ok(Without::Smaller(best))
    }
}

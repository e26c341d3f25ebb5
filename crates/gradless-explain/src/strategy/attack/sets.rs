//! Sets of units at the ends of what they may be: smaller and smaller ones that alter the class.

use gradless::random::{Key, Purpose, below};

use super::Attack;
use super::units::Units;
use crate::answer::Minimal;
use crate::error::ExplainError;

/// Units of the first set.
const FIRST: usize = 64;

/// A set and its margin.
type Weighed = (Vec<(usize, usize)>, f64);

impl Attack<'_, '_> {
    /// Random sets; of those that alter the class, smaller ones.
    pub(super) fn sets(&mut self, units: &Units<'_>) -> Result<(), ExplainError> {
        let key = Key { seed: self.search.options.config.seed, purpose: Purpose::Moves };
        let mut rng = key.stream(0, 0);
        let mut set: Vec<(usize, usize)> = Vec::new();
        while set.len() < FIRST.min(units.len()) {
            add(units, &mut set, &mut rng);
        }
        let mut margin = self.one(units, &set)?;
        while self.left() > 0 {
            if self.search.ledger.is_valid(margin) {
                let Some((smaller, found)) = self.without_one(units, &set)? else { break };
                (set, margin) = (smaller, found);
                if set.is_empty() {
                    break;
                }
                continue;
            }
            let mut other = set.clone();
            let many = (set.len() / 8).max(1);
            for _ in 0..many {
                other.swap_remove(below(&mut rng, other.len()));
            }
            while other.len() < set.len() {
                add(units, &mut other, &mut rng);
            }
            let found = self.one(units, &other)?;
            if found > margin || margin.is_nan() {
                (set, margin) = (other, found);
            }
        }
        Ok(())
    }

    /// The set without the one that is missed least; `None` if the queries do not suffice to know.
    fn without_one(
        &mut self,
        units: &Units<'_>,
        set: &[(usize, usize)],
    ) -> Result<Option<Weighed>, ExplainError> {
        let smaller: Vec<Vec<(usize, usize)>> = (0..set.len())
            .map(|gone| {
                let mut smaller = set.to_vec();
                smaller.remove(gone);
                smaller
            })
            .collect();
        self.minimal = Minimal::BudgetEnded;
        if self.left() < smaller.len() {
            return Ok(None);
        }
        let points: Vec<Vec<f64>> = smaller.iter().map(|set| units.point(set)).collect();
        let margins = self.ask(&points)?;
        let most = |a: &Weighed, b: &Weighed| a.1.total_cmp(&b.1);
        let answered = smaller.into_iter().zip(margins).filter(|(_, margin)| !margin.is_nan());
        let best = answered.max_by(most);
        let holds = best.as_ref().is_some_and(|&(_, margin)| self.search.ledger.is_valid(margin));
        self.minimal = if holds { Minimal::NotAsked } else { Minimal::Checked };
        Ok(best)
    }

    fn one(&self, units: &Units<'_>, set: &[(usize, usize)]) -> Result<f64, ExplainError> {
        Ok(self.ask(&[units.point(set)])?.first().copied().unwrap_or(f64::NAN))
    }
}

/// Adds a unit that is not there, any as likely as another.
fn add(units: &Units<'_>, set: &mut Vec<(usize, usize)>, rng: &mut impl rand_core::Rng) {
    loop {
        let change = units.any(rng);
        if !units.is_none(change) && set.iter().all(|&(unit, _)| unit != change.0) {
            set.push(change);
            return;
        }
    }
}

//! A set to begin with: blocks of units, in the order in which they help a class.

use rand_core::Rng;

use super::{Held, Sets};
use crate::error::ExplainError;
use crate::strategy::attack::units::Change;

/// Rows and columns of a block. On tuning pictures, fewest pixels after 500 and 1,000 queries by geometric mean (own LeNet, own `ResNet`):
/// 2: 7.2, 6.8 and 2.6, 1.9; 4: 7.4, 7.0 and 2.2, 2.0; 8: 8.5, 7.5 and 3.5, 2.1. Only 4 has something after 100.
const SIDE: usize = 4;
/// Classes for which blocks are tried. 1 instead of 3: 7.5, 7.0 and 2.5, 2.1 (as above).
const CLASSES: usize = 3;
/// Units to begin with where no blocks alter the class.
const FIRST: usize = 64;

impl<R: Rng> Sets<'_, '_, '_, R> {
    /// A set of units from the blocks that are needed; `None` where the queries ended.
    pub(super) fn begin(&mut self) -> Result<Option<Held>, ExplainError> {
        let Some(mut held) = self.blocks()? else { return Ok(None) };
        let mut side = SIDE;
        while held.valid && side > 1 {
            side /= 2;
            let blocks = self.units.blocks(side);
            while let Some(smaller) = self.without(&held, &blocks)?.smaller() {
                held = smaller;
            }
        }
        Ok(Some(held))
    }

    /// A set of blocks, valid where there is one; `None` where the queries ended.
    pub(super) fn blocks(&mut self) -> Result<Option<Held>, ExplainError> {
        let nothing = self.nothing();
        let blocks = self.units.blocks(SIDE);
        let blocks: Vec<Vec<Change>> =
            blocks.iter().map(|block| self.far(block)).filter(|block| !block.is_empty()).collect();
        let asked = self.ask(blocks.clone(), &nothing)?;
        if asked.len() < blocks.len() || blocks.is_empty() {
            return Ok(None);
        }
        let mut best: Option<Held> = None;
        for (count, order) in self.orders(&asked).into_iter().take(CLASSES) {
            let (mut fails, mut holds) = (0, blocks.len() + 1);
            let mut next = count.clamp(1, blocks.len());
            while holds - fails > 1 && fails < blocks.len() {
                let set: Vec<Change> = order[..next].iter().flat_map(|&at| blocks[at].clone()).collect();
                let Some(held) = self.ask(vec![set], &nothing)?.pop() else { break };
                if held.valid {
                    holds = next;
                    if best.as_ref().is_none_or(|best| held.set.len() < best.set.len()) {
                        best = Some(held);
                    }
                } else {
                    fails = next;
                }
                next =
                    if holds > blocks.len() { (2 * next).min(blocks.len()) } else { fails.midpoint(holds) };
            }
        }
        if best.is_none() {
            best = self.promising(&nothing)?;
        }
        Ok(best)
    }

    /// For every class that might rise: blocks in the order in which they raise it, and how many should suffice; fewest first.
    fn orders(&mut self, asked: &[Held]) -> Vec<(usize, Vec<usize>)> {
        let mut orders: Vec<(usize, Vec<usize>)> = Vec::new();
        for class in (0..self.origin.len()).filter(|&class| self.attack.may_rise(class)) {
            let falls = self.attack.falls(class, &self.origin);
            let lead = self.origin[class] - self.origin[falls];
            let gain = |at: usize| asked[at].scores[class] - asked[at].scores[falls] - lead;
            let mut order: Vec<usize> = (0..asked.len()).collect();
            order.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)));
            let mut reached = lead;
            let enough = order.iter().position(|&at| {
                reached += gain(at);
                reached > 0.0
            });
            self.fronts[class].promise = lead + order.iter().take(CLASSES).map(|&at| gain(at)).sum::<f64>();
            orders.push((enough.map_or(asked.len(), |at| at + 1), order));
        }
        orders.sort_by_key(|(count, _)| *count);
        orders
    }

    /// Units that promise most, valid or not.
    fn promising(&mut self, nothing: &Held) -> Result<Option<Held>, ExplainError> {
        let direction = self.direction(&nothing.scores);
        let all: Vec<usize> = (0..self.units.len()).collect();
        let mut set = self.far(&all);
        let worth = |change: &Change| -> f64 {
            self.units.terms(*change).map(|(slot, step)| self.effects.slope(slot, direction) * step).sum()
        };
        set.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        set.truncate(FIRST);
        Ok(self.ask(vec![set], nothing)?.pop())
    }

    /// Units at the end that is further away.
    fn far(&self, units: &[usize]) -> Vec<Change> {
        let far = units.iter().map(|&unit| Change { unit, choice: self.units.far(unit) });
        far.filter(|&change| !self.units.is_none(change)).collect()
    }
}

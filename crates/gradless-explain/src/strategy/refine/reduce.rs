//! Takes away what a set does not need.

use super::{Refining, Set};
use crate::error::ExplainError;

/// Numbers of groups that are taken away together.
const TOGETHER: [usize; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];
/// A gain of cost below this counts as this.
const SLIGHT: f64 = 1e-4;

impl Refining<'_, '_, '_> {
    /// The set without groups of a level it does not need. All are tried alone; those that take least from the answer for what they cost
    /// go first, as many together as can, until none can go.
    pub(super) fn reduce(&mut self, mut set: Set, level: usize) -> Result<Set, ExplainError> {
        let groups = self.map.groups(level);
        loop {
            let Some(before) = self.ask_one(&set)? else { return Ok(set) };
            let mut single: Vec<(Vec<usize>, Set)> = Vec::new();
            for group in &groups {
                let regions: Vec<usize> = group.iter().copied().filter(|&region| set.has(region)).collect();
                if !regions.is_empty() {
                    let less = set.without(&regions);
                    single.push((regions, less));
                }
            }
            let sets: Vec<Set> = single.iter().map(|(_, less)| less.clone()).collect();
            let told = self.ask(&sets)?;
            if told.iter().any(Option::is_none) {
                return Ok(set);
            }
            let cost = self.cost(&set);
            let mut loose: Vec<(f64, usize)> = Vec::new();
            for (k, told) in told.into_iter().enumerate() {
                let Some(told) = told.filter(|_| self.holds(told)) else { continue };
                let saved = (cost - self.cost(&sets[k])).max(SLIGHT);
                let lost = before.margin - told.margin;
                loose.push((if lost > 0.0 { lost / saved } else { lost * saved }, k));
            }
            loose.sort_by(|a, b| a.0.total_cmp(&b.0));
            let loose: Vec<usize> = loose.into_iter().map(|(_, k)| k).collect();
            match self.less(&set, &single, &loose)? {
                Some(less) => set = less,
                None => {
                    if level + 1 == self.map.levels() && self.trials.left() > 1 {
                        self.is_minimal(&set);
                    }
                    return Ok(set);
                }
            }
        }
    }

    /// The set without as many of the loose groups as can go together, the first ones first; else without any one that can.
    fn less(
        &mut self,
        set: &Set,
        single: &[(Vec<usize>, Set)],
        loose: &[usize],
    ) -> Result<Option<Set>, ExplainError> {
        let together =
            |count: usize| loose[..count].iter().fold(set.clone(), |less, &k| less.without(&single[k].0));
        let sets: Vec<Set> =
            TOGETHER.iter().filter(|&&count| count <= loose.len()).map(|&count| together(count)).collect();
        let told = self.ask(&sets)?;
        for (less, told) in sets.iter().zip(told).rev() {
            if self.holds(told) && self.take(less)? {
                return Ok(Some(less.clone()));
            }
        }
        for &k in loose.iter().skip(1) {
            if self.take(&single[k].1)? {
                return Ok(Some(single[k].1.clone()));
            }
        }
        Ok(None)
    }
}

//! What groups of regions do alone, and what is lost without each of them.

use super::{Refining, Set};
use crate::error::ExplainError;

/// A group of regions of the coarsest level.
pub(super) struct Group {
    pub(super) regions: Vec<usize>,
    pub(super) area: f64,
    /// By how much it raises what speaks for the answer, alone.
    pub(super) alone: f64,
    /// By how much that falls without it.
    pub(super) lost: f64,
    /// Groups that touch it.
    pub(super) near: Vec<usize>,
}

impl Group {
    /// What it seems to be worth for its area.
    pub(super) fn promise(&self) -> f64 {
        (self.alone + self.lost) / self.area
    }
}

/// All groups.
pub(super) struct Screened {
    pub(super) groups: Vec<Group>,
    /// What the group of every region promises.
    pub(super) promise: Vec<f64>,
}

impl Refining<'_, '_, '_> {
    /// Asks about every group alone, and about everything without it.
    pub(super) fn screen(&mut self) -> Result<Screened, ExplainError> {
        let mut groups: Vec<Vec<usize>> = self.map.groups(0);
        for group in &mut groups {
            group.retain(|&region| self.free.has(region));
        }
        groups.retain(|group| !group.is_empty());
        let nothing = Set::none(self.map.count());
        let mut sets = vec![nothing.clone(), self.free.clone()];
        sets.extend(groups.iter().map(|group| nothing.with(group)));
        sets.extend(groups.iter().map(|group| self.free.without(group)));
        let signals: Vec<f64> =
            self.ask(&sets)?.into_iter().map(|told| told.map_or(f64::NAN, |told| told.signal)).collect();
        let known = |difference: f64| if difference.is_finite() { difference } else { 0.0 };
        let (from, all) = (signals[0], signals[1]);
        let of_region: Vec<Option<usize>> = (0..self.map.count())
            .map(|region| groups.iter().position(|group| group.contains(&region)))
            .collect();
        let near = |group: &Vec<usize>| {
            let touching = group.iter().flat_map(|&region| self.map.near(region));
            let mut near: Vec<usize> = touching.filter_map(|&region| of_region[region]).collect();
            near.sort_unstable();
            near.dedup();
            near
        };
        let count = groups.len();
        let mut screened: Vec<Group> = Vec::with_capacity(count);
        for (k, regions) in groups.iter().enumerate() {
            let mut near = near(regions);
            near.retain(|&other| other != k);
            screened.push(Group {
                area: regions.iter().map(|&region| self.map.area(region)).sum(),
                alone: known(signals[2 + k] - from),
                lost: known(all - signals[2 + count + k]),
                near,
                regions: regions.clone(),
            });
        }
        let promise =
            of_region.iter().map(|group| group.map_or(0.0, |group| screened[group].promise())).collect();
        Ok(Screened { groups: screened, promise })
    }
}

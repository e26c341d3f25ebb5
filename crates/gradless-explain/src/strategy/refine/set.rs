//! A set of regions: those that have moved from where they cost nothing.

/// Which regions are in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Set(Vec<bool>);

impl Set {
    pub(super) fn none(count: usize) -> Self {
        Self(vec![false; count])
    }

    pub(super) fn of(count: usize, regions: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::none(count);
        set.add(regions);
        set
    }

    pub(super) fn marks(&self) -> &[bool] {
        &self.0
    }

    pub(super) fn has(&self, region: usize) -> bool {
        self.0[region]
    }

    pub(super) fn regions(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, marked)| **marked).map(|(region, _)| region)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    pub(super) fn add(&mut self, regions: impl IntoIterator<Item = usize>) {
        for region in regions {
            self.0[region] = true;
        }
    }

    /// The same with these regions.
    pub(super) fn with(&self, regions: &[usize]) -> Self {
        let mut set = self.clone();
        set.add(regions.iter().copied());
        set
    }

    /// The same without these regions.
    pub(super) fn without(&self, regions: &[usize]) -> Self {
        let mut set = self.clone();
        for &region in regions {
            set.0[region] = false;
        }
        set
    }
}

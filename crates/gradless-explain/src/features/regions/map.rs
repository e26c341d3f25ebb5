//! Where regions lie: how they are grouped, how large each is, which touch.

use super::superpixels::{Image, around};
use super::tree;

/// The region of a place that always stays as it is.
pub(super) const STAYS: usize = usize::MAX;

/// Groups of regions that a search begins with, and those of its second level, as parts of all regions. Chosen by experiment:
/// `docs/benchmarks/photographs.md`.
const COARSE: usize = 5;
const MIDDLE: f64 = 2.3;
/// Fewer groups than this tell nothing.
const LEAST_GROUPS: usize = 8;

/// Regions of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Map {
    /// The region of every pixel, [`STAYS`] for those that are no part of any.
    pub(super) cells: Vec<usize>,
    /// For every level, the coarsest first, the group of every region; of the last one every region is its own.
    levels: Vec<Vec<usize>>,
    /// The share of the picture that each covers.
    areas: Vec<f64>,
    /// Regions that touch each.
    near: Vec<Vec<usize>>,
}

impl Map {
    /// The map of a partition; regions are those labels that occur where nothing must stay.
    pub(super) fn new(labels: &[usize], stays: &[bool], image: &Image<'_>) -> Self {
        let mut known: Vec<usize> =
            labels.iter().zip(stays).filter(|(_, stays)| !**stays).map(|(label, _)| *label).collect();
        known.sort_unstable();
        known.dedup();
        let number = |label: &usize| known.binary_search(label).unwrap_or(STAYS);
        let cells: Vec<usize> = labels
            .iter()
            .zip(stays)
            .map(|(label, stays)| if *stays { STAYS } else { number(label) })
            .collect();
        let count = known.len();
        let mut areas = vec![0.0; count];
        for &cell in cells.iter().filter(|&&cell| cell != STAYS) {
            areas[cell] += 1.0 / cells.len() as f64;
        }
        let near = neighbours(&cells, count, (image.rows, image.columns));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "fewer than regions")]
        let groups =
            [count / COARSE, (count as f64 / MIDDLE) as usize].map(|groups| groups.max(LEAST_GROUPS));
        let colours: Vec<[f64; 3]> = (0..cells.len()).map(|i| image.colour(i)).collect();
        let levels = tree::levels(&cells, &colours, near.clone(), &groups);
        Self { cells, levels, areas, near }
    }

    /// How many regions there are.
    pub(crate) fn count(&self) -> usize {
        self.areas.len()
    }

    /// The region of every pixel; `None` for those that always stay.
    pub(crate) fn regions(&self) -> Vec<Option<u32>> {
        self.cells.iter().map(|&cell| u32::try_from(cell).ok()).collect()
    }

    /// How many levels there are.
    pub(crate) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// The regions of every group of a level, the coarsest level being the first.
    pub(crate) fn groups(&self, level: usize) -> Vec<Vec<usize>> {
        let of = &self.levels[level];
        let mut groups = vec![Vec::new(); of.iter().max().map_or(0, |last| last + 1)];
        for (region, &group) in of.iter().enumerate() {
            groups[group].push(region);
        }
        groups
    }

    /// The share of the picture that a region covers.
    pub(crate) fn area(&self, region: usize) -> f64 {
        self.areas[region]
    }

    /// Regions that touch a region.
    pub(crate) fn near(&self, region: usize) -> &[usize] {
        &self.near[region]
    }

    /// How many connected pieces marked regions make.
    pub(crate) fn pieces(&self, marked: &[bool]) -> usize {
        let mut left = marked.to_vec();
        let mut pieces = 0;
        let mut stack = Vec::new();
        for start in 0..left.len() {
            if !std::mem::take(&mut left[start]) {
                continue;
            }
            pieces += 1;
            stack.push(start);
            while let Some(region) = stack.pop() {
                for &other in &self.near[region] {
                    if std::mem::take(&mut left[other]) {
                        stack.push(other);
                    }
                }
            }
        }
        pieces
    }
}

/// Which regions touch which.
fn neighbours(cells: &[usize], count: usize, (rows, columns): (usize, usize)) -> Vec<Vec<usize>> {
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (i, &cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != STAYS) {
        for other in around(i, rows, columns).map(|j| cells[j]) {
            if other != cell && other != STAYS && !near[cell].contains(&other) {
                near[cell].push(other);
            }
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six regions in a row of 2 x 12 pixels, the second of which must stay.
    fn map() -> Map {
        let labels: Vec<usize> = (0..24).map(|i| 10 * (i % 12 / 2)).collect();
        let stays: Vec<bool> = labels.iter().map(|&label| label == 10).collect();
        let plane: Vec<f64> = labels.iter().map(|&label| label as f64 / 60.0).collect();
        Map::new(&labels, &stays, &Image { planes: &[plane], rows: 2, columns: 12 })
    }

    #[test]
    fn what_must_stay_is_no_region_and_the_others_are_numbered() {
        let map = map();
        assert_eq!((map.count(), map.levels()), (5, 1));
        assert_eq!(map.cells[..12], [0, 0, STAYS, STAYS, 1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!((map.near(1), map.near(3), map.near(0)), (&[2][..], &[2, 4][..], &[][..]));
        assert!((map.area(2) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn pieces_are_what_hangs_together() {
        let map = map();
        assert_eq!(map.pieces(&[true, true, false, true, true]), 3);
        assert_eq!(map.pieces(&[false, true, true, true, false]), 1);
        assert_eq!(map.pieces(&[false; 5]), 0);
    }
}

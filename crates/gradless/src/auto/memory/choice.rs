//! Which coordinates to look at next, and which of them together.

use super::super::likeness;
use super::Memory;

/// Where slopes side by side are alike, those on so many coordinates to each side are looked at together the first time, but all
/// coordinates in no fewer groups than these, and every time after that half as far. Chosen by experiment (`bench --bin targets --part
/// tuning --seed 2`, 300 digits of 784 pixels, of which 5 to each side is as far as these allow): groups of 1, 9, 11, 17 and 23 take a
/// median of 1,828, 1,378, 1,404, 1,404 and 1,342 queries for a pertinent negative; 32 groups instead of 64 cost pertinent
/// positives, which have a hundred coordinates or two, 7 %.
const FIRST_REACH: usize = 8;
const LEAST_GROUPS: usize = 64;

impl Memory {
    /// The coordinates to look at next, half of them `active` ones, those longest unseen first; the others anywhere, those
    /// first whose slopes are large and were seen long ago. Before, those never seen: away from those that were, if
    /// slopes side by side are alike, and where the surveys hint at most. `shuffle`, one number per coordinate, decides the rest.
    /// Where slopes side by side are alike, what stands beside is looked at together with them.
    pub(crate) fn choose(
        &self,
        active: impl Fn(usize) -> bool,
        count: usize,
        shuffle: &[u64],
    ) -> Vec<Vec<usize>> {
        let chosen = self.choose_alone(active, count, shuffle);
        if self.likeness == 0.0 {
            return chosen.into_iter().map(|i| vec![i]).collect();
        }
        let widest = self.seen.len() / LEAST_GROUPS;
        let first = FIRST_REACH.min(widest.saturating_sub(1) / 2);
        let reach = |i: usize| if self.seen[i] == 0 { first } else { self.company[i] / 4 };
        let joins = |i: usize, j: usize| match (self.seen[i], self.seen[j]) {
            (0, seen) => seen == 0,
            (_, seen) => seen > 0 && self.company[j] >= self.company[i],
        };
        likeness::together(&chosen, self.seen.len(), reach, joins)
    }

    fn choose_alone(&self, active: impl Fn(usize) -> bool, count: usize, shuffle: &[u64]) -> Vec<usize> {
        let apart = self.likeness > 0.0 && self.unseen > 0;
        let known_beside = |i: usize| if apart { self.seen_beside(i).count() } else { 0 };
        let order = |&i: &usize, &j: &usize| {
            let beside = known_beside(i).cmp(&known_beside(j));
            let hinted = self.hints[j].abs().total_cmp(&self.hints[i].abs());
            let seen = self.seen[i].cmp(&self.seen[j]);
            seen.then(beside).then(hinted).then(shuffle[i].cmp(&shuffle[j])).then(i.cmp(&j))
        };
        let now = self.seen.iter().max().map_or(0, |last| last.saturating_add(1));
        let worth = |i: usize| match self.seen[i] {
            0 => f64::INFINITY,
            seen => (now - seen) as f64 * self.slopes[i].abs(),
        };
        let worthier = |i: &usize, j: &usize| worth(*j).total_cmp(&worth(*i)).then(order(i, j));
        // Of an odd number the one goes where least is known.
        let half = if self.unseen > 0 { count / 2 } else { count.div_ceil(2) };
        let active = (0..self.seen.len()).filter(|&i| active(i)).collect();
        let mut chosen = first(active, half, order);
        let mut taken = vec![false; self.seen.len()];
        for &i in &chosen {
            taken[i] = true;
        }
        let others = (0..self.seen.len()).filter(|&i| !taken[i]).collect();
        chosen.extend(first(others, count - chosen.len(), worthier));
        chosen
    }
}

/// The first so many in an order, in that order.
fn first(
    mut of: Vec<usize>,
    count: usize,
    order: impl Fn(&usize, &usize) -> std::cmp::Ordering,
) -> Vec<usize> {
    if count < of.len() {
        of.select_nth_unstable_by(count, &order);
        of.truncate(count);
    }
    of.sort_unstable_by(&order);
    of
}

#[cfg(test)]
mod tests {
    use super::super::tests::{alone, looked_at_with_gaps, seen};
    use super::*;

    #[test]
    fn hinted_coordinates_come_first_and_then_those_longest_unseen() {
        let mut memory = Memory::new(5, None);
        memory.survey(&[0.1, -0.9, 0.2, 0.5, 0.3], 1.0, 8, 2);
        let shuffle = [0; 5];
        assert_eq!(memory.choose(|_| false, 2, &shuffle), alone(&[1, 3]));
        memory.look(&alone(&[1, 3]), &[0.0; 5], &[0.0; 5], 1);
        assert_eq!(memory.choose(|_| false, 3, &shuffle), alone(&[4, 2, 0]));
        memory.look(&alone(&[0, 2, 4]), &[0.0; 5], &[0.0; 5], 2);
        assert!(memory.is_complete() && !memory.wants_survey());
        assert_eq!(memory.choose(|_| false, 2, &shuffle), alone(&[1, 3]));
        assert_eq!(memory.choose(|i| i == 4, 2, &shuffle), alone(&[4, 1]), "half of them where something is");
    }

    /// As many coordinates as make groups worth while, the first 60 of which were looked at.
    fn partly_looked_at(slope: impl Fn(usize) -> f64) -> Memory {
        const DIM: usize = 5 * LEAST_GROUPS;
        let slopes: Vec<f64> = (0..DIM).map(slope).collect();
        seen(DIM, &(0..60).collect::<Vec<_>>(), &[0.0; DIM], &slopes)
    }

    #[test]
    fn where_slopes_are_alike_several_are_looked_at_together_and_then_fewer() {
        let mut memory = partly_looked_at(|i| 2.0 + (0.1 * i as f64).sin());
        let dim = memory.seen.len();
        let mut shuffle = vec![9; dim];
        shuffle[100] = 0;
        assert_eq!(memory.choose(|_| false, 1, &shuffle), [[100, 99, 98, 101, 102]]);
        // Their slopes lack 10 together, and nothing is known of them.
        memory.look(&[vec![100, 99, 98, 101, 102]], &vec![0.0; dim], &vec![10.0; dim], 2);
        assert!((98..=102).all(|i| memory.slopes[i] == 2.0 && memory.company[i] == 4));
        memory.look(
            &alone(&(0..98).chain(103..dim).collect::<Vec<_>>()),
            &vec![0.0; dim],
            &vec![0.0; dim],
            3,
        );
        assert!(memory.is_complete());
        (shuffle[99], shuffle[100]) = (0, 9);
        assert_eq!(memory.choose(|_| true, 1, &shuffle), [[99, 98, 100]]);
        memory.look(&[vec![99, 98, 100]], &vec![0.0; dim], &vec![3.0; dim], 4);
        assert_eq!(memory.company[97..=103], [0, 2, 2, 2, 4, 4, 0]);
    }

    #[test]
    fn coordinates_looked_at_together_do_not_prove_that_they_are_alike() {
        let mut memory = partly_looked_at(|i| testkit::noise::normal(i as u64));
        assert_eq!(memory.likeness, 0.0);
        let dim = memory.seen.len();
        let group: Vec<usize> = (60..dim).collect();
        memory.look(&[group], &vec![0.0; dim], &vec![1e6; dim], 2);
        assert_eq!(memory.likeness, 0.0);
    }

    #[test]
    fn few_coordinates_are_looked_at_one_by_one() {
        let memory = looked_at_with_gaps(|i| 2.0 + (0.1 * i as f64).sin());
        assert!(memory.likeness > 0.0);
        assert!(memory.choose(|_| false, 7, &[0; 60]).iter().all(|group| group.len() == 1));
    }
}

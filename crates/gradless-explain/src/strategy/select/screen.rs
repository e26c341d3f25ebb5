//! What each feature does alone; of very many, first what groups of them do.

use std::collections::BinaryHeap;

use super::{Lever, Selection};
use crate::error::ExplainError;
use crate::features::Move;

/// Questions about single features, in the first round.
const SINGLES: usize = 256;
/// Moves of one feature that are asked at least, if it has them: its ends.
const LEAST: usize = 2;
/// Features that are looked at more closely, and further moves of each.
const CLOSER: usize = 6;
const FURTHER: usize = 10;
/// Groups that very many features are cut into at first, and how often a group is halved in all.
const GROUPS: usize = 32;
const HALVINGS: usize = 160;

impl Selection<'_, '_, '_> {
    /// Asks what features do alone: all of them at some of their moves, those that do most at more.
    pub(super) fn screen(&mut self) -> Result<(), ExplainError> {
        let free: Vec<usize> = (0..self.moves.len()).filter(|&f| !self.moves[f].is_empty()).collect();
        if free.len() > SINGLES {
            let found = self.grouped(&free)?;
            return self.alone(
                found.into_iter().filter_map(|feature| Some((feature, self.far(feature)?))).collect(),
            );
        }
        let each = (SINGLES / free.len().max(1)).max(LEAST);
        let mut asked = vec![Vec::new(); self.moves.len()];
        for &feature in &free {
            asked[feature] = spread(self.moves[feature].len(), each);
        }
        // The furthest of every feature first.
        let mut order = Vec::new();
        for rank in 0..each {
            for &feature in &free {
                let chosen = &asked[feature];
                if let Some(at) = chosen.len().checked_sub(1 + rank) {
                    order.push((feature, self.moves[feature][chosen[at]].clone()));
                }
            }
        }
        self.alone(order)?;
        self.closer(&asked)
    }

    /// Asks about moves alone, and remembers what they do.
    fn alone(&mut self, moves: Vec<(usize, Move)>) -> Result<(), ExplainError> {
        let mut levers = Vec::new();
        let mut points = Vec::new();
        for (feature, Move { to, .. }) in moves {
            let lever = Lever { feature, to, gain: 0.0 };
            if let Some(point) = self.point([&lever]) {
                points.push(point);
                levers.push(lever);
            }
        }
        let answered = self.ask(points.clone())?;
        let mut answers = answered.into_iter().peekable();
        for (lever, point) in levers.into_iter().zip(points) {
            // Answers stand in the order of the points; those that were not answered are missing.
            if let Some((_, margin)) = answers.next_if(|(answered, _)| *answered == point) {
                self.levers.push(Lever { gain: margin - self.base, ..lever });
            }
        }
        Ok(())
    }

    /// More moves of the features that do most.
    fn closer(&mut self, asked: &[Vec<usize>]) -> Result<(), ExplainError> {
        let mut order: Vec<(f64, usize)> =
            self.strongest().iter().map(|lever| (lever.gain, lever.feature)).collect();
        order.truncate(CLOSER);
        let mut moves = Vec::new();
        for (_, feature) in order {
            let left: Vec<usize> =
                (0..self.moves[feature].len()).filter(|k| !asked[feature].contains(k)).collect();
            let chosen = spread(left.len(), FURTHER);
            moves.extend(chosen.into_iter().map(|k| (feature, self.moves[feature][left[k]].clone())));
        }
        self.alone(moves)
    }

    /// The best lever of every feature, the strongest first.
    pub(super) fn strongest(&self) -> Vec<Lever> {
        let mut best: Vec<Option<&Lever>> = vec![None; self.moves.len()];
        for lever in &self.levers {
            if best[lever.feature].is_none_or(|other| lever.gain > other.gain) {
                best[lever.feature] = Some(lever);
            }
        }
        let mut best: Vec<Lever> = best.into_iter().flatten().cloned().collect();
        best.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.feature.cmp(&b.feature)));
        best
    }

    /// The furthest move of a feature.
    fn far(&self, feature: usize) -> Option<Move> {
        self.moves[feature].last().cloned()
    }

    /// Features that seem to matter, of very many: groups of them are moved together, and the group that does most is halved, again and
    /// again.
    fn grouped(&mut self, free: &[usize]) -> Result<Vec<usize>, ExplainError> {
        let mut heap: BinaryHeap<Group> = BinaryHeap::new();
        let mut found = Vec::new();
        let width = free.len().div_ceil(GROUPS);
        let first: Vec<[usize; 2]> =
            (0..free.len()).step_by(width).map(|start| [start, (start + width).min(free.len())]).collect();
        self.measure(free, &first, &mut heap)?;
        for _ in 0..HALVINGS {
            let Some(Group { range: [from, to], .. }) = heap.pop() else { break };
            if to - from == 1 {
                found.push(free[from]);
                continue;
            }
            let middle = from.midpoint(to);
            self.measure(free, &[[from, middle], [middle, to]], &mut heap)?;
        }
        found.extend(
            heap.into_sorted_vec()
                .into_iter()
                .rev()
                .filter(|group| group.range[1] - group.range[0] == 1)
                .map(|group| free[group.range[0]]),
        );
        found.truncate(SINGLES);
        Ok(found)
    }

    /// Asks what groups do, all of their features moved as far as they go.
    fn measure(
        &mut self,
        free: &[usize],
        ranges: &[[usize; 2]],
        heap: &mut BinaryHeap<Group>,
    ) -> Result<(), ExplainError> {
        let mut points = Vec::new();
        let mut asked = Vec::new();
        for &[from, to] in ranges {
            let levers: Vec<Lever> = free[from..to]
                .iter()
                .filter_map(|&feature| Some(Lever { feature, to: self.far(feature)?.to, gain: 0.0 }))
                .collect();
            if let Some(point) = self.point(&levers) {
                points.push(point);
                asked.push([from, to]);
            }
        }
        let answered = self.ask(points.clone())?;
        let mut answers = answered.into_iter().peekable();
        for (range, point) in asked.into_iter().zip(points) {
            if let Some((_, margin)) = answers.next_if(|(answered, _)| *answered == point) {
                heap.push(Group { gain: margin - self.base, range });
            }
        }
        Ok(())
    }
}

/// Features side by side, from the first number to before the second, and what they do together.
#[derive(PartialEq)]
struct Group {
    gain: f64,
    range: [usize; 2],
}

impl Eq for Group {}

impl PartialOrd for Group {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Group {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain.total_cmp(&other.gain).then(other.range.cmp(&self.range))
    }
}

/// So many of the first `count` numbers, evenly spread, the last one always.
fn spread(count: usize, most: usize) -> Vec<usize> {
    let most = most.min(count);
    (1..=most).map(|k| (k * count).div_ceil(most) - 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_many_are_spread_evenly_up_to_the_last() {
        assert_eq!(spread(3, 8), [0, 1, 2]);
        assert_eq!(spread(32, 4), [7, 15, 23, 31]);
        assert_eq!(spread(5, 2), [2, 4]);
        assert_eq!(spread(0, 2), [0; 0]);
    }
}

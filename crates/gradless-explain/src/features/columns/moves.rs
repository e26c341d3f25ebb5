//! What each column can be changed to.

use super::super::Move;
use super::decode::{Code, Decoder};
use super::{Column, Columns};
use crate::question::Origin;

/// Values of a number that are offered, at most.
const VALUES: usize = 32;
/// Ways to keep a rule that are offered for one value, at most.
const FOLLOWERS: usize = 4;

impl Decoder<'_> {
    /// The moves of every column, the cheapest first; none for what is frozen.
    pub(super) fn all_moves(&self) -> Vec<Vec<Move>> {
        let mut moves = vec![Vec::new(); self.row.columns.len()];
        for (i, code) in self.codes.iter().enumerate() {
            let feature = self.feature[i];
            let column = &self.row.columns[feature];
            if column.numbers().iter().any(|&i| self.row.is_frozen(i)) {
                continue;
            }
            match (self.question.origin(), code) {
                // Of a part every column is kept as it is, or not at all.
                (Origin::Absent, Code::Share { at, .. }) => {
                    let (own, absent) = (self.row.input[*at], self.row.absent.at(*at));
                    if own != absent {
                        moves[feature].push(Move { to: vec![(i, self.row.share(*at, own))], cost: 1.0 });
                    }
                }
                (_, Code::Switch { .. }) => {
                    let siblings = (0..self.codes.len()).filter(|&k| self.feature[k] == feature);
                    let to = siblings.map(|k| (k, f64::from(u8::from(k == i)))).collect();
                    moves[feature].push(Move { to, cost: 1.0 });
                }
                (Origin::Input, Code::Share { at, .. }) => {
                    for value in values(self.row, *at, column) {
                        moves[feature].extend(self.keeping_rules(i, *at, value));
                    }
                }
            }
        }
        for moves in &mut moves {
            moves.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        }
        moves
    }

    /// The move of a number to a value; where that breaks a rule, together with one other number of the rule that follows.
    fn keeping_rules(&self, coordinate: usize, at: usize, value: f64) -> Vec<Move> {
        let row = self.row;
        let cost = |at: usize, value: f64| (value - row.input[at]).abs() / row.unit(at);
        let mut changed = row.input.clone();
        changed[at] = value;
        let alone = Move { to: vec![(coordinate, row.share(at, value))], cost: cost(at, value) };
        let Some(broken) = row.rules.iter().find(|rule| !rule.holds(&changed)) else { return vec![alone] };
        let lacks = broken.lacks(&changed).unwrap_or(0.0);
        let mut found = Vec::new();
        for &(other, weight) in broken.terms.iter().filter(|&&(other, weight)| other != at && weight != 0.0) {
            let Some(follower) = self.number_at(other) else { continue };
            let [least, most] = row.range(other);
            let follows = row.on_step(other, changed[other] + lacks / weight);
            if row.is_frozen(other) || !(least..=most).contains(&follows) {
                continue;
            }
            let mut both = changed.clone();
            both[other] = follows;
            if row.rules.iter().all(|rule| rule.holds(&both)) {
                let mut to = alone.to.clone();
                to.push((follower, row.share(other, follows)));
                found.push(Move { to, cost: alone.cost + cost(other, follows) });
            }
        }
        found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        found.truncate(FOLLOWERS);
        found
    }

    /// The coordinate of a number of the row.
    fn number_at(&self, at: usize) -> Option<usize> {
        self.codes.iter().position(|code| matches!(code, Code::Share { at: found, .. } if *found == at))
    }
}

/// Values that a number may change to: those that occur, evenly by how often they do; without a table evenly spaced ones.
fn values(row: &Columns, at: usize, column: &Column) -> Vec<f64> {
    let [least, most] = row.range(at);
    let current = row.input[at];
    let whole = matches!(column, Column::Whole(_));
    let on_step = |value: f64| {
        let value = row.on_step(at, value);
        if whole { value.round_ties_even() } else { value }
    };
    let allowed = |value: &f64| (least..=most).contains(value) && *value != current;
    let mut all: Vec<f64> = match &row.table {
        Some(table) => table.values(at).into_iter().map(on_step).filter(allowed).collect(),
        None => (0..VALUES)
            .map(|k| on_step(least + (most - least) * k as f64 / (VALUES - 1) as f64))
            .filter(allowed)
            .collect(),
    };
    let mut distinct = all.clone();
    distinct.dedup();
    if distinct.len() <= VALUES {
        return distinct;
    }
    // The ends, the two nearest, and quantiles.
    let nearest = distinct.partition_point(|&value| value < current);
    let around = [nearest.checked_sub(1), Some(nearest)].into_iter().flatten();
    let around: Vec<f64> = around.filter_map(|k| distinct.get(k).copied()).collect();
    let quantile = |k: usize| all[k * (all.len() - 1) / (VALUES - 3)];
    let mut chosen: Vec<f64> = (0..VALUES - 2).map(quantile).chain(around).collect();
    chosen.sort_by(f64::total_cmp);
    chosen.dedup();
    all.clear();
    chosen
}

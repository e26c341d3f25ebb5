//! What the model is shown for values of the coordinates of a row.

use std::sync::OnceLock;

use gradless::random::below;
use rand_core::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::super::{Disturbed, Move, Shown, Strength};
use super::{Column, Columns, ON, Plausible};
use crate::question::{Origin, Question};

/// Numbers are measured with an error of so many of their units.
const ERROR: f64 = 0.02;
/// A required row is no further from its nearest than this share of known rows are from theirs.
const MOST_ROWS: f64 = 0.95;
/// Known rows whose distance to their nearest is looked at.
const LOOKED_AT: usize = 200;

/// What one coordinate means.
pub(super) enum Code {
    /// A number in its unit.
    Share { at: usize, whole: bool },
    /// Turns on one of a category.
    Switch { stands: usize, on: usize },
}

/// A category, and which of it holds where no switch is on.
pub(super) struct Standing<'a> {
    pub(super) column: &'a Column,
    pub(super) base: usize,
}

impl Standing<'_> {
    /// Writes that a category holds.
    fn write(&self, level: usize, input: &mut [f64]) {
        match self.column {
            Column::OneHot(group) => {
                for (k, &i) in group.iter().enumerate() {
                    input[i] = f64::from(u8::from(k == level));
                }
            }
            Column::Category { at, .. } => input[*at] = level as f64,
            Column::Number(_) | Column::Whole(_) => {}
        }
    }

    /// Whether a category holds.
    fn holds(&self, level: usize, input: &[f64]) -> bool {
        match self.column {
            Column::OneHot(group) => input[group[level]] > ON,
            Column::Category { at, .. } => input[*at] == level as f64,
            Column::Number(_) | Column::Whole(_) => false,
        }
    }
}

pub(super) struct Decoder<'a> {
    pub(super) row: &'a Columns,
    pub(super) question: Question,
    pub(super) codes: Vec<Code>,
    /// The feature of every coordinate.
    pub(super) feature: Vec<usize>,
    standing: Vec<Standing<'a>>,
    /// How far most known rows are at most from their nearest.
    spacing: OnceLock<f64>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(
        row: &'a Columns,
        question: Question,
        codes: Vec<Code>,
        feature: Vec<usize>,
        standing: Vec<Standing<'a>>,
    ) -> Self {
        Self { row, question, codes, feature, standing, spacing: OnceLock::new() }
    }

    /// A share as a number. What has not moved is the input itself to the last digit, and so is what is typical.
    fn number(&self, at: usize, whole: bool, share: f64) -> f64 {
        let row = self.row;
        let (current, absent) = (row.input[at], row.absent.at(at));
        if share == row.share(at, current) {
            return current;
        }
        if share == row.share(at, absent) {
            return if whole { absent.round_ties_even() } else { absent };
        }
        let value = row.on_step(at, tidy(row.lower.at(at) + share * row.unit(at)));
        let value = if whole { value.round_ties_even() } else { value };
        // What is missing lies outside of the bounds; nothing lies between.
        value.clamp(row.lower.at(at).min(value.max(current)), row.upper.at(at).max(value.min(current)))
    }

    /// How far apart two rows are: the mean over all columns of how far these are, in their units; categories are 0 or 1 apart.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let apart = |column: &Column| match column {
            Column::Number(i) | Column::Whole(i) => (a[*i] - b[*i]).abs() / self.row.unit(*i),
            Column::OneHot(group) => f64::from(u8::from(group.iter().any(|&i| (a[i] > ON) != (b[i] > ON)))),
            Column::Category { at, .. } => f64::from(u8::from(a[*at] != b[*at])),
        };
        let columns = &self.row.columns;
        columns.iter().map(apart).sum::<f64>() / columns.len().max(1) as f64
    }

    /// How far most known rows are at most from their nearest.
    fn spacing(&self) -> f64 {
        *self.spacing.get_or_init(|| {
            let Some(table) = &self.row.table else { return f64::INFINITY };
            let step = table.len().div_ceil(LOOKED_AT).max(1);
            let nearest = |index: usize| {
                let row = table.row(index);
                let others = table.rows().enumerate().filter(|&(other, _)| other != index);
                others.map(|(_, other)| self.distance(row, other)).fold(f64::INFINITY, f64::min)
            };
            let mut found: Vec<f64> = (0..table.len()).step_by(step).map(nearest).collect();
            found.sort_by(f64::total_cmp);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
            let at = (MOST_ROWS * found.len().saturating_sub(1) as f64) as usize;
            found.get(at).copied().unwrap_or(f64::INFINITY)
        })
    }

    /// The features of which a coordinate has moved.
    fn moved_features(&self, moved: &[bool]) -> Vec<bool> {
        let mut features = vec![false; self.row.columns.len()];
        for (&feature, &moved) in self.feature.iter().zip(moved) {
            features[feature] |= moved;
        }
        features
    }
}

/// A number without the noise of having been a share: rounded to twelve digits.
fn tidy(value: f64) -> f64 {
    let digits = 11.0 - value.abs().log10().floor();
    if value == 0.0 || !digits.is_finite() || digits.abs() > 300.0 {
        return value;
    }
    let scale = 10_f64.powf(digits);
    (value * scale).round() / scale
}

impl Shown for Decoder<'_> {
    fn write(&self, point: &[f64], input: &mut [f64]) {
        input.copy_from_slice(&self.row.input);
        let mut chosen: Vec<(usize, f64)> = self.standing.iter().map(|stands| (stands.base, ON)).collect();
        for (code, &value) in self.codes.iter().zip(point) {
            match *code {
                Code::Share { at, whole } => input[at] = self.number(at, whole, value),
                // Of several that are on the strongest holds.
                Code::Switch { stands, on } if value > chosen[stands].1 => chosen[stands] = (on, value),
                Code::Switch { .. } => {}
            }
        }
        for (stands, (on, _)) in self.standing.iter().zip(chosen) {
            stands.write(on, input);
        }
    }

    fn read(&self, input: &[f64], point: &mut [f64]) {
        for (code, x) in self.codes.iter().zip(point) {
            *x = match *code {
                Code::Share { at, .. } => self.row.share(at, input[at]),
                Code::Switch { stands, on } => f64::from(u8::from(self.standing[stands].holds(on, input))),
            };
        }
    }

    fn differs(&self, i: usize, value: f64, other: f64) -> bool {
        match self.codes[i] {
            Code::Share { at, whole } => self.number(at, whole, value) != self.number(at, whole, other),
            Code::Switch { .. } => (value > ON) != (other > ON),
        }
    }

    /// Values of a number are those that occur, where a table tells.
    fn between(&self, i: usize, value: f64, other: f64) -> Option<f64> {
        let Code::Share { at, whole } = self.codes[i] else { return None };
        let row = self.row;
        let (low, high) = (value.min(other), value.max(other));
        let Some(table) = &row.table else {
            let middle = f64::midpoint(low, high);
            let shown = |share: f64| self.number(at, whole, share);
            return (shown(middle) != shown(low) && shown(middle) != shown(high)).then_some(middle);
        };
        let mut inside: Vec<f64> =
            table.rows().map(|known| row.share(at, row.on_step(at, known[at]))).collect();
        inside.retain(|&share| low < share && share < high);
        inside.sort_by(f64::total_cmp);
        inside.dedup();
        inside.get(inside.len() / 2).copied()
    }

    fn moves(&self) -> Option<Vec<Vec<Move>>> {
        Some(self.all_moves())
    }

    fn allows(&self, input: &[f64]) -> bool {
        self.row.rules.iter().all(|rule| rule.holds(input))
            && (self.row.plausible == Plausible::Prefer
                || self.question.origin() == Origin::Absent
                || self.distance_to_known(input).is_none_or(|distance| distance <= self.spacing()))
    }

    fn distance_to_known(&self, input: &[f64]) -> Option<f64> {
        let table = self.row.table.as_ref()?;
        table.rows().map(|row| self.distance(row, input)).min_by(f64::total_cmp)
    }

    fn known_inputs(&self, count: usize) -> Vec<Vec<f64>> {
        let Some(table) = &self.row.table else { return Vec::new() };
        let mut order: Vec<(f64, usize)> =
            table.rows().map(|row| self.distance(row, &self.row.input)).zip(0..).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().take(count).map(|(_, index)| table.row(index).to_vec()).collect()
    }

    fn known(&self) -> usize {
        self.row.table.as_ref().map_or(0, super::Table::len)
    }

    fn disturbance(&self) -> Option<Disturbed> {
        let resampled = self.question.origin() == Origin::Absent && self.row.table.is_some();
        let numbers = self.row.columns.iter().any(Column::is_number);
        let error = numbers.then(|| format!("measurement errors of {ERROR} of the range"));
        let others = resampled.then(|| "other columns from other rows".to_owned());
        let words: Vec<String> = error.into_iter().chain(others).collect();
        (!words.is_empty()).then(|| Disturbed { words: words.join(", "), noise: None })
    }

    /// Numbers are measured with an error; and columns that are absent from a part come from another row.
    fn disturb(&self, input: &mut [f64], moved: &[bool], strength: Strength, mut rng: &mut dyn Rng) {
        let row = self.row;
        let (Strength::Times(times) | Strength::NoiseTimes(times)) = strength;
        let kept = self.moved_features(moved);
        let other = match (&row.table, self.question.origin()) {
            (Some(table), Origin::Absent) => Some(table.row(below(&mut rng, table.len()))),
            _ => None,
        };
        for (feature, column) in row.columns.iter().enumerate() {
            if column.numbers().iter().any(|&i| row.is_frozen(i)) {
                continue;
            }
            if let (Some(other), false) = (other, kept[feature]) {
                column.numbers().iter().for_each(|&i| input[i] = other[i]);
                continue;
            }
            if let Column::Number(i) | Column::Whole(i) = *column {
                let (lower, upper) = (row.lower.at(i), row.upper.at(i));
                let normal: f64 = StandardNormal.sample(rng);
                // What is missing stays missing.
                if (lower..=upper).contains(&input[i]) {
                    let value = row.on_step(i, input[i] + times * ERROR * row.unit(i) * normal);
                    let whole = matches!(column, Column::Whole(_));
                    let value = if whole { value.round_ties_even() } else { value };
                    input[i] = value.clamp(lower, upper);
                }
            }
        }
    }
}

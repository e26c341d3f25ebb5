//! What the values of a column tell of it: its range, how finely it is measured, what is typical, which categories occur.

use std::collections::HashMap;

/// Levels of a category that a change may lead to, the most frequent first.
const LEVELS: usize = 50;
/// Digits after the point that values are looked at for; with more they are any.
const DIGITS: i32 = 6;

/// What is known of a column of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberSurvey {
    /// The least value that occurs.
    pub lower: f64,
    /// The largest value that occurs.
    pub upper: f64,
    /// How far apart values are at least: 1 for whole numbers, 0.01 for cents, 0 for any.
    pub step: f64,
    /// The median, one that occurs.
    pub typical: f64,
    /// The number that stands for a missing value: below all others.
    pub missing: f64,
    /// Whether no value is known at all.
    pub is_unknown: bool,
}

impl NumberSurvey {
    /// Looks at values, the missing ones being NaN or infinite, and at that of the row that is explained.
    pub fn of(values: &[f64], own: f64) -> Self {
        let mut known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let is_unknown = known.is_empty();
        if is_unknown {
            known.push(if own.is_finite() { own } else { 0.0 });
        }
        known.sort_by(f64::total_cmp);
        let (lower, upper) = (known[0], known[known.len() - 1]);
        // The median of an even number is the lower of the two in the middle.
        let typical = known[(known.len() - 1) / 2];
        known.extend(own.is_finite().then_some(own));
        let step = step(&known);
        Self { lower, upper, step, typical, missing: lower - (upper - lower).max(1.0), is_unknown }
    }
}

/// How far apart values are at least, as a power of ten: 1 for whole numbers, 0.01 for cents, 0 for any.
pub fn step(values: &[f64]) -> f64 {
    let has_no_more = |digits: i32| {
        let scale = 10_f64.powi(digits);
        values.iter().all(|&value| (value * scale).round_ties_even() / scale == value)
    };
    (0..=DIGITS).find(|&digits| has_no_more(digits)).map_or(0.0, |digits| 10_f64.powi(-digits))
}

/// What is known of a column of categories, whose values are given by numbers of the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSurvey {
    /// All that occur and that of the row, in the order of their codes: those that a change may lead to first, the most frequent first.
    pub order: Vec<Option<usize>>,
    /// How many of them a change may lead to.
    pub allowed: usize,
    /// Whether no value is known at all.
    pub is_unknown: bool,
}

impl LevelSurvey {
    /// Looks at values, `None` being missing, and at that of the row that is explained. What is missing has a code in any case.
    pub fn of(values: &[Option<usize>], own: Option<usize>) -> Self {
        let mut counts: Vec<(usize, usize)> = Vec::new();
        let mut place = HashMap::new();
        for &value in values.iter().flatten() {
            let next = counts.len();
            match *place.entry(value).or_insert(next) {
                new if new == next => counts.push((value, 1)),
                known => counts[known].1 += 1,
            }
        }
        // Among equals the one that occurs first.
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let mut order: Vec<Option<usize>> = counts.iter().map(|&(value, _)| Some(value)).collect();
        let others = order.split_off(LEVELS.min(order.len()));
        if !order.contains(&own) {
            order.push(own);
        }
        let allowed = order.len();
        // Levels that a change does not lead to are known all the same: other rows have them.
        order.extend(others.into_iter().filter(|&value| value != own));
        if !order.contains(&None) {
            order.push(None);
        }
        Self { order, allowed, is_unknown: counts.is_empty() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_range_a_step_and_a_typical_value_that_occurs() {
        let found = NumberSurvey::of(&[3.0, f64::NAN, 1.25, 7.5, 2.0], 4.0);
        assert_eq!((found.lower, found.upper, found.typical, found.step), (1.25, 7.5, 2.0, 0.01));
        assert!(found.missing < found.lower && !found.is_unknown);
        assert_eq!(NumberSurvey::of(&[1.0, 2.0], 3.0).step, 1.0);
        assert_eq!(NumberSurvey::of(&[1.0, 2.0], 0.1).step, 0.1, "the row's own value counts too");
        assert_eq!(NumberSurvey::of(&[1.0 / 3.0], 1.0).step, 0.0);
        assert!(NumberSurvey::of(&[f64::NAN], f64::NAN).is_unknown);
    }

    #[test]
    fn frequent_levels_come_first_and_rare_ones_are_known_but_not_offered() {
        let found = LevelSurvey::of(&[Some(7), Some(3), Some(3), None], Some(9));
        assert_eq!(found.order, [Some(3), Some(7), Some(9), None]);
        assert_eq!((found.allowed, found.is_unknown), (3, false));
        let many: Vec<Option<usize>> = (0..60).map(Some).collect();
        let found = LevelSurvey::of(&many, Some(55));
        assert_eq!((found.allowed, found.order.len()), (51, 61));
        assert_eq!(found.order[50], Some(55));
        assert_eq!(LevelSurvey::of(&[None], None).order, [None]);
    }
}

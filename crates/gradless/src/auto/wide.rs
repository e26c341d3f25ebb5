//! Descents with long differences, where short ones find no way down any more.

use serde::{Deserialize, Serialize};

use crate::vector;

/// The longest differences, as a share of the largest radius, and how much shorter they are in every descent after that, so many
/// in all.
const LONGEST: f64 = 0.5;
const SHORTER: f64 = 0.5;
const LEVELS: u32 = 4;

/// Slopes of a smoothed objective: a plateau ends and a kink is passed where differences are long enough. What they come across on the way
/// counts too: if one of the points asked is lower than the centre, the descent goes on from there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Wide {
    /// Whether no other differences than those at first are wanted.
    pub(super) forbidden: bool,
    /// How long differences are; `None` where they are as at first.
    pub(super) reach: Option<f64>,
    /// What they were then.
    pub(super) narrow: f64,
    /// A lower point among those that the last look asked, and the objective there.
    pub(super) leap: Option<(Vec<f64>, f64)>,
    /// Whether there was a descent with long differences.
    pub(super) begun: bool,
    /// The level of the next descent with long differences, how many in a row brought nothing, and whether one has brought something
    /// since the last with short ones.
    level: u32,
    vain: u32,
    gained: bool,
}

/// What the next descent asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Differences {
    /// So long.
    Long(f64),
    /// As at first.
    Short,
}

impl Wide {
    /// Whether its point has the length of the space and its numbers make sense.
    pub(super) fn is_consistent(&self, dim: usize) -> bool {
        let length = |length: f64| length.is_finite() && length >= 0.0;
        let leap = |(point, objective): &(Vec<f64>, f64)| {
            point.len() == dim && vector::first_not_finite(point).is_none() && objective.is_finite()
        };
        self.reach.is_none_or(length) && length(self.narrow) && self.leap.as_ref().is_none_or(leap)
    }

    /// The reach of the next descent, `largest` being the largest; the last one was `vain` or not. `None` if nothing is left to try:
    /// no length brings anything, nor do short differences from where the long ones have led.
    pub(super) fn next(&mut self, vain: bool, largest: f64) -> Option<Differences> {
        let was_long = self.reach.is_some();
        if self.begun && !was_long && vain {
            return None;
        }
        self.gained = was_long && (self.gained || !vain);
        self.vain = if was_long && vain { self.vain + 1 } else { 0 };
        self.begun = true;
        if self.vain < LEVELS {
            let level = if was_long { self.level % LEVELS } else { 0 };
            self.level = level + 1;
            let reach = (0..level).fold(LONGEST * largest, |length, _| SHORTER * length);
            return Some(Differences::Long(reach));
        }
        self.gained.then_some(Differences::Short)
    }
}

#[cfg(test)]
mod tests {
    use super::Differences::{Long, Short};
    use super::*;

    /// What is tried after descents that were vain or not.
    fn tried(vain: &[bool]) -> Vec<Option<Differences>> {
        let mut wide = Wide::default();
        let mut next = |&vain: &bool| {
            let next = wide.next(vain, 2.0);
            wide.reach = match next {
                Some(Long(reach)) => Some(reach),
                Some(Short) | None => None,
            };
            next
        };
        vain.iter().map(&mut next).collect()
    }

    #[test]
    fn differences_get_shorter_until_nothing_is_left_to_try() {
        let lengths = [Some(Long(1.0)), Some(Long(0.5)), Some(Long(0.25)), Some(Long(0.125)), None];
        assert_eq!(tried(&[false, true, true, true, true]), lengths);
    }

    #[test]
    fn where_long_differences_pay_they_begin_anew_and_short_ones_follow() {
        let long = tried(&[false, true, true, true, false, true, true, true, true]);
        assert_eq!(
            long[4..],
            [Some(Long(1.0)), Some(Long(0.5)), Some(Long(0.25)), Some(Long(0.125)), Some(Short)]
        );
        let paid = [false, false, true, true, true, true];
        assert_eq!(tried(&[&paid[..], &[true]].concat()).last(), Some(&None), "short ones in vain");
        assert_eq!(tried(&[&paid[..], &[false]].concat()).last(), Some(&Some(Long(1.0))), "short ones paid");
    }
}

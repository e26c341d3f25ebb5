//! What is enough: from nothing of the input to all of it.

use super::{Place, Range};
use crate::condition::Condition;

pub(super) const NAME: &str = "part";
pub(super) const ABBREVIATION: &str = "pp";

/// From where a feature is absent to where the input has it.
pub(super) fn range(place: Place) -> Range {
    let Place { current, absent, .. } = place;
    Range { origin: absent, whole: current, bounds: [absent.min(current), absent.max(current)] }
}

pub(super) fn condition(class: usize) -> Condition {
    Condition::keeps(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_between_absent_and_present() {
        let place = Place { current: -0.5, absent: 0.25, bounds: [0.0, 1.0], frozen: false };
        assert_eq!(range(place), Range { origin: 0.25, whole: -0.5, bounds: [-0.5, 0.25] });
    }
}

//! What is enough: from nothing of the input to all of it.

use super::{Place, Range};
use crate::answer::Counted;
use crate::condition::Condition;

pub(super) const NAME: &str = "part";
pub(super) const ABBREVIATION: &str = "pp";
pub(super) const TITLE: &str = "What is enough";
pub(super) const TERM: &str = "pertinent positive";

pub(super) fn sentence(these: &str, counted: Counted, class: &str, some_frozen: bool) -> String {
    match counted.used {
        0 if some_frozen => {
            format!(
                "Nothing of the input is needed beside what is frozen: the model says {class} to that alone."
            )
        }
        0 => {
            format!("Nothing of the input is needed: the model says {class} to {}.", counted.kind.nothing())
        }
        1 => format!("{these} is enough for {class}."),
        _ => format!("{these} are enough for {class}."),
    }
}

pub(super) fn missed(original: &str) -> String {
    format!("No part of the input was found that suffices for {original}")
}

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

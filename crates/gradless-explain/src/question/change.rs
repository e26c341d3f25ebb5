//! What would change it: from the input as it is to anything allowed.

use super::{Moves, Place, QuestionError, Range};
use crate::answer::Counted;
use crate::condition::Condition;
use crate::features::Kind;

pub(super) const NAME: &str = "change";
pub(super) const ABBREVIATION: &str = "pn";
pub(super) const TITLE: &str = "What would change it";
pub(super) const TERM: &str = "pertinent negative";

pub(super) fn sentence(these: &str, counted: Counted, class: &str, moves: Moves, removes: bool) -> String {
    let lower = format!("{}{}", these[..1].to_lowercase(), &these[1..]);
    if counted.kind == Kind::Regions {
        return format!("Without {lower} it is {class}.");
    }
    let way = match moves {
        _ if removes => "Removing",
        Moves::Add => "Adding to",
        Moves::TwoSided => "Changing",
    };
    format!("{way} {lower} makes it {class}.")
}

pub(super) fn missed(original: &str, target: Option<&str>) -> String {
    match target {
        Some(target) => format!("No change was found that makes it {target}"),
        None => format!("No change was found that makes it something else than {original}"),
    }
}

/// Around the input. One that lies outside what is allowed may stay where it is.
pub(super) fn range(place: Place, moves: Moves) -> Range {
    let Place { current, bounds: [lower, upper], .. } = place;
    let least = match moves {
        Moves::Add => current,
        Moves::TwoSided => lower.min(current),
    };
    Range { origin: current, whole: current, bounds: [least, upper.max(current)] }
}

pub(super) fn condition(class: usize, target: Option<usize>) -> Result<Condition, QuestionError> {
    match target {
        Some(target) if target == class => Err(QuestionError::TargetReached { class }),
        Some(target) => Ok(Condition::becomes(class, target)),
        None => Ok(Condition::leaves(class)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_only_grow_and_an_input_outside_its_bounds_may_stay() {
        let place = |current| Place { current, absent: 0.0, bounds: [0.0, 1.0], frozen: false };
        assert_eq!(range(place(0.5), Moves::Add).bounds, [0.5, 1.0]);
        assert_eq!(range(place(0.5), Moves::TwoSided).bounds, [0.0, 1.0]);
        assert_eq!(range(place(1.5), Moves::TwoSided).bounds, [0.0, 1.5]);
    }
}

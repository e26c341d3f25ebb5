//! Why this class and not that one: from nothing of the input to what decides between the two.

use super::QuestionError;
use crate::condition::Condition;

pub(super) const NAME: &str = "contrast";
pub(super) const TITLE: &str = "Why this and not that";
pub(super) const TERM: &str = "contrast";

pub(super) fn sentence(these: &str, used: usize, class: &str, against: &str) -> String {
    let verb = if used == 1 { "makes" } else { "make" };
    format!("{these} {verb} it {class} rather than {against}.")
}

pub(super) fn missed(original: &str, against: &str) -> String {
    format!("No part of the input was found that speaks for {original} rather than {against}")
}

pub(super) fn condition(class: usize, against: usize) -> Result<Condition, QuestionError> {
    if class == against {
        return Err(QuestionError::TargetReached { class });
    }
    Ok(Condition::over(class, against))
}

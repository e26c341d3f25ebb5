//! When an input answers the question: the class condition and its margin.

use crate::report::Mode;
use crate::task::{Task, TaskError};

/// The class condition: holds where its margin is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The class of the original input.
    pub class: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Its score is the highest.
    Keeps,
    /// Another score is higher.
    Leaves,
    /// The score of this class is the highest.
    Becomes(usize),
}

impl Condition {
    /// The condition of a task, given the scores of its input.
    pub fn new(task: &Task, scores: &[f64]) -> Result<Self, TaskError> {
        let class = largest(scores);
        if scores.iter().filter(|&&score| score == scores[class]).count() > 1 {
            return Err(TaskError::Tie);
        }
        let kind = match (task.mode, task.target) {
            (Mode::PertinentPositive, _) => Kind::Keeps,
            (Mode::PertinentNegative, None) => Kind::Leaves,
            (Mode::PertinentNegative, Some(target)) if target == class => {
                return Err(TaskError::TargetReached { class });
            }
            (Mode::PertinentNegative, Some(target)) => Kind::Becomes(target),
        };
        Ok(Self { class, kind })
    }

    /// How far the score of the original class is above the others.
    pub fn confidence(&self, scores: &[f64]) -> f64 {
        lead(scores, self.class)
    }

    /// By how much the condition holds; negative: by how much it does not.
    pub fn margin(&self, scores: &[f64]) -> f64 {
        match self.kind {
            Kind::Keeps => lead(scores, self.class),
            Kind::Leaves => -lead(scores, self.class),
            Kind::Becomes(target) => lead(scores, target),
        }
    }
}

/// The index of the highest score; the first of equals.
pub fn largest(scores: &[f64]) -> usize {
    (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

/// How far a score is above the highest of the others.
pub(crate) fn lead(scores: &[f64], class: usize) -> f64 {
    // A maximum would pass over it.
    if scores.iter().any(|score| score.is_nan()) {
        return f64::NAN;
    }
    let others = scores.iter().enumerate().filter(|&(i, _)| i != class).map(|(_, &score)| score);
    scores[class] - others.fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(mode: Mode, target: Option<usize>) -> Condition {
        let task = Task { target, ..Task::new(mode, vec![0.0; 2], 0.0, 1.0) };
        Condition::new(&task, &[1.0, 3.0, 2.0]).unwrap()
    }

    #[test]
    fn margins_are_positive_where_the_condition_holds() {
        let [keeps, leaves, becomes] = [
            condition(Mode::PertinentPositive, None),
            condition(Mode::PertinentNegative, None),
            condition(Mode::PertinentNegative, Some(0)),
        ];
        assert_eq!([keeps, leaves, becomes].map(|c| c.margin(&[1.0, 3.0, 2.0])), [1.0, -1.0, -2.0]);
        assert_eq!([keeps, leaves, becomes].map(|c| c.margin(&[5.0, 3.0, 2.0])), [-2.0, 2.0, 2.0]);
    }

    #[test]
    fn senseless_questions_are_refused() {
        let task = |target| Task { target, ..Task::new(Mode::PertinentNegative, vec![0.0], 0.0, 1.0) };
        assert_eq!(Condition::new(&task(Some(1)), &[0.0, 1.0]), Err(TaskError::TargetReached { class: 1 }));
        assert_eq!(Condition::new(&task(None), &[1.0, 1.0]), Err(TaskError::Tie));
    }
}

//! When an input answers a question: the class condition, its margin, and the noise the margin must be above.

mod floor;

pub use floor::Floor;

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
    pub(crate) fn keeps(class: usize) -> Self {
        Self { class, kind: Kind::Keeps }
    }

    pub(crate) fn leaves(class: usize) -> Self {
        Self { class, kind: Kind::Leaves }
    }

    pub(crate) fn becomes(class: usize, target: usize) -> Self {
        Self { class, kind: Kind::Becomes(target) }
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

    /// Pairs of classes whose scores decide: one that should rise and one that should fall, either of which may be open.
    pub(crate) fn contests(&self, rivals: &[usize]) -> Vec<Contest> {
        let class = Some(self.class);
        let others = rivals.iter().map(|&other| Some(other));
        match self.kind {
            Kind::Keeps => std::iter::once(Contest { rises: class, falls: None })
                .chain(others.map(|falls| Contest { rises: class, falls }))
                .collect(),
            Kind::Leaves => std::iter::once(Contest { rises: None, falls: class })
                .chain(others.map(|rises| Contest { rises, falls: class }))
                .collect(),
            Kind::Becomes(target) => vec![Contest { rises: Some(target), falls: class }],
        }
    }
}

/// A difference of scores: one that should rise, one that should fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contest {
    rises: Option<usize>,
    falls: Option<usize>,
}

impl Contest {
    pub(crate) fn of(self, scores: &[f64]) -> f64 {
        self.rises.map_or(0.0, |class| scores[class]) - self.falls.map_or(0.0, |class| scores[class])
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

    #[test]
    fn margins_are_positive_where_the_condition_holds() {
        let conditions = [Condition::keeps(1), Condition::leaves(1), Condition::becomes(1, 0)];
        assert_eq!(conditions.map(|c| c.margin(&[1.0, 3.0, 2.0])), [1.0, -1.0, -2.0]);
        assert_eq!(conditions.map(|c| c.margin(&[5.0, 3.0, 2.0])), [-2.0, 2.0, 2.0]);
        assert!(conditions.iter().all(|c| c.margin(&[5.0, f64::NAN, 2.0]).is_nan()));
    }

    #[test]
    fn a_contest_is_won_by_what_should_rise() {
        let scores = [1.0, 3.0, 2.0];
        let of = |condition: Condition| -> Vec<f64> {
            condition.contests(&[0, 2]).iter().map(|contest| contest.of(&scores)).collect()
        };
        assert_eq!(of(Condition::keeps(1)), [3.0, 2.0, 1.0]);
        assert_eq!(of(Condition::leaves(1)), [-3.0, -2.0, -1.0]);
        assert_eq!(of(Condition::becomes(1, 0)), [-2.0]);
    }
}

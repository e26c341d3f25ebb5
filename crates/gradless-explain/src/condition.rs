//! When an input answers a question: the class condition, its margin, and the noise the margin must be above.

mod bound;
mod floor;
mod stability;

pub use bound::{SURE, certified_radius, least_share};
pub use floor::Floor;
pub use stability::{Copy, Stability, Survival};

use serde::{Deserialize, Serialize};

/// The class condition: holds where its margin is positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The class of the original input.
    pub class: usize,
    kind: Kind,
    beyond: Beyond,
}

/// What is asked beyond the class itself.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beyond {
    Nothing,
    /// The class leads by so much.
    Lead(f64),
    /// The logarithm of the odds of the class against all others is so much.
    LogOdds(f64),
}

/// How sure the model must be of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The answer keeps this share of the input's own margin: a part for its class, a change for the new one.
    Share(f64),
    /// The model gives the class this probability. For scores that are logits or probabilities.
    Probability(f64),
}

impl Confidence {
    /// The class alone, by whatever margin.
    pub const CLASS_ALONE: Self = Self::Share(0.0);
}

impl std::str::FromStr for Confidence {
    type Err = String;

    /// A share (`0.5` or `50%`) or a probability (`p=0.9`).
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str, most: f64| {
            let value = text.trim().parse::<f64>().ok().filter(|value| (0.0..=most).contains(value));
            value.ok_or_else(|| {
                "a share of the input's margin (0.5 or 50%), or a probability (p=0.9) is needed".to_owned()
            })
        };
        let text = text.trim();
        Ok(match (text.strip_prefix("p="), text.strip_suffix('%')) {
            (Some(p), _) => Self::Probability(number(p, 1.0)?),
            (None, Some(share)) => Self::Share(number(share, f64::MAX)? / 100.0),
            (None, None) => Self::Share(number(text, f64::MAX)?),
        })
    }
}

impl Default for Confidence {
    /// The class alone.
    fn default() -> Self {
        Self::CLASS_ALONE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Its score is the highest.
    Keeps,
    /// Another score is higher.
    Leaves,
    /// The score of this class is the highest.
    Becomes(usize),
    /// Its score is higher than that of this class.
    Over(usize),
}

impl Condition {
    pub(crate) fn keeps(class: usize) -> Self {
        Self { class, kind: Kind::Keeps, beyond: Beyond::Nothing }
    }

    pub(crate) fn leaves(class: usize) -> Self {
        Self { class, kind: Kind::Leaves, beyond: Beyond::Nothing }
    }

    pub(crate) fn becomes(class: usize, target: usize) -> Self {
        Self { class, kind: Kind::Becomes(target), beyond: Beyond::Nothing }
    }

    pub(crate) fn over(class: usize, against: usize) -> Self {
        Self { class, kind: Kind::Over(against), beyond: Beyond::Nothing }
    }

    /// The same with a confidence, given the scores of the original.
    pub(crate) fn with(self, confidence: Confidence, original: &[f64]) -> Self {
        let beyond = match confidence {
            Confidence::Share(0.0) => Beyond::Nothing,
            Confidence::Share(share) => Beyond::Lead(share * self.confidence(original)),
            Confidence::Probability(p) => Beyond::LogOdds((p / (1.0 - p)).ln()),
        };
        Self { beyond, ..self }
    }

    /// How far the score of the original class is above the others, or above the one it is compared with.
    pub fn confidence(&self, scores: &[f64]) -> f64 {
        match self.kind {
            Kind::Over(_) => self.class_margin(scores),
            Kind::Keeps | Kind::Leaves | Kind::Becomes(_) => lead(scores, self.class),
        }
    }

    /// By how much the condition holds, with the confidence that is asked; negative: by how much it does not.
    pub fn margin(&self, scores: &[f64]) -> f64 {
        let margin = self.class_margin(scores);
        match self.beyond {
            Beyond::Nothing => margin,
            Beyond::Lead(least) if matches!(self.kind, Kind::Over(_)) => margin - least,
            // Over every other class, not only that of the original.
            Beyond::Lead(least) => lead(scores, self.favoured(scores)) - least,
            // NaN stays NaN.
            Beyond::LogOdds(least) if margin.is_nan() || least.is_nan() => f64::NAN,
            Beyond::LogOdds(least) => margin.min(log_odds(scores, self.favoured(scores)) - least),
        }
    }

    /// What speaks for an answer, whatever the confidence: the logarithm of the odds of its class, or of the others.
    pub(crate) fn signal(&self, scores: &[f64]) -> f64 {
        match self.kind {
            Kind::Keeps => log_odds(scores, self.class),
            Kind::Leaves => -log_odds(scores, self.class),
            Kind::Becomes(target) => log_odds(scores, target),
            Kind::Over(_) => self.class_margin(scores),
        }
    }

    /// The logarithm of the odds of the input's class.
    pub(crate) fn own_log_odds(&self, scores: &[f64]) -> f64 {
        log_odds(scores, self.class)
    }

    /// By how much the class of an answer leads, of a point whose margin is known.
    pub(crate) fn without_confidence(&self, margin: f64, scores: &[f64]) -> f64 {
        match self.beyond {
            Beyond::Nothing => margin,
            Beyond::Lead(least) => margin + least,
            Beyond::LogOdds(_) => self.class_margin(scores),
        }
    }

    /// The class that an answer speaks for.
    pub(crate) fn favoured(&self, scores: &[f64]) -> usize {
        match self.kind {
            Kind::Keeps | Kind::Over(_) => self.class,
            Kind::Becomes(target) => target,
            Kind::Leaves => {
                let others = (0..scores.len()).filter(|&other| other != self.class);
                others.reduce(|best, i| if scores[i] > scores[best] { i } else { best }).unwrap_or(self.class)
            }
        }
    }

    /// By how much the class condition holds, whatever the confidence.
    pub(crate) fn class_margin(&self, scores: &[f64]) -> f64 {
        match self.kind {
            Kind::Keeps => lead(scores, self.class),
            Kind::Leaves => -lead(scores, self.class),
            Kind::Becomes(target) => lead(scores, target),
            // A maximum would pass over NaN, a difference does not.
            Kind::Over(against) => scores[self.class] - scores[against],
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
            Kind::Over(against) => vec![Contest { rises: class, falls: Some(against) }],
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

/// The class with the highest score; `None` if the model did not answer.
pub(crate) fn says(scores: &[f64]) -> Option<usize> {
    scores.iter().all(|score| !score.is_nan()).then(|| largest(scores))
}

/// The logarithm of the odds of a class against all others, scores being logarithms of something proportional to probabilities.
fn log_odds(scores: &[f64], class: usize) -> f64 {
    let others = || scores.iter().enumerate().filter(|&(i, _)| i != class).map(|(_, &score)| score);
    let highest = others().fold(f64::NEG_INFINITY, f64::max);
    scores[class] - highest - others().map(|score| (score - highest).exp()).sum::<f64>().ln()
}

/// The probability of a class by the same reading of scores.
pub(crate) fn probability(scores: &[f64], class: usize) -> f64 {
    1.0 / (1.0 + (-log_odds(scores, class)).exp())
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
    fn confidence_is_a_share_of_the_inputs_margin_or_a_probability() {
        let (original, scores) = ([0.0, 4.0, 1.0], [2.0, 1.0, 0.5]);
        let change = Condition::leaves(1);
        assert_eq!(change.with(Confidence::Share(0.0), &original), change);
        // The input leads by 3, the answer by 1; the third class may come between.
        assert_eq!(change.with(Confidence::Share(0.25), &original).margin(&[2.0, 1.0, 1.5]), -0.25);
        let third = change.with(Confidence::Share(0.25), &original);
        assert_eq!((change.margin(&scores), third.margin(&scores)), (1.0, 0.25));
        assert_eq!(third.without_confidence(0.25, &scores), 1.0);
        let p = probability(&scores, 0);
        let softmax = 2.0_f64.exp() / (2.0_f64.exp() + 1.0_f64.exp() + 0.5_f64.exp());
        assert!((p - softmax).abs() < 1e-15);
        for (asked, holds) in [(p - 1e-9, true), (p + 1e-9, false)] {
            let sure = change.with(Confidence::Probability(asked), &original);
            assert_eq!(sure.margin(&scores) > 0.0, holds, "{asked} of {p}");
        }
        // A probability that the class need not lead for does not make another one lead.
        assert!(change.with(Confidence::Probability(0.01), &original).margin(&original) < 0.0);
    }

    #[test]
    fn confidence_is_read_as_a_share_or_a_probability() {
        let read = |text: &str| text.parse::<Confidence>();
        assert_eq!((read("0.5"), read("50%")), (Ok(Confidence::Share(0.5)), Ok(Confidence::Share(0.5))));
        assert_eq!(read("p=0.9"), Ok(Confidence::Probability(0.9)));
        for wrong in ["", "-1", "nan", "p=2", "p", "sure", "p=50%"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
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

//! What was found, or why nothing was and what to try, in plain sentences.

use super::{Counted, Minimal, Sureness};
use crate::condition::Confidence;
use crate::question::{Moves, Origin, Question};
use crate::scores::Scores;
use crate::session::Options;
use crate::strategy::Strategy;

/// What a sentence speaks of.
pub(crate) struct Context<'a> {
    pub(crate) question: Question,
    pub(crate) valid: bool,
    pub(crate) counted: Counted,
    /// What the features of the answer are called, as far as they have names.
    pub(crate) names: Vec<String>,
    /// Whether a change takes its features away.
    pub(crate) removes: bool,
    /// The share of the picture that its regions cover, if it has some.
    pub(crate) area: Option<f64>,
    pub(crate) margin: f64,
    pub(crate) floor: f64,
    pub(crate) confidence: &'a Sureness,
    /// Name or number of the class before, after, and of the target.
    pub(crate) original: &'a str,
    pub(crate) class: &'a str,
    pub(crate) target: Option<&'a str>,
    pub(crate) some_frozen: bool,
    pub(crate) circumstance: Circumstance,
    /// What would have to be allowed for an answer, each by itself, where nothing was found.
    pub(crate) possible: &'a [String],
    pub(crate) scores: Scores,
    pub(crate) options: &'a Options,
}

/// What is said beside an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Circumstance {
    /// Nothing.
    Usual,
    /// The input of which nothing is there has the class already.
    AbsentHasClass,
    /// Nothing was found that is as sure as it should be by default.
    ClassAlone,
}

/// Up to so many names are said.
const NAMED: usize = 5;

/// The sentence of an answer, and what to try where it may disappoint.
pub(crate) fn told(context: &Context<'_>) -> (String, Option<String>) {
    (sentence(context), hint(context))
}

/// The sentence of an answer.
fn sentence(context: &Context<'_>) -> String {
    if !context.valid {
        return missed(context);
    }
    let name = named(context.class);
    let class = format!("{name}{}", how_sure(context));
    let sentence = unnamed(context, &name, &class);
    if context.names.is_empty() || context.names.len() > NAMED || context.names.len() != context.counted.used
    {
        return sentence;
    }
    format!("{}: {}.", sentence.trim_end_matches('.'), context.names.join(", "))
}

/// The sentence of an answer, by the number of its features.
fn unnamed(context: &Context<'_>, name: &str, class: &str) -> String {
    let these = format!("{}{}", these(context.counted), context.area.map(of_picture).unwrap_or_default());
    if context.circumstance == Circumstance::AbsentHasClass && context.counted.used > 0 {
        let keep = if context.counted.used == 1 { "keeps" } else { "keep" };
        return format!(
            "The model says {name} to {} already. {these} {keep} its confidence in {class}.",
            context.counted.kind.nothing()
        );
    }
    let target = context.target.map(named).unwrap_or_default();
    let Context { question, counted, some_frozen, removes, .. } = *context;
    question.sentence(&these, counted, [class, &target], some_frozen, removes)
}

/// How sure the model is, where somebody asked.
fn how_sure(context: &Context<'_>) -> String {
    let confidence = context.confidence;
    match (confidence.answer, confidence.share) {
        _ if confidence.asked == Confidence::default()
            && context.circumstance != Circumstance::ClassAlone =>
        {
            String::new()
        }
        (Some(p), _) => format!(" (p = {p:.2})"),
        (None, Some(share)) => format!(" ({:.0} % of the input's margin)", 100.0 * share),
        (None, None) => String::new(),
    }
}

/// What to try where an answer may disappoint.
fn hint(context: &Context<'_>) -> Option<String> {
    let Context { question, valid, counted, circumstance, .. } = *context;
    if valid && circumstance == Circumstance::ClassAlone {
        return Some(
            "nothing was found of which the model is as sure as it should be by default: this has the class and no more"
                .to_owned(),
        );
    }
    let empty = question.origin() == Origin::Absent
        && valid
        && !counted.kind.has_choices()
        && (counted.used == 0 || circumstance == Circumstance::AbsentHasClass);
    empty.then(|| "another value for what is absent (--absent) asks a harder question".to_owned())
}

/// The name of a class as a sentence has it.
fn named(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_digit()) { format!("class {name}") } else { format!("\"{name}\"") }
}

fn these(Counted { kind, total, used }: Counted) -> String {
    let many = kind.many();
    if used == 1 { format!("One of {total} {many}") } else { format!("These {used} of {total} {many}") }
}

/// How much of a picture that is.
fn of_picture(area: f64) -> String {
    let percent = 100.0 * area;
    if percent < 9.95 {
        format!(" ({percent:.1} % of the picture)")
    } else {
        format!(" ({percent:.0} % of the picture)")
    }
}

/// Why nothing was found, and what to try.
fn missed(context: &Context<'_>) -> String {
    let original = named(context.original);
    let target = context.target.map(named);
    let what = context.question.missed(&original, target.as_deref());
    let why = if context.margin > 0.0 && context.confidence.asked != Confidence::default() {
        let Sureness { asked, share, original, answer } = *context.confidence;
        match asked {
            Confidence::Share(asked) => format!(
                "the closest point does so with {:.0} % of the input's margin, {:.0} % were asked",
                100.0 * share.unwrap_or(0.0),
                100.0 * asked
            ),
            Confidence::Probability(asked) if original.is_some_and(|p| p < asked) => format!(
                "the model gives even the input itself a probability of {:.3} only, {asked} was asked",
                original.unwrap_or(0.0)
            ),
            Confidence::Probability(asked) => format!(
                "the closest point does so with a probability of {:.3}, {asked} was asked",
                answer.unwrap_or(0.0)
            ),
        }
    } else if context.margin > 0.0 {
        let Context { margin, floor, .. } = context;
        format!(
            "the closest point meets the condition by {margin:.2e}, which is not above the noise floor of {floor:.2e}"
        )
    } else {
        format!("the closest point misses by {}", margin_text(context.margin.abs()))
    };
    if !context.possible.is_empty() {
        return format!("{what}: {why}. It becomes possible if {}.", context.possible.join(", or if "));
    }
    format!("{what}: {why}. Try {}.", attempts(context).join(", or "))
}

/// What may help, the most promising first.
fn attempts(context: &Context<'_>) -> Vec<String> {
    let options = context.options;
    let mut attempts = Vec::new();
    if context.margin > 0.0 && context.confidence.asked != Confidence::default() {
        attempts.push("a lower confidence".to_owned());
    }
    if matches!(context.question, Question::Change { moves: Moves::Add, .. }) {
        attempts.push("a two-sided change, which may remove things too".to_owned());
    }
    if context.question.target().is_some() {
        attempts.push("another target, or none".to_owned());
    }
    if context.some_frozen {
        attempts.push("to freeze less".to_owned());
    }
    if options.strategy == Some(Strategy::Fixed) {
        attempts.push(format!("a smaller weight (l1 = {}), or another strategy", options.l1 / 8.0));
    }
    if context.scores == Scores::Labels {
        attempts.push("a model that gives its scores".to_owned());
    }
    attempts.push(format!("more queries ({})", options.max_queries.saturating_mul(4)));
    attempts.push("wider bounds".to_owned());
    attempts.truncate(3);
    attempts
}

/// A margin with the digits that count, however small.
pub fn margin_text(margin: f64) -> String {
    if margin == 0.0 || margin.abs() >= 0.01 { format!("{margin:.3}") } else { format!("{margin:.1e}") }
}

impl Minimal {
    /// In words.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Checked => "no part of it can go",
            Self::BudgetEnded => "the search ended before all of its parts were tried",
            Self::NotAsked => "not pruned",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Kind;

    fn said(question: Question, valid: bool, used: usize) -> String {
        let counted = Counted { kind: Kind::Pixels, total: 784, used };
        let options = Options::default();
        sentence(&Context {
            question,
            valid,
            counted,
            names: Vec::new(),
            removes: false,
            area: None,
            margin: -0.5,
            floor: 1e-6,
            confidence: &Sureness::default(),
            original: "5",
            class: "cat",
            target: None,
            some_frozen: false,
            circumstance: Circumstance::Usual,
            possible: &[],
            scores: Scores::Logits,
            options: &options,
        })
    }

    #[test]
    fn answers_are_said_in_a_sentence() {
        assert_eq!(said(Question::Part, true, 8), "These 8 of 784 pixels are enough for \"cat\".");
        assert_eq!(said(Question::CHANGE, true, 1), "Changing one of 784 pixels makes it \"cat\".");
        let missed = said(Question::CHANGE, false, 3);
        assert!(missed.starts_with("No change was found that makes it something else than class 5: the closest point misses by 0.500."), "{missed}");
        assert!(missed.contains("more queries (20000)"));
    }

    #[test]
    fn a_small_margin_is_not_shown_as_nothing() {
        assert_eq!([0.0, 1.23456, 0.01, -0.25].map(margin_text), ["0.000", "1.235", "0.010", "-0.250"]);
        assert_eq!([0.000_12, -3.4e-7].map(margin_text), ["1.2e-4", "-3.4e-7"]);
    }
}

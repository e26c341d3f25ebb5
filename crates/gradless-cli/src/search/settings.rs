//! How every input is searched.

use gradless_explain::features::Kind;
use gradless_explain::{
    Answer, Confidence, Declared, Disturbance, Kappa, Moves, Norm, Options, Question, Stability,
};
use serde::Serialize;

/// How every input is searched: all that is needed to do it again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Settings {
    pub(crate) preset: &'static str,
    /// How pictures are disturbed.
    pub(crate) disturbance: Disturbance,
    #[serde(flatten)]
    pub(crate) options: Options,
}

/// What the words do not say: what the model takes and gives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    /// The shape of an input.
    pub(crate) shape: &'a [usize],
    /// The numbers black and white stand for.
    pub(crate) range: [f64; 2],
    /// What the scores are declared to be.
    pub(crate) declared: Declared,
    /// The class a change should lead to.
    pub(crate) target: Option<usize>,
}

impl Settings {
    /// Whether every question has an answer.
    pub(super) fn are_answered(&self, answers: &[Answer]) -> bool {
        let first = answers.iter().filter(|answer| answer.alternative == 0).count();
        first == self.options.questions.len()
    }

    /// How many searches so many inputs take.
    pub(super) fn searches(&self, inputs: usize) -> u64 {
        let Options { questions, agree, count, .. } = &self.options;
        let each = (questions.len() as u64).saturating_mul(*count as u64);
        (inputs as u64).saturating_mul(each).saturating_mul(1 + u64::from(*agree))
    }

    /// The settings as a page shows them.
    pub(super) fn table(&self, kind: Kind) -> Vec<(String, String)> {
        if let [Question::Attack { norm, .. }] = self.options.questions[..] {
            return self.of_attack(norm);
        }
        let Options { method, max_queries, l1, l2, prune, .. } = &self.options;
        let strategy = self.options.strategy(kind);
        let kappa = match self.options.kappa {
            None => "none".to_owned(),
            Some(Kappa::Absolute(kappa)) => kappa.to_string(),
            Some(Kappa::Share(share)) => format!("{} % of the input's margin", 100.0 * share),
        };
        let confidence = match self.options.confidence {
            None => "the default".to_owned(),
            Some(Confidence::CLASS_ALONE) => "the class alone".to_owned(),
            Some(Confidence::Share(share)) => format!("{} % of the input's margin", 100.0 * share),
            Some(Confidence::Probability(p)) => format!("a probability of {p}"),
        };
        let stability = match self.options.stability() {
            Stability::Off => "not asked".to_owned(),
            Stability::On { draws } if kind.has_choices() => format!("{draws} draws"),
            Stability::On { draws } => format!("{}; {draws} draws", self.disturbance.words()),
        };
        let adds = |question: &Question| matches!(question, Question::Change { moves: Moves::Add, .. });
        let adds = self.options.questions.iter().any(adds);
        let pairs = [
            ("strategy", format!("{strategy:?}").to_lowercase()),
            ("method", method.clone()),
            ("preset", self.preset.to_owned()),
            ("queries allowed per question", max_queries.to_string()),
            ("weights l1, l2 at the start", format!("{l1}, {l2}")),
            ("confidence", confidence),
            ("must survive", stability),
            ("kappa", kappa),
            ("prune", if *prune { "on" } else { "off" }.to_owned()),
            ("changes", if adds { "add" } else { "two-sided" }.to_owned()),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    fn of_attack(&self, norm: Norm) -> Vec<(String, String)> {
        let Options { max_queries, declared, enough, .. } = &self.options;
        let mut pairs = vec![
            ("norm", norm.name().to_owned()),
            ("seen of the model", if *declared == Declared::Labels { "labels" } else { "scores" }.to_owned()),
            ("queries allowed", max_queries.to_string()),
        ];
        pairs.extend(enough.map(|enough| ("a size that is enough", enough.to_string())));
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

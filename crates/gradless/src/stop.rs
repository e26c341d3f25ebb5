//! When to stop: rules that combine, and the reasons a run ends with.

use serde::{Deserialize, Serialize};

use crate::prox::StepError;
use crate::trace::Record;

/// How much may be asked. Both limits are exact: no batch is handed out that would exceed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Answers the method may use; no limit if `None`.
    pub queries: Option<u64>,
    /// Points that may be sent, repeats included; no limit if `None`.
    pub sent: Option<u64>,
}

impl Budget {
    /// At most this many queries.
    pub fn queries(limit: u64) -> Self {
        Self { queries: Some(limit), sent: None }
    }
}

/// A rule, checked before every iteration.
///
/// ```
/// use gradless::StopRule;
/// let rule = StopRule::any([
///     StopRule::Target(0.1),
///     StopRule::all([StopRule::Iterations(100), StopRule::Stagnation { window: 20, tolerance: 1e-3 }]),
/// ]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FlatRule", into = "FlatRule")]
#[non_exhaustive]
pub enum StopRule {
    /// After this many iterations.
    Iterations(u64),
    /// When the caller's clock passes this many seconds; the core has no clock of its own.
    Seconds(f64),
    /// When an objective value at most this has been seen.
    Target(f64),
    /// When the best objective has not improved by the share `tolerance` for `window` iterations.
    Stagnation {
        /// Iterations without improvement.
        window: u64,
        /// What counts as improvement, relative to the best value before.
        tolerance: f64,
    },
    /// When one of them says so; never if there is none.
    Any(Vec<StopRule>),
    /// When all of them say so; never if there is none.
    All(Vec<StopRule>),
}

impl Default for StopRule {
    fn default() -> Self {
        Self::Any(Vec::new())
    }
}

impl StopRule {
    /// When one of the rules says so.
    pub fn any(rules: impl IntoIterator<Item = StopRule>) -> Self {
        Self::Any(rules.into_iter().collect())
    }

    /// When all of the rules say so.
    pub fn all(rules: impl IntoIterator<Item = StopRule>) -> Self {
        Self::All(rules.into_iter().collect())
    }

    /// The reason to stop now, if there is one.
    pub(crate) fn check(&self, status: &Status<'_>) -> Option<StopReason> {
        match self {
            Self::Iterations(limit) => (status.iterations >= *limit).then_some(StopReason::Iterations),
            Self::Seconds(limit) => (status.seconds >= *limit).then_some(StopReason::Seconds),
            Self::Target(target) => {
                status.best.is_some_and(|best| best <= *target).then_some(StopReason::Target)
            }
            Self::Stagnation { window, tolerance } => {
                stagnates(status.history, *window, *tolerance).then_some(StopReason::Stagnation)
            }
            Self::Any(rules) => rules.iter().find_map(|rule| rule.check(status)),
            Self::All(rules) => {
                let reasons: Option<Vec<StopReason>> = rules.iter().map(|rule| rule.check(status)).collect();
                reasons?.pop()
            }
        }
    }

    /// The first part of the rule that makes no sense, if there is one.
    pub(crate) fn nonsense(&self) -> Option<&Self> {
        let bad = match self {
            Self::Iterations(_) => false,
            Self::Seconds(value) | Self::Target(value) => value.is_nan(),
            Self::Stagnation { window, tolerance } => *window == 0 || tolerance.is_nan(),
            Self::Any(rules) | Self::All(rules) => return rules.iter().find_map(Self::nonsense),
        };
        bad.then_some(self)
    }

    /// Whether it can ever say so.
    pub(crate) fn is_never(&self) -> bool {
        match self {
            Self::Any(rules) => rules.iter().all(Self::is_never),
            Self::All(rules) => rules.is_empty() || rules.iter().any(Self::is_never),
            _ => false,
        }
    }

    /// The number of iterations after which the run ends for certain, if there is one.
    pub(crate) fn horizon(&self) -> Option<u64> {
        match self {
            Self::Iterations(limit) => Some(*limit),
            Self::Any(rules) => rules.iter().filter_map(Self::horizon).min(),
            Self::All(rules) => {
                rules.iter().map(Self::horizon).collect::<Option<Vec<u64>>>()?.into_iter().max()
            }
            Self::Seconds(_) | Self::Target(_) | Self::Stagnation { .. } => None,
        }
    }
}

/// A rule as it is written down: the parts in the order they are met, a combination with the number of its members.
///
/// A list instead of a tree, so that whoever reads it decides how deep it may go: a file of nested brackets must not
/// exhaust the stack.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FlatRule(Vec<Token>);

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Token {
    Iterations(u64),
    Seconds(f64),
    Target(f64),
    Stagnation { window: u64, tolerance: f64 },
    Any(u32),
    All(u32),
}

/// Deeper than anybody means it.
const DEEPEST: usize = 32;

impl From<StopRule> for FlatRule {
    fn from(rule: StopRule) -> Self {
        fn flatten(rule: StopRule, tokens: &mut Vec<Token>) {
            let count = |rules: &Vec<StopRule>| u32::try_from(rules.len()).unwrap_or(u32::MAX);
            tokens.push(match &rule {
                StopRule::Iterations(limit) => Token::Iterations(*limit),
                StopRule::Seconds(limit) => Token::Seconds(*limit),
                StopRule::Target(target) => Token::Target(*target),
                StopRule::Stagnation { window, tolerance } => {
                    Token::Stagnation { window: *window, tolerance: *tolerance }
                }
                StopRule::Any(rules) => Token::Any(count(rules)),
                StopRule::All(rules) => Token::All(count(rules)),
            });
            if let StopRule::Any(rules) | StopRule::All(rules) = rule {
                for rule in rules {
                    flatten(rule, tokens);
                }
            }
        }
        let mut tokens = Vec::new();
        flatten(rule, &mut tokens);
        Self(tokens)
    }
}

impl TryFrom<FlatRule> for StopRule {
    type Error = &'static str;

    fn try_from(FlatRule(tokens): FlatRule) -> Result<Self, Self::Error> {
        type Tokens<'a> = std::slice::Iter<'a, Token>;
        fn members(count: u32, tokens: &mut Tokens<'_>, depth: usize) -> Result<Vec<StopRule>, &'static str> {
            if depth == DEEPEST {
                return Err("a stopping rule is nested too deeply");
            }
            (0..count).map(|_| build(tokens, depth + 1)).collect()
        }
        fn build(tokens: &mut Tokens<'_>, depth: usize) -> Result<StopRule, &'static str> {
            Ok(match *tokens.next().ok_or("a stopping rule is cut off")? {
                Token::Iterations(limit) => StopRule::Iterations(limit),
                Token::Seconds(limit) => StopRule::Seconds(limit),
                Token::Target(target) => StopRule::Target(target),
                Token::Stagnation { window, tolerance } => StopRule::Stagnation { window, tolerance },
                Token::Any(count) => StopRule::Any(members(count, tokens, depth)?),
                Token::All(count) => StopRule::All(members(count, tokens, depth)?),
            })
        }
        let mut tokens = tokens.iter();
        let rule = build(&mut tokens, 0)?;
        if tokens.next().is_some() { Err("a stopping rule goes on after its end") } else { Ok(rule) }
    }
}

/// What the rules look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Status<'a> {
    pub(crate) iterations: u64,
    pub(crate) seconds: f64,
    pub(crate) best: Option<f64>,
    pub(crate) history: &'a [Record],
}

/// Whether the best objective of the last `window` records improves on the best before them by less than `tolerance`.
fn stagnates(history: &[Record], window: u64, tolerance: f64) -> bool {
    let window = usize::try_from(window).unwrap_or(usize::MAX);
    let Some(split) = history.len().checked_sub(window).filter(|&split| split > 0) else {
        return false;
    };
    let before = history[split - 1].best;
    let after = history[split..].iter().filter_map(|record| record.objective).reduce(f64::min);
    match (before, after) {
        (Some(before), Some(after)) => after >= before - tolerance * before.abs(),
        _ => false,
    }
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StopReason {
    /// The next iteration would have exceeded the budget of queries.
    Queries,
    /// The next iteration would have exceeded the budget of points sent.
    Sent,
    /// The number of iterations was reached.
    Iterations,
    /// The time was up.
    Seconds,
    /// The target was reached.
    Target,
    /// The objective stopped improving.
    Stagnation,
    /// Somebody asked to stop.
    Cancelled,
    /// The value at $x_t$ failed twice in [`Failures::patience`](crate::policy::Failures::patience) iterations in a row.
    BaseFailed {
        /// The iteration.
        iteration: u64,
    },
    /// Too many answers failed in too many iterations in a row.
    TooManyFailures {
        /// Failed in the last of them.
        failed: usize,
        /// Of how many.
        of: usize,
    },
    /// The step has no finite answer.
    Step(StepError),
    /// The black box gave up for good.
    OracleFailed {
        /// Its own words.
        message: String,
    },
    /// The black box panicked.
    OraclePanicked {
        /// Its own words.
        message: String,
    },
    /// The journal could not be written: nothing that is not in it was used.
    JournalFailed {
        /// Why.
        message: String,
    },
}

impl StopReason {
    /// Whether the run ended as planned, not because something broke.
    pub fn is_planned(&self) -> bool {
        matches!(
            self,
            Self::Queries | Self::Sent | Self::Iterations | Self::Seconds | Self::Target | Self::Stagnation
        )
    }

    /// Whether there may be something left to pay for a last look at the final point.
    pub(crate) fn leaves_room(&self) -> bool {
        matches!(self, Self::Queries | Self::Sent | Self::Iterations | Self::Stagnation | Self::Target)
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Queries => write!(f, "the budget of queries is used up"),
            Self::Sent => write!(f, "the budget of points sent is used up"),
            Self::Iterations => write!(f, "the number of iterations was reached"),
            Self::Seconds => write!(f, "the time is up"),
            Self::Target => write!(f, "the target was reached"),
            Self::Stagnation => write!(f, "the objective stopped improving"),
            Self::Cancelled => write!(f, "cancelled"),
            Self::BaseFailed { iteration } => {
                write!(f, "the black box failed again and again at the current point (iteration {iteration})")
            }
            Self::TooManyFailures { failed, of } => {
                write!(f, "too many answers failed ({failed} of {of} in the last iteration)")
            }
            Self::Step(error) => write!(f, "the step has no finite answer: {error}"),
            Self::OracleFailed { message } => write!(f, "the black box failed: {message}"),
            Self::OraclePanicked { message } => write!(f, "the black box panicked: {message}"),
            Self::JournalFailed { message } => write!(f, "{message}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(objectives: &[f64]) -> Vec<Record> {
        let mut best = f64::INFINITY;
        let record = |&objective: &f64| Record {
            iteration: 1,
            queries: 0,
            objective: Some(objective),
            loss: None,
            regulariser: 0.0,
            norm_l1: 0.0,
            norm_l2: 0.0,
            nonzeros: 0,
            step_size: 1.0,
            radius: 0.1,
            stationarity: 0.0,
            kept: 1,
            best: {
                best = best.min(objective);
                Some(best)
            },
        };
        objectives.iter().map(record).collect()
    }

    fn reason(rule: &StopRule, objectives: &[f64], seconds: f64) -> Option<StopReason> {
        let history = history(objectives);
        let best = objectives.iter().copied().reduce(f64::min);
        rule.check(&Status { iterations: history.len() as u64, seconds, best, history: &history })
    }

    #[test]
    fn any_takes_the_first_reason_and_all_waits_for_every_one() {
        let (few, soon) = (StopRule::Iterations(2), StopRule::Seconds(5.0));
        let any = StopRule::any([few.clone(), soon.clone()]);
        let all = StopRule::all([few, soon]);
        assert_eq!(reason(&any, &[3.0, 2.0], 0.0), Some(StopReason::Iterations));
        assert_eq!(reason(&all, &[3.0, 2.0], 0.0), None);
        assert_eq!(reason(&all, &[3.0, 2.0], 5.0), Some(StopReason::Seconds));
        assert_eq!(reason(&StopRule::any([]), &[3.0], 1e9), None);
        assert_eq!(reason(&StopRule::all([]), &[3.0], 1e9), None);
    }

    #[test]
    fn stagnation_needs_a_full_window_without_improvement() {
        let rule = StopRule::Stagnation { window: 2, tolerance: 0.01 };
        assert_eq!(reason(&rule, &[1.0, 1.0], 0.0), None);
        assert_eq!(reason(&rule, &[1.0, 1.0, 0.995], 0.0), Some(StopReason::Stagnation));
        assert_eq!(reason(&rule, &[1.0, 1.0, 0.9], 0.0), None);
        assert_eq!(
            reason(&rule, &[0.0, 0.0, 0.0], 0.0),
            Some(StopReason::Stagnation),
            "at 0 nothing improves"
        );
    }

    #[test]
    fn a_rule_survives_being_written_down_and_depth_is_limited() {
        let rule = StopRule::any([
            StopRule::Target(0.1),
            StopRule::all([StopRule::Iterations(3), StopRule::any([])]),
            StopRule::Stagnation { window: 2, tolerance: 0.5 },
        ]);
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(serde_json::from_str::<StopRule>(&text).unwrap(), rule);
        let deep = format!("[{}{{\"Any\":0}}]", "{\"Any\":1},".repeat(100_000));
        assert!(serde_json::from_str::<StopRule>(&deep).unwrap_err().to_string().contains("too deeply"));
        assert!(serde_json::from_str::<StopRule>("[{\"Any\":4000000000}]").is_err());
    }

    #[test]
    fn the_target_is_met_by_the_best_value_seen() {
        assert_eq!(reason(&StopRule::Target(0.5), &[1.0, 0.5, 2.0], 0.0), Some(StopReason::Target));
        assert_eq!(reason(&StopRule::Target(0.4), &[1.0, 0.5, 2.0], 0.0), None);
    }

    #[test]
    fn the_horizon_is_the_earliest_certain_end() {
        let rule = StopRule::any([StopRule::Iterations(9), StopRule::Target(0.0), StopRule::Iterations(7)]);
        assert_eq!(rule.horizon(), Some(7));
        assert_eq!(StopRule::all([StopRule::Iterations(9), StopRule::Target(0.0)]).horizon(), None);
    }
}

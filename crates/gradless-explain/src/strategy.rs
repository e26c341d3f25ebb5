//! How an answer is searched: by what single features do, or by an optimiser; then a last look at what was found.

mod attack;
mod direct;
mod eliminate;
mod penalised;
mod refine;
mod select;
mod trial;

use gradless::StopReason;
use serde::{Deserialize, Serialize};

use crate::answer::{Forming, Minimal, Step};
use crate::condition::{Condition, Confidence, Stability, Survival};
use crate::error::ExplainError;
use crate::examples::Examples;
use crate::features::Disturbed;
use crate::ledger::{Candidate, Ledger};
use crate::question::{Origin, Question};
use crate::scores::Scores;
use crate::session::Options;
use direct::STAGES;
use trial::Trials;

pub use eliminate::Elimination;

/// How the smallest answer is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// From something that answers the question, what is not needed is taken away: pieces of a picture, then what is faint.
    #[default]
    Eliminate,
    /// The fewest features that suffice, of those that have a choice of a few values: columns, words, switches.
    Select,
    /// From groups of regions of a picture to single ones: a set that answers the question grows, then what it does not need goes.
    Refine,
    /// By what single features do to the scores, refined from there; where that leads nowhere, by patterns of the whole set;
    /// and where none of them is valid, or with a start of its own, by the method at several weights.
    Direct,
    /// The method runs at several weights, each time from the best valid point so far.
    Penalised,
    /// The method runs once, at the weights given: it minimises the paper's objective and nothing else.
    Fixed,
    /// The least change in a norm: sets of features at their bounds, or the boundary of the class.
    Attack,
}

/// Where a search by a method starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// The input for a part; for a change, where the class just alters on the way to the middle or a corner of what is
    /// allowed: a confident model is flat at the input and steep there.
    #[default]
    Auto,
    /// The whole input for a part, no change for a change.
    Input,
    /// Nothing of the input for a part, no change for a change.
    Zero,
    /// The middle of what is allowed (the text of the paper, for changes).
    Centre,
}

/// A search with all it needs.
pub(crate) struct Search<'a> {
    pub(crate) ledger: Ledger<'a>,
    pub(crate) options: &'a Options,
    pub(crate) strategy: Strategy,
    /// What the model's scores are.
    pub(crate) scores: Scores,
    /// Where a method starts.
    pub(crate) start: Start,
    /// What it may ask, without the look at the input.
    pub(crate) queries: u64,
    pub(crate) original_scores: &'a [f64],
    pub(crate) question: Question,
    /// The input, and the one of which nothing is there.
    pub(crate) input: &'a [f64],
    pub(crate) absent: &'a [f64],
    /// Inputs like it.
    pub(crate) examples: Option<&'a Examples>,
    /// How sure the model must be.
    pub(crate) asked: Confidence,
    /// Whether the model gives the class to the input of which nothing is there.
    pub(crate) absent_has_class: bool,
    /// Whether nothing was found that is as sure as it should be by default, and the class alone is searched.
    pub(crate) class_alone: bool,
}

/// A point that may be the answer, and what is known of it.
pub(crate) struct Found {
    pub(crate) point: Vec<f64>,
    pub(crate) margin: f64,
    pub(crate) scores: Vec<f64>,
    pub(crate) minimal: Minimal,
    /// Queries when it was known; when it was looked at last if not given.
    pub(crate) known: Option<u64>,
    /// What disturbed copies of it are, if that was asked.
    pub(crate) survival: Option<Survival>,
}

/// How a search went.
pub(crate) struct Course {
    pub(crate) iterations: u64,
    pub(crate) steps: Vec<Step>,
    pub(crate) stop: Option<StopReason>,
    /// Sets of regions that were asked about: which were there, and the logarithm of the odds of the input's class.
    pub(crate) asked: Vec<(Vec<bool>, f64)>,
    /// Sets of regions that were the best, one after the other.
    pub(crate) forming: Vec<Forming>,
    /// What the model says of everything but the answer, where that was asked.
    pub(crate) without: Option<Vec<f64>>,
    /// Weights of the last round.
    pub(crate) l1: f64,
    pub(crate) l2: f64,
}

impl From<Candidate> for Found {
    fn from(Candidate { point, margin, scores, .. }: Candidate) -> Self {
        Self { point, margin, scores, minimal: Minimal::NotAsked, known: None, survival: None }
    }
}

/// Shares of the input's confidence that a part is asked for instead, where nothing of the input is enough for less.
const HARDER: [f64; 2] = [0.9, 0.99];
/// Numbers this close are one, after an addition and a subtraction.
const SAME: f64 = 1e-12;

impl Search<'_> {
    /// Searches, and looks at what was found once more.
    pub(crate) fn run(&self) -> Result<(Found, Course), ExplainError> {
        let Options { l1, l2, .. } = *self.options;
        let mut course = Course {
            iterations: 0,
            steps: Vec::new(),
            stop: None,
            asked: Vec::new(),
            forming: Vec::new(),
            without: None,
            l1,
            l2,
        };
        let found = self.searched(&mut course);
        let found = match found {
            Ok(found) => found,
            // A model that fails now takes nothing away from what it has answered.
            Err(ExplainError::Model(error)) => {
                let Some(kept) = self.kept() else { return Err(error.into()) };
                course.stop = Some(StopReason::OracleFailed { message: error.to_string() });
                kept
            }
            Err(other) => return Err(other),
        };
        if course.stop.is_none() && self.ledger.is_cancelled() {
            course.stop = Some(StopReason::Cancelled);
        }
        self.ledger.settle();
        if self.ledger.is_valid(found.margin) {
            self.ledger.report_holding(&found.point);
        } else {
            self.ledger.report();
        }
        Ok((found, course))
    }

    /// Searches, and checks once what becomes of the answer when it is disturbed.
    fn searched(&self, course: &mut Course) -> Result<Found, ExplainError> {
        let trials = Trials::new(self)?;
        let moves = (self.strategy == Strategy::Select).then(|| self.ledger.around.coordinates.moves());
        let mut found = match (self.strategy, self.ledger.around.coordinates.map(), moves.flatten()) {
            (Strategy::Refine, Some(map), _) => self.refine(map, &trials, course)?,
            (_, _, Some(moves)) => self.select(moves, &trials, course)?,
            (Strategy::Attack, _, None) if self.question.norm().is_some() => self.attack(course)?,
            (strategy, _, None) => self.searched_by(strategy, &trials, course)?,
        };
        let condition = self.ledger.around.condition;
        if self.ledger.is_valid(found.margin) {
            let favoured = condition.favoured(&found.scores);
            match trials.check(&found.point, favoured) {
                Ok(survival) => found.survival = survival,
                // A model that fails now takes nothing away from the answer.
                Err(ExplainError::Model(error)) => {
                    course.stop = Some(StopReason::OracleFailed { message: error.to_string() });
                }
                Err(other) => return Err(other),
            }
        }
        Ok(found)
    }

    /// Searches features whose values are any.
    fn searched_by(
        &self,
        strategy: Strategy,
        trials: &Trials<'_, '_>,
        course: &mut Course,
    ) -> Result<Found, ExplainError> {
        match strategy {
            Strategy::Eliminate if self.class_alone => self.direct(&STAGES, trials, course),
            Strategy::Eliminate => self.eliminate(trials, course),
            Strategy::Direct | Strategy::Select | Strategy::Attack | Strategy::Refine => {
                self.direct(&STAGES, trials, course)
            }
            Strategy::Penalised | Strategy::Fixed => self.by_method(trials, course),
        }
    }

    /// Asks for more where nothing of the input has all that a part should: for the confidence of the input itself. One query.
    pub(crate) fn ask_harder(&mut self, plain: Condition) -> Result<(), ExplainError> {
        if self.question.origin() != Origin::Absent
            || !matches!(self.strategy, Strategy::Eliminate | Strategy::Select | Strategy::Refine)
        {
            return Ok(());
        }
        let (margin, scores) = self.ledger.look(&self.ledger.around.coordinates.origin)?;
        self.absent_has_class = plain.class_margin(&scores) > 0.0;
        // What somebody asks for is what he gets.
        if !self.ledger.is_valid(margin) || self.options.confidence.is_some() {
            return Ok(());
        }
        for share in HARDER.map(Confidence::Share) {
            let harder = plain.with(share, self.original_scores);
            if !self.ledger.is_valid(harder.margin(&scores)) {
                self.ledger.around.condition = harder;
                self.asked = share;
                return Ok(());
            }
        }
        Ok(())
    }

    /// How inputs are disturbed, if answers should survive that.
    fn disturbed(&self) -> Option<Disturbed> {
        match self.options.stability() {
            Stability::Off => None,
            Stability::On { .. } => self.ledger.around.coordinates.disturbance(),
        }
    }

    /// Goes on with the class alone, where nobody asked for more and nothing was found that has it.
    pub(crate) fn run_for_class_alone(
        &mut self,
        plain: Condition,
        found: &Found,
    ) -> Result<(Found, Course), ExplainError> {
        self.ledger.around.condition = plain;
        self.ledger.forget();
        let margin = plain.margin(&found.scores);
        if self.ledger.is_valid(margin) {
            self.ledger.keep(&found.point, &found.scores, margin);
            self.ledger.settle();
        }
        self.asked = Confidence::CLASS_ALONE;
        self.class_alone = true;
        self.run()
    }

    fn left(&self) -> u64 {
        self.queries.saturating_sub(self.ledger.sent())
    }

    /// The last look.
    fn finished(&self, point: Vec<f64>, minimal: Minimal, known: Option<u64>) -> Result<Found, ExplainError> {
        let (margin, scores) = self.look(&point)?;
        Ok(Found { point, margin, scores, minimal, known, survival: None })
    }

    /// What is known without asking again: the best point that is as a file would hold it, else the closest miss.
    fn kept(&self) -> Option<Found> {
        let coordinates = self.ledger.around.coordinates;
        let is_saved_so = |best: &Candidate| {
            let input = self.ledger.input(&best.point);
            coordinates.as_saved(&input).is_none_or(|saved| {
                input.iter().zip(&saved).all(|(a, b)| (a - b).abs() <= SAME * a.abs().max(1.0))
            })
        };
        let best = self.ledger.best().filter(is_saved_so);
        best.map(Found::from).or_else(|| {
            // Valid or not, its picture was never looked at.
            let nearest = Found::from(self.ledger.nearest()?);
            Some(Found { margin: nearest.margin.min(0.0), ..nearest })
        })
    }

    /// The margin and scores of a point, as it is and as a file would hold it: the smaller margin counts.
    fn look(&self, point: &[f64]) -> Result<(f64, Vec<f64>), ExplainError> {
        let as_it_is = self.ledger.look(point)?;
        let input = self.ledger.input(point);
        let Some(saved) = self.ledger.around.coordinates.as_saved(&input) else { return Ok(as_it_is) };
        let (margin, _) = self.ledger.look_at_input(&saved)?;
        // The smaller, and NaN if either is.
        let smaller = if margin < as_it_is.0 || margin.is_nan() { margin } else { as_it_is.0 };
        Ok((smaller, as_it_is.1))
    }

    /// How far the margin of the input, and of what is absent, is from its own when it is saved: nothing where it is a picture
    /// already. A search keeps clear of that, for its answers must hold both ways.
    pub(crate) fn off_grid(&self) -> Result<f64, ExplainError> {
        let coordinates = self.ledger.around.coordinates;
        let mut most = 0.0_f64;
        for point in [&coordinates.whole, &coordinates.origin] {
            let input = self.ledger.input(point);
            let Some(saved) = coordinates.as_saved(&input) else { continue };
            if input.iter().zip(&saved).all(|(a, b)| (a - b).abs() <= SAME) {
                continue;
            }
            let (exact, _) = self.ledger.look_at_input(&input)?;
            let (rounded, _) = self.ledger.look_at_input(&saved)?;
            most = most.max((exact - rounded).abs());
        }
        Ok(most)
    }
}

//! What a search found, measured: sizes, loss, and when it was known.

use gradless::StopReason;

use super::clock::Ended;
use crate::answer::{Attacked, Circumstance, Compared, Forming, Located, Minimal, Step};
use crate::condition::{Confidence, Floor, Survival, largest};
use crate::features::Coordinates;
use crate::heat::heat;
use crate::ledger::loss;
use crate::question::Norm;
use crate::strategy::{Course, Found, Search};

/// What a search found.
pub(super) struct Told {
    pub(super) point: Vec<f64>,
    pub(super) scores: Vec<f64>,
    pub(super) class: usize,
    pub(super) valid: bool,
    /// By how much the class alone holds.
    pub(super) margin: f64,
    /// The class the answer speaks for.
    pub(super) favoured: usize,
    pub(super) kappa: Option<f64>,
    pub(super) loss: f64,
    pub(super) objective: f64,
    pub(super) objective_start: Option<f64>,
    pub(super) norm_l1: f64,
    pub(super) norm_l2: f64,
    pub(super) minimal: Minimal,
    /// Valid points that were smaller than all before, where the question says what is small.
    pub(super) curve: Vec<Step>,
    pub(super) first_valid: Option<u64>,
    pub(super) best_valid: Option<u64>,
    pub(super) queries: u64,
    pub(super) survival: Option<Survival>,
    /// The confidence that was asked in the end, and whether the input of which nothing is there has the class already.
    pub(super) asked: Confidence,
    pub(super) absent_has_class: bool,
    /// Whether nothing was found that is as sure as it should be by default.
    pub(super) class_alone: bool,
    /// What would have to be allowed, where nothing was found.
    pub(super) possible: Vec<String>,
    pub(super) course: Course,
}

impl Told {
    pub(super) fn new(search: &Search<'_>, floor: &Floor, found: Found, course: Course) -> Self {
        let Found { point, margin, scores, minimal, known, survival } = found;
        let ledger = &search.ledger;
        let valid = floor.is_passed_by(margin);
        // What was kept clear of rounding may have coordinates that the class does not need.
        let clear = ledger.around.floor > floor.margin;
        let (l1, l2) = (course.l1, course.l2);
        let distances = || point.iter().zip(ledger.origin()).map(|(x, o)| (x - o).abs());
        let norm_l1: f64 = distances().sum();
        let norm_l2 = distances().map(|s| s * s).sum::<f64>().sqrt();
        let loss = loss(ledger.around.condition.margin(&scores), ledger.kappa);
        let objective =
            |loss: f64, norm_l1: f64, norm_l2: f64| loss + l1 * norm_l1 + 0.5 * l2 * norm_l2 * norm_l2;
        let first = course.steps.first();
        let queries = ledger.queries();
        Self {
            class: largest(&scores),
            valid,
            margin: ledger.around.condition.without_confidence(margin, &scores),
            favoured: ledger.around.condition.favoured(&scores),
            kappa: ledger.kappa,
            loss,
            objective: objective(loss, norm_l1, norm_l2),
            objective_start: first.and_then(|s| Some(objective(s.loss?, s.norm_l1, s.norm_l2))),
            norm_l1,
            norm_l2,
            minimal: if valid && !clear { minimal } else { Minimal::NotAsked },
            curve: ledger.curve(),
            first_valid: match (ledger.first_valid(), known.filter(|_| valid)) {
                (Some(first), Some(known)) => Some(first.min(known)),
                (first, known) => first.or(known),
            },
            best_valid: valid.then_some(known.unwrap_or(queries)),
            queries,
            survival,
            asked: search.asked,
            absent_has_class: search.absent_has_class,
            class_alone: search.class_alone,
            possible: Vec::new(),
            scores,
            course,
            point,
        }
    }

    /// What is said beside the answer.
    pub(super) fn circumstance(&self) -> Circumstance {
        match (self.class_alone, self.absent_has_class) {
            (true, _) => Circumstance::ClassAlone,
            (false, true) => Circumstance::AbsentHasClass,
            (false, false) => Circumstance::Usual,
        }
    }

    /// Where its regions lie, how much each matters and how it formed, if it is made of regions.
    pub(super) fn located(&self, coordinates: &Coordinates<'_>, before: u64) -> Option<Located> {
        let map = coordinates.map()?;
        let used = coordinates.used(&self.point);
        let mut marked = vec![false; map.count()];
        for &region in &used {
            marked[region] = true;
        }
        let later = |forming: &Forming| Forming { queries: forming.queries + before, ..forming.clone() };
        Some(Located {
            area: used.iter().map(|&region| map.area(region)).sum(),
            pieces: map.pieces(&marked),
            regions: map.regions(),
            heat: heat(&self.course.asked, map),
            without: None,
            forming: self.course.forming.iter().map(later).collect(),
        })
    }

    /// How small the change is, and when smaller ones were known.
    pub(super) fn attacked(&self, norm: Norm, coordinates: &Coordinates<'_>, before: u64) -> Attacked {
        Attacked {
            norm,
            size: self.valid.then(|| norm.of(coordinates, &self.point)),
            norm_linf: Norm::Linf.of(coordinates, &self.point),
            curve: self.curve.iter().filter_map(|step| step.improvement(before)).collect(),
        }
    }

    /// Why the search ended, in words.
    pub(super) fn stop_reason(&self, ended: Ended) -> String {
        match (ended.reason(), &self.course.stop) {
            (Some(ended), Some(StopReason::Cancelled) | None) => ended.to_owned(),
            (_, Some(reason)) => reason.to_string(),
            (None, None) => "the search was over".to_owned(),
        }
    }

    /// What is compared with the answers of other seeds.
    pub(super) fn compared(&self, coordinates: &Coordinates<'_>) -> Compared {
        Compared {
            point: self.point.clone(),
            moved: coordinates.moved(&self.point),
            valid: self.valid,
            class: self.class,
            queries: self.queries,
        }
    }
}

//! One run of one method, and the run that sets its target.

use bench::Fallible;
use bench::contender::Contender;
use bench::descent::descend;
use bench::idea::descend_by;
use gradless::{Driver, Model, Solver, StopReason, StopRule};
use gradless_paper::data::Images;
use gradless_paper::reproduce::{Arm, BATCH, Chosen, Conventions, ITERATIONS, Question, loss};
use testkit::noise::word;

use crate::asked::Asked;
use crate::references::Reference;
use crate::task::Task;

/// The target is this times the reference.
pub(crate) const SLACK: f64 = 1.05;
/// After how many queries the best value is told.
pub(crate) const LOOKS: [u64; 4] = [500, 2_000, 10_000, 40_000];
/// Keeps the reference's directions apart from everybody's.
const REFERENCE_SEED: u64 = 0x7265_6665_7265_6e63;

/// A question about an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) task: Task,
    pub(crate) image: Chosen,
}

impl Subject {
    /// The same for every method, another for every image and task.
    fn seed(&self, seed: u64) -> u64 {
        word(word(word(seed).wrapping_add(self.image.index as u64)).wrapping_add(self.task as u64))
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) subject: Subject,
    pub(crate) method: Contender,
    pub(crate) reference: Reference,
    /// Queries until the target was met; `None` if it never was.
    pub(crate) queries: Option<u64>,
    /// Whether the class condition holds at the best point. Where it does not, a low value may explain nothing: a black
    /// image costs nothing to keep.
    pub(crate) valid: bool,
    /// Queries made in all.
    pub(crate) spent: u64,
    /// Best value over reference after [`LOOKS`]; that of the run's end where it ended before.
    pub(crate) ratios: [f64; LOOKS.len()],
    /// The same at its end.
    pub(crate) best: f64,
}

pub(crate) struct Runner<'a> {
    pub(crate) asked: &'a Asked,
    pub(crate) model: &'a dyn Model,
    pub(crate) images: &'a Images,
}

impl Runner<'_> {
    fn question(&self, subject: &Subject) -> Fallible<Question<'_>> {
        let Subject { task, image } = subject;
        let about = (self.images, image.index);
        Ok(Question::new(self.model, self.asked.set, about, task.mode(), task.conventions())?)
    }

    /// $F$ at the last iterate of ZO-AdaExpGrad+ with the settings of the paper's text. Does not depend on `--seed`.
    pub(crate) fn reference(&self, subject: &Subject) -> Fallible<Reference> {
        let question = self.question(subject)?;
        let arm = Arm::find("zo-ada-exp-grad+")?[0];
        let config = Conventions::SEED.config(arm, BATCH, ITERATIONS, subject.seed(REFERENCE_SEED));
        let outcome = Driver::default().run(Solver::new(question.problem()?, config)?, &question);
        match outcome.stop {
            Some(StopReason::Iterations) => {
                let margin = question.margin(&outcome.last.x)?;
                Ok(Reference { value: loss(margin) + outcome.last.regulariser, valid: margin > 0.0 })
            }
            other => Err(format!("the reference run ended with {other:?}").into()),
        }
    }

    /// Runs a method until it has met the target, or to its budget.
    pub(crate) fn run(&self, subject: &Subject, reference: Reference, method: Contender) -> Fallible<Row> {
        let question = self.question(subject)?;
        let target = SLACK * reference.value;
        let mut config = method.config(self.asked.budget, subject.seed(self.asked.seed));
        if !self.asked.whole {
            config.stop = StopRule::Target(target);
        }
        let problem = question.problem()?;
        let (descent, outcome) = match method.idea {
            Some(idea) => descend_by(idea, &problem, &question, config)?,
            None => descend(&problem, &question, config)?,
        };
        Ok(Row {
            subject: *subject,
            method,
            reference,
            queries: descent.reaches(target),
            valid: question.margin(&outcome.best.x)? > 0.0,
            spent: descent.queries,
            ratios: LOOKS.map(|queries| descent.at(queries) / reference.value),
            best: descent.best() / reference.value,
        })
    }
}

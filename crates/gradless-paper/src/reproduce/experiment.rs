//! What is run: the arms of every mode, on which images, by whose conventions.

use serde::{Deserialize, Serialize};

use super::arm::{Arm, Family};
use super::choice::Chosen;
use super::conventions::Conventions;
use super::question::{Mode, weight};
use crate::data::DataSet;

/// Directions per estimate, $m$.
pub const BATCH: usize = 200;
/// Steps, $T$.
pub const ITERATIONS: u64 = 200;
/// The steps after which the tables look at the curves.
pub const LOOKS: [usize; 5] = [10, 25, 50, 100, 200];

/// An experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// On what.
    pub set: DataSet,
    /// What is searched for.
    pub modes: Vec<Mode>,
    /// Which arms; the paper's choice of every method if `None`.
    pub arms: Option<Vec<Arm>>,
    /// Images per class.
    pub per_class: usize,
    /// Whose settings.
    pub conventions: Conventions,
    /// Decides on images and directions.
    pub seed: u64,
    /// $m$.
    pub batch: usize,
    /// $T$.
    pub iterations: u64,
}

impl Experiment {
    /// The paper's: both modes, all sixteen arms, 20 images per class, the figures' conventions.
    pub fn full(set: DataSet) -> Self {
        Self {
            set,
            modes: vec![Mode::Pn, Mode::Pp],
            arms: Some(Arm::of(&Family::ALL)),
            per_class: 20,
            conventions: Conventions::AUTHORS,
            seed: 1,
            batch: BATCH,
            iterations: ITERATIONS,
        }
    }

    /// A look at it in minutes: pertinent negatives, every method as the paper tuned it, one image per class.
    pub fn quick(set: DataSet) -> Self {
        Self { modes: vec![Mode::Pn], arms: None, per_class: 1, ..Self::full(set) }
    }

    /// The arms of a mode.
    pub fn arms(&self, mode: Mode) -> Vec<Arm> {
        match &self.arms {
            Some(arms) => arms.clone(),
            None => Family::ALL.map(|family| Arm::papers_choice(family, self.set, mode)).to_vec(),
        }
    }

    /// Everything to be run, in an order in which what is done first treats all classes and arms alike.
    pub fn jobs(&self, images: &[Chosen]) -> Vec<Job> {
        let mut jobs = Vec::new();
        for &image in images {
            for &mode in &self.modes {
                for (place, arm) in self.arms(mode).into_iter().enumerate() {
                    jobs.push((image.rank, place, Job { mode, arm, image }));
                }
            }
        }
        jobs.sort_by_key(|&(rank, place, job)| (rank, place, job.mode, job.image.class));
        jobs.into_iter().map(|(_, _, job)| job).collect()
    }

    /// Oracle calls that a job will make.
    pub fn cost(&self, job: &Job) -> u64 {
        let m = self.batch as u64;
        let again = u64::from(self.conventions.previous_value == super::Source::Scripts);
        match job.arm.family {
            Family::AccZom | Family::ZoExpStorm => {
                m + 1 + self.iterations.saturating_sub(1) * (2 * m + 1 + again)
            }
            _ => self.iterations * (m + 1),
        }
    }

    /// What a result depends on, beyond the job it belongs to.
    pub fn identity(&self, model: &ModelFacts) -> Identity {
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data_set: self.set.name().to_owned(),
            model: model.sha256.clone(),
            engine: model.engine.clone(),
            conventions: self.conventions,
            seed: self.seed,
            batch: self.batch,
            iterations: self.iterations,
            weight: weight(self.set),
        }
    }
}

/// One arm on one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    /// What is searched for.
    pub mode: Mode,
    /// By what.
    pub arm: Arm,
    /// On which image.
    pub image: Chosen,
}

/// Which network answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// What to call it.
    pub name: String,
    /// SHA-256 of its file.
    pub sha256: String,
    /// What runs it.
    pub engine: String,
}

/// What makes two results comparable. Modes, arms and images are not part of it: a run may be extended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as in Experiment and ModelFacts")]
pub struct Identity {
    pub version: String,
    pub data_set: String,
    pub model: String,
    pub engine: String,
    pub conventions: Conventions,
    pub seed: u64,
    pub batch: usize,
    pub iterations: u64,
    pub weight: f64,
}

impl Identity {
    /// The first entry in which another one differs, with both values.
    pub fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let entry = |name, mine: &dyn std::fmt::Debug, other: &dyn std::fmt::Debug| {
            (name, format!("{mine:?}"), format!("{other:?}"))
        };
        [
            entry("version", &self.version, &other.version),
            entry("data set", &self.data_set, &other.data_set),
            entry("model", &self.model, &other.model),
            entry("engine", &self.engine, &other.engine),
            entry("conventions", &self.conventions, &other.conventions),
            entry("seed", &self.seed, &other.seed),
            entry("batch", &self.batch, &other.batch),
            entry("iterations", &self.iterations, &other.iterations),
            entry("weight", &self.weight, &other.weight),
        ]
        .into_iter()
        .find(|(_, mine, other)| mine != other)
    }
}

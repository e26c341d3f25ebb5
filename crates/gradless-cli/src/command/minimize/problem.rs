//! `P.toml`: the problem as people write it, and what the solver makes of it.

mod numbers;

pub(super) use numbers::Numbers;

use std::path::Path;

use anyhow::{Context, bail, ensure};
use gradless::policy::Placement;
use gradless::{
    BatchSize, Budget, Config, Estimator, Method, Noise, PerCoordinate, Preset, Problem, Regulariser, Set,
    StopRule,
};
use serde::{Deserialize, Serialize};

/// The version of the keys.
pub(super) const SCHEMA: u32 = 1;
/// No problem file is longer.
const LONGEST: u64 = 256 << 20;
/// No problem has more coordinates: a point is a line of some 300 MB then.
const MOST_COORDINATES: usize = 1 << 24;

/// A problem file. Keys may be added, not renamed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProblemFile {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    dim: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    centre: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) names: Option<Vec<String>>,
    #[serde(default)]
    pub(super) seed: u64,
    #[serde(default)]
    regulariser: RegulariserTable,
    #[serde(default)]
    set: SetTable,
    #[serde(default)]
    pub(super) method: MethodTable,
    #[serde(default)]
    pub(super) budget: BudgetTable,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegulariserTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    l1: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l2: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_l2: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<usize>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l1_ball: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l2_ball: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simplex: Option<f64>,
}

/// How it is minimised.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodTable {
    #[serde(default = "auto")]
    pub(super) name: String,
    #[serde(default)]
    preset: PresetName,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) noise: Option<NoiseName>,
    /// Whether queries must stay in the set; as the preset says if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<bool>,
}

impl Default for MethodTable {
    fn default() -> Self {
        Self {
            name: auto(),
            preset: PresetName::default(),
            batch: None,
            step_weight: None,
            noise: None,
            inside: None,
        }
    }
}

fn auto() -> String {
    "auto".to_owned()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PresetName {
    #[default]
    Default,
    #[serde(alias = "seed")]
    Paper,
    Authors,
}

/// What is known of the black box's noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum NoiseName {
    /// Two questions tell.
    Detect,
    /// It repeats itself: no point is asked twice.
    None,
    /// It depends on the sample number and repeats itself with it.
    Common,
    /// Every answer has noise of its own.
    Independent,
}

/// When it ends. What was sent and the seconds are no part of the trajectory.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BudgetTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) queries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<f64>,
}

impl ProblemFile {
    /// Reads a file, and the arrays it names beside it.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let read = || {
            let length = std::fs::metadata(path).context("cannot be read")?.len();
            ensure!(length <= LONGEST, "has {length} bytes: put long lists into .npy files");
            let text = std::fs::read_to_string(path).context("cannot be read as text")?;
            let mut file = Self::parse(&text)?;
            let beside = path.parent().unwrap_or(Path::new(""));
            for numbers in file.numbers_mut() {
                numbers.load(beside)?;
            }
            Ok(file)
        };
        read().with_context(|| format!("the problem {}", path.display()))
    }

    /// Reads the text of a file whose arrays are all inside.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let file: Self = toml::from_str(text)?;
        ensure!(
            file.schema == SCHEMA,
            "has schema {}, this version of gradless reads schema {SCHEMA}",
            file.schema
        );
        Ok(file)
    }

    /// The whole problem as text, arrays included.
    pub(super) fn text(&self) -> anyhow::Result<String> {
        toml::to_string(self).context("the problem cannot be written down")
    }

    /// What decides the trajectory: all but the caps on what is sent and on time.
    pub(super) fn trajectory(&self) -> anyhow::Result<String> {
        let mut file = self.clone();
        (file.budget.sent, file.budget.seconds) = (None, None);
        file.text()
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut Numbers> {
        let Self { start, centre, regulariser, set, .. } = self;
        [
            start,
            centre,
            &mut regulariser.l1,
            &mut regulariser.l2,
            &mut regulariser.group_l2,
            &mut set.lower,
            &mut set.upper,
        ]
        .into_iter()
        .flatten()
    }

    /// The number of coordinates: as given, or as there are in the start.
    pub(super) fn dim(&self) -> anyhow::Result<usize> {
        let listed = |numbers: &Option<Numbers>| match numbers {
            Some(Numbers::Each(values)) => Some(values.len()),
            _ => None,
        };
        let found = self.dim.or_else(|| listed(&self.start)).context(
            "does not say how many coordinates there are: give `dim = 10`, or `start` as a list or a .npy file",
        )?;
        ensure!(
            found <= MOST_COORDINATES,
            "has {found} coordinates: no more than {MOST_COORDINATES} can be sent to a program"
        );
        if let Some(names) = &self.names {
            ensure!(names.len() == found, "has {} names for {found} coordinates", names.len());
        }
        Ok(found)
    }

    /// The problem.
    pub(super) fn problem(&self) -> anyhow::Result<Problem> {
        let dim = self.dim()?;
        let mut builder = Problem::builder(dim).regulariser(self.regulariser()?).set(self.set()?);
        if let Some(start) = &self.start {
            builder = builder.start(start.list(dim)?);
        }
        if let Some(centre) = &self.centre {
            builder = builder.centre(centre.list(dim)?);
        }
        Ok(builder.build()?)
    }

    fn regulariser(&self) -> anyhow::Result<Regulariser> {
        let RegulariserTable { l1, l2, group_l2, groups } = &self.regulariser;
        let weight = |numbers: &Option<Numbers>| -> anyhow::Result<PerCoordinate> {
            numbers.as_ref().map_or(Ok(0.0.into()), Numbers::per_coordinate)
        };
        match (group_l2, groups) {
            (None, None) => Ok(Regulariser::elastic_net(weight(l1)?, weight(l2)?)),
            (Some(_), Some(groups)) if l1.is_none() && l2.is_none() => {
                Ok(Regulariser::group_l2(weight(group_l2)?, groups.clone()))
            }
            (Some(_), Some(_)) => {
                bail!("[regulariser] has both groups and l1 or l2: only one of them can be")
            }
            _ => bail!(
                "[regulariser] needs `group_l2` (the weight) and `groups` (the group of every coordinate) together"
            ),
        }
    }

    fn set(&self) -> anyhow::Result<Set> {
        let SetTable { lower, upper, l1_ball, l2_ball, simplex } = &self.set;
        let bounds = match (lower, upper) {
            (None, None) => None,
            (lower, upper) => {
                let side = |numbers: &Option<Numbers>, otherwise: f64| -> anyhow::Result<PerCoordinate> {
                    numbers.as_ref().map_or(Ok(otherwise.into()), Numbers::per_coordinate)
                };
                Some((side(lower, f64::NEG_INFINITY)?, side(upper, f64::INFINITY)?))
            }
        };
        Ok(match (bounds, l1_ball, l2_ball, simplex) {
            (None, None, None, None) => Set::Free,
            (Some((lower, upper)), None, None, None) => Set::bounds(lower, upper),
            (None, &Some(radius), None, None) => Set::l1_ball(radius),
            (Some((lower, upper)), &Some(radius), None, None) => Set::l1_ball_in_box(radius, lower, upper),
            (None, None, &Some(radius), None) => Set::l2_ball(radius),
            (None, None, None, &Some(total)) => Set::Simplex { total },
            _ => bail!(
                "[set] is one of: bounds (`lower`, `upper`), `l1_ball` (with bounds or without), `l2_ball`, `simplex`"
            ),
        })
    }

    /// How it is run. The caps on what is sent and on time are kept elsewhere: they must not change the trajectory.
    pub(super) fn config(&self) -> anyhow::Result<Config> {
        let MethodTable { name, preset, batch, step_weight, noise, inside } = &self.method;
        let method = Method::named(name)?;
        let preset = match preset {
            PresetName::Default => Preset::Practical,
            PresetName::Paper => Preset::Paper,
            PresetName::Authors => Preset::Authors,
        };
        let mut config = Config { seed: self.seed, ..Config::new(method, preset) };
        if matches!(config.recipe.estimator, Estimator::Gradients { .. }) {
            bail!(
                "{name} asks for gradients, which queries do not give: take a zo- method (`gradless methods`)"
            );
        }
        if let Some(batch) = *batch {
            config.recipe = config.recipe.with_batch(BatchSize::Fixed(batch));
        }
        if let Some(weight) = *step_weight {
            ensure!(
                weight.is_finite() && weight > 0.0,
                "step_weight is {weight}: a positive number is needed"
            );
            config.recipe = config.recipe.with_weight(weight);
        }
        if let Some(noise) = noise {
            config.noise = match noise {
                NoiseName::Detect => Noise::Detect,
                NoiseName::None => Noise::None,
                NoiseName::Common => Noise::Common,
                NoiseName::Independent => Noise::Independent,
            };
        }
        if let Some(inside) = *inside {
            config.placement = if inside { Placement::Inside } else { Placement::Anywhere };
        }
        if let Some(queries) = self.budget.queries {
            config.budget = Budget::queries(queries);
        }
        let iterations = self.budget.iterations.map(StopRule::Iterations);
        let target = self.budget.target.map(StopRule::Target);
        config.stop = StopRule::any(iterations.into_iter().chain(target));
        Ok(config)
    }

    /// Whether an answer may be remembered: the black box repeats itself, whatever the sample.
    pub(super) fn repeats_itself(&self) -> bool {
        self.method.noise == Some(NoiseName::None)
    }
}

#[cfg(test)]
mod tests;

//! From words to an experiment, and back to the words that repeat it.

use std::fs;
use std::path::Path;

use anyhow::Context;
use gradless_paper::data::DataSet;
use gradless_paper::reproduce::{Arm, Conventions, Experiment, Mode, Order};

use super::{Modes, Reproduce, Set, Size, Whose};
use crate::model::EngineName;

/// The word for images that the seed chooses.
const OWN_IMAGES: &str = "own";

/// In which order images are considered.
pub(super) fn order(asked: &Reproduce, set: DataSet) -> anyhow::Result<Order> {
    match asked.images.as_str() {
        OWN_IMAGES => Ok(Order::Hashed),
        "paper" => Ok(Order::Paper),
        path => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("--images {path} is neither `own` nor `paper` nor a file"))?;
            Order::parse(&text, set).with_context(|| format!("--images {path}"))
        }
    }
}

/// What is asked for: a size, and what is said otherwise.
pub(super) fn experiment(asked: &Reproduce) -> anyhow::Result<Experiment> {
    let set = match asked.set {
        Set::Mnist => DataSet::Mnist,
        Set::Cifar10 => DataSet::Cifar10,
    };
    let mut experiment = match asked.size {
        Size::Quick => Experiment::quick(set),
        Size::Full => Experiment::full(set),
    };
    match asked.mode {
        Some(Modes::Pn) => experiment.modes = vec![Mode::Pn],
        Some(Modes::Pp) => experiment.modes = vec![Mode::Pp],
        Some(Modes::Both) => experiment.modes = vec![Mode::Pn, Mode::Pp],
        None => (),
    }
    if let Some(count) = asked.per_class {
        experiment.per_class = count as usize;
    }
    if !asked.methods.is_empty() {
        let mut arms: Vec<Arm> = Vec::new();
        for words in &asked.methods {
            arms.extend(Arm::find(words)?);
        }
        arms.sort();
        arms.dedup();
        experiment.arms = Some(arms);
    }
    experiment.conventions = match asked.conventions {
        Whose::Seed => Conventions::SEED,
        Whose::Authors => Conventions::AUTHORS,
    };
    experiment.seed = asked.seed;
    Ok(experiment)
}

/// The command that repeats the run, on any machine: without folders and threads.
pub(super) fn command(asked: &Reproduce, experiment: &Experiment) -> String {
    let mode = match experiment.modes[..] {
        [only] => only.name(),
        _ => "both",
    };
    let size = if asked.size == Size::Quick { "quick" } else { "full" };
    let whose = if asked.conventions == Whose::Seed { "seed" } else { "authors" };
    let mut words = vec![format!("gradless reproduce {} --size {size} --mode {mode}", experiment.set.name())];
    words.push(format!("--per-class {}", experiment.per_class));
    if !asked.methods.is_empty() {
        words.push(format!("--methods {}", asked.methods.join(",")));
    }
    words.push(format!("--conventions {whose} --seed {}", experiment.seed));
    if asked.images != OWN_IMAGES {
        words
            .push(format!("--images {}", Path::new(&asked.images).file_name().unwrap_or_default().display()));
    }
    if let Some(model) = asked.model.as_deref().and_then(Path::file_name) {
        words.push(format!("--model {}", model.display()));
    }
    if asked.engine == EngineName::Ort {
        words.push("--engine ort".to_owned());
    }
    words.join(" ")
}

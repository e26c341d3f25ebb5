//! A training run from the first or the saved step to the last, with a checkpoint now and then.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::architecture::Architecture;
use super::checkpoint;
use super::error::TrainError;
use super::plan::{Plan, SHARD};
use super::recipe::Recipe;
use super::sample::Scaling;
use super::trainer::{EpochRecord, State, Trainer};
use crate::data::{Images, Labelled};

/// The longest stretch of work that a crash can cost.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(60);

/// What to train, and where its checkpoint stands.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which network.
    pub architecture: Architecture,
    /// How.
    pub recipe: Recipe,
    /// Same seed, same network.
    pub seed: u64,
    /// Results do not depend on it.
    pub threads: usize,
    /// Written every minute and after every epoch.
    pub checkpoint: PathBuf,
}

/// Where a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// From 1.
    pub epoch: u32,
    /// In all.
    pub epochs: u32,
    /// Steps of this epoch that are done.
    pub step: u64,
    /// Per epoch.
    pub steps: u64,
    /// Mean over this epoch so far.
    pub loss: f64,
    /// Over this epoch so far.
    pub accuracy: f64,
    /// Images per step.
    pub batch: usize,
}

/// Is told how a run goes.
pub trait Watch {
    /// After every step.
    fn step(&mut self, progress: &Progress);
    /// After every epoch, with those before it: also of a run that was continued.
    fn epoch(&mut self, history: &[EpochRecord]);
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With its last step.
    Finished,
    /// Cancelled; the checkpoint holds all that was done.
    Interrupted,
}

/// A network, trained or on its way.
#[derive(Clone, Debug)]
pub struct Trained {
    pub(super) state: State,
    /// How the run ended.
    pub ending: Ending,
}

impl Trained {
    /// What each epoch came to.
    pub fn history(&self) -> &[EpochRecord] {
        &self.state.history
    }

    /// How it was trained; of a run that was continued, as its checkpoint says.
    pub fn recipe(&self) -> &Recipe {
        &self.state.recipe
    }

    /// Its seed; of a run that was continued, as its checkpoint says.
    pub fn seed(&self) -> u64 {
        self.state.seed
    }
}

/// Trains from the beginning.
pub fn train(
    settings: &Settings,
    train: &Labelled,
    test: &Labelled,
    watch: &mut dyn Watch,
    cancel: &AtomicBool,
) -> Result<Trained, TrainError> {
    let state = State::new(settings.architecture, settings.recipe, settings.seed, fingerprint(train, test));
    run(state, settings, train, test, watch, cancel)
}

/// Goes on from a checkpoint, to the same bits as if nothing had happened. Recipe and seed are the checkpoint's.
pub fn resume(
    from: &Path,
    settings: &Settings,
    train: &Labelled,
    test: &Labelled,
    watch: &mut dyn Watch,
    cancel: &AtomicBool,
) -> Result<Trained, TrainError> {
    let state = checkpoint::read(from)?;
    if state.architecture != settings.architecture {
        let (found, asked) = (state.architecture, settings.architecture);
        return Err(TrainError::Another { path: from.to_owned(), found, asked });
    }
    if state.data != fingerprint(train, test) {
        return Err(TrainError::OtherData { path: from.to_owned() });
    }
    run(state, settings, train, test, watch, cancel)
}

fn run(
    state: State,
    settings: &Settings,
    train: &Labelled,
    test: &Labelled,
    watch: &mut dyn Watch,
    cancel: &AtomicBool,
) -> Result<Trained, TrainError> {
    check(&state, train, test)?;
    let scaling = Scaling::of(state.architecture);
    let before = state.seconds;
    let mut trainer = Trainer::new(state, scaling, train, test, settings.threads);
    let steps = trainer.steps();
    let began = Instant::now();
    let mut saved = Instant::now();
    while !trainer.state.is_finished() {
        if !trainer.epoch_is_over() {
            let tally = trainer.step();
            let state = &trainer.state;
            let (epoch, step) = (state.epoch + 1, state.step);
            if !tally.loss.is_finite() {
                return Err(TrainError::Diverged { epoch, step, loss: tally.mean_loss() });
            }
            watch.step(&Progress {
                epoch,
                epochs: state.recipe.epochs,
                step,
                steps,
                loss: state.tally.mean_loss(),
                accuracy: state.tally.accuracy(),
                batch: state.recipe.batch,
            });
        }
        trainer.state.seconds = before + began.elapsed().as_secs_f64();
        let over = trainer.epoch_is_over();
        if over && !trainer.state.is_finite() {
            // The rectifier turns NaN into 0, so the loss alone does not tell.
            return Err(TrainError::Diverged {
                epoch: trainer.state.epoch + 1,
                step: trainer.state.step,
                loss: f64::NAN,
            });
        }
        if over {
            trainer.close_epoch(trainer.state.seconds);
            watch.epoch(&trainer.state.history);
        }
        let interrupted = cancel.load(Ordering::Relaxed);
        if over || interrupted || saved.elapsed() >= BETWEEN_CHECKPOINTS {
            checkpoint::write(&trainer.state, &settings.checkpoint)?;
            saved = Instant::now();
        }
        if interrupted && !trainer.state.is_finished() {
            return Ok(Trained { state: trainer.state, ending: Ending::Interrupted });
        }
    }
    Ok(Trained { state: trainer.state, ending: Ending::Finished })
}

/// A checksum of all images and labels.
fn fingerprint(train: &Labelled, test: &Labelled) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    for part in [&train.images.pixels, &train.labels, &test.images.pixels, &test.labels] {
        sum.update(&part.len().to_le_bytes());
        sum.update(part);
    }
    sum.finalize()
}

fn check(state: &State, train: &Labelled, test: &Labelled) -> Result<(), TrainError> {
    let plan = state.architecture.plan();
    let planes = plan.slots[Plan::INPUT].values;
    let wanted = (planes.channels, planes.height, planes.width);
    for (split, Images { channels, height, width, .. }, count) in
        [("training", &train.images, train.images.count()), ("test", &test.images, test.images.count())]
    {
        let found = (*channels, *height, *width);
        if found != wanted {
            return Err(TrainError::Images { network: state.architecture, split, count, wanted, found });
        }
    }
    let (batch, images) = (state.recipe.batch, train.images.count());
    if batch == 0 || !batch.is_multiple_of(SHARD) || batch > images {
        return Err(TrainError::Batch { batch, images, shard: SHARD });
    }
    if test.images.count() == 0 { Err(TrainError::NoTest) } else { Ok(()) }
}

//! Why a network could not be trained.

use std::path::{Path, PathBuf};

use super::architecture::Architecture;

/// Why a network could not be trained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// A checkpoint that cannot be continued.
    #[error("{}: {problem}", path.display())]
    Checkpoint {
        /// Which.
        path: PathBuf,
        /// Why.
        problem: Unusable,
    },
    /// A checkpoint of another network.
    #[error("{} is a checkpoint of {}, not of {}", path.display(), found.name(), asked.name())]
    Another {
        /// Which.
        path: PathBuf,
        /// Whose it is.
        found: Architecture,
        /// Which network was asked for.
        asked: Architecture,
    },
    /// A checkpoint of a run on other images.
    #[error("{} is a checkpoint of a run on other images: give it the data it began with", path.display())]
    OtherData {
        /// Which.
        path: PathBuf,
    },
    /// The images do not fit the network.
    #[error(
        "{} takes images of {} x {} x {} (channels, rows, columns), the {} images of the {split} set have {} x {} x {}",
        network.name(), wanted.0, wanted.1, wanted.2, count, found.0, found.1, found.2
    )]
    Images {
        /// Which network.
        network: Architecture,
        /// Train or test.
        split: &'static str,
        /// How many there are.
        count: usize,
        /// Channels, rows, columns it takes.
        wanted: (usize, usize, usize),
        /// Channels, rows, columns there are.
        found: (usize, usize, usize),
    },
    /// A batch that cannot be cut into shards, or does not fit the data.
    #[error(
        "a batch of {batch} of {images} images: it must be a multiple of {shard} and no larger than the set"
    )]
    Batch {
        /// As asked for.
        batch: usize,
        /// In the training set.
        images: usize,
        /// Images that go through the network together.
        shard: usize,
    },
    /// There is nothing to test on.
    #[error("the test set is empty")]
    NoTest,
    /// The loss is no longer a number.
    #[error(
        "the loss became {loss} in step {step} of epoch {epoch}: a smaller learning rate (`Recipe::peak_rate`), or another seed, may help"
    )]
    Diverged {
        /// Epoch, from 1.
        epoch: u32,
        /// Step, from 1.
        step: u64,
        /// What it became.
        loss: f64,
    },
}

/// Why a checkpoint cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It does not begin like one.
    #[error("is not a checkpoint of a training run")]
    Magic,
    /// It was written by another version.
    #[error(
        "was written by version {found} of training, this is version {known}: begin again, or use that version"
    )]
    Version {
        /// In the file.
        found: u32,
        /// In this program.
        known: u32,
    },
    /// It was cut or changed.
    #[error("is damaged: its checksum or its contents are wrong; begin again")]
    Damaged,
}

impl TrainError {
    pub(super) fn file(path: &Path, error: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }
}

//! MNIST and CIFAR-10 as their authors publish them, read without trusting a length field.

mod catalogue;
mod checksum;
mod cifar10;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
mod homes;
mod idx;
mod install;
mod source;

pub use catalogue::{DataSet, Expected};
pub use error::{DataError, Problem};
pub use homes::{Download, Homes, Packing};
pub use install::{Installed, install};

use std::path::Path;

/// Images of one size with their classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The images.
    pub images: Images,
    /// One class per image.
    pub labels: Vec<u8>,
}

/// Images of one size, one byte per pixel and channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    /// 1 for grey, 3 for red, green and blue.
    pub channels: usize,
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Image after image, channel after channel, row after row.
    pub pixels: Vec<u8>,
}

/// The part of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// For training: 60,000 digits, 50,000 colour images.
    Train,
    /// For testing: 10,000 of each.
    Test,
}

impl Images {
    /// Bytes per image.
    pub fn size(&self) -> usize {
        self.channels * self.height * self.width
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.pixels.len().checked_div(self.size()).unwrap_or(0)
    }

    /// The bytes of one image.
    ///
    /// # Panics
    /// If there is no such image.
    pub fn image(&self, index: usize) -> &[u8] {
        &self.pixels[index * self.size()..(index + 1) * self.size()]
    }
}

/// Reads MNIST from a folder with its four files, plain or with the ending `.gz`.
pub fn mnist(folder: &Path, split: Split) -> Result<Labelled, DataError> {
    let prefix = match split {
        Split::Train => "train",
        Split::Test => "t10k",
    };
    let images = idx::images(&source::plain_or_gz(&folder.join(format!("{prefix}-images-idx3-ubyte"))))?;
    let path = source::plain_or_gz(&folder.join(format!("{prefix}-labels-idx1-ubyte")));
    let labels = idx::labels(&path)?;
    if images.count() != labels.len() {
        let problem = Problem::CountsDiffer { images: images.count(), labels: labels.len() };
        return Err(problem.at(&path));
    }
    if let Some(index) = labels.iter().position(|&label| label > 9) {
        return Err(Problem::BadLabel { index, label: labels[index] }.at(&path));
    }
    Ok(Labelled { images, labels })
}

/// Reads one IDX file of grey images, plain or gzip whatever its name.
pub fn images(path: &Path) -> Result<Images, DataError> {
    idx::images(path)
}

/// Reads CIFAR-10 from a folder with its binary batches.
pub fn cifar10(folder: &Path, split: Split) -> Result<Labelled, DataError> {
    let names: Vec<String> = match split {
        Split::Train => (1..=5).map(|batch| format!("data_batch_{batch}.bin")).collect(),
        Split::Test => vec!["test_batch.bin".to_owned()],
    };
    let mut all = Labelled {
        images: Images { channels: 3, height: 32, width: 32, pixels: Vec::new() },
        labels: Vec::new(),
    };
    for name in names {
        cifar10::append(&folder.join(name), &mut all)?;
    }
    Ok(all)
}

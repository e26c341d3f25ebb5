//! Where a data set is published: which files to download, from which addresses, and what is in them.

use std::path::Path;

use super::catalogue::Expected;
use super::checksum::is_right;

/// Everything to download for a data set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homes {
    /// The files as they are published.
    pub downloads: Vec<Download>,
}

/// A file as it is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub packing: Packing,
    /// Where to get it; the first that answers is used.
    pub addresses: Vec<String>,
}

/// How the files of a data set lie in a published file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// One file, plain or gzip.
    File(&'static Expected),
    /// A tar archive, gzip.
    Archive(&'static [Expected]),
}

/// What a tar archive adds to its files, a readme included, stays below this.
const BESIDE: u64 = 1 << 20;

impl Homes {
    /// The downloads that hold something which is not yet in the folder.
    pub fn missing(&self, folder: &Path) -> Vec<&Download> {
        self.downloads.iter().filter(|download| !download.missing(folder).is_empty()).collect()
    }
}

impl Download {
    /// A file with this name below each of the addresses, which end with `/`.
    pub fn new(name: &str, packing: Packing, below: &[&str]) -> Self {
        let addresses = below.iter().map(|address| format!("{address}{name}")).collect();
        Self { name: name.to_owned(), packing, addresses }
    }

    /// What it holds that is not in the folder with the right contents.
    pub fn missing(&self, folder: &Path) -> Vec<&'static Expected> {
        let files = self.packing.files().iter();
        files.filter(|expected| !is_right(&folder.join(expected.name), expected)).collect()
    }

    /// No honest copy has more bytes: nobody publishes a zipped file that is larger than what it holds.
    pub fn most_bytes(&self) -> u64 {
        self.packing.files().iter().map(|file| file.bytes).sum::<u64>() + BESIDE
    }
}

impl Packing {
    /// The files in it.
    pub fn files(self) -> &'static [Expected] {
        match self {
            Self::File(file) => std::slice::from_ref(file),
            Self::Archive(files) => files,
        }
    }
}

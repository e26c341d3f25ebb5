//! What can be wrong with a data file: always with its path and what was found.

use std::path::{Path, PathBuf};

/// A data file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct DataError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a data file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is a folder.
    #[error("is a folder, a file is needed")]
    IsFolder,
    /// It does not begin as it should.
    #[error("begins with {found:#010x}, a file of {what} begins with {expected:#010x}")]
    Magic {
        /// What it should hold.
        what: &'static str,
        /// How such a file begins.
        expected: u32,
        /// How this one begins.
        found: u32,
    },
    /// Its header promises more than any such file holds.
    #[error("promises {count} items of {height} x {width}: more than is believed without looking")]
    TooLarge {
        /// Items.
        count: u32,
        /// Rows of each.
        height: u32,
        /// Columns of each.
        width: u32,
    },
    /// There are fewer bytes than promised.
    #[error("holds {found} bytes where {expected} are promised: it was cut")]
    Truncated {
        /// Bytes promised.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// There are more bytes than promised.
    #[error("goes on after the {expected} bytes it should hold")]
    TooLong {
        /// Bytes promised.
        expected: u64,
    },
    /// A class that does not exist.
    #[error("item {index} has class {label}: there are classes 0 to 9")]
    BadLabel {
        /// Where.
        index: usize,
        /// What stands there.
        label: u8,
    },
    /// Images and labels do not belong together.
    #[error("holds {labels} labels for {images} images")]
    CountsDiffer {
        /// Images.
        images: usize,
        /// Labels.
        labels: usize,
    },
    /// The contents are not the published ones.
    #[error("has the SHA-256 {found}, the published file has {expected}: it is damaged or another file")]
    Checksum {
        /// As published.
        expected: String,
        /// As found.
        found: String,
    },
    /// A folder without one of the files that should be in it.
    #[error("holds neither {} nor {}", looked_for[0], looked_for[1])]
    NotInFolder {
        /// The file, and the published file it comes in.
        looked_for: [String; 2],
    },
    /// An archive without one of the files that should be in it.
    #[error("does not contain {name}")]
    NotInArchive {
        /// Which file.
        name: &'static str,
    },
}

impl Problem {
    pub(crate) fn at(self, path: &Path) -> DataError {
        DataError { path: path.to_owned(), problem: self }
    }
}

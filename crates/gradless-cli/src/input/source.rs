//! Where inputs come from: one file, a folder of them, or one file with many.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use gradless_paper::data::{self, Images};

use super::content::{self, Content};
use super::picture::Picture;
use super::{Space, array};

/// The endings of what is taken from a folder.
const ENDINGS: [&str; 4] = ["png", "jpg", "jpeg", "npy"];

/// One input or many.
#[derive(Debug)]
pub(crate) enum Source {
    /// A picture, or an array that is one input.
    One(PathBuf),
    /// The pictures and arrays of a folder, by name.
    Folder(Vec<PathBuf>),
    /// An IDX file, all of it.
    Images(PathBuf, Images),
    /// An array whose first axis counts inputs; they are read one by one.
    Arrays(PathBuf, usize),
}

impl Source {
    /// Looks at a path: a picture, an array (`.npy`) of one input or many, an IDX file of images (plain or zipped), or a
    /// folder of pictures and arrays. What is in a folder is judged when it is read.
    pub(crate) fn open(path: &Path, space: &Space) -> anyhow::Result<Self> {
        let look = || {
            if path.is_dir() {
                return folder(path);
            }
            match content::of_file(path)? {
                Content::Picture => Ok(Self::One(path.to_owned())),
                Content::Array => Ok(match array::count(path, space)? {
                    Some(count) => Self::Arrays(path.to_owned(), count),
                    None => Self::One(path.to_owned()),
                }),
                Content::Images => {
                    space.picture()?;
                    let images = data::images(path).map_err(|error| error.problem)?;
                    ensure!(images.count() > 0, "holds no images");
                    image(&images, 0, space)?;
                    Ok(Self::Images(path.to_owned(), images))
                }
            }
        };
        look().with_context(|| path.display().to_string())
    }

    /// Whether a folder holds a picture or an array.
    pub(crate) fn is_of_arrays(path: &Path) -> bool {
        folder(path).is_ok()
    }

    /// How many inputs there are; at least one.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Folder(paths) => paths.len(),
            Self::Images(_, images) => images.count(),
            Self::Arrays(_, count) => *count,
        }
    }

    /// Whether there may be several: a folder or a file of many, even if they hold one.
    pub(crate) fn is_many(&self) -> bool {
        !matches!(self, Self::One(_))
    }

    /// What to call an input: the name of its file, or its number in the file it shares (`00017`).
    pub(crate) fn name(&self, index: usize) -> String {
        let path = match self {
            Self::One(path) => Some(path),
            Self::Folder(paths) => paths.get(index),
            Self::Images(..) | Self::Arrays(..) => None,
        };
        match path.and_then(|path| path.file_name()) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => format!("{index:05}"),
        }
    }

    /// One input.
    pub(crate) fn read(&self, index: usize, space: &Space) -> anyhow::Result<Vec<f64>> {
        ensure!(index < self.len(), "there is no input {index}, only {}", self.len());
        let (path, numbers) = match self {
            Self::One(path) => return super::read(path, space),
            Self::Folder(paths) => return super::read(&paths[index], space),
            Self::Images(path, images) => (path, image(images, index, space)),
            Self::Arrays(path, _) => (path, array::item(path, index, space)),
        };
        numbers.with_context(|| format!("{}, input {}", path.display(), self.name(index)))
    }
}

fn folder(path: &Path) -> anyhow::Result<Source> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(path).context("cannot be read")? {
        let path = entry.context("cannot be read")?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let is_wanted = path
            .extension()
            .is_some_and(|found| ENDINGS.iter().any(|ending| found.eq_ignore_ascii_case(ending)));
        if is_wanted && !is_hidden && !path.is_dir() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        bail!(
            "holds no inputs: files ending in .{} were looked for, not in folders inside it",
            ENDINGS.join(", .")
        );
    }
    paths.sort();
    Ok(Source::Folder(paths))
}

fn image(images: &Images, index: usize, space: &Space) -> anyhow::Result<Vec<f64>> {
    Picture::grey(images.width, images.height, images.image(index))?.numbers(space)
}

#[cfg(test)]
mod tests;

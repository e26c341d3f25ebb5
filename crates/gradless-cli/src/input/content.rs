//! What a file holds, judged by how it begins and not by what it is called.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use image::ImageFormat;

use crate::npy;

/// What a file holds. Whether all of it is there is found while reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A PNG or JPEG picture.
    Picture,
    /// A NumPy array.
    Array,
    /// Many images: IDX, plain or zipped.
    Images,
}

/// What a file holds.
pub(super) fn of_file(path: &Path) -> anyhow::Result<Content> {
    let data = fs::metadata(path).context("cannot be read")?;
    ensure!(!data.is_dir(), "is a folder, a picture or an array (.npy) is needed");
    // A pipe would wait for whoever writes to it, and cannot be read twice.
    ensure!(data.is_file(), "is not a regular file");
    let mut begin = Vec::new();
    File::open(path).and_then(|file| file.take(16).read_to_end(&mut begin)).context("cannot be read")?;
    ensure!(!begin.is_empty(), "is empty");
    of_bytes(&begin, path)
}

fn of_bytes(begin: &[u8], path: &Path) -> anyhow::Result<Content> {
    let named = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    if begin.starts_with(npy::MAGIC) {
        return Ok(Content::Array);
    }
    // Two zeros and "unsigned byte", or gzip.
    if begin.starts_with(&[0, 0, 8]) || begin.starts_with(&[0x1f, 0x8b]) {
        return Ok(Content::Images);
    }
    match image::guess_format(begin) {
        Ok(ImageFormat::Png | ImageFormat::Jpeg) => Ok(Content::Picture),
        // What is called an array or a file of images is told what is wrong with it as such.
        _ if named("npy") || named("npz") => Ok(Content::Array),
        _ if named("idx3-ubyte") || path.to_string_lossy().ends_with("-idx3-ubyte") => Ok(Content::Images),
        Ok(other) => {
            let name = format!("{other:?}").to_uppercase();
            bail!("looks like a picture in the format {name}: PNG and JPEG are read, so save it as PNG")
        }
        Err(_) => bail!("is neither a PNG or JPEG picture nor an array (.npy), or it was damaged"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(begin: &[u8], name: &str) -> Result<Content, String> {
        of_bytes(begin, Path::new(name)).map_err(|error| error.to_string())
    }

    #[test]
    fn content_decides_whatever_the_name() {
        assert_eq!(of(b"\x89PNG\r\n\x1a\n", "x.npy"), Ok(Content::Picture));
        assert_eq!(of(b"\xff\xd8\xff\xe0", "x.png"), Ok(Content::Picture));
        assert_eq!(of(b"\x93NUMPY\x01\x00", "x.jpg"), Ok(Content::Array));
        assert_eq!(of(b"\x00\x00\x08\x03", "x"), Ok(Content::Images));
        assert_eq!(of(b"\x1f\x8b\x08\x00", "x.gz"), Ok(Content::Images));
        assert_eq!(of(b"text", "x.npy"), Ok(Content::Array));
        assert_eq!(of(b"text", "train-images-idx3-ubyte"), Ok(Content::Images));
    }

    #[test]
    fn other_formats_are_named() {
        for (begin, word) in [
            (b"GIF89a".as_slice(), "GIF"),
            (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "WEBP"),
            (b"BM\x00\x00", "BMP"),
            (b"text", "neither a PNG or JPEG"),
        ] {
            let told = of(begin, "x.png").unwrap_err();
            assert!(told.contains(word), "{told}");
        }
    }
}

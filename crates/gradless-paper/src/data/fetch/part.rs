//! A file that has arrived in part, with a note on where its beginning came from.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::data::{DataError, Problem};

/// No note is longer.
const LONGEST_NOTE: u64 = 1 << 14;

/// `<name>.download` and its note `<name>.download.from`.
pub(super) struct Part {
    path: PathBuf,
    note: PathBuf,
}

/// Where the beginning came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// The address that was asked.
    pub(super) address: String,
    /// What tells whether the file there is still the same: a strong ETag or the date of the last change.
    pub(super) validator: Option<String>,
    /// How long the whole is.
    pub(super) total: Option<u64>,
}

impl Part {
    pub(super) fn new(folder: &Path, name: &str) -> Self {
        Self {
            path: folder.join(format!("{name}.download")),
            note: folder.join(format!("{name}.download.from")),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that are there.
    pub(super) fn length(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |data| data.len())
    }

    /// What is known of the bytes that are there, if they came from this address.
    pub(super) fn note(&self, address: &str) -> Option<Note> {
        let mut text = String::new();
        File::open(&self.note).ok()?.take(LONGEST_NOTE).read_to_string(&mut text).ok()?;
        Note::read(&text).filter(|note| note.address == address)
    }

    /// Begins anew. The note is written last, so that it never speaks of bytes from elsewhere.
    pub(super) fn begin(&self, note: &Note) -> Result<File, DataError> {
        let _ = fs::remove_file(&self.note);
        let file = File::create(&self.path).map_err(|error| Problem::from(error).at(&self.path))?;
        self.write(note)?;
        Ok(file)
    }

    /// Goes on at the end.
    pub(super) fn go_on(&self) -> Result<File, DataError> {
        OpenOptions::new().append(true).open(&self.path).map_err(|error| Problem::from(error).at(&self.path))
    }

    /// Notes how long the whole turned out to be.
    pub(super) fn write(&self, note: &Note) -> Result<(), DataError> {
        fs::write(&self.note, note.text()).map_err(|error| Problem::from(error).at(&self.note))
    }

    /// Forgets all of it.
    pub(super) fn discard(&self) {
        // What cannot be removed is overwritten by the next attempt.
        let _ = fs::remove_file(&self.note);
        let _ = fs::remove_file(&self.path);
    }
}

impl Note {
    fn text(&self) -> String {
        let total = self.total.map(|total| total.to_string()).unwrap_or_default();
        format!("{}\n{}\n{total}\n", self.address, self.validator.as_deref().unwrap_or_default())
    }

    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (address, validator, total) = (lines.next()?, lines.next()?, lines.next()?);
        let validator = Some(validator.to_owned()).filter(|validator| !validator.is_empty());
        Some(Self { address: address.to_owned(), validator, total: total.parse().ok() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_reads_back_and_nonsense_does_not() {
        for validator in [None, Some("\"abc\"".to_owned())] {
            for total in [None, Some(7)] {
                let note = Note { address: "http://a/b".to_owned(), validator: validator.clone(), total };
                assert_eq!(Note::read(&note.text()), Some(note));
            }
        }
        assert_eq!(Note::read("http://a/b"), None);
    }
}

//! Reference values, computed once and kept in a file, one JSON object per line.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use bench::Fallible;
use serde::{Deserialize, Serialize};

use crate::run::Subject;
use crate::task::Task;

/// What a value depends on besides image and task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Circumstances {
    pub(crate) set: String,
    pub(crate) part: String,
    pub(crate) engine: String,
    /// SHA-256 of the network's file.
    pub(crate) model: String,
}

/// What a run that sets a target came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// $F$ at the last iterate.
    pub(crate) value: f64,
    /// Whether the class condition holds there.
    pub(crate) valid: bool,
}

/// A line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    circumstances: Circumstances,
    task: Task,
    /// The image's place in its part of the data set.
    image: usize,
    #[serde(flatten)]
    reference: Reference,
}

/// The file, open at its end, and what it holds for these circumstances.
pub(crate) struct References {
    circumstances: Circumstances,
    inner: Mutex<(File, Vec<Line>)>,
}

impl References {
    /// Reads what is there; a last line that was cut short is left behind and computed again.
    pub(crate) fn open(path: &Path, circumstances: Circumstances) -> Fallible<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let text = std::fs::read_to_string(path)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let lines = lines.filter(|line| line.circumstances == circumstances).collect();
        Ok(Self { circumstances, inner: Mutex::new((file, lines)) })
    }

    /// How many of them are known.
    pub(crate) fn known(&self, subjects: &[Subject]) -> Fallible<usize> {
        let mut known = 0;
        for subject in subjects {
            known += usize::from(self.find(subject)?.is_some());
        }
        Ok(known)
    }

    /// The value, from the file or computed and added to it.
    pub(crate) fn value(
        &self,
        subject: &Subject,
        compute: impl FnOnce() -> Fallible<Reference>,
    ) -> Fallible<Reference> {
        if let Some(reference) = self.find(subject)? {
            return Ok(reference);
        }
        let reference = compute()?;
        let Subject { task, image } = *subject;
        let line = Line { circumstances: self.circumstances.clone(), task, image: image.index, reference };
        let text = format!("{}\n", serde_json::to_string(&line)?);
        let mut inner = self.inner.lock().map_err(|_| "a thread panicked")?;
        inner.0.write_all(text.as_bytes())?;
        inner.1.push(line);
        Ok(reference)
    }

    fn find(&self, subject: &Subject) -> Fallible<Option<Reference>> {
        let inner = self.inner.lock().map_err(|_| "a thread panicked")?;
        let same = |line: &&Line| (line.task, line.image) == (subject.task, subject.image.index);
        Ok(inner.1.iter().find(same).map(|line| line.reference))
    }
}

#[cfg(test)]
mod tests {
    use gradless_paper::reproduce::Chosen;

    use super::*;

    #[test]
    fn values_are_computed_once_for_each_circumstance() {
        let path = std::env::temp_dir().join(format!("targets-references-{}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let of = |engine: &str| Circumstances {
            set: "mnist".into(),
            part: "tuning".into(),
            engine: engine.into(),
            model: "0".into(),
        };
        let subject = |task| Subject { task, image: Chosen { class: 3, rank: 0, index: 17 } };
        let value = |engine: &str, task, value: f64| {
            References::open(&path, of(engine))
                .unwrap()
                .value(&subject(task), || Ok(Reference { value, valid: true }))
                .unwrap()
                .value
        };
        assert_eq!(value("rten", Task::Pn, 1.0 / 3.0), 1.0 / 3.0);
        assert_eq!(value("rten", Task::Pn, 9.0), 1.0 / 3.0, "kept, to the bit");
        assert_eq!((value("rten", Task::Pp, 2.0), value("ort", Task::Pn, 4.0)), (2.0, 4.0));
        // Cut in the middle of the last line: that value is computed again, the others are still there.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        assert_eq!((value("ort", Task::Pn, 5.0), value("rten", Task::Pp, 6.0)), (5.0, 2.0));
        assert_eq!(value("ort", Task::Pn, 7.0), 5.0);
        std::fs::remove_file(&path).unwrap();
    }
}

//! Models as the studio asks them: pictures at once, rows and texts with the first of them.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use clap::Parser;
use gradless::{Inputs, Model};
use gradless_models::{Cell, Record, Wording};
use gradless_studio::{Classifier, Facts, Input, Models};

use super::Studio;
use crate::arguments::Arguments;
use crate::command::Command;
use crate::failure;
use crate::input::{self, Space};
use crate::model::{self, Loaded, ModelArguments, Waits};

/// Loads models as the command does.
pub(super) struct Loader;

impl Models for Loader {
    fn open(&self, words: &[String]) -> Result<Arc<dyn Classifier>, String> {
        let open = || -> anyhow::Result<Arc<dyn Classifier>> {
            let asked = model_arguments(words)?;
            match model::load_until(&asked, None, None, None) {
                Ok(loaded) => Ok(Arc::new(Pictures::new(loaded, asked.model.is_none()))),
                // What takes no array may take rows or texts, which tell how.
                Err(error) if asked.model.is_some() || !asked.program.is_empty() => {
                    if let Some(path) = asked.model.as_deref().filter(|_| asked.address().is_none()) {
                        std::fs::metadata(path).with_context(|| path.display().to_string())?;
                    }
                    Ok(Arc::new(Records { asked, error, known: Mutex::default() }))
                }
                Err(error) => Err(error),
            }
        };
        open().map_err(|error| failure::paragraph(&error))
    }
}

fn model_arguments(words: &[String]) -> anyhow::Result<ModelArguments> {
    let words = ["gradless", "studio"].into_iter().chain(words.iter().map(String::as_str));
    match Arguments::try_parse_from(words)?.command {
        Command::Studio(studio) => {
            let Studio { model, .. } = *studio;
            Ok(model)
        }
        _ => bail!("these words name no model"),
    }
}

/// A model of pictures and arrays.
struct Pictures {
    loaded: Loaded,
    space: Space,
    is_embedded: bool,
}

impl Pictures {
    fn new(loaded: Loaded, is_embedded: bool) -> Self {
        let (shape, description) = (loaded.onnx.shape().to_vec(), loaded.onnx.description());
        let resize = input::resize(None, description, &shape);
        let space = Space { range: description.range, shape, resize };
        Self { loaded, space, is_embedded }
    }
}

impl Classifier for Pictures {
    fn facts(&self) -> Facts {
        Facts {
            name: self.loaded.name.clone(),
            classes: self.loaded.class_names(),
            count: self.loaded.classes(),
            shape: self.space.shape.clone(),
            is_embedded: self.is_embedded,
        }
    }

    fn scores(&self, asked: Input<'_>) -> Result<Vec<f64>, String> {
        let scores = || -> anyhow::Result<Vec<f64>> {
            let Input::Picture(file) = asked else { bail!("{} takes pictures", self.loaded.name) };
            let numbers = input::decode(file, &self.space)?;
            let mut scores = vec![0.0; self.loaded.classes()];
            self.loaded.onnx.scores(Inputs { points: &numbers, dim: numbers.len() }, &mut scores)?;
            Ok(scores)
        };
        scores().map_err(|error| failure::paragraph(&error))
    }
}

/// A model of rows or texts, loaded with the first of them.
struct Records {
    asked: ModelArguments,
    /// Why it is none of pictures.
    error: anyhow::Error,
    known: Mutex<Option<(Vec<String>, Arc<Loaded>)>>,
}

impl Records {
    fn loaded(&self, columns: &[String], first: &Record) -> anyhow::Result<Arc<Loaded>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((for_columns, loaded)) = &*known
            && for_columns == columns
        {
            return Ok(Arc::clone(loaded));
        }
        let waits = Waits { in_flight: None, deadline: None, known: None };
        let loaded =
            Arc::new(model::load_records(&self.asked, columns, std::slice::from_ref(first), None, &waits)?);
        *known = Some((columns.to_vec(), Arc::clone(&loaded)));
        Ok(loaded)
    }
}

impl Classifier for Records {
    fn facts(&self) -> Facts {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.asked.model.as_ref().map(|path| path.display().to_string());
        let name = path.unwrap_or_else(|| {
            self.asked.program.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        });
        match &*known {
            Some((_, loaded)) => {
                Facts { name, classes: loaded.class_names(), count: loaded.classes(), ..Facts::default() }
            }
            None => Facts { name, ..Facts::default() },
        }
    }

    fn scores(&self, asked: Input<'_>) -> Result<Vec<f64>, String> {
        let scores = || -> anyhow::Result<Vec<f64>> {
            let (columns, record) = match asked {
                Input::Row(columns, cells) => (columns, Record::Row(cells.iter().map(|text| cell(text)).collect())),
                Input::Text(text) => (&[][..], Record::Text(text.to_owned())),
                Input::Picture(_) => bail!("this model takes no pictures: {:#}", self.error),
            };
            let loaded = self.loaded(columns, &record)?;
            let mut scores = vec![0.0; loaded.classes()];
            let wording = Always(record);
            let account = loaded.account(&[1], Some(&wording), None);
            account.scores(Inputs { points: &[0.0], dim: 1 }, &mut scores)?;
            Ok(scores)
        };
        scores().map_err(|error| failure::paragraph(&error))
    }
}

/// The same record, whatever the numbers.
struct Always(Record);

impl Wording for Always {
    fn record(&self, _: &[f64]) -> Record {
        self.0.clone()
    }
}

/// A cell as it is written.
fn cell(text: &str) -> Cell {
    match text.trim() {
        "" | "NA" | "NaN" | "nan" => Cell::Missing,
        text => match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => Cell::Whole(whole),
            (_, Ok(number)) => Cell::Number(number),
            _ => Cell::Text(text.to_owned()),
        },
    }
}

//! Models as the studio asks them: pictures at once, rows and texts with the first of them.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{anyhow, bail};
use clap::Parser;
use gradless::{Inputs, Model};
use gradless_models::{Cell, LoadError, Problem, Record, Wording};
use gradless_studio::{Classifier, Facts, Input, Models, Seen};

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
                Ok(loaded) => {
                    let pictures = Pictures::new(loaded);
                    Ok(Arc::new(Chosen { asked, pictures: Ok(pictures), records: Mutex::default() }))
                }
                // What takes no array may take rows or texts, which tell how.
                Err(error) if may_take_records(&asked, &error) => {
                    Ok(Arc::new(Chosen { asked, pictures: Err(error), records: Mutex::default() }))
                }
                Err(error) => Err(error),
            }
        };
        open().map_err(|error| failure::paragraph(&error))
    }
}

/// Whether a model that takes no arrays is one at all.
fn may_take_records(asked: &ModelArguments, error: &anyhow::Error) -> bool {
    if asked.address().is_some() {
        return model::wants_a_shape(error);
    }
    match error.downcast_ref::<LoadError>().map(|error| &error.problem) {
        Some(problem) => matches!(problem, Problem::Inputs { .. } | Problem::InputType { .. }),
        // A program may want to see a record first.
        None => asked.model.is_none(),
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

/// A model, asked about pictures, and about rows and texts from the first of them on.
struct Chosen {
    asked: ModelArguments,
    /// The model of pictures, or why it is none.
    pictures: anyhow::Result<Pictures>,
    records: Mutex<Option<(Vec<String>, Arc<Loaded>)>>,
}

/// A model of pictures and arrays.
struct Pictures {
    loaded: Loaded,
    space: Space,
}

impl Pictures {
    fn new(loaded: Loaded) -> Self {
        let (shape, description) = (loaded.onnx.shape().to_vec(), loaded.onnx.description());
        let resize = input::resize(None, description, &shape);
        let space = Space { range: description.range, shape, resize };
        Self { loaded, space }
    }

    fn scores(&self, file: &[u8]) -> anyhow::Result<Vec<f64>> {
        let numbers = input::decode(file, &self.space)?;
        let mut scores = vec![0.0; self.loaded.classes()];
        self.loaded.onnx.scores(Inputs { points: &numbers, dim: numbers.len() }, &mut scores)?;
        Ok(scores)
    }

    fn seen(&self, file: &[u8]) -> anyhow::Result<Seen> {
        let numbers = input::decode(file, &self.space)?;
        let [channels, rows, columns] = self.space.shape[..] else { bail!("the model takes no pictures") };
        let [low, high] = self.space.range;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
        let byte = |number: f64| (255.0 * (number - low) / (high - low)).round().clamp(0.0, 255.0) as u8;
        let plane = rows * columns;
        let rgb = (0..plane).flat_map(|at| {
            let numbers = &numbers;
            (0..3).map(move |colour| byte(numbers[at + plane * if channels == 3 { colour } else { 0 }]))
        });
        Ok(Seen { columns: u32::try_from(columns)?, rows: u32::try_from(rows)?, rgb: rgb.collect() })
    }
}

impl Chosen {
    fn pictures(&self) -> anyhow::Result<&Pictures> {
        self.pictures.as_ref().map_err(|error| anyhow!("this model takes no pictures: {error:#}"))
    }

    /// The model for records with these columns.
    fn records(&self, columns: &[String], first: &Record) -> anyhow::Result<Arc<Loaded>> {
        let mut known = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((for_columns, loaded)) = &*known
            && for_columns == columns
        {
            return Ok(Arc::clone(loaded));
        }
        let waits = Waits { in_flight: None, deadline: None, known: None };
        let first = std::slice::from_ref(first);
        let loaded = Arc::new(model::load_records(&self.asked, columns, first, None, &waits)?);
        *known = Some((columns.to_vec(), Arc::clone(&loaded)));
        Ok(loaded)
    }

    fn record_scores(&self, columns: &[String], record: Record) -> anyhow::Result<Vec<f64>> {
        let loaded = self.records(columns, &record)?;
        let mut scores = vec![0.0; loaded.classes()];
        let wording = Always(record);
        let account = loaded.account(&[1], Some(&wording), None);
        account.scores(Inputs { points: &[0.0], dim: 1 }, &mut scores)?;
        Ok(scores)
    }
}

impl Classifier for Chosen {
    fn facts(&self) -> Facts {
        let known = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |name: String, loaded: &Loaded| Facts {
            name,
            classes: loaded.class_names(),
            count: loaded.classes(),
            is_embedded: self.asked.model.is_none() && self.asked.program.is_empty(),
            ..Facts::default()
        };
        match (&self.pictures, &*known) {
            (Ok(Pictures { loaded, space }), _) => {
                Facts { shape: space.shape.clone(), range: space.range, ..of(loaded.name.clone(), loaded) }
            }
            (_, Some((_, loaded))) => of(loaded.name.clone(), loaded),
            _ => {
                let program = self.asked.program.iter().map(|word| word.to_string_lossy().into_owned());
                let path = self.asked.model.iter().map(|path| path.display().to_string());
                Facts { name: path.chain(program).collect::<Vec<_>>().join(" "), ..Facts::default() }
            }
        }
    }

    fn scores(&self, asked: Input<'_>) -> Result<Vec<f64>, String> {
        let scores = match asked {
            Input::Picture(file) => self.pictures().and_then(|pictures| pictures.scores(file)),
            Input::Row(columns, cells) => {
                self.record_scores(columns, Record::Row(cells.iter().map(|text| cell(text)).collect()))
            }
            Input::Text(text) => self.record_scores(&[], Record::Text(text.to_owned())),
        };
        scores.map_err(|error| failure::paragraph(&error))
    }

    fn seen(&self, picture: &[u8]) -> Result<Seen, String> {
        let seen = self.pictures().and_then(|pictures| pictures.seen(picture));
        seen.map_err(|error| failure::paragraph(&error))
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

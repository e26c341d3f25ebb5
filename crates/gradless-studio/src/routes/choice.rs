//! Which model is asked: that of the command line, a file that is sent, or an address.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::Deserialize;

use super::{App, Failure, Told, apart, ending, name, parse, read_input, told};
use crate::folder::{self, Folder, Name};
use crate::model::{Classifier, Models};

/// The longest address.
const LONGEST: usize = 2_000;

/// The model that is asked, and who loads another.
pub(crate) struct Choice {
    models: Arc<dyn Models>,
    /// That of the command line.
    first: Chosen,
    chosen: Mutex<Chosen>,
}

/// A model, and the words of the command line that name it.
#[derive(Clone)]
pub(super) struct Chosen {
    pub(super) words: Vec<String>,
    pub(super) classifier: Arc<dyn Classifier>,
}

impl Choice {
    /// The model that these words name.
    ///
    /// # Errors
    ///
    /// Why it cannot be loaded, for people.
    pub(crate) fn new(models: Arc<dyn Models>, words: Vec<String>) -> Result<Self, String> {
        let classifier = models.open(&words)?;
        let first = Chosen { words, classifier };
        Ok(Self { models, chosen: Mutex::new(first.clone()), first })
    }

    pub(super) fn now(&self) -> Chosen {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it is that of the command line.
    pub(super) fn is_first(&self) -> bool {
        self.now().words == self.first.words
    }

    fn set(&self, chosen: Chosen) {
        *self.chosen.lock().unwrap_or_else(PoisonError::into_inner) = chosen;
    }

    fn change(&self, words: Vec<String>) -> Result<(), Failure> {
        let refused = |error| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error);
        let classifier = self.models.open(&words).map_err(refused)?;
        self.set(Chosen { words, classifier });
        Ok(())
    }
}

/// A file with a model. Its description and the names of its classes were sent before, as inputs are.
#[derive(Deserialize)]
pub(super) struct Sent {
    name: String,
    description: Option<String>,
    classes: Option<String>,
}

/// Takes a model that is sent.
pub(super) async fn file(
    State(app): State<Arc<App>>,
    Query(sent): Query<Sent>,
    body: Bytes,
) -> Result<axum::Json<Told>, Failure> {
    if ending(&sent.name) != Some("onnx") {
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a model is an ONNX file (.onnx)"));
    }
    let told = apart(move || {
        let folder = &app.runs.folder;
        let text = |file: &String| {
            let bytes = read_input(&app, &name(file)?)?;
            let no_text = |_| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "a description is a text");
            String::from_utf8(bytes).map_err(no_text)
        };
        let description = sent.description.as_ref().map(text).transpose()?;
        let classes = sent.classes.as_deref().map(name).transpose()?;
        let kept = folder.keep_model(&folder::stem(&sent.name), &body, description.as_deref());
        let kept = kept.map_err(|error| Failure::new(StatusCode::INSUFFICIENT_STORAGE, error.to_string()))?;
        let chosen = app.choice.change(words(folder, &kept, classes.as_ref()));
        if chosen.is_err() {
            folder.drop_model(&kept);
        }
        chosen.map(|()| told(&app))
    });
    Ok(axum::Json(told.await?))
}

fn words(folder: &Folder, model: &Name, classes: Option<&Name>) -> Vec<String> {
    let mut words = vec![format!("--model={}", folder.model(model).display())];
    words.extend(classes.map(|file| format!("--classes={}", folder.input(file).display())));
    words
}

/// Goes back to the model of the command line.
pub(super) async fn first(State(app): State<Arc<App>>) -> axum::Json<Told> {
    app.choice.set(app.choice.first.clone());
    axum::Json(told(&app))
}

/// Where a service is, and the shape of its inputs if they are pictures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    address: String,
    #[serde(default)]
    shape: Vec<u32>,
}

impl Service {
    /// The words that name it; nothing of the request becomes a word of its own.
    fn words(&self) -> Result<Vec<String>, &'static str> {
        let Self { address, shape } = self;
        let is_address = ["http://", "https://"].iter().any(|scheme| address.starts_with(scheme));
        let is_plain = |c: char| {
            c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
        };
        if !is_address || address.len() > LONGEST || !address.chars().all(is_plain) {
            return Err("an address begins with http:// or https:// and has no spaces");
        }
        if !(shape.is_empty() || shape.len() == 3) {
            return Err("the shape of a picture is three numbers: channels, rows, columns");
        }
        let mut words = vec![format!("--model={address}")];
        if !shape.is_empty() {
            let shape: Vec<String> = shape.iter().map(u32::to_string).collect();
            words.push(format!("--shape={}", shape.join(",")));
        }
        Ok(words)
    }
}

/// Takes a model behind an address, as `--model http://…` does.
pub(super) async fn address(State(app): State<Arc<App>>, body: Bytes) -> Result<axum::Json<Told>, Failure> {
    let service: Service = parse(&body)?;
    let words = service.words().map_err(|error| Failure::new(StatusCode::UNPROCESSABLE_ENTITY, error))?;
    let told = apart(move || app.choice.change(words).map(|()| told(&app)));
    Ok(axum::Json(told.await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(json: &str) -> Result<Vec<String>, &'static str> {
        serde_json::from_str::<Service>(json).unwrap().words()
    }

    #[test]
    fn an_address_becomes_one_word() {
        let expected = ["--model=http://127.0.0.1:8000/v1?x=1", "--shape=1,28,28"];
        let asked = r#"{"address": "http://127.0.0.1:8000/v1?x=1", "shape": [1, 28, 28]}"#;
        assert_eq!(words(asked).unwrap(), expected);
        for wrong in [
            r#"{"address": "file:///etc/passwd"}"#,
            r#"{"address": "M.onnx"}"#,
            r#"{"address": "--out=/tmp"}"#,
            r#"{"address": "http://a b"}"#,
            r#"{"address": "http://a\n--force"}"#,
            r#"{"address": "http://a", "shape": [1, 28]}"#,
        ] {
            assert!(words(wrong).is_err(), "{wrong}");
        }
    }
}

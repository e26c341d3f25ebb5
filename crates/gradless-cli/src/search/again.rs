//! A run that goes on: the words it was called with, and where.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::model::{EngineName, ModelArguments};
use crate::run::Overrides;

/// A run that goes on.
pub(crate) struct Again {
    folder: PathBuf,
    config: Value,
    change: Overrides,
}

impl Again {
    /// The run in a folder, from where it was begun.
    pub(crate) fn new(folder: &Path, config: Value, change: Overrides) -> anyhow::Result<Self> {
        if change.timeout.is_some() {
            bail!("--timeout is for runs of `gradless minimize`");
        }
        config["arguments"].as_array().context("its configuration lacks the words it was called with")?;
        let folder = folder.canonicalize().context("its folder cannot be found")?;
        let again = Self { folder, config, change };
        let home = again.home().context("its configuration lacks the folder it was called in")?;
        std::env::set_current_dir(home)
            .with_context(|| format!("{home}, where it was begun, is not there any more"))?;
        Ok(again)
    }

    fn home(&self) -> Option<&str> {
        self.config["directory"].as_str()
    }

    /// The words it was called with, the name of the program first.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let words = self.config["arguments"].as_array().into_iter().flatten().filter_map(Value::as_str);
        std::iter::once("gradless").chain(words)
    }

    /// Puts in place of what was said what is to be different from now on, and the engine that was used.
    pub(crate) fn change(
        &self,
        model: &mut ModelArguments,
        threads: &mut Option<usize>,
        max_seconds: &mut Option<f64>,
    ) {
        *threads = self.change.threads.or(*threads);
        *max_seconds = self.change.max_seconds.or(*max_seconds);
        // The bits of a run are those of one engine.
        let engine = self.config["model"]["engine"].as_str().and_then(EngineName::recorded);
        model.engine = engine.unwrap_or(model.engine);
        model.max_sent = self.change.max_sent.or(model.max_sent);
    }

    /// What was known of the model.
    pub(super) fn known(&self) -> &Value {
        &self.config["model"]["known"]
    }

    /// The folder, told as it was when the run was begun.
    pub(super) fn shown(&self, out: Option<&Path>) -> PathBuf {
        let folder = &self.folder;
        let named = out.filter(|out| out.canonicalize().is_ok_and(|out| out == *folder)).map(Path::to_owned);
        let home = || Path::new(self.home()?).canonicalize().ok();
        let below = || folder.strip_prefix(home()?).ok().map(Path::to_owned);
        named.or_else(below).unwrap_or_else(|| folder.clone())
    }
}

//! `gradless explain`: what is enough for a class, and what small change would alter it.

mod agreement;
mod arguments;
mod drawing;
mod folder;
mod many;
mod record;
mod settings;
mod subject;
mod words;

pub(crate) use arguments::Explain;
pub(crate) use folder::{ITEMS, configuration, fresh, put};
pub(crate) use record::SCHEMA;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use gradless::drive::{Journal, JournalOptions, Outlives, Repeats};
use gradless::{Model, PerCoordinate};
use gradless_explain::Mode;
use serde_json::json;

use super::Outcome;
use crate::input::{self, Source, Space};
use crate::interrupt;
use crate::model;
use crate::terminal::{self, Searching, Terminal};
use folder::Prepared;
use record::Record;
use settings::Settings;
use subject::{Explained, Job};

/// A run that takes longer is announced.
const LONG: Duration = Duration::from_secs(10);

impl Explain {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        self.explain(None, None, terminal)
    }

    /// Goes on in the folder of a run that was begun with these words; `known` is what its service told of itself then.
    pub(crate) fn resume(
        self,
        folder: PathBuf,
        known: &serde_json::Value,
        terminal: &Terminal,
    ) -> anyhow::Result<Outcome> {
        self.explain(Some(folder), Some(known), terminal)
    }

    fn explain(
        self,
        resumed: Option<PathBuf>,
        known: Option<&serde_json::Value>,
        terminal: &Terminal,
    ) -> anyhow::Result<Outcome> {
        interrupt::flag();
        let mut job = self.job(known)?;
        let space = self.space(&job);
        let source = self.input.as_deref().map(|path| Source::open(path, &space)).transpose()?;
        let config = self.config(&job);
        match source {
            Some(source) if source.is_many() => {
                let path = match resumed {
                    Some(path) => path,
                    None => folder::prepare(self.out.as_deref(), self.force, &config, true)?.path,
                };
                many::run(&job, &source, &space, &path, self.threads(&job), terminal)
            }
            source => {
                let (name, input) = match source {
                    Some(source) => (source.name(0), source.read(0, &space)?),
                    None => ("5.png".to_owned(), input::digit(&space)?),
                };
                let folder = match resumed {
                    Some(path) => Prepared::again(path),
                    None => folder::prepare(self.out.as_deref(), self.force, &config, false)?,
                };
                job.journal = Some(self.journal(&job, &input, &folder)?);
                self.one(&job, &name, input, &folder, terminal)
                    .map_err(|error| given_up(&job, &folder, error))
            }
        }
    }

    /// Explains one input.
    fn one(
        &self,
        job: &Job,
        name: &str,
        input: Vec<f64>,
        folder: &Prepared,
        terminal: &Terminal,
    ) -> anyhow::Result<Outcome> {
        let look = job.look(&input)?;
        if let Some(warning) = look.answers.warning() {
            terminal::say(&format!("note: {warning}"));
        }
        let threads = u32::try_from(self.threads(job)).unwrap_or(1);
        announce(look.per_question / threads, job.settings.questions(1), job.settings.max_queries);
        let bar = Searching::new();
        let explained = job.explain(name, input, look, self.threads(job), &|mode, progress| {
            bar.at(mode_name(mode), progress.queries, progress.budget, progress.best);
        })?;
        drop(bar);
        folder.settle(&self.config(job))?;
        let folder = &folder.path;
        let cut_off = explained.cases.len() < job.settings.modes.len()
            || explained.cases.iter().any(|found| subject::was_cut_off(&found.stop_reason));
        let records = folder::write(folder, job, &explained, &command())?;
        let human = human(job, &explained, &records, folder);
        match &records[..] {
            [record] if job.settings.modes.len() == 1 => terminal.result(&human, record)?,
            records => terminal.result(&human, &records)?,
        }
        match &job.journal {
            Some(_) if cut_off => {
                terminal::say(&format!("go on with `gradless resume {}`", folder.display()));
            }
            Some(journal) => journal.end().context("the end of the run cannot be written")?,
            None => (),
        }
        let all = records.len() == job.settings.modes.len() && records.iter().all(|record| record.valid);
        Ok(if all { Outcome::Done } else { Outcome::NotFound })
    }

    fn job(&self, known: Option<&serde_json::Value>) -> anyhow::Result<Job> {
        if self.max_seconds.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
            bail!("--max-seconds must be a positive number");
        }
        let deadline = self.max_seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        let loaded = model::load_until(&self.model, self.threads, deadline, known)?;
        let channels = match *loaded.onnx.shape() {
            [channels, _, _] => channels,
            _ => 1,
        };
        let settings = Settings::new(self, channels, loaded.onnx.description().range)?;
        let [low, high] = loaded.onnx.description().range;
        let target = self.target.as_deref().map(|target| class(&loaded.onnx, target)).transpose()?;
        if target.is_some() && settings.modes == [Mode::PertinentPositive] {
            bail!("--target is for changes: a part of the input keeps its class. Ask with --mode pn");
        }
        let mut job = Job {
            loaded,
            settings,
            lower: low.into(),
            upper: high.into(),
            background: 0.0_f64.clamp(low, high).into(),
            frozen: Vec::new(),
            target,
            deadline,
            journal: None,
        };
        if let Some(grid) = job.grid() {
            // What 8 bits cannot hold would not be absent in a saved picture.
            job.background = grid.nearest(0.0_f64.clamp(low, high)).into();
        }
        let space = self.space(&job);
        let read = |flag: &str, text: &Option<String>| -> anyhow::Result<Option<PerCoordinate>> {
            let read = text.as_deref().map(|text| input::number_or_file(text, &space)).transpose();
            read.with_context(|| format!("--{flag}"))
        };
        job.lower = read("lower", &self.lower)?.unwrap_or(job.lower);
        job.upper = read("upper", &self.upper)?.unwrap_or(job.upper);
        job.background = read("background", &self.background)?.unwrap_or(job.background);
        if let Some(path) = &self.freeze {
            job.frozen = input::mask(path, &space).context("--freeze")?;
        }
        Ok(job)
    }

    fn space(&self, job: &Job) -> Space {
        let onnx = &job.loaded.onnx;
        Space { shape: onnx.shape().to_vec(), range: onnx.description().range, resize: self.resize }
    }

    fn threads(&self, job: &Job) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.or(job.loaded.onnx.in_flight()).unwrap_or_else(cores).max(1)
    }

    /// The journal of a run about one input.
    fn journal(&self, job: &Job, input: &[f64], folder: &Prepared) -> anyhow::Result<Journal> {
        let mut config = self.config(job);
        folder::forget_call(&mut config);
        // Its words are in the hash of the model; how often and how fast it is asked may change.
        config["model"]["http"] = serde_json::Value::Null;
        config["input_sha256"] = record::input_hash(input).into();
        let fingerprint = model::digest(&serde_json::to_vec(&config).context("the settings are not JSON")?);
        // A model on this machine answers faster than its disk syncs, and costs nothing to ask again.
        let is_local = job.loaded.onnx.is_local();
        let options = JournalOptions {
            repeats: Repeats::Remember,
            outlives: if is_local { Outlives::Kill } else { Outlives::PowerLoss },
            max_sent: self.model.max_sent,
            ..JournalOptions::default()
        };
        let journal = Journal::open(folder.journal(), fingerprint, job.loaded.onnx.classes(), options)?;
        let found = journal.recovered();
        let first = job.loaded.onnx.first_sent();
        if found.sent == 0 && first > 0 {
            // The journal counts for every start, and its cap holds over all of them.
            journal.repeating(first)?;
        }
        if found.sent > 0 {
            terminal::say(&format!(
                "goes on: {} answers are known, {} inputs were sent",
                found.answers, found.sent
            ));
        }
        Ok(journal)
    }

    /// All that is needed to repeat the run.
    fn config(&self, job: &Job) -> serde_json::Value {
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let mut config = json!({
            "schema": record::SCHEMA,
            "version": env!("CARGO_PKG_VERSION"),
            "command": command(),
            "arguments": arguments(),
            "directory": std::env::current_dir().ok(),
            "model": {
                "path": shown(&self.model.model),
                "sha256": job.loaded.sha256,
                "engine": job.loaded.onnx.engine(),
                "description": job.loaded.onnx.description(),
            },
            "input": shown(&self.input),
            "resize": self.resize,
            "settings": job.settings,
            "target": job.target,
            "freeze": shown(&self.freeze),
            "background": self.background,
            "lower": self.lower,
            "upper": self.upper,
            "numbers_sha256": job.numbers_sha256(),
        });
        if let Some(how) = job.loaded.onnx.asked_how() {
            config["model"]["http"] = how;
            config["model"]["known"] = job.loaded.onnx.known().into();
        }
        config
    }
}

/// Says what a long run will take before it is paid for.
fn announce(per_question: Duration, questions: u64, queries: u64) {
    let time = per_question.saturating_mul(u32::try_from(questions).unwrap_or(u32::MAX));
    let queries = questions.saturating_mul(queries);
    if time >= LONG {
        terminal::say(&format!(
            "up to {queries} queries, at most about {}; Ctrl-C keeps the best so far",
            terminal::duration(time)
        ));
    }
}

/// A class by its name or number.
fn class(onnx: &model::BlackBox, target: &str) -> anyhow::Result<usize> {
    let classes = onnx.classes();
    let named = (0..classes).find(|&class| onnx.class_name(class) == target);
    let numbered = || target.parse().ok().filter(|&class: &usize| class < classes);
    named.or_else(numbered).with_context(|| {
        let names: Vec<String> = (0..classes.min(20)).map(|class| onnx.class_name(class)).collect();
        let more = if classes > 20 { ", …" } else { "" };
        format!(
            "there is no class '{target}'; there are {}{more} (or numbers from 0 to {})",
            names.join(", "),
            classes - 1
        )
    })
}

pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::PertinentPositive => "pp",
        Mode::PertinentNegative => "pn",
    }
}

/// The command that repeats the run, quoted for a shell.
pub(crate) fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=+:%@".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words = crate::arguments::typed().map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("gradless".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The words of the command, if they can be written down.
fn arguments() -> Option<Vec<String>> {
    std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect()
}

/// Why a run came to nothing: what it has paid for is kept.
fn given_up(job: &Job, folder: &Prepared, error: anyhow::Error) -> anyhow::Error {
    if subject::is_refusal(&error) || job.journal.as_ref().is_none_or(|journal| journal.sent() == 0) {
        folder::abandon(folder);
        return error;
    }
    let folder = folder.path.display();
    anyhow::anyhow!("{error:#}\nwhat was answered so far is kept; go on with `gradless resume {folder}`")
}

/// The result as people read it.
fn human(job: &Job, explained: &Explained, records: &[Record], folder: &Path) -> String {
    let mut lines = Vec::new();
    if let Some(first) = explained.cases.first() {
        let class = words::class_name(job, first.answer.original_class);
        lines.push(format!("{}: {} says {class}", explained.name, job.loaded.name));
    }
    let facts = drawing::model(job, explained);
    let told: Vec<String> = facts[3..].iter().map(|(name, value)| format!("{name} {value}")).collect();
    lines.push(format!("({})", told.join("; ")));
    for (found, record) in explained.cases.iter().zip(records) {
        lines.push(String::new());
        lines.push(format!("{}  {}", mode_name(record.mode), record.sentence));
        lines.push(format!(
            "    margin {} (noise floor {:.1e}), l1 {:.2}, {} queries, {}, {}",
            words::margin(record.margin),
            explained.floor.margin,
            record.norm_l1,
            record.queries,
            terminal::duration(Duration::from_secs_f64(record.seconds)),
            words::minimal(found.answer.minimal),
        ));
        if let Some(hint) = words::hint(found) {
            lines.push(format!("    {hint}"));
        }
        if let Some(agreement) = &found.agreement {
            lines.push(format!("    {}", agreement.sentence()));
        }
    }
    lines.push(String::new());
    lines.push(format!("look at {}", folder.join("report.html").display()));
    terminal::lines(&lines)
}

//! What `explain` and `attack` share: a model that is asked about one input or many, and what is written of that.

mod again;
mod company;
mod cut;
mod folder;
mod job;
mod many;
mod page;
mod regions;
mod settings;
mod told;

pub(crate) use again::Again;
pub(crate) use company::Invited;
pub(crate) use cut::into_regions;
pub(crate) use gradless_explain::answer::SCHEMA;
pub(crate) use settings::{Given, Settings};

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use gradless::drive::{Journal, JournalOptions, Outlives, Repeats};
use gradless::{Model, PerCoordinate};
use gradless_explain::session::was_cut_off;
use gradless_explain::{Background, Declared, Partition};
use gradless_models::ScoreKind;
use serde_json::{Value, json};

use crate::input::{self, ResizeWord, Source, Space};
use crate::model::{self, ModelArguments};
use crate::run::words::{arguments, command};
use crate::run::{Outcome, clock, interrupt};
use crate::terminal::{self, Searching, Terminal};
use company::Company;
use cut::Cut;
use folder::Prepared;
use job::{Job, input_hash, is_refusal};

/// A run that takes longer is announced.
const LONG: Duration = Duration::from_secs(10);

/// What a command says of the model, the input and the run, whatever it asks.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The name of the command: new folders are called by it.
    pub(crate) name: &'static str,
    pub(crate) model: &'a ModelArguments,
    pub(crate) input: &'a Option<PathBuf>,
    pub(crate) resize: Option<ResizeWord>,
    pub(crate) target: Option<&'a str>,
    /// What of the input can be left out or changed, if that was said.
    pub(crate) features: Option<&'a str>,
    pub(crate) freeze: &'a Option<PathBuf>,
    pub(crate) absent: &'a Option<String>,
    pub(crate) lower: &'a Option<String>,
    pub(crate) upper: &'a Option<String>,
    /// Who is asked beside the model.
    pub(crate) invited: Invited<'a>,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) threads: Option<usize>,
    pub(crate) out: Option<&'a Path>,
    pub(crate) force: bool,
    /// Whether pictures of how an answer formed are written.
    pub(crate) frames: bool,
    /// What is asked of such a model, and how it is searched.
    pub(crate) settings: &'a dyn Fn(Given<'_>) -> anyhow::Result<Settings>,
}

impl Call<'_> {
    /// Asks, searches and writes; in the folder of an earlier run if it goes on.
    pub(crate) fn run(&self, again: Option<&Again>, terminal: &Terminal) -> anyhow::Result<Outcome> {
        interrupt::flag();
        let mut job = self.job(again.map(Again::known))?;
        let space = self.space(&job);
        let source = self.input.as_deref().map(|path| Source::open(path, &space)).transpose()?;
        let config = self.config(&job);
        let resumed = again.map(|again| again.shown(self.out));
        match source {
            Some(source) if source.is_many() => {
                let path = match resumed {
                    Some(path) => path,
                    None => folder::prepare(self.name, self.out, self.force, &config, true)?.path,
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
                    None => folder::prepare(self.name, self.out, self.force, &config, false)?,
                };
                job.journal = Some(self.journal(&job, &input, &folder)?);
                self.one(&job, &name, input, &folder, terminal)
                    .map_err(|error| given_up(&job, &folder, error))
            }
        }
    }

    /// Asks about one input.
    fn one(
        &self,
        job: &Job,
        name: &str,
        input: Vec<f64>,
        prepared: &Prepared,
        terminal: &Terminal,
    ) -> anyhow::Result<Outcome> {
        let subject = job.look(name, input)?;
        if let Some(warning) = subject.look.scores.warning() {
            terminal::say(&format!("note: {warning}"));
        }
        let threads = self.threads(job);
        let per_question = subject.per_question / u32::try_from(threads).unwrap_or(1);
        announce(per_question, job.settings.searches(1), job.settings.options.max_queries);
        let bar = Searching::new();
        let mut explained = job.explain(subject, threads, &|progress| {
            bar.at(progress.question.name(), progress.queries, progress.budget, progress.best);
        })?;
        drop(bar);
        prepared.settle(&self.config(job))?;
        let folder = &prepared.path;
        folder::write(folder, job, &mut explained, &command())?;
        let answers = &explained.answers;
        terminal.result(&told::human(job, &explained, folder), &folder::told(job, answers))?;
        let all = job.settings.are_answered(answers);
        match &job.journal {
            Some(_) if !all || answers.iter().any(|answer| was_cut_off(&answer.stop_reason)) => {
                terminal::say(&format!("go on with `gradless resume {}`", folder.display()));
            }
            Some(journal) => journal.end().context("the end of the run cannot be written")?,
            None => (),
        }
        let found = all && answers.iter().all(|answer| answer.valid);
        Ok(if found { Outcome::Done } else { Outcome::NotFound })
    }

    fn job(&self, known: Option<&Value>) -> anyhow::Result<Job> {
        let deadline = clock::deadline(self.max_seconds)?;
        let loaded = model::load_until(self.model, self.threads, deadline, known)?;
        let target = self.target.map(|target| class(&loaded.onnx, target)).transpose()?;
        let range @ [low, high] = loaded.onnx.description().range;
        let declared = match loaded.onnx.score_kind() {
            ScoreKind::Auto => Declared::Nothing,
            ScoreKind::Logits => Declared::Logits,
            ScoreKind::Probabilities => Declared::Probabilities,
        };
        let settings = (self.settings)(Given { shape: loaded.onnx.shape(), range, declared, target })?;
        if target.is_some() && settings.options.questions.iter().all(|question| question.target().is_none()) {
            bail!(
                "--target is for changes: a part of the input keeps its class. Ask with --question change, or with --question contrast \
                 what speaks for its class and against the target"
            );
        }
        let mut job = Job {
            loaded,
            settings,
            lower: low.into(),
            upper: high.into(),
            background: 0.0_f64.clamp(low, high).into(),
            frozen: Vec::new(),
            cut: Cut::default(),
            frames: self.frames,
            resize: None,
            company: Company::default(),
            deadline,
            journal: None,
        };
        if let Some(grid) = job.grid() {
            // What 8 bits cannot hold would not be absent in a saved picture.
            job.background = grid.nearest(0.0_f64.clamp(low, high)).into();
        }
        let space = self.space(&job);
        job.resize = space.resize;
        let read = |flag: &str, text: &Option<String>| -> anyhow::Result<Option<PerCoordinate>> {
            let read = text.as_deref().map(|text| input::number_or_file(text, &space)).transpose();
            read.with_context(|| format!("--{flag}"))
        };
        job.lower = read("lower", self.lower)?.unwrap_or(job.lower);
        job.upper = read("upper", self.upper)?.unwrap_or(job.upper);
        job.cut = Cut::of(self.features, self.absent.as_deref(), &job.settings, &space)?;
        if let Some(Background::Values(values)) = &job.cut.absent {
            job.background = values.clone();
        }
        if let Some(path) = self.freeze {
            job.frozen = input::mask(path, &space).context("--freeze")?;
        }
        job.company = Company::new(&self.invited, &job.loaded, &space)?;
        Ok(job)
    }

    fn space(&self, job: &Job) -> Space {
        let onnx = &job.loaded.onnx;
        let (shape, description) = (onnx.shape().to_vec(), onnx.description());
        let resize = input::resize(self.resize, description, &shape);
        Space { shape, range: description.range, resize }
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
        config["model"]["http"] = Value::Null;
        config["input_sha256"] = input_hash(input).into();
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
    fn config(&self, job: &Job) -> Value {
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let mut config = json!({
            "schema": SCHEMA,
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
            "input": shown(self.input),
            "resize": self.resize,
            "settings": job.settings,
            "freeze": shown(self.freeze),
            "absent": self.absent,
            "regions": job.cut.partition.as_ref().map(Partition::words),
            "examples": job.company.examples_sha256(),
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

/// Why a run came to nothing: what it has paid for is kept.
fn given_up(job: &Job, folder: &Prepared, error: anyhow::Error) -> anyhow::Error {
    if is_refusal(&error) || job.journal.as_ref().is_none_or(|journal| journal.sent() == 0) {
        folder::abandon(folder);
        return error;
    }
    let folder = folder.path.display();
    anyhow::anyhow!("{error:#}\nwhat was answered so far is kept; go on with `gradless resume {folder}`")
}

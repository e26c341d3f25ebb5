//! `gradless explain`: what is enough for a class, and what small change would alter it.

mod arguments;
mod company;
mod folder;
mod job;
mod many;
mod page;
mod settings;

pub(crate) use arguments::Explain;
pub(super) use gradless_explain::answer::SCHEMA;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Parser;
use gradless::drive::{Journal, JournalOptions, Outlives, Repeats};
use gradless::{Model, PerCoordinate};
use gradless_explain::answer::margin_text;
use gradless_explain::session::was_cut_off;
use gradless_explain::{Answer, Declared};
use gradless_models::ScoreKind;
use serde_json::{Value, json};

use super::{Command, Outcome};
use crate::arguments::Arguments;
use crate::input::{self, Source, Space};
use crate::model;
use crate::run::words::{arguments, command};
use crate::run::{Overrides, clock, interrupt};
use crate::terminal::{self, Searching, Terminal};
use company::Company;
use folder::Prepared;
use job::{Explained, Job, input_hash, is_refusal};
use settings::{Given, Settings};

/// A run that takes longer is announced.
const LONG: Duration = Duration::from_secs(10);

impl Explain {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        self.explain(None, None, terminal)
    }

    fn explain(
        self,
        resumed: Option<PathBuf>,
        known: Option<&Value>,
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
        terminal.result(&human(job, &explained, folder), &folder::told(job, answers))?;
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
        let loaded = model::load_until(&self.model, self.threads, deadline, known)?;
        let target = self.target.as_deref().map(|target| class(&loaded.onnx, target)).transpose()?;
        let range @ [low, high] = loaded.onnx.description().range;
        let declared = match loaded.onnx.score_kind() {
            ScoreKind::Auto => Declared::Nothing,
            ScoreKind::Logits => Declared::Logits,
            ScoreKind::Probabilities => Declared::Probabilities,
        };
        let settings = Settings::new(self, Given { shape: loaded.onnx.shape(), range, declared, target })?;
        if target.is_some() && settings.options.questions.iter().all(|question| question.target().is_none()) {
            bail!("--target is for changes: a part of the input keeps its class. Ask with --question change");
        }
        let mut job = Job {
            loaded,
            settings,
            lower: low.into(),
            upper: high.into(),
            background: 0.0_f64.clamp(low, high).into(),
            frozen: Vec::new(),
            company: Company::default(),
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
        job.background = read("absent", &self.absent)?.unwrap_or(job.background);
        if let Some(path) = &self.freeze {
            job.frozen = input::mask(path, &space).context("--freeze")?;
        }
        job.company = Company::invited(self, &job.loaded, &space)?;
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
            "input": shown(&self.input),
            "resize": self.resize,
            "settings": job.settings,
            "freeze": shown(&self.freeze),
            "absent": self.absent,
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

/// Goes on with a run: the same words, in the folder where they were said first.
pub(super) fn resume(
    folder: &Path,
    config: &Value,
    change: Overrides,
    terminal: &Terminal,
) -> anyhow::Result<Outcome> {
    if change.timeout.is_some() {
        bail!("--timeout is for runs of `gradless minimize`");
    }
    let words =
        config["arguments"].as_array().context("its configuration lacks the words it was called with")?;
    let words = words.iter().filter_map(Value::as_str);
    let home = config["directory"].as_str().context("its configuration lacks the folder it was called in")?;
    let folder = folder.canonicalize().context("its folder cannot be found")?;
    std::env::set_current_dir(home)
        .with_context(|| format!("{home}, where it was begun, is not there any more"))?;
    let Ok(Arguments { command: Command::Explain(mut asked), .. }) =
        Arguments::try_parse_from(std::iter::once("gradless").chain(words))
    else {
        bail!("it was called with words that this version does not know");
    };
    asked.threads = change.threads.or(asked.threads);
    asked.max_seconds = change.max_seconds.or(asked.max_seconds);
    // The bits of a run are those of one engine.
    let engine = config["model"]["engine"].as_str().and_then(model::EngineName::recorded);
    asked.model.engine = engine.unwrap_or(asked.model.engine);
    asked.model.max_sent = change.max_sent.or(asked.model.max_sent);
    // Told as it was when the run was begun.
    let named = asked.out.clone().filter(|out| out.canonicalize().is_ok_and(|out| out == folder));
    let below = || folder.strip_prefix(Path::new(home).canonicalize().ok()?).ok().map(Path::to_owned);
    let shown = named.or_else(below).unwrap_or_else(|| folder.clone());
    asked.explain(Some(shown), Some(&config["model"]["known"]), terminal)
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

/// The result as people read it.
fn human(job: &Job, explained: &Explained, folder: &Path) -> String {
    let mut lines = Vec::new();
    if let Some(Answer { original, .. }) = explained.answers.first() {
        let class = if original.name == original.class.to_string() {
            format!("class {}", original.name)
        } else {
            format!("\"{}\"", original.name)
        };
        lines.push(format!("{}: {} says {class}", explained.name, job.loaded.name));
    }
    let facts = page::model(job, explained);
    let told: Vec<String> = facts[3..].iter().map(|(name, value)| format!("{name} {value}")).collect();
    lines.push(format!("({})", told.join("; ")));
    for answer in &explained.answers {
        lines.push(String::new());
        lines.push(format!("{}: {}", answer.question.name(), answer.sentence));
        lines.push(format!(
            "    margin {} (noise floor {:.1e}), l1 {:.2}, {} queries, {}, {}",
            margin_text(answer.margin),
            answer.noise_floor,
            answer.norm_l1,
            answer.queries,
            terminal::duration(Duration::from_secs_f64(answer.seconds)),
            answer.minimal.sentence(),
        ));
        lines.extend(answer.stability.iter().map(|survival| format!("    {}", survival.sentence())));
        lines.extend(answer.second_opinions.iter().map(|opinion| {
            let says = |class: usize| job.loaded.onnx.class_name(class);
            format!(
                "    {} says {} (of the input: {})",
                opinion.model,
                says(opinion.answer),
                says(opinion.original)
            )
        }));
        lines.extend(answer.hint.iter().map(|hint| format!("    {hint}")));
        lines.extend(answer.agreement.iter().map(|agreement| format!("    {}", agreement.sentence())));
    }
    lines.push(String::new());
    lines.push(format!("look at {}", folder.join("report.html").display()));
    terminal::lines(&lines)
}

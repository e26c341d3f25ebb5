//! What `explain` and `attack` share: a model that is asked about one input or many, and what is written of that.

mod again;
mod company;
mod folder;
mod inputs;
mod job;
mod many;
mod page;
mod regions;
mod settings;
mod told;

pub(crate) use again::Again;
pub(crate) use company::Invited;
pub(crate) use gradless_explain::answer::SCHEMA;
pub(crate) use inputs::{TextArguments, into_regions};
pub(crate) use settings::{Given, Settings};

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use gradless::drive::{Journal, JournalOptions, Outlives, Repeats};
use gradless_explain::session::was_cut_off;
use gradless_explain::{Confidence, Declared, Disturbance};
use gradless_models::{Record, ScoreKind};
use serde_json::{Value, json};

use crate::input::ResizeWord;
use crate::model::{self, Loaded, ModelArguments, Waits};
use crate::run::words::{arguments, command};
use crate::run::{Outcome, clock, interrupt};
use crate::table::TableArguments;
use crate::terminal::{self, Live, Searching, Terminal};
use company::Company;
use folder::Prepared;
use inputs::{Arrays, Inputs, Item};
use job::{Job, is_refusal};

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
    /// A mask; of a table or a text, names of columns or words.
    pub(crate) freeze: &'a Option<String>,
    pub(crate) absent: &'a Option<String>,
    pub(crate) lower: &'a Option<String>,
    pub(crate) upper: &'a Option<String>,
    /// What is said of a table, or of a text.
    pub(crate) table: &'a TableArguments,
    pub(crate) text: &'a TextArguments,
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
        let config = self.config(&job);
        let resumed = again.map(|again| again.shown(self.out));
        if job.inputs.is_many() {
            let path = match resumed {
                Some(path) => path,
                None => folder::prepare(self.name, self.out, self.force, &config, true)?.path,
            };
            return many::run(&job, &path, self.threads(&job), terminal);
        }
        let item = job.read(0)?;
        let folder = match resumed {
            Some(path) => Prepared::again(path),
            None => folder::prepare(self.name, self.out, self.force, &config, false)?,
        };
        job.journal = Some(self.journal(&job, &item, &folder)?);
        self.one(&job, item, &folder, terminal).map_err(|error| given_up(&job, &folder, error))
    }

    /// Asks about one input.
    fn one(
        &self,
        job: &Job,
        item: Item,
        prepared: &Prepared,
        terminal: &Terminal,
    ) -> anyhow::Result<Outcome> {
        let subject = job.look(&job.inputs.name(0), item)?;
        if let Some(warning) = subject.look.scores.warning() {
            terminal::say(&format!("note: {warning}"));
        }
        let threads = self.threads(job);
        let per_question = subject.per_question / u32::try_from(threads).unwrap_or(1);
        announce(per_question, job.settings.searches(1), job.settings.options.max_queries);
        let bar = Searching::new();
        let live = Live::of(&prepared.path);
        let mut explained = job.explain(subject, threads, &|progress| {
            live.at(progress);
            bar.at(progress.question.name(), progress.queries, progress.budget, progress.best);
        })?;
        drop((bar, live));
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
        let records = Inputs::of_records(self)?;
        let loaded = if let Some(inputs) = &records {
            self.model_of_records(inputs, deadline, known)?
        } else {
            self.refuse_for_arrays()?;
            model::load_until(self.model, self.threads, deadline, known)?
        };
        let target = self.target.map(|target| class(&loaded, target)).transpose()?;
        let declared = match loaded.onnx.score_kind() {
            _ if loaded.threshold.is_some() => Declared::Logits,
            ScoreKind::Auto => Declared::Nothing,
            ScoreKind::Logits => Declared::Logits,
            ScoreKind::Probabilities => Declared::Probabilities,
        };
        let (shape, range) = match records {
            // Columns and words are measured in units of their own.
            Some(_) => (&[][..], [0.0, 1.0]),
            None => (loaded.onnx.shape(), loaded.onnx.description().range),
        };
        let mut settings = (self.settings)(Given { shape, range, declared, target })?;
        if target.is_some() && settings.options.questions.iter().all(|question| question.target().is_none()) {
            bail!(
                "--target is for changes: a part of the input keeps its class. Ask with --question change, or with --question contrast \
                 what speaks for its class and against the target"
            );
        }
        if loaded.threshold.is_some() && settings.options.confidence.is_none() {
            // Beyond the threshold is what was asked.
            settings.options.confidence = Some(Confidence::CLASS_ALONE);
        }
        let inputs = match records {
            Some(inputs) => inputs,
            None => Inputs::Arrays(Box::new(Arrays::open(self, &loaded, &settings)?)),
        };
        let company = match &inputs {
            Inputs::Arrays(arrays) => Company::new(&self.invited, &loaded, &arrays.space)?,
            Inputs::Rows(_) | Inputs::Texts(_) => Company::default(),
        };
        Ok(Job { loaded, settings, inputs, frames: self.frames, company, deadline, journal: None })
    }

    /// The model that is asked about records, of which it sees the first.
    fn model_of_records(
        &self,
        inputs: &Inputs,
        deadline: Option<Instant>,
        known: Option<&Value>,
    ) -> anyhow::Result<Loaded> {
        let first = inputs.read(0, Disturbance::of(&[]))?.record();
        let waits = Waits { in_flight: self.threads, deadline, known };
        let first: Vec<Record> = first.into_iter().collect();
        model::load_records(self.model, inputs.columns(), &first, self.table.threshold, &waits)
    }

    /// Refuses what is for arrays alone.
    fn refuse_for_records(&self, what: &str) -> anyhow::Result<()> {
        let Invited { examples, autoencoder, second_opinion, .. } = self.invited;
        for (flag, is_given) in [
            ("resize", self.resize.is_some()),
            ("features", self.features.is_some()),
            ("frames", self.frames),
            ("lower", self.lower.is_some()),
            ("upper", self.upper.is_some()),
            ("absent", self.absent.is_some()),
            ("examples", examples.is_some()),
            ("autoencoder", autoencoder.is_some()),
            ("second-opinion", !second_opinion.is_empty()),
        ] {
            if is_given {
                let instead = if flag == "examples" { " (rows like this one are --data)" } else { "" };
                bail!("--{flag} is for pictures and arrays; --input is {what}{instead}");
            }
        }
        Ok(())
    }

    /// Refuses what is for tables alone.
    fn refuse_for_arrays(&self) -> anyhow::Result<()> {
        let TableArguments {
            data,
            row,
            drop,
            categories,
            increase,
            decrease,
            allow,
            rule,
            cost,
            threshold,
            ..
        } = self.table;
        for (flag, is_given) in [
            ("data", data.is_some()),
            ("row", row.is_some()),
            ("drop", !drop.is_empty()),
            ("categories", !categories.is_empty()),
            ("increase", !increase.is_empty()),
            ("decrease", !decrease.is_empty()),
            ("allow", !allow.is_empty()),
            ("rule", !rule.is_empty()),
            ("cost", !cost.is_empty()),
            ("threshold", threshold.is_some()),
        ] {
            if is_given {
                bail!("--{flag} is for tables: give one with --input rows.csv");
            }
        }
        Ok(())
    }

    fn threads(&self, job: &Job) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.or(job.loaded.onnx.in_flight()).unwrap_or_else(cores).max(1)
    }

    /// The journal of a run about one input.
    fn journal(&self, job: &Job, item: &Item, folder: &Prepared) -> anyhow::Result<Journal> {
        let mut config = self.config(job);
        folder::forget_call(&mut config);
        // Its words are in the hash of the model; how often and how fast it is asked may change.
        config["model"]["http"] = Value::Null;
        config["input_sha256"] = item.sha256().into();
        let fingerprint = model::digest(&serde_json::to_vec(&config).context("the settings are not JSON")?);
        // A model on this machine answers faster than its disk syncs, and costs nothing to ask again.
        let is_local = job.loaded.onnx.is_local();
        let options = JournalOptions {
            repeats: Repeats::Remember,
            outlives: if is_local { Outlives::Kill } else { Outlives::PowerLoss },
            max_sent: self.model.max_sent,
            ..JournalOptions::default()
        };
        let journal = Journal::open(folder.journal(), fingerprint, job.loaded.classes(), options)?;
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
                "threshold": job.loaded.threshold,
            },
            "input": shown(self.input),
            "resize": self.resize,
            "settings": job.settings,
            "freeze": self.freeze,
            "absent": self.absent,
            "regions": job.inputs.partition(),
            "examples": job.company.examples_sha256(),
            "lower": self.lower,
            "upper": self.upper,
            "numbers_sha256": job.inputs.sha256(),
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
fn class(loaded: &Loaded, target: &str) -> anyhow::Result<usize> {
    let classes = loaded.classes();
    let named = (0..classes).find(|&class| loaded.class_name(class) == target);
    let numbered = || target.parse().ok().filter(|&class: &usize| class < classes);
    named.or_else(numbered).with_context(|| {
        let names: Vec<String> = (0..classes.min(20)).map(|class| loaded.class_name(class)).collect();
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

//! `gradless resume`: goes on with a run that was killed or stopped, without asking for an answer twice.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Parser};
use serde_json::Value;

use super::minimize::{self, Overrides};
use super::{Command, Outcome, explain};
use crate::arguments::Arguments;
use crate::terminal::Terminal;

const EXAMPLES: &str = "\
Examples:
  gradless resume run1
  gradless resume run1 --max-sent 20000     the cap was reached, and more may be spent

Every answer in the journal of the folder is used again, and none of them is asked for again: the result is the one that the
run would have had without the interruption, bit for bit. What was sent and not answered when it was killed is sent again and
counts as sent again.
";

/// Goes on with a run that was killed or stopped; no answer is asked for twice
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Resume {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Points that may be sent in all, those sent before included; instead of the run's
    #[arg(long, value_name = "N")]
    max_sent: Option<u64>,

    /// Ends the run after so many seconds from now; instead of the run's
    #[arg(long, value_name = "S")]
    max_seconds: Option<f64>,

    /// Programs that run side by side, instead of the run's
    #[arg(long, visible_alias = "threads", value_name = "N")]
    processes: Option<usize>,

    /// A program that takes longer for an answer is killed and replaced; instead of the run's
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,
}

impl Resume {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let path = explain::configuration(&self.folder);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is not the folder of a run: {} cannot be read", self.folder.display(), path.display())
        })?;
        let config: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged: the run cannot be resumed", path.display()))?;
        match config["schema"].as_str() {
            Some(minimize::SCHEMA) => {
                let change = Overrides {
                    max_sent: self.max_sent,
                    max_seconds: self.max_seconds,
                    processes: self.processes,
                    timeout: self.timeout,
                };
                minimize::resume(&self.folder, change, terminal)
            }
            Some(explain::SCHEMA) => self
                .explain(&config, terminal)
                .with_context(|| format!("the run in {}", self.folder.display())),
            _ => bail!("{} is not of a run that can be resumed", path.display()),
        }
    }

    /// Goes on with an explanation: the same words, in the folder where they were said first.
    fn explain(&self, config: &Value, terminal: &Terminal) -> anyhow::Result<Outcome> {
        if self.timeout.is_some() {
            bail!("--timeout is for runs of `gradless minimize`");
        }
        let words =
            config["arguments"].as_array().context("its configuration lacks the words it was called with")?;
        let words = words.iter().filter_map(Value::as_str);
        let home =
            config["directory"].as_str().context("its configuration lacks the folder it was called in")?;
        let folder = self.folder.canonicalize().context("its folder cannot be found")?;
        std::env::set_current_dir(home)
            .with_context(|| format!("{home}, where it was begun, is not there any more"))?;
        let Ok(Arguments { command: Command::Explain(mut asked), .. }) =
            Arguments::try_parse_from(std::iter::once("gradless").chain(words))
        else {
            bail!("it was called with words that this version does not know");
        };
        asked.threads = self.processes.or(asked.threads);
        asked.max_seconds = self.max_seconds.or(asked.max_seconds);
        asked.model.max_sent = self.max_sent.or(asked.model.max_sent);
        // Told as it was when the run was begun.
        let named = asked.out.clone().filter(|out| out.canonicalize().is_ok_and(|out| out == folder));
        let below = || folder.strip_prefix(Path::new(home).canonicalize().ok()?).ok().map(Path::to_owned);
        let shown = named.or_else(below).unwrap_or_else(|| folder.clone());
        asked.resume(shown, &config["model"]["known"], terminal)
    }
}

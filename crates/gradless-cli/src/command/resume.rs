//! `gradless resume`: goes on with a run that was killed or stopped, without asking for an answer twice.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde_json::Value;

use crate::run::{Overrides, folder};

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
    pub(super) folder: PathBuf,

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
    /// The configuration the run was begun with.
    pub(super) fn config(&self) -> anyhow::Result<Value> {
        let path = folder::configuration(&self.folder);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("{} is not the folder of a run: {} cannot be read", self.folder.display(), path.display())
        })?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged: the run cannot be resumed", path.display()))
    }

    /// What is to be different from now on.
    pub(super) fn overrides(&self) -> Overrides {
        let Self { max_sent, max_seconds, processes, timeout, .. } = *self;
        Overrides { max_sent, max_seconds, threads: processes, timeout }
    }
}

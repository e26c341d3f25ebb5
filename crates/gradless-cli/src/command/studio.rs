//! `gradless studio`: a local page on which searches are begun and watched.

mod model;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use gradless_studio as studio;
use serde_json::json;

use super::Outcome;
use crate::arguments;
use crate::model::ModelArguments;
use crate::run::interrupt;
use crate::terminal::{self, PROGRESS, Terminal};
use model::Loader;

const EXAMPLES: &str = "\
Examples:
  gradless studio                                draw a digit, and watch what a network sees in it
  gradless studio --model M.onnx --classes labels.txt     drop a photograph, a table or a text on the page
  gradless studio --folder runs --port 8000 --no-open     on a server: ssh -L 8000:127.0.0.1:8000 SERVER

The page shows every run in the folder, whether it was begun there or by `gradless explain --out`. A search on the page is such a command:
it has the same numbers and files, and the page shows its words. It goes on when the page is closed, and when the studio
ends; a search that is killed goes on from its journal when the studio is started again. GRADLESS_STUDIO_TOKEN in the environment (16
letters or more) keeps the address the same.
";

/// The folder of runs where none is named.
const FOLDER: &str = "gradless-out";
/// Options of the studio itself that take a value; the others name the model.
const OWN: [&str; 4] = ["--folder", "--port", "--host", "--format"];
/// How often Ctrl-C is looked at.
const GLANCE: Duration = Duration::from_millis(50);

/// Opens a local page to draw on, to explain your model with, and to watch runs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Studio {
    #[command(flatten)]
    pub(super) model: ModelArguments,

    /// The folder of the runs; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = FOLDER, help_heading = "The studio")]
    folder: PathBuf,

    /// The port [default: any that is free]
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "The studio"
    )]
    port: u16,

    /// Where it listens. Other machines reach it only if this says so; then only the token in the address keeps them out
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", help_heading = "The studio")]
    host: IpAddr,

    /// Print the address, and open no browser
    #[arg(long, help_heading = "The studio")]
    no_open: bool,
}

impl Studio {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let interrupted = interrupt::flag();
        let model = model_words(arguments::typed().filter_map(|word| word.to_str().map(str::to_owned)));
        let bound = studio::Studio {
            folder: self.folder,
            address: SocketAddr::new(self.host, self.port),
            token: std::env::var("GRADLESS_STUDIO_TOKEN").ok(),
            program: arguments::program(),
            progress: PROGRESS,
            models: Arc::new(Loader),
            model,
        }
        .bind()?;
        let url = bound.url();
        terminal.result(&format!("the studio is at {url}"), &json!({ "url": url }))?;
        match bound.continued() {
            0 => (),
            1 => terminal::say("one search that was killed goes on"),
            more => terminal::say(&format!("{more} searches that were killed go on")),
        }
        terminal::say("Ctrl-C ends the studio; searches go on without it");
        if !self.no_open {
            open(&url);
        }
        bound.serve(async move {
            while !interrupted.load(Ordering::Relaxed) {
                studio::pause(GLANCE).await;
            }
        })?;
        Ok(Outcome::Done)
    }
}

/// The words that name the model: all that are typed but those of the studio itself.
fn model_words(typed: impl Iterator<Item = String>) -> Vec<String> {
    let mut words = Vec::new();
    let (mut skips, mut is_program, mut seen) = (false, false, false);
    for word in typed {
        is_program |= word == "--";
        let own = OWN.iter().find(|own| word == **own || word.starts_with(&format!("{own}=")));
        match own {
            _ if is_program => words.push(word),
            _ if skips => skips = false,
            Some(own) => skips = word == **own,
            None if word == "--no-open" => (),
            None if word == "studio" && !seen => seen = true,
            None => words.push(word),
        }
    }
    words
}

/// Opens the page in a browser, if there is one; the address is printed anyway.
fn open(url: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let quiet = || Stdio::null();
    let _ = Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_model_are_all_but_those_of_the_studio() {
        for (typed, expected) in [
            ("studio", ""),
            ("studio --port 8000 --no-open --folder=runs", ""),
            (
                "--format json studio --model M.onnx --host 127.0.0.1 --classes l.txt",
                "--model M.onnx --classes l.txt",
            ),
            ("studio --folder studio -- python model.py --port 3", "-- python model.py --port 3"),
        ] {
            let words = model_words(typed.split_whitespace().map(str::to_owned));
            assert_eq!(words.join(" "), expected, "{typed}");
        }
    }
}

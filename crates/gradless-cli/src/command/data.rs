//! `gradless data`: brings a data set into a folder, every file checked, or says what to put where; and the networks of the paper's
//! authors.

mod authors;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
#[cfg(feature = "paper")]
use gradless_paper::data::fetch::{Event, Limits, fetch};
use gradless_paper::data::{DataSet, Download, Installed, install};
use serde::Serialize;

use super::Outcome;
use crate::failure;
use crate::terminal::Terminal;
#[cfg(feature = "paper")]
use crate::terminal::{Progress, say};

const EXAMPLES: &str = "\
Examples:
  gradless data mnist                               into data/mnist
  gradless data cifar10 --dir /big/disk             into /big/disk/cifar10
  gradless data mnist --from ~/Downloads            from a folder with the files, plain or .gz
  gradless data cifar10 --from cifar-10-binary.tar.gz
  gradless data authors --from highdimzo            the networks of the paper's authors, from a copy of their repository

Every file is checked against its published SHA-256 before it gets its name. What is already there and right is
left alone, so an interrupted command can simply be given again.
";

/// Brings MNIST, CIFAR-10 or the networks of the paper's authors into a folder, each file checked
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Data {
    /// What to bring
    #[arg(value_name = "mnist|cifar10|authors")]
    set: What,

    /// The folder that gets a subfolder `mnist`, `cifar10` or `authors`
    #[arg(long, default_value = "data")]
    dir: PathBuf,

    /// Take the files from this folder, or from this published archive, instead of fetching them
    #[arg(long, value_name = "DIR|FILE")]
    from: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// 70,000 handwritten digits, 28 x 28, grey: 53 MB
    Mnist,
    /// 60,000 small photographs, 32 x 32, colour: 176 MB
    Cifar10,
    /// LeNet and ResNet20 of the paper's authors as ONNX files, from their own parameter files; and which images they used
    Authors,
}

/// The result as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Report<'a> {
    data_set: &'static str,
    folder: &'a Path,
    brought: &'a [&'static str],
    present: &'a [&'static str],
}

impl Data {
    pub(crate) fn run(self, terminal: &Terminal) -> anyhow::Result<Outcome> {
        let set = match self.set {
            What::Mnist => DataSet::Mnist,
            What::Cifar10 => DataSet::Cifar10,
            What::Authors => return authors::bring(&self.dir, self.from.as_deref(), terminal),
        };
        let folder = self.dir.join(set.name());
        let installed = match &self.from {
            Some(from) => install(set, from, &folder)
                .with_context(|| format!("{} cannot be taken from {}", set.title(), from.display()))?,
            None => obtain(set, &folder).map_err(|error| by_hand(set, &self.dir, &folder, &error))?,
        };
        terminal.result(&sentence(set, &installed), &report(set, &installed))?;
        Ok(Outcome::Done)
    }
}

/// What people put into the folder by hand is taken; the rest would have to be fetched.
#[cfg(not(feature = "paper"))]
fn obtain(set: DataSet, folder: &Path) -> anyhow::Result<Installed> {
    install(set, folder, folder).context("this build does not fetch")
}

#[cfg(feature = "paper")]
fn obtain(set: DataSet, folder: &Path) -> anyhow::Result<Installed> {
    let mut progress = Progress::new();
    let mut watch = |event: Event<'_>| match event {
        Event::Received { file, bytes, total } => progress.received(file, bytes, total),
        Event::Retrying { address, reason, pause } => {
            let seconds = pause.as_secs_f64();
            progress.above(|| say(&format!("{address}: {reason}; trying again in {seconds:.0} s")));
        }
        Event::GivenUp { address, reason } => {
            progress.above(|| say(&format!("{address}: {reason}; trying the next home")));
        }
        Event::Unusable { error } => progress.above(|| say(&format!("{error}; fetching it"))),
        _ => {}
    };
    Ok(fetch(&set.homes(), folder, &Limits::default(), &mut watch)?)
}

fn sentence(set: DataSet, installed: &Installed) -> String {
    let (title, folder) = (set.title(), installed.folder.display());
    let checked = "checked against the published SHA-256";
    match (installed.brought.len(), installed.present.len()) {
        (0, present) => format!("{title} was already in {folder}: {present} files, {checked}."),
        (brought, 0) => format!("{title} is in {folder}: {brought} files, {checked}."),
        (brought, present) => {
            format!("{title} is in {folder}: {brought} files brought, {present} were there, {checked}.")
        }
    }
}

fn report(set: DataSet, installed: &Installed) -> Report<'_> {
    let Installed { folder, brought, present } = installed;
    Report { data_set: set.name(), folder, brought, present }
}

/// What failed, and which files to get from where and to put where.
fn by_hand(set: DataSet, dir: &Path, folder: &Path, error: &anyhow::Error) -> anyhow::Error {
    let (title, name, reason) = (set.title(), set.name(), failure::paragraph(error));
    let dir = if dir == Path::new("data") { String::new() } else { format!(" --dir {}", dir.display()) };
    let folder_shown = folder.display();
    let mut lines = vec![
        format!("{title} is not complete in {folder_shown}: {reason}."),
        "Get what is missing by hand:".to_owned(),
    ];
    let addresses = |download: &Download| format!("  {}", download.addresses.join("\n    or "));
    lines.extend(set.homes().missing(folder).into_iter().map(addresses));
    lines.push(format!("Put it into {folder_shown} as it is, still zipped, and give this command again."));
    lines.push(format!("Or take it from where you have it: gradless data {name}{dir} --from DIR"));
    if cfg!(not(feature = "paper")) {
        lines.push(format!("A build that fetches: cargo run --release --features paper -- data {name}{dir}"));
    }
    anyhow!(lines.join("\n"))
}

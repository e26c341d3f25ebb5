//! Many inputs: side by side, one line each, failures first in the summary; what is done already is not done again.

mod robustness;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use gradless_explain::Question;
use gradless_explain::session::was_cut_off;
use gradless_report::{IndexEntry, Page, index_html};
use serde::Serialize;
use serde_json::Value;

use super::job::{Job, Subject};
use super::{SCHEMA, announce, folder};
use crate::failure;
use crate::run::folder::{ITEMS, RESULT, pretty, put};
use crate::run::words::command;
use crate::run::{Outcome, clock, interrupt};
use crate::terminal::{self, Items, Live, Terminal};
use robustness::{Robustness, fragile_first};

/// Explains all inputs of a source.
pub(super) fn run(job: &Job, folder: &Path, threads: usize, terminal: &Terminal) -> anyhow::Result<Outcome> {
    let batch = Batch { job, folder };
    let (mut entries, todo) = batch.done_before();
    let all = job.inputs.len();
    if todo.len() < all {
        let done = all - todo.len();
        terminal::say(&format!("{done} of {all} inputs were explained before"));
    }
    let threads = threads.clamp(1, todo.len().max(1));
    let first = batch.first_look(&todo);
    batch.announce(first.as_ref(), &todo, threads);
    batch.work_off(first, &todo, threads, &mut entries);
    let named = |entry: &Option<IndexEntry>| entry.is_some();
    let missing = entries.iter().filter(|entry| !named(entry)).count();
    let mut entries: Vec<IndexEntry> = entries.into_iter().flatten().collect();
    fragile_first(&mut entries);
    put(&folder.join("index.html"), index_html(&entries).as_bytes())?;
    let summary = Summary::new(job, &entries, missing, folder);
    put(&folder.join(RESULT), &pretty(&summary)?)?;
    terminal.result(&summary.human(&entries), &summary)?;
    let valid = |entry: &IndexEntry| {
        entry.outcomes.len() >= job.settings.options.questions.len() && entry.outcomes.iter().all(|o| o.valid)
    };
    if !entries.is_empty() && entries.iter().all(|entry| entry.error.is_some()) {
        anyhow::bail!(
            "none of the {} inputs could be explained; the first: {}",
            entries.len(),
            entries[0].error.as_deref().unwrap_or_default()
        );
    }
    Ok(if missing == 0 && entries.iter().all(valid) { Outcome::Done } else { Outcome::NotFound })
}

struct Batch<'a> {
    job: &'a Job,
    folder: &'a Path,
}

/// How the search of an earlier run ended.
enum Finish {
    Whole,
    /// By Ctrl-C or the clock: it would have gone on.
    CutOff,
}

impl Batch<'_> {
    /// What an earlier run has left, and what is still to do: inputs that were not begun, then those that were cut off.
    fn done_before(&self) -> (Vec<Option<IndexEntry>>, Vec<usize>) {
        let (mut entries, mut fresh, mut cut_off) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..self.job.inputs.len() {
            let saved = self.saved(index);
            match &saved {
                None => fresh.push(index),
                Some((_, Finish::CutOff)) => cut_off.push(index),
                Some((_, Finish::Whole)) => (),
            }
            entries.push(saved.map(|(entry, _)| entry));
        }
        fresh.append(&mut cut_off);
        (entries, fresh)
    }

    /// The row of an input that was explained before. The record is written last: without it the input is done again.
    fn saved(&self, index: usize) -> Option<(IndexEntry, Finish)> {
        let name = self.job.inputs.name(index);
        let place = self.folder.join(ITEMS).join(&name);
        let record: Value = serde_json::from_slice(&fs::read(place.join(RESULT)).ok()?).ok()?;
        let first = record.get(0).unwrap_or(&record);
        // Another input under the same name is another input.
        let item = self.job.read(index).ok()?;
        if first["input_sha256"] != item.sha256() {
            return None;
        }
        let page: Page = serde_json::from_slice(&fs::read(place.join("report.json")).ok()?).ok()?;
        let is_cut_off = page.answers.iter().any(|answer| was_cut_off(&answer.stop_reason));
        let finish = if is_cut_off { Finish::CutOff } else { Finish::Whole };
        self.job.settings.are_answered(&page.answers).then(|| (row(&page, &name), finish))
    }

    /// The first input that can be read and asked about, and what the model says to it.
    fn first_look(&self, todo: &[usize]) -> Option<(usize, Subject)> {
        let answered = |&index: &usize| Some((index, self.look(index).ok()?));
        todo.iter().find_map(answered)
    }

    fn look(&self, index: usize) -> anyhow::Result<Subject> {
        self.job.look(&self.job.inputs.name(index), self.job.read(index)?)
    }

    fn announce(&self, first: Option<&(usize, Subject)>, todo: &[usize], threads: usize) {
        let Some((_, subject)) = first else { return };
        if let Some(warning) = subject.look.scores.warning() {
            terminal::say(&format!("note: {warning}"));
        }
        let settings = &self.job.settings;
        let side_by_side = subject.per_question / u32::try_from(threads).unwrap_or(1);
        announce(side_by_side, settings.searches(todo.len()), settings.options.max_queries);
    }

    /// Explains what is left, each input on one thread.
    fn work_off(
        &self,
        first: Option<(usize, Subject)>,
        todo: &[usize],
        threads: usize,
        entries: &mut [Option<IndexEntry>],
    ) {
        let (next, bar, live) = (AtomicUsize::new(0), Items::new(todo.len() as u64), Live::of(self.folder));
        let before = self.job.inputs.len() - todo.len();
        let (found, first) = (Mutex::new(Vec::new()), Mutex::new(first));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(&index) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if clock::is_past(self.job.deadline) || interrupt::flag().load(Ordering::Relaxed) {
                            break;
                        }
                        // What was asked already is not asked again.
                        let looked_at = first
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .take_if(|(at, _)| *at == index)
                            .map(|(_, subject)| subject);
                        let entry = self.explain(index, looked_at);
                        bar.done(&terminal::lines(&[line(&entry)]));
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        found.push((index, entry));
                        live.inputs(before + found.len(), self.job.inputs.len());
                    }
                });
            }
        });
        for (index, entry) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
            entries[index] = Some(entry);
        }
    }

    /// Explains one input; what goes wrong concerns it alone. Every input pays for its own look: its answer does not depend on
    /// what is explained beside it.
    fn explain(&self, index: usize, looked_at: Option<Subject>) -> IndexEntry {
        let begun = Instant::now();
        let name = self.job.inputs.name(index);
        let explained = || -> anyhow::Result<Page> {
            let subject = looked_at.map_or_else(|| self.look(index), Ok)?;
            let mut explained = self.job.explain(subject, 1, &|_| ())?;
            folder::write(&self.folder.join(ITEMS).join(&name), self.job, &mut explained, &command())
        };
        match explained() {
            Ok(page) => row(&page, &name),
            Err(error) => IndexEntry {
                name,
                link: String::new(),
                picture: None,
                class: String::new(),
                outcomes: Vec::new(),
                error: Some(failure::paragraph(&error)),
                seconds: begun.elapsed().as_secs_f64(),
            },
        }
    }
}

/// The row of an input in the index.
fn row(page: &Page, name: &str) -> IndexEntry {
    IndexEntry::of(page, name, format!("{ITEMS}/{name}/report.html"))
}

/// The name of a question.
fn spoken(mode: &str) -> &'static str {
    Question::KINDS
        .into_iter()
        .find(|question| question.abbreviation() == mode)
        .map_or(if mode == "attack" { "attack" } else { "?" }, Question::name)
}

/// One input in one line.
fn line(entry: &IndexEntry) -> String {
    if let Some(error) = &entry.error {
        return format!("{}  failed: {error}", entry.name);
    }
    let outcomes = entry.outcomes.iter().map(|outcome| {
        let question = spoken(&outcome.mode);
        if !outcome.valid {
            return format!("{question} not found");
        }
        let to = if outcome.class == entry.class { String::new() } else { format!(" -> {}", outcome.class) };
        let unit = if outcome.pixels == 1 { outcome.kind.one() } else { outcome.kind.many() };
        format!("{question} {} {unit}{to}", outcome.pixels)
    });
    format!("{}  {}  {}", entry.name, entry.class, outcomes.collect::<Vec<_>>().join("  "))
}

/// The result over all inputs as programs read it. Keys may be added, not renamed.
#[derive(Serialize)]
struct Summary {
    schema: &'static str,
    inputs: usize,
    /// Could not be read or asked.
    failed: usize,
    /// Not begun when the run was interrupted.
    missing: usize,
    modes: Vec<ModeSummary>,
    /// Of attacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    robustness: Option<Robustness>,
    index: String,
    items: Vec<Item>,
}

/// One question over all inputs.
#[derive(Serialize)]
struct ModeSummary {
    mode: &'static str,
    searched: usize,
    valid: usize,
    /// First quartile, median and third quartile over the valid answers.
    pixels: Option<[f64; 3]>,
    norm_l1: Option<[f64; 3]>,
    queries: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct Item {
    name: String,
    class: String,
    error: Option<String>,
    seconds: f64,
    outcomes: Vec<ItemOutcome>,
}

#[derive(Serialize)]
struct ItemOutcome {
    mode: String,
    valid: bool,
    class: String,
    pixels: usize,
    norm_l1: f64,
    queries: u64,
}

impl Summary {
    fn new(job: &Job, entries: &[IndexEntry], missing: usize, folder: &Path) -> Self {
        let modes = job.settings.options.questions.iter().map(|question| {
            let mode = question.abbreviation();
            let outcomes: Vec<_> =
                entries.iter().flat_map(|entry| &entry.outcomes).filter(|o| o.mode == mode).collect();
            let valid: Vec<_> = outcomes.iter().filter(|outcome| outcome.valid).collect();
            ModeSummary {
                mode,
                searched: outcomes.len(),
                valid: valid.len(),
                pixels: quartiles(valid.iter().map(|outcome| outcome.pixels as f64)),
                norm_l1: quartiles(valid.iter().map(|outcome| outcome.norm_l1)),
                queries: quartiles(valid.iter().map(|outcome| outcome.queries as f64)),
            }
        });
        let item = |entry: &IndexEntry| Item {
            name: entry.name.clone(),
            class: entry.class.clone(),
            error: entry.error.clone(),
            seconds: entry.seconds,
            outcomes: entry
                .outcomes
                .iter()
                .map(|outcome| ItemOutcome {
                    mode: outcome.mode.clone(),
                    valid: outcome.valid,
                    class: outcome.class.clone(),
                    pixels: outcome.pixels,
                    norm_l1: outcome.norm_l1,
                    queries: outcome.queries,
                })
                .collect(),
        };
        Self {
            schema: SCHEMA,
            inputs: entries.len() + missing,
            failed: entries.iter().filter(|entry| entry.error.is_some()).count(),
            missing,
            modes: modes.collect(),
            robustness: Robustness::of(entries, job.settings.options.max_queries),
            index: folder.join("index.html").display().to_string(),
            items: entries.iter().map(item).collect(),
        }
    }

    /// Failures first.
    fn human(&self, entries: &[IndexEntry]) -> String {
        let fails = |entry: &&IndexEntry| {
            entry.error.is_some() || entry.outcomes.iter().any(|outcome| !outcome.valid)
        };
        let (bad, good): (Vec<_>, Vec<_>) = entries.iter().partition(fails);
        let mut lines: Vec<String> = bad.into_iter().chain(good).map(line).collect();
        lines.push(String::new());
        lines.extend(self.robustness.iter().flat_map(Robustness::lines));
        for mode in &self.modes {
            let told = format!("{}: valid {} of {}", spoken(mode.mode), mode.valid, mode.searched);
            lines.push(match (mode.pixels, mode.norm_l1, mode.queries) {
                (Some([_, pixels, _]), Some([_, l1, _]), Some([_, queries, _])) => {
                    let kind =
                        entries.iter().flat_map(|entry| &entry.outcomes).next().map(|outcome| outcome.kind);
                    let unit = kind.unwrap_or_default().many();
                    format!("{told}; medians: {pixels} {unit}, l1 {l1:.2}, {queries} queries")
                }
                _ => told,
            });
        }
        if self.failed > 0 {
            lines.push(format!("{} could not be read or asked", self.failed));
        }
        if self.missing > 0 {
            lines.push(format!(
                "{} not begun: run the same command with the same --out to go on",
                self.missing
            ));
        }
        lines.push(format!("look at {}", self.index));
        terminal::lines(&lines)
    }
}

/// Quartiles between the values; `None` of none.
fn quartiles(values: impl Iterator<Item = f64>) -> Option<[f64; 3]> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some([0.25, 0.5, 0.75].map(|share| {
        let place = share * last as f64;
        let below = place.floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
        let (low, high) = (values[below as usize], values[place.ceil() as usize]);
        low + (place - below) * (high - low)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quartiles([3.0, 1.0, 2.0, 4.0].into_iter()), Some([1.75, 2.5, 3.25]));
        assert_eq!(quartiles([7.0].into_iter()), Some([7.0; 3]));
        assert_eq!(quartiles(std::iter::empty()), None);
    }
}

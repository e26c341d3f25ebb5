//! A progress line for people: redrawn in place, silent where nobody looks.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::observer::{Event, Observer};
use crate::solver::Solver;

/// Time between two redraws: often enough to look alive, rarely enough to cost nothing.
const REDRAW: Duration = Duration::from_millis(100);
const BAR: usize = 24;

/// A line such as `[=====>      ] 1200/5000 queries  best 0.4321  iteration 21  3 s left`.
#[derive(Debug)]
pub struct Progress<W> {
    writer: W,
    shown: Shown,
    began: Instant,
    queries_before: u64,
    drawn: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Always,
    Never,
}

impl Progress<std::io::Stderr> {
    /// Draws on standard error if that is a terminal, else stays silent.
    pub fn to_stderr() -> Self {
        let stderr = std::io::stderr();
        let shown = if stderr.is_terminal() { Shown::Always } else { Shown::Never };
        Self::with(stderr, shown)
    }
}

impl<W: Write> Progress<W> {
    /// Draws on any writer.
    pub fn to(writer: W) -> Self {
        Self::with(writer, Shown::Always)
    }

    /// The writer back.
    pub fn into_inner(self) -> W {
        self.writer
    }

    fn with(writer: W, shown: Shown) -> Self {
        Self { writer, shown, began: Instant::now(), queries_before: 0, drawn: None }
    }

    fn line(&self, solver: &Solver) -> String {
        let counts = solver.counts();
        let best = solver.best_objective().map_or_else(|| "-".to_owned(), |best| format!("{best:.4}"));
        let (bar, of, left) = match solver.config().budget.queries {
            None => (String::new(), String::new(), String::new()),
            Some(budget) => {
                let used = counts.queries - self.queries_before;
                let pace = self.began.elapsed().as_secs_f64() / used.max(1) as f64;
                let seconds = pace * budget.saturating_sub(counts.queries) as f64;
                (bar(counts.queries, budget), format!("/{budget}"), format!("  {seconds:.0} s left"))
            }
        };
        format!("{bar}{}{of} queries  best {best}  iteration {}{left}", counts.queries, counts.iterations)
    }

    /// Failing to draw is no reason to stop a run that is paid for.
    fn draw(&mut self, text: &str, end: &str) {
        let _ = write!(self.writer, "\r\x1b[K{text}{end}").and_then(|()| self.writer.flush());
        self.drawn = Some(Instant::now());
    }
}

fn bar(done: u64, of: u64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the width of the bar"
    )]
    let filled = (done as f64 / of.max(1) as f64 * BAR as f64).min(BAR as f64) as usize;
    let tip = if filled < BAR { ">" } else { "" };
    format!("[{}{tip}{}] ", "=".repeat(filled), " ".repeat(BAR - filled - tip.len()))
}

impl<W: Write> Observer for Progress<W> {
    fn on(&mut self, event: &Event<'_>) {
        if self.shown == Shown::Never {
            return;
        }
        match event {
            Event::Started { solver } => {
                self.began = Instant::now();
                self.queries_before = solver.counts().queries;
            }
            Event::Iteration { solver, .. } => {
                if self.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
                    let line = self.line(solver);
                    self.draw(&line, "");
                }
            }
            Event::Notice(notice) => self.draw(&format!("note: {notice}"), "\n"),
            Event::Finished { outcome } => {
                let objective =
                    outcome.objective().map_or_else(|| "-".to_owned(), |value| format!("{value:.6}"));
                let reason = outcome.stop.as_ref().map_or_else(|| "ended".to_owned(), ToString::to_string);
                let queries = outcome.counts.queries;
                self.draw(&format!("objective {objective} after {queries} queries: {reason}"), "\n");
            }
        }
    }
}

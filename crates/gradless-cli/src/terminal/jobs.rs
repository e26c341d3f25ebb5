//! A bar over jobs of unequal size, measured by the queries they cost.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{PATIENCE, duration};

const TEMPLATE: &str = "{msg} {wide_bar} {percent} %, {prefix}";

/// Jobs on their way.
pub(crate) struct Jobs {
    bar: ProgressBar,
    begun: Instant,
    total: u64,
    done: u64,
    shown: bool,
}

impl Jobs {
    /// So many jobs of so many queries are left.
    pub(crate) fn new(jobs: u64, queries: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(queries), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), total: jobs, done: 0, shown: false }
    }

    /// One more is done, and so many queries in all.
    pub(crate) fn done(&mut self, queries: u64, message: &str) {
        self.done += 1;
        let elapsed = self.begun.elapsed().as_secs_f64();
        let speed = queries as f64 / elapsed.max(1e-9);
        let left = self.bar.length().unwrap_or(0).saturating_sub(queries) as f64 / speed.max(1e-9);
        let left = Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX);
        self.bar.set_prefix(format!("{speed:.0} queries/s, {} left", duration(left)));
        self.bar.set_message(format!("{} of {} jobs, {message}", self.done, self.total));
        self.bar.set_position(queries);
        if !self.shown && self.begun.elapsed() >= PATIENCE && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

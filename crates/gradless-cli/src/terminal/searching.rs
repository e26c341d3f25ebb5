//! Bars for searches: queries of one, inputs of many.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::PATIENCE;

const QUERIES: &str = "{prefix} {wide_bar} {human_pos} of {human_len} queries, {msg}, {eta} left";
const INPUTS: &str = "{wide_bar} {pos} of {len} inputs, {eta} left";

/// A search on its way.
pub(crate) struct Searching {
    bar: Bar,
}

impl Searching {
    pub(crate) fn new() -> Self {
        Self { bar: Bar::new(QUERIES, 0) }
    }

    /// So many queries of the budget are used, and the best valid answer has so many places.
    pub(crate) fn at(&self, what: &str, queries: u64, budget: u64, best: Option<usize>) {
        let bar = &self.bar.drawn;
        if bar.prefix() != what || bar.position() > queries {
            bar.set_prefix(what.to_owned());
            bar.set_length(budget);
            bar.reset_eta();
        }
        bar.set_message(
            best.map_or_else(
                || "nothing valid yet".to_owned(),
                |places| format!("best valid: {places} places"),
            ),
        );
        bar.set_position(queries);
        self.bar.show();
    }
}

/// Many inputs on their way.
pub(crate) struct Items {
    bar: Bar,
}

impl Items {
    pub(crate) fn new(count: u64) -> Self {
        Self { bar: Bar::new(INPUTS, count) }
    }

    /// One more is done; its line stands above the bar for people who watch.
    pub(crate) fn done(&self, line: &str) {
        self.bar.drawn.println(line);
        self.bar.drawn.inc(1);
        self.bar.show();
    }
}

/// A bar that appears only to people, and only when they have waited.
struct Bar {
    drawn: ProgressBar,
    begun: Instant,
    shown: Mutex<bool>,
}

impl Bar {
    fn new(template: &str, length: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { drawn: bar, begun: Instant::now(), shown: Mutex::new(false) }
    }

    fn show(&self) {
        if self.begun.elapsed() < PATIENCE || !stderr().is_terminal() {
            return;
        }
        if let Ok(mut shown) = self.shown.lock()
            && !*shown
        {
            self.drawn.set_draw_target(ProgressDrawTarget::stderr());
            *shown = true;
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.drawn.finish_and_clear();
    }
}

/// A duration as people say it.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_secs() {
        0..10 => format!("{seconds:.1} s"),
        10..120 => format!("{seconds:.0} s"),
        120..7200 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

//! A bar over steps of known number: what is told beside it, speed and time left.

use std::io::{IsTerminal, stderr};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::PATIENCE;

const TEMPLATE: &str = "{msg} {wide_bar} {percent} %, {prefix}, {eta} left";

/// Steps on their way.
pub(crate) struct Steps {
    bar: ProgressBar,
    begun: Instant,
    /// Where this stretch of work began: a resumed run does not claim the speed of the one before.
    first: Option<u64>,
    shown: bool,
}

impl Steps {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, begun: Instant::now(), first: None, shown: false }
    }

    /// So many of so many steps are done, each of so many images.
    pub(crate) fn done(&mut self, done: u64, total: u64, images: u64, message: &str) {
        let first = *self.first.get_or_insert(done.saturating_sub(1));
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                self.bar.set_style(style);
            }
            self.bar.set_position(first);
            self.bar.tick();
            self.bar.reset_eta();
        }
        let speed = ((done - first) * images) as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
        self.bar.set_prefix(format!("{speed:.0} images/s"));
        self.bar.set_message(message.to_owned());
        self.bar.set_position(done);
        if !self.shown && self.begun.elapsed() >= PATIENCE && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }

    /// Writes a line above the bar; where there is no bar, nothing.
    pub(crate) fn above(&self, line: &str) {
        self.bar.println(line);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

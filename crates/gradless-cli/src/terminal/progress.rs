//! A progress bar that appears only to people, and only when they have waited.

use std::io::{IsTerminal, stderr};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::PATIENCE;

const KNOWN: &str = "{msg} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
const UNKNOWN: &str = "{msg} {spinner} {bytes}, {bytes_per_sec}";

/// Bytes on their way.
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: bool,
    /// Whether the bytes that come next follow those before without a pause.
    steady: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, begun: Instant::now(), shown: false, steady: false }
    }

    /// So many bytes of `what` are there.
    pub(crate) fn received(&mut self, what: &str, bytes: u64, total: Option<u64>) {
        if self.bar.message() != what {
            self.bar.set_message(what.to_owned());
            self.steady = false;
        }
        if let Some(total) = total {
            if self.bar.length() != Some(total) {
                self.bar.set_length(total);
                self.style(KNOWN);
            }
        } else if self.bar.length().is_some() || !self.shown {
            self.bar.unset_length();
            self.style(UNKNOWN);
        }
        self.bar.set_position(bytes);
        if !self.steady {
            // Neither a pause nor the bytes of an earlier attempt say how fast this one is.
            self.bar.reset_eta();
            self.steady = true;
        }
        if !self.shown && self.begun.elapsed() >= PATIENCE && stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }

    /// Writes something above the bar, where the bytes stop coming for a while.
    pub(crate) fn above(&mut self, write: impl FnOnce()) {
        self.steady = false;
        self.bar.suspend(write);
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

//! Ctrl-C: the first asks the work to stop and keep what it has, the second ends the program.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A flag that Ctrl-C (or a polite kill) sets.
pub(crate) fn flag() -> &'static AtomicBool {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler Ctrl-C ends the program at once, as it always did.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
    &INTERRUPTED
}

//! The last bytes of a stream that is read as fast as it comes.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// So much is kept.
const KEPT: usize = 4 << 10;
/// So many lines are told.
const LINES: usize = 8;
/// So long the end of the stream is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

/// Reads a stream to its end, and keeps the last of it.
#[derive(Debug)]
pub(super) struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    thread: JoinHandle<()>,
}

impl Tail {
    pub(super) fn of(mut stream: impl Read + Send + 'static) -> Self {
        let kept = Arc::<Mutex<VecDeque<u8>>>::default();
        let shared = Arc::clone(&kept);
        let thread = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut bytes) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend(&bytes[..read]);
                let excess = kept.len().saturating_sub(KEPT);
                kept.drain(..excess);
            }
        });
        Self { kept, thread }
    }

    /// The last lines, once the stream has ended; what somebody else holds open is not waited for.
    pub(super) fn into_lines(self) -> String {
        let begun = Instant::now();
        while !self.thread.is_finished() && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(kept.make_contiguous()).into_owned();
        let lines: Vec<&str> = text.trim_end().lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_kept() {
        let lines: Vec<String> = (0..100_000).map(|line| format!("line {line}\n")).collect();
        let told = Tail::of(std::io::Cursor::new(lines.concat())).into_lines();
        assert!(told.starts_with("line 99992") && told.ends_with("line 99999"), "{told}");
        assert_eq!(Tail::of(std::io::empty()).into_lines(), "");
    }
}

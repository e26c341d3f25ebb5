//! Progress of a run as server-sent events: what the command appends to its file, at most twenty times a second.

use std::convert::Infallible;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::sse::Event;
use futures_util::Stream;
use futures_util::stream;

use crate::folder::Name;
use crate::runs::Runs;

/// The time between two events.
const DISTANCE: Duration = Duration::from_millis(50);
/// The first frame is waited for impatiently: it is looked for so often, and so long.
const SOON: Duration = Duration::from_millis(10);
const IMPATIENCE: Duration = Duration::from_secs(2);
/// The most that one event carries.
const MOST_BYTES: u64 = 16 << 20;

/// A listener of one run.
struct Listener {
    runs: Arc<Runs>,
    name: Name,
    /// How far its progress was read.
    offset: u64,
    is_over: bool,
    begun: Instant,
    /// Events so far; the first of a run that begins tells its process only.
    events: u32,
}

/// The events of a run from an offset on: `frames`, each a list of what the command wrote, numbered by the offset behind it; at
/// the end `over`.
pub(crate) fn events(
    runs: Arc<Runs>,
    name: Name,
    offset: u64,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let listener = Listener { runs, name, offset, is_over: false, begun: Instant::now(), events: 0 };
    stream::unfold(listener, |mut listener| async move {
        if listener.is_over {
            return None;
        }
        let event = listener.next().await;
        Some((Ok(event), listener))
    })
}

impl Listener {
    async fn next(&mut self) -> Event {
        let mut is_first_look = self.events == 0;
        loop {
            if !is_first_look {
                let is_soon = self.events < 2 && self.begun.elapsed() < IMPATIENCE;
                tokio::time::sleep(if is_soon { SOON } else { DISTANCE }).await;
            }
            is_first_look = false;
            let (runs, name, offset) = (Arc::clone(&self.runs), self.name.clone(), self.offset);
            // Whether it runs is asked first: what it wrote before its end is then read.
            let looked = tokio::task::spawn_blocking(move || {
                let is_running = runs.is_running(&name);
                (is_running, lines(&runs.progress(&name), offset))
            });
            let (is_running, (frames, read)) = looked.await.unwrap_or((false, (String::new(), 0)));
            if read > 0 {
                self.offset += read;
                self.events += 1;
                return Event::default().event("frames").id(self.offset.to_string()).data(frames);
            }
            if !is_running {
                self.is_over = true;
                return Event::default().event("over").data("{}");
            }
        }
    }
}

/// Whole lines from an offset on as a JSON list, and how many bytes they take.
fn lines(path: &Path, offset: u64) -> (String, u64) {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(offset))?;
        file.take(MOST_BYTES).read_to_end(&mut bytes)
    });
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    if read.is_err() || end == 0 {
        return (String::new(), 0);
    }
    let text = String::from_utf8_lossy(&bytes[..end]);
    let list: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    (format!("[{}]", list.join(",")), end as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_waits_for_its_end() {
        let path = std::env::temp_dir().join(format!("gradless-studio-live-{}", std::process::id()));
        std::fs::write(&path, "{\"a\":1}\n{\"a\":2}\n{\"a\"").unwrap();
        assert_eq!(lines(&path, 0), ("[{\"a\":1},{\"a\":2}]".to_owned(), 16));
        assert_eq!(lines(&path, 8), ("[{\"a\":2}]".to_owned(), 8));
        assert_eq!(lines(&path, 16), (String::new(), 0));
        assert_eq!(lines(&path, 1_000), (String::new(), 0));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(lines(&path, 0), (String::new(), 0));
    }
}

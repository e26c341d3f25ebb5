//! Feeds every target with its corpus and with what once broke it, on the ordinary toolchain.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use gradless_fuzz::{TARGETS, tidy};

/// Longer than any file here takes on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(120);

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_of_the_corpus_is_read_without_a_panic_or_a_hang() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, target) in TARGETS {
        let corpus = files(&here.join("corpus").join(name));
        assert!(!corpus.is_empty(), "{name} has no corpus");
        let inputs: Vec<PathBuf> =
            corpus.into_iter().chain(files(&here.join("regressions").join(name))).collect();
        let (tell, told) = mpsc::channel();
        let worker = std::thread::spawn(move || {
            for path in inputs {
                let _ = tell.send(path.clone());
                let data = std::fs::read(&path).unwrap();
                // A damaged file is often a cut one, or one with a bit turned.
                target(&data);
                target(&data[..data.len() / 2]);
                let mut turned = data;
                let middle = turned.len() / 3;
                if let Some(byte) = turned.get_mut(middle) {
                    *byte ^= 0x10;
                    target(&turned);
                }
            }
            tidy(name);
        });
        let mut last = PathBuf::new();
        loop {
            match told.recv_timeout(WATCHDOG) {
                Ok(path) => last = path,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name} hangs on {}", last.display()),
            }
        }
        assert!(worker.join().is_ok(), "{name} panics on {}", last.display());
    }
}

#[test]
fn the_corpus_is_small() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut bytes = 0;
    for (name, _) in TARGETS {
        for folder in ["corpus", "regressions"] {
            bytes += files(&here.join(folder).join(name))
                .iter()
                .map(|path| path.metadata().unwrap().len())
                .sum::<u64>();
        }
    }
    assert!(bytes < 200_000, "{bytes} bytes");
}

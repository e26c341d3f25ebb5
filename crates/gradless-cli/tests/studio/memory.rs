//! Fifty searches in a row leave the studio as small as it was.

use crate::client::{Studio, search};

/// Memory in use, in KiB.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn fifty_searches_leave_memory_flat() {
    let studio = Studio::new("memory");
    let mut request = search(300);
    request["question"] = serde_json::json!("part");
    let once = || {
        let name = studio.begin(&request);
        let _ = studio.get(&format!("api/runs/{name}/events"));
        assert_eq!(studio.wait(&name)["state"], "done");
        studio.post("api/scores", &serde_json::json!({ "drawings": [crate::client::seven()] })).json();
    };
    (0..10).for_each(|_| once());
    let before = resident(studio.process.id());
    (0..40).for_each(|_| once());
    let after = resident(studio.process.id());
    assert!(after < before + 4 * 1024, "{before} KiB after 10 searches, {after} KiB after 50");
}

//! A studio in a folder of its own, and requests to it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support;

/// The secret of every studio here.
pub(crate) const TOKEN: &str = "a-token-for-tests-only";
/// No search takes longer.
const PATIENCE: Duration = Duration::from_mins(2);

/// A studio that runs.
pub(crate) struct Studio {
    pub(crate) process: Child,
    pub(crate) host: String,
    pub(crate) home: PathBuf,
}

/// What it answered.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body, of a request that was granted.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.code, 200, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

/// An empty folder, by the name of the test.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let home = std::env::temp_dir().join(format!("gradless-studio-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    home
}

impl Studio {
    /// One in a folder that was empty before.
    pub(crate) fn new(name: &str) -> Self {
        Self::in_folder(fresh(name))
    }

    /// One in the folder of an earlier one.
    pub(crate) fn in_folder(home: PathBuf) -> Self {
        Self::with(home, &[])
    }

    /// One that is started with more words.
    pub(crate) fn with(home: PathBuf, words: &[&str]) -> Self {
        let mut command = support::command(&["studio", "--no-open", "--folder", "runs", "--format", "json"]);
        command.args(words);
        command.current_dir(&home).env("GRADLESS_STUDIO_TOKEN", TOKEN).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::null()).spawn().unwrap();
        let mut told = String::new();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        while !told.contains('}') {
            assert!(out.read_line(&mut told).unwrap() > 0, "the studio ended: {told}");
        }
        let told: Value = serde_json::from_str(&told).unwrap();
        let url = told["url"].as_str().unwrap();
        let host = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        assert_eq!(url, format!("http://{host}/{TOKEN}/"));
        Self { process, host, home }
    }

    /// Sends bytes as they are, and reads what is answered until the connection is closed.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // It may refuse before all of it was sent.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let body = bytes.get(end + 4..).unwrap_or_default();
        Answer { code, body: unchunked(&head, body), head }
    }

    /// Asks for a path below the token.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.raw(self.request("GET", path, "").as_bytes())
    }

    /// Posts JSON to a path below the token.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.raw(self.request("POST", path, &body.to_string()).as_bytes())
    }

    fn request(&self, method: &str, path: &str, body: &str) -> String {
        format!(
            "{method} /{TOKEN}/{path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        )
    }

    /// Begins a search, and gives its name.
    #[track_caller]
    pub(crate) fn begin(&self, request: &Value) -> String {
        self.post("api/runs", request).json()["name"].as_str().unwrap().to_owned()
    }

    /// A run as it is listed.
    #[track_caller]
    pub(crate) fn run(&self, name: &str) -> Value {
        self.get(&format!("api/runs/{name}")).json()["run"].take()
    }

    /// Waits until a run does not run any more.
    #[track_caller]
    pub(crate) fn wait(&self, name: &str) -> Value {
        let begun = Instant::now();
        loop {
            let run = self.run(name);
            if run["state"] != "running" {
                return run;
            }
            assert!(begun.elapsed() < PATIENCE, "{run}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until a run has written a frame of its progress.
    #[track_caller]
    pub(crate) fn wait_for_frames(&self, name: &str) {
        let path = self.home.join("runs/.studio").join(format!("{name}.progress"));
        let begun = Instant::now();
        while !fs::read_to_string(&path).is_ok_and(|text| text.contains("\"question\"")) {
            assert!(begun.elapsed() < PATIENCE, "{}", path.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it as if the power went out.
    pub(crate) fn kill(mut self) -> PathBuf {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.home.clone()
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn unchunked(head: &str, mut body: &[u8]) -> Vec<u8> {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_vec();
    }
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(&String::from_utf8_lossy(&body[..end]), 16).unwrap_or(0);
        let Some(part) = body.get(end + 2..end + 2 + length).filter(|_| length > 0) else { break };
        whole.extend_from_slice(part);
        body = body.get(end + 4 + length..).unwrap_or_default();
    }
    whole
}

/// A seven, as somebody may draw it.
pub(crate) fn seven() -> Vec<u8> {
    let mut pixels = vec![0; 784];
    for column in 7..20 {
        pixels[7 * 28 + column] = 255;
        pixels[8 * 28 + column] = 200;
    }
    for row in 8..23 {
        let column = 20 - (row - 8) / 2;
        pixels[row * 28 + column] = 255;
        pixels[row * 28 + column - 1] = 220;
    }
    pixels
}

/// A search about it.
pub(crate) fn search(queries: u64) -> Value {
    json!({ "input": { "drawing": seven() }, "max_queries": queries })
}

/// What a run has found, without what differs between two runs: its times, its folder, and what was sent again.
pub(crate) fn found(folder: &Path) -> Value {
    let mut value: Value = serde_json::from_slice(&fs::read(folder.join("result.json")).unwrap()).unwrap();
    for answer in value.as_array_mut().unwrap() {
        for key in ["seconds", "files", "sent"] {
            answer.as_object_mut().unwrap().remove(key);
        }
    }
    value
}

//! A small HTTP/1.1 server that answers well, late, wrongly or not at all, as it is told; one thread per connection.

mod connection;
mod fault;

pub use fault::Fault;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

/// What a server does: the body of a request to the body of its answer.
type Answer = Box<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;
/// What goes wrong with the request of this number, counted from 0.
type Script = Box<dyn Fn(u64) -> Fault + Send + Sync>;

/// A server on this machine, on a port of its own. It stops when it is dropped.
pub struct Server {
    /// `http://127.0.0.1:<port>/`.
    pub address: String,
    socket: SocketAddr,
    told: Arc<Told>,
    thread: Option<JoinHandle<()>>,
}

/// What the threads share.
struct Told {
    answer: Answer,
    script: Script,
    delay: Duration,
    requests: AtomicU64,
    /// Heads of requests, while they are kept.
    heads: Option<Mutex<Vec<String>>>,
    ended: AtomicBool,
}

impl Server {
    /// Answers with a function of the request's body.
    pub fn new(
        answer: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
        script: impl Fn(u64) -> Fault + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start("127.0.0.1:0", Box::new(answer), Box::new(script), Duration::ZERO, true)
    }

    /// A classifier that speaks the default protocol: `{"inputs": [[…], …]}` to `{"scores": [[…], …]}`.
    pub fn classifier(
        model: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
        script: impl Fn(u64) -> Fault + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::new(scores(model), script)
    }

    /// For long runs: answers after a delay, at an address that may be given, and keeps nothing of what it is asked.
    pub fn steady(
        bind: &str,
        answer: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
        script: impl Fn(u64) -> Fault + Send + Sync + 'static,
        delay: Duration,
    ) -> io::Result<Self> {
        Self::start(bind, Box::new(answer), Box::new(script), delay, false)
    }

    fn start(bind: &str, answer: Answer, script: Script, delay: Duration, keeps: bool) -> io::Result<Self> {
        let listener = TcpListener::bind(bind)?;
        let socket = listener.local_addr()?;
        let told = Arc::new(Told {
            answer,
            script,
            delay,
            requests: AtomicU64::new(0),
            heads: keeps.then(Mutex::default),
            ended: AtomicBool::new(false),
        });
        let shared = Arc::clone(&told);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::Relaxed) {
                    break;
                }
                let told = Arc::clone(&shared);
                if let Ok(stream) = stream {
                    thread::spawn(move || connection::serve(&told, stream));
                }
            }
        });
        Ok(Self { address: format!("http://{socket}/"), socket, told, thread: Some(thread) })
    }

    /// Requests so far, those that were not answered included.
    pub fn requests(&self) -> u64 {
        self.told.requests.load(Ordering::Relaxed)
    }

    /// The first line and the headers of every request so far.
    pub fn heads(&self) -> Vec<String> {
        self.told
            .heads
            .as_ref()
            .map_or_else(Vec::new, |heads| heads.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.told.ended.store(true, Ordering::Relaxed);
        // Wakes the listener.
        let _ = TcpStream::connect(self.socket);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The default protocol around a model of one input; what is not understood is answered with nothing.
pub fn scores(
    model: impl Fn(&[f64]) -> Vec<f64> + Send + Sync + 'static,
) -> impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static {
    move |body| {
        let request: Value = serde_json::from_slice(body).unwrap_or_default();
        let rows = request["inputs"].as_array().map_or(&[][..], Vec::as_slice);
        let row = |row: &Value| -> Vec<f64> {
            row.as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_f64).collect()
        };
        let scores: Vec<Vec<f64>> = rows.iter().map(|x| model(&row(x))).collect();
        json!({ "scores": scores }).to_string().into_bytes()
    }
}

/// An address of this machine where nobody listens.
pub fn nobody() -> io::Result<String> {
    let socket = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    Ok(format!("http://{socket}/"))
}

//! A small HTTP server that answers as it is told, one thread per connection.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How a request is answered.
#[derive(Clone)]
pub(crate) struct Answer {
    kind: Kind,
    tag: &'static str,
    ranges: bool,
    shift: usize,
}

#[derive(Clone)]
enum Kind {
    Whole,
    Cut(usize),
    Stall(usize),
    Status(&'static str),
    Redirect(String),
    Silent,
    Endless,
}

impl Answer {
    fn new(kind: Kind) -> Self {
        Self { kind, tag: "\"1\"", ranges: true, shift: 0 }
    }

    /// All of the file, or the piece that was asked for.
    pub(crate) fn whole() -> Self {
        Self::new(Kind::Whole)
    }

    /// No more than so many bytes; then the connection ends.
    pub(crate) fn cut_after(self, bytes: usize) -> Self {
        Self { kind: Kind::Cut(bytes), ..self }
    }

    /// No more than so many bytes; then nothing.
    pub(crate) fn stalling_after(self, bytes: usize) -> Self {
        Self { kind: Kind::Stall(bytes), ..self }
    }

    /// With this ETag.
    pub(crate) fn tagged(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    /// Always from the beginning.
    pub(crate) fn without_ranges(self) -> Self {
        Self { ranges: false, ..self }
    }

    /// A piece that begins one byte later than asked for.
    pub(crate) fn shifted(self) -> Self {
        Self { shift: 1, ..self }
    }

    /// Nothing but a status.
    pub(crate) fn status(status: &'static str) -> Self {
        Self::new(Kind::Status(status))
    }

    /// Another address.
    pub(crate) fn redirect(to: &str) -> Self {
        Self::new(Kind::Redirect(to.to_owned()))
    }

    /// Not a byte.
    pub(crate) fn silent() -> Self {
        Self::new(Kind::Silent)
    }

    /// Bytes without end.
    pub(crate) fn endless() -> Self {
        Self::new(Kind::Endless)
    }
}

/// A server on this machine. It stops when it is dropped.
pub(crate) struct Server {
    /// `http://127.0.0.1:<port>/`.
    pub(crate) address: String,
    socket: SocketAddr,
    told: Arc<Told>,
    thread: Option<JoinHandle<()>>,
}

struct Told {
    files: Vec<(String, Vec<u8>)>,
    answers: Vec<Answer>,
    requests: Mutex<Vec<String>>,
    ended: AtomicBool,
}

impl Server {
    /// Gives these answers in turn, the last one for ever, whatever is asked for.
    pub(crate) fn new(body: &[u8], answers: Vec<Answer>) -> Self {
        Self::start(vec![(String::new(), body.to_vec())], answers)
    }

    /// Gives each file by its name.
    pub(crate) fn serving(files: &[(&str, &[u8])]) -> Self {
        let files = files.iter().map(|(name, bytes)| (format!("GET /{name} "), bytes.to_vec())).collect();
        Self::start(files, vec![Answer::whole()])
    }

    fn start(files: Vec<(String, Vec<u8>)>, answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = listener.local_addr().unwrap();
        let told = Told { files, answers, requests: Mutex::default(), ended: AtomicBool::new(false) };
        let told = Arc::new(told);
        let shared = Arc::clone(&told);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.ended.load(Ordering::Relaxed) {
                    break;
                }
                let (stream, told) = (stream.unwrap(), Arc::clone(&shared));
                thread::spawn(move || told.serve(stream));
            }
        });
        Self { address: format!("http://{socket}/"), socket, told, thread: Some(thread) }
    }

    /// The requests so far, with their headers, in lower case but for the first line.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.told.requests.lock().unwrap().clone()
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

impl Told {
    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut request, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
            request += &if request.is_empty() { line.clone() } else { line.to_lowercase() };
            line.clear();
        }
        let answer = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request.clone());
            self.answers[(requests.len() - 1).min(self.answers.len() - 1)].clone()
        };
        // A client that has gone away ends the connection.
        let _ = self.answer(&answer, &request, &mut stream);
    }

    fn answer(&self, answer: &Answer, request: &str, stream: &mut TcpStream) -> std::io::Result<()> {
        match &answer.kind {
            Kind::Status(status) => {
                write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            }
            Kind::Redirect(to) => {
                write!(
                    stream,
                    "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"
                )
            }
            Kind::Silent => {
                self.wait();
                Ok(())
            }
            Kind::Endless => {
                write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
                while !self.ended.load(Ordering::Relaxed) {
                    stream.write_all(&[0; 4096])?;
                }
                Ok(())
            }
            Kind::Whole => self.send(answer, request, stream, usize::MAX),
            Kind::Cut(bytes) => self.send(answer, request, stream, *bytes),
            Kind::Stall(bytes) => {
                self.send(answer, request, stream, *bytes)?;
                self.wait();
                Ok(())
            }
        }
    }

    fn wait(&self) {
        while !self.ended.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn send(
        &self,
        answer: &Answer,
        request: &str,
        stream: &mut TcpStream,
        most: usize,
    ) -> std::io::Result<()> {
        let (_, body) = self.files.iter().find(|(start, _)| request.starts_with(start)).unwrap();
        let header = |name: &str| request.lines().find_map(|line| line.strip_prefix(name));
        let same = header("if-range: ").is_none_or(|tag| tag == answer.tag);
        let from =
            header("range: bytes=").and_then(|range| range.trim_end_matches('-').parse::<usize>().ok());
        let tag = answer.tag;
        let from = match from.filter(|_| same && answer.ranges) {
            None => {
                let length = body.len();
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\nETag: {tag}\r\n\r\n"
                )?;
                0
            }
            Some(from) => {
                let (from, last, total) = (from + answer.shift, body.len() - 1, body.len());
                let length = body.len() - from;
                write!(
                    stream,
                    "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Length: {length}\r\n"
                )?;
                write!(stream, "Content-Range: bytes {from}-{last}/{total}\r\nETag: {tag}\r\n\r\n")?;
                from
            }
        };
        stream.write_all(&body[from..body.len().min(from.saturating_add(most))])
    }
}

//! One connection: requests read one after the other, each answered as the script says.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::{Fault, Told};

/// How often an idle connection looks whether the server has ended.
const GLANCE: Duration = Duration::from_millis(100);
/// No request is longer than this.
const MOST_BYTES: usize = 64 << 20;

/// Serves until either side has enough.
pub(super) fn serve(told: &Told, stream: TcpStream) {
    // A client that has gone away ends the connection.
    let _ = Connection { told, stream, pending: Vec::new() }.run();
}

struct Connection<'a> {
    told: &'a Told,
    stream: TcpStream,
    /// Bytes that were read and not used.
    pending: Vec<u8>,
}

impl Connection<'_> {
    fn run(&mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        self.stream.set_read_timeout(Some(GLANCE))?;
        loop {
            if self.pending.is_empty() && !self.more(1)? {
                return Ok(());
            }
            if self.told.ended.load(Ordering::Relaxed) {
                return Ok(());
            }
            let number = self.told.requests.fetch_add(1, Ordering::Relaxed);
            let fault = (self.told.script)(number);
            // What is left unread when a connection is closed makes it a reset.
            let piece = if fault == Fault::ResetMidBody { 1 } else { 1 << 16 };
            let Some(head) = self.head(piece)? else { return Ok(()) };
            let length = length(&head);
            if let Some(heads) = &self.told.heads {
                heads.lock().unwrap_or_else(PoisonError::into_inner).push(head);
            }
            let body = if fault == Fault::ResetMidBody { b"{}".to_vec() } else { self.take(length)? };
            thread::sleep(self.told.delay);
            if !self.answer(&fault, &body)? {
                return Ok(());
            }
        }
    }

    /// Reads at least one byte; false if the other side has closed or the server has ended.
    fn more(&mut self, most: usize) -> io::Result<bool> {
        let mut piece = vec![0; most];
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.pending.extend_from_slice(&piece[..count]);
                    return Ok(true);
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.told.ended.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The first line and the headers.
    fn head(&mut self, piece: usize) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.pending.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = self.pending.split_off(end + 4);
                let head = std::mem::replace(&mut self.pending, rest);
                return Ok(Some(String::from_utf8_lossy(&head).into_owned()));
            }
            if self.pending.len() > MOST_BYTES || !self.more(piece)? {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.pending.len() < length.min(MOST_BYTES) {
            if !self.more(1 << 16)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        let rest = self.pending.split_off(length.min(self.pending.len()));
        Ok(std::mem::replace(&mut self.pending, rest))
    }

    /// Answers; whether the connection goes on.
    fn answer(&mut self, fault: &Fault, body: &[u8]) -> io::Result<bool> {
        let answer = fault.spoil((self.told.answer)(body));
        let whole = |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
        let half = answer.len() / 2;
        match fault {
            Fault::HangUp => return Ok(false),
            Fault::Hang => return self.wait_for_the_end(),
            Fault::Late(time) => self.pause(*time),
            _ => (),
        }
        match fault {
            Fault::HalfBody | Fault::ResetMidBody => {
                self.write(&[whole(answer.len().max(64)).as_bytes(), &answer[..half]])?;
                return Ok(false);
            }
            Fault::HangMidBody => {
                self.write(&[whole(answer.len()).as_bytes(), &answer[..half]])?;
                return self.wait_for_the_end();
            }
            Fault::Drip(pause) => {
                self.write(&[whole(answer.len()).as_bytes()])?;
                for byte in &answer {
                    self.pause(*pause);
                    self.write(&[&[*byte]])?;
                }
            }
            Fault::Stale => {
                self.write(&[whole(answer.len()).as_bytes(), &answer])?;
                self.stream.shutdown(Shutdown::Both)?;
                return Ok(false);
            }
            Fault::Redirect(to) => {
                let head =
                    format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
                self.write(&[head.as_bytes()])?;
            }
            Fault::Status(code, lines) => {
                let said = format!("status {code}");
                let head = format!("HTTP/1.1 {code} Told\r\n{lines}Content-Length: {}\r\n\r\n", said.len());
                self.write(&[head.as_bytes(), said.as_bytes()])?;
            }
            Fault::NotHttp => {
                self.write(&[b"220 mail.example ESMTP ready\r\n"])?;
                return Ok(false);
            }
            Fault::LongHead(bytes) => {
                self.write(&[b"HTTP/1.1 200 OK\r\n"])?;
                for _ in 0..bytes / 100 {
                    self.write(&[format!("X-Filler: {}\r\n", "x".repeat(87)).as_bytes()])?;
                }
                return Ok(false);
            }
            Fault::Chunked => self.chunks(&answer)?,
            Fault::BadChunk => {
                self.write(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", &answer])?;
                return Ok(false);
            }
            Fault::BadLength => {
                self.write(&[b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", &answer])?;
                return Ok(false);
            }
            Fault::ShortLength => {
                self.write(&[whole(half).as_bytes(), &answer])?;
                return Ok(false);
            }
            _ => self.write(&[whole(answer.len()).as_bytes(), &answer])?,
        }
        Ok(true)
    }

    fn chunks(&mut self, answer: &[u8]) -> io::Result<()> {
        self.write(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"])?;
        for chunk in answer.chunks(7) {
            self.write(&[format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"])?;
        }
        self.write(&[b"0\r\n\r\n"])
    }

    /// In one piece, so that it is one packet if it is short.
    fn write(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.stream.write_all(&parts.concat())
    }

    fn pause(&self, time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < time && !self.told.ended.load(Ordering::Relaxed) {
            thread::sleep(time.saturating_sub(begun.elapsed()).min(GLANCE));
        }
    }

    /// Says nothing until the other side has had enough.
    fn wait_for_the_end(&mut self) -> io::Result<bool> {
        while self.more(1 << 10)? {
            self.pending.clear();
        }
        Ok(false)
    }
}

fn length(head: &str) -> usize {
    let line = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    line.unwrap_or(0)
}

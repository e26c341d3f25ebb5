//! One attempt to receive a file over HTTP, from its beginning or from where the last attempt stopped.

use std::fs::File;
use std::io::{Read, Write};

use ureq::http::{HeaderMap, Response, header};
use ureq::{Agent, Body};

use super::error::{Failure, Refusal};
use super::part::{Note, Part};
use super::{Event, Limits};
use crate::data::Problem;
use crate::data::homes::Download;

/// Bytes between two events.
const BUFFER: usize = 1 << 16;

/// The connection to the homes.
pub(super) struct Transfer {
    agent: Agent,
}

impl Transfer {
    pub(super) fn new(limits: &Limits) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(limits.redirects)
            // A zipped file is wanted as it is.
            .accept_encoding("identity")
            .user_agent(concat!("gradless/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(limits.connect))
            .timeout_connect(Some(limits.connect))
            .timeout_recv_response(Some(limits.silence))
            .timeout_per_read(Some(limits.silence))
            .timeout_per_write(Some(limits.silence))
            .timeout_global(Some(limits.whole))
            .build();
        Self { agent: config.new_agent() }
    }

    /// Receives until the file is whole. Says whether it went on with an earlier piece.
    pub(super) fn attempt(
        &self,
        address: &str,
        download: &Download,
        part: &Part,
        watch: &mut dyn FnMut(Event<'_>),
    ) -> Result<bool, Failure> {
        let earlier = part.note(address).filter(|_| part.length() > 0);
        if earlier.as_ref().is_some_and(|note| note.total == Some(part.length())) {
            return Ok(true);
        }
        let response = self.ask(address, part.length(), earlier.as_ref())?;
        let most = download.most_bytes();
        let (file, note, received) = match (response.status().as_u16(), earlier) {
            (200, _) => {
                let note = Note {
                    address: address.to_owned(),
                    validator: validator(response.headers()),
                    total: response.body().content_length(),
                };
                refuse_above(most, note.total.unwrap_or(0))?;
                (part.begin(&note)?, note, 0)
            }
            (206, Some(note)) => {
                let total = match piece(response.headers()) {
                    Some((from, total)) if from == part.length() && agree(total, note.total) => {
                        total.or(note.total)
                    }
                    _ => {
                        part.discard();
                        return Err(Refusal::WrongPiece.into());
                    }
                };
                refuse_above(most, total.unwrap_or(0))?;
                (part.go_on()?, Note { total, ..note }, part.length())
            }
            (status, _) => {
                if status == 416 {
                    part.discard();
                }
                return Err(Refusal::Status(status).into());
            }
        };
        let mut stream = Stream { file, note, received, most };
        let copied = stream.copy(response.into_body(), &download.name, part, watch);
        if let Err(Failure::There(Refusal::TooLarge { .. })) = &copied {
            part.discard();
        }
        copied.map(|()| received > 0)
    }

    fn ask(&self, address: &str, have: u64, earlier: Option<&Note>) -> Result<Response<Body>, Refusal> {
        let mut request = self.agent.get(address);
        if address.starts_with("http://127.0.0.1:") {
            // A proxy of the environment leads elsewhere, not back to this machine.
            request = request.config().proxy(None).build();
        }
        if let Some(note) = earlier {
            request = request.header(header::RANGE, format!("bytes={have}-"));
            if let Some(validator) = &note.validator {
                request = request.header(header::IF_RANGE, validator);
            }
        }
        Ok(request.call()?)
    }
}

/// Bytes on their way into the part.
struct Stream {
    file: File,
    note: Note,
    received: u64,
    most: u64,
}

impl Stream {
    fn copy(
        &mut self,
        body: Body,
        name: &str,
        part: &Part,
        watch: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), Failure> {
        let mut reader = body.into_reader();
        let mut buffer = vec![0; BUFFER];
        loop {
            watch(Event::Received { file: name, bytes: self.received, total: self.note.total });
            let count = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => return Err(self.broken(error).into()),
            };
            refuse_above(self.most, self.received + count as u64)?;
            self.file.write_all(&buffer[..count]).map_err(|error| Problem::from(error).at(part.path()))?;
            self.received += count as u64;
        }
        if let Some(total) = self.note.total.filter(|&total| total != self.received) {
            return Err(Refusal::Cut { received: self.received, total }.into());
        }
        self.note.total = Some(self.received);
        Ok(part.write(&self.note)?)
    }

    fn broken(&self, error: std::io::Error) -> Refusal {
        match (Refusal::from(ureq::Error::from(error)), self.note.total) {
            (Refusal::Connection(_), Some(total)) => Refusal::Cut { received: self.received, total },
            (refusal, _) => refusal,
        }
    }
}

fn refuse_above(most: u64, bytes: u64) -> Result<(), Refusal> {
    if bytes > most { Err(Refusal::TooLarge { most }) } else { Ok(()) }
}

/// A strong ETag or the date of the last change: only these tell that two pieces belong together.
fn validator(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    text(header::ETAG).filter(|tag| !tag.starts_with("W/")).or_else(|| text(header::LAST_MODIFIED))
}

/// Where the piece begins and, if it is said, how long the whole is: `bytes 100-199/200`.
fn piece(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let text = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (from, _) = range.split_once('-')?;
    Some((from.trim().parse().ok()?, total.trim().parse().ok()))
}

/// Two lengths agree unless both are known and differ.
fn agree(one: Option<u64>, other: Option<u64>) -> bool {
    one.is_none() || other.is_none() || one == other
}

//! One request over the network and its answer, bounded in time and size.

use std::error::Error as _;
use std::io;
use std::path::Path;

use ureq::http::{HeaderMap, Uri, header};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::{Connector as _, DefaultConnector};
use ureq::{Agent, Body};

use super::coalesce::Coalescing;
use super::dispatch::Post;
use super::error::Failure;
use super::headers::Headers;
use super::options::{HttpOptions, seconds};
use super::resolver::Remembered;
use super::{HttpError, retry};
use crate::file;

/// Bytes of the headers of an answer that are read.
const MOST_HEADER_BYTES: usize = BUFFER;
/// Bytes that a connection reads and writes at once. Larger ones stay with the allocator when a broken connection is replaced:
/// with 128 KiB resident memory grew by 9 % in half an hour (docs/reliability-http.md).
const BUFFER: usize = 32 << 10;
/// No file of certificates is longer: all that browsers trust are a quarter of it.
const MOST_CERTIFICATE_BYTES: u64 = 1 << 20;
/// Characters of a service's own words that are shown.
const WORDS: usize = 200;

/// The way to a service.
pub(super) struct Transfer {
    agent: Agent,
    address: String,
    headers: Headers,
    max_answer_bytes: u64,
    timeout: f64,
}

impl Transfer {
    pub(super) fn new(address: &str, headers: Headers, options: &HttpOptions) -> Result<Self, HttpError> {
        let host = host(address)?;
        let is_here = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // What is zipped would have to be unzipped within bounds.
            .accept_encoding("identity")
            .user_agent(concat!("gradless/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(MOST_HEADER_BYTES)
            .input_buffer_size(BUFFER)
            .output_buffer_size(BUFFER)
            .max_idle_connections(options.in_flight)
            .max_idle_connections_per_host(options.in_flight)
            .timeout_resolve(Some(seconds(options.connect_timeout)))
            .timeout_connect(Some(seconds(options.connect_timeout)))
            .timeout_global(Some(seconds(options.timeout)));
        if let Some(path) = &options.certificates {
            config = config.tls_config(TlsConfig::builder().root_certs(authorities(path)?).build());
        }
        if is_here {
            // A proxy of the environment leads elsewhere, not back to this machine.
            config = config.proxy(None);
        }
        Ok(Self {
            agent: Agent::with_parts(
                config.build(),
                DefaultConnector::default().chain(Coalescing),
                Remembered::default(),
            ),
            address: address.to_owned(),
            headers,
            max_answer_bytes: options.max_answer_bytes,
            timeout: options.timeout,
        })
    }

    /// All of a body. One that says it is too long is not begun with.
    fn read(&self, body: &mut Body, most: u64) -> Result<Vec<u8>, Failure> {
        if body.content_length().is_some_and(|length| length > most) {
            return Err(Failure::TooLarge(most));
        }
        body.with_config().limit(most).read_to_vec().map_err(|error| self.failure(error))
    }

    /// The beginning of a text from outside, without secrets.
    fn excerpt(&self, text: &str) -> String {
        self.headers.hide(text.trim()).chars().take(WORDS).collect()
    }

    fn failure(&self, error: ureq::Error) -> Failure {
        let shown = |error: &dyn std::fmt::Display| self.excerpt(&error.to_string());
        match error {
            ureq::Error::Timeout(_) => Failure::Timeout(self.timeout),
            ureq::Error::HostNotFound => Failure::NoHost,
            ureq::Error::ConnectionFailed => Failure::Connection("no connection".to_owned()),
            ureq::Error::BodyExceedsLimit(most) => Failure::TooLarge(most),
            ureq::Error::Tls(_) | ureq::Error::Pem(_) | ureq::Error::Rustls(_) | ureq::Error::TlsRequired => {
                Failure::Tls(shown(&error))
            }
            ureq::Error::Io(error) => self.broken(&error),
            other => Failure::Protocol(shown(&other)),
        }
    }

    fn broken(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::Timeout(self.timeout),
            io::ErrorKind::ConnectionRefused => Failure::Connection("connection refused".to_owned()),
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::UnexpectedEof => Failure::Connection("the connection broke off".to_owned()),
            io::ErrorKind::InvalidData if error.source().is_some() => {
                Failure::Tls(self.excerpt(&error.to_string()))
            }
            _ => Failure::Connection(self.excerpt(&error.to_string())),
        }
    }
}

impl Post for Transfer {
    fn post(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut request = self.agent.post(&self.address).content_type("application/json");
        for (name, value) in self.headers.sent() {
            request = request.header(name, value);
        }
        let mut response = request.send(body).map_err(|error| self.failure(error))?;
        let code = response.status().as_u16();
        match code {
            200 => self.read(response.body_mut(), self.max_answer_bytes),
            300..=399 => {
                let to = text(response.headers(), header::LOCATION).unwrap_or_default();
                Err(Failure::Redirect { code, to: self.excerpt(&to) })
            }
            _ => {
                let date = text(response.headers(), header::DATE);
                let retry_after = text(response.headers(), header::RETRY_AFTER)
                    .and_then(|wait| retry::asked_for(&wait, date.as_deref()));
                // A short one is read, so that it can be shown and the connection be used again.
                let said = self.read(response.body_mut(), 4 * WORDS as u64).unwrap_or_default();
                Err(Failure::Status {
                    code,
                    text: self.excerpt(&String::from_utf8_lossy(&said)),
                    retry_after,
                })
            }
        }
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned)
}

/// The certificates in a PEM file; what else it holds is passed over.
fn authorities(path: &Path) -> Result<RootCerts, HttpError> {
    let wrong = |problem: String| HttpError::Certificates { path: path.display().to_string(), problem };
    let bytes = file::read(path, MOST_CERTIFICATE_BYTES)
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let mut found = Vec::new();
    for item in parse_pem(&bytes) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => (),
            Err(error) => return Err(wrong(format!("cannot be understood: {error}"))),
        }
    }
    if found.is_empty() {
        return Err(wrong("are missing: a PEM file has lines of BEGIN CERTIFICATE".to_owned()));
    }
    Ok(found.into())
}

/// The host of an address that can be asked.
fn host(address: &str) -> Result<String, HttpError> {
    let refused = |address: &str, problem| HttpError::Address { address: address.to_owned(), problem };
    let uri: Uri =
        address.parse().map_err(|_| refused(address, "cannot be read: http://host:port/path is needed"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(refused(address, "does not begin with http:// or https://"));
    }
    let authority = uri.authority().ok_or_else(|| refused(address, "names no machine"))?;
    if authority.as_str().contains('@') {
        let problem = "holds a name or a password, which would be kept with the run: send it as a header, from an \
                       environment variable ('Authorization: Basic $LOGIN')";
        return Err(refused("(hidden)", problem));
    }
    match authority.host() {
        "" => Err(refused(address, "names no machine")),
        host => Ok(host.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_looked_at_and_passwords_in_them_not_repeated() {
        assert_eq!(host("https://a.example:8443/v1?x=1").unwrap(), "a.example");
        assert_eq!(host("http://[::1]:80/").unwrap(), "[::1]");
        for (address, part) in [
            ("ftp://a.example/", "http://"),
            ("a.example/x", "http"),
            ("http://", "address"),
            ("http://user:hunter2@a.example/", "header"),
            ("http://a b/", "address"),
        ] {
            let error = host(address).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("hunter2"), "{address}: {error}");
        }
    }
}

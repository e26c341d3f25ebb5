//! A model behind an address, as the command line asks for it.

use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context, bail};
use gradless_models::{Http, HttpKnown, HttpOptions, Record};
use serde_json::Value;

use super::records::Waits;
use super::{BlackBox, Loaded, ModelArguments, hash, with_flags};
use crate::run::interrupt;

/// Sends the first request, unless what it would tell is known.
pub(super) fn connect(
    address: &str,
    asked: &ModelArguments,
    in_flight: Option<usize>,
    deadline: Option<Instant>,
    known: Option<&Value>,
) -> anyhow::Result<Loaded> {
    let options = options(asked, in_flight)?;
    let sha256 = digest(address, &options)?;
    let stop = stop(deadline);
    let http = match read(known) {
        Some(known) => Http::again(address, options, known, Some(stop))?,
        None => Http::connect_until(address, options, Some(stop))?,
    };
    Ok(Loaded::new(address, sha256, BlackBox::Http(Box::new(http))))
}

/// The same for a service that is asked about records.
pub(super) fn connect_records(
    address: &str,
    asked: &ModelArguments,
    columns: &[String],
    first: &[Record],
    waits: &Waits<'_>,
) -> anyhow::Result<Loaded> {
    let options = options(asked, waits.in_flight)?;
    let sha256 = digest(address, &options)?;
    let known = read(waits.known);
    let http = Http::connect_records(address, options, columns, first, known, Some(stop(waits.deadline)))?;
    Ok(Loaded::new(address, sha256, BlackBox::Http(Box::new(http))))
}

/// The options in the file, with what the flags say instead.
fn options(asked: &ModelArguments, in_flight: Option<usize>) -> anyhow::Result<HttpOptions> {
    if asked.output.is_some() {
        bail!(
            "--output is for files: say where a service puts its scores with `response` in --http FILE.toml"
        );
    }
    if !asked.program.is_empty() {
        bail!("--model and a program behind -- are two models: name one of them");
    }
    let mut options = asked.http.as_deref().map(HttpOptions::load).transpose()?.unwrap_or_default();
    options.description = with_flags(options.description, asked)?;
    options.in_flight = in_flight.unwrap_or(options.in_flight);
    options.max_sent = asked.max_sent.or(options.max_sent);
    for header in &asked.header {
        let (name, value) = header
            .split_once(':')
            .context("--header takes a name and a value: 'Authorization: Bearer $TOKEN'")?;
        options.headers.insert(name.trim().to_owned(), value.trim().to_owned());
    }
    Ok(options)
}

/// Whether nobody waits for the service any more.
fn stop(deadline: Option<Instant>) -> impl Fn() -> bool + Send + Sync + 'static {
    let interrupted = interrupt::flag();
    move || interrupted.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// What an earlier first request told.
fn read(known: Option<&Value>) -> Option<HttpKnown> {
    known.and_then(|known| serde_json::from_value(known.clone()).ok())
}

/// What tells one service, and how it is asked, from another.
fn digest(address: &str, options: &HttpOptions) -> anyhow::Result<String> {
    Ok(hash(format!("{address}\n{}", serde_json::to_string(&words(options))?).as_bytes()))
}

/// What decides the answers: how long, how often and how fast the service is asked does not.
fn words(options: &HttpOptions) -> HttpOptions {
    let HttpOptions { request, response, labels, numbers, rows, headers, description, .. } = options.clone();
    HttpOptions { request, response, labels, numbers, rows, headers, description, ..HttpOptions::default() }
}

//! A model behind an address, as the command line asks for it.

use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context, bail};
use gradless_models::{Http, HttpKnown, HttpOptions};
use serde_json::Value;

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
    if asked.output.is_some() {
        bail!(
            "--output is for files: say where a service puts its scores with `response` in --http FILE.toml"
        );
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
    let interrupted = interrupt::flag();
    let stop = move || {
        interrupted.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    };
    let sha256 = hash(format!("{address}\n{}", serde_json::to_string(&words(&options))?).as_bytes());
    let known: Option<HttpKnown> = known.and_then(|known| serde_json::from_value(known.clone()).ok());
    let http = match known {
        Some(known) => Http::again(address, options, known, Some(stop))?,
        None => Http::connect_until(address, options, Some(stop))?,
    };
    Ok(Loaded { name: address.to_owned(), sha256, onnx: BlackBox::Http(Box::new(http)) })
}

/// What decides the answers: how long, how often and how fast the service is asked does not.
fn words(options: &HttpOptions) -> HttpOptions {
    let HttpOptions { request, response, numbers, rows, headers, description, .. } = options.clone();
    HttpOptions { request, response, numbers, rows, headers, description, ..HttpOptions::default() }
}

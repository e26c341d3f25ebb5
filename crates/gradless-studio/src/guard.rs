//! Who is answered: pages of this studio, on this machine. And what every answer carries to keep it so.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// What the page may load: its own files, and nothing else. Nothing may frame it.
const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
                    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Reports of runs bring their style with them and need no script.
pub(crate) const REPORT: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                                 form-action 'none'; frame-ancestors 'none'";
/// The page over many reports links to them, as a page of the studio: still without scripts and forms.
pub(crate) const INDEX: &str = "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
                                form-action 'none'; frame-ancestors 'none'";

/// The most that a request may carry: a model.
pub(crate) const MOST_BYTES: usize = 512 << 20;

/// By which names the studio is called.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    names: Vec<String>,
    /// Whether any name will do: it listens for other machines, and only the token keeps them out.
    any: bool,
}

impl Hosts {
    pub(crate) fn of(address: std::net::SocketAddr) -> Self {
        let port = address.port();
        let names = vec![
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("[::1]:{port}"),
            address.to_string(),
        ];
        Self { names, any: !address.ip().is_loopback() }
    }

    /// Whether a request was meant for this studio and comes from a page of it, or from no page.
    fn admit(&self, headers: &HeaderMap, path: &str) -> bool {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let Some(host) = text(header::HOST) else { return false };
        let is_host = self.any || self.names.iter().any(|name| name == host);
        // Another page that knows a name of this machine sends its own origin.
        let is_origin =
            text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let is_site =
            site.is_none_or(|site| matches!(site, "same-origin" | "none")) || !path.contains("/api/");
        is_host && is_origin && is_site
    }
}

/// Refuses strangers, and adds the headers that keep the page to itself.
pub(crate) async fn guard(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let mut response = if !hosts.admit(request.headers(), request.uri().path()) {
        (StatusCode::FORBIDDEN, "refused\n").into_response()
    } else if promises_too_much(request.headers()) {
        (StatusCode::PAYLOAD_TOO_LARGE, "refused\n").into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(PAGE));
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether more bytes are announced than anything may have: nobody waits for them.
fn promises_too_much(headers: &HeaderMap) -> bool {
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    length.is_some_and(|length| length > MOST_BYTES as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let parsed = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(parsed).collect()
    }

    #[test]
    fn only_pages_of_this_studio_are_answered() {
        let hosts = Hosts::of("127.0.0.1:8000".parse().unwrap());
        for (pairs, expected) in [
            (&[("host", "127.0.0.1:8000")][..], true),
            (&[("host", "localhost:8000"), ("origin", "http://localhost:8000")], true),
            // A name that somebody else lets point here.
            (&[("host", "evil.example:8000")], false),
            (&[("host", "127.0.0.1:8001")], false),
            (&[], false),
            (&[("host", "127.0.0.1:8000"), ("origin", "http://evil.example")], false),
            (&[("host", "127.0.0.1:8000"), ("origin", "https://127.0.0.1:8000")], false),
            (&[("host", "127.0.0.1:8000"), ("origin", "null")], false),
            (&[("host", "127.0.0.1:8000"), ("sec-fetch-site", "cross-site")], false),
            (&[("host", "127.0.0.1:8000"), ("sec-fetch-site", "same-origin")], true),
        ] {
            assert_eq!(hosts.admit(&headers(pairs), "/t/api/runs"), expected, "{pairs:?}");
        }
    }

    #[test]
    fn told_to_listen_for_others_any_name_will_do_but_no_other_origin() {
        let hosts = Hosts::of("0.0.0.0:8000".parse().unwrap());
        assert!(hosts.admit(&headers(&[("host", "lab:8000")]), "/t/api/runs"));
        assert!(
            !hosts.admit(&headers(&[("host", "lab:8000"), ("origin", "http://evil.example")]), "/t/api/runs")
        );
    }
}

//! A service behind TLS: asked if its certificate is vouched for, and told nothing if it is not.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use gradless::{Inputs, Model};
use gradless_models::{Description, Http, HttpOptions};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use testkit::http::scores;

/// A service that answers behind TLS for as long as the test runs.
struct Secured {
    address: String,
    certificate: String,
    /// Everything that was said to it once it had proved who it is.
    heard: Arc<Mutex<Vec<u8>>>,
}

fn model(x: &[f64]) -> Vec<f64> {
    vec![x.iter().sum(), x[0] - x[1]]
}

impl Secured {
    /// With a certificate for this name.
    fn named(name: &str) -> Self {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (config, ears) = (Arc::new(config), Arc::clone(&heard));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, ears) = (Arc::clone(&config), Arc::clone(&ears));
                thread::spawn(move || {
                    serve(StreamOwned::new(ServerConnection::new(config).unwrap(), stream), &ears);
                });
            }
        });
        Self { address, certificate: cert.pem(), heard }
    }
}

/// Answers one request after the other until the connection ends.
fn serve(mut stream: StreamOwned<ServerConnection, std::net::TcpStream>, heard: &Mutex<Vec<u8>>) {
    let answer = scores(model);
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let request = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = request.split_once("\r\n\r\n") {
            let length = head
                .to_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                let told = answer(body.as_bytes());
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", told.len());
                if stream.write_all(&[head.as_bytes(), &told].concat()).is_err() {
                    return;
                }
                bytes.clear();
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(count) => {
                bytes.extend_from_slice(&piece[..count]);
                heard.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        }
    }
}

/// A file that goes with the test.
struct File(PathBuf);

impl File {
    fn with(text: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("gradless-https-{}-{number}.pem", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn options(certificates: Option<&File>) -> HttpOptions {
    HttpOptions {
        attempts: 2,
        pause: 0.001,
        certificates: certificates.map(|file| file.0.clone()),
        description: Description { shape: Some(vec![2]), ..Description::default() },
        ..HttpOptions::default()
    }
}

#[test]
fn a_service_that_somebody_vouches_for_answers_with_every_digit() {
    let service = Secured::named("127.0.0.1");
    let trusted = File::with(&service.certificate);
    let http = Http::connect(&service.address, options(Some(&trusted))).unwrap();
    let points = [0.1, 0.2, -0.3, 1.0 / 3.0];
    let mut scores = vec![0.0; 4];
    http.scores(Inputs { points: &points, dim: 2 }, &mut scores).unwrap();
    assert_eq!(scores, [model(&points[..2]), model(&points[2..])].concat());
    assert!(String::from_utf8_lossy(&service.heard.lock().unwrap()).contains("POST / HTTP/1.1"));
}

#[test]
fn a_service_that_nobody_vouches_for_is_told_nothing() {
    let (service, stranger) = (Secured::named("127.0.0.1"), Secured::named("127.0.0.1"));
    let elsewhere = Secured::named("elsewhere.example");
    let (of_a_stranger, of_elsewhere) =
        (File::with(&stranger.certificate), File::with(&elsewhere.certificate));
    for (address, trusted) in [
        (&service.address, None),
        (&service.address, Some(&of_a_stranger)),
        // Vouched for, under another name.
        (&elsewhere.address, Some(&of_elsewhere)),
    ] {
        let error = Http::connect(address, options(trusted)).unwrap_err().to_string();
        assert!(error.to_lowercase().contains("certificate"), "{error}");
    }
    assert!(service.heard.lock().unwrap().is_empty() && elsewhere.heard.lock().unwrap().is_empty());
}

#[test]
fn certificates_that_are_none_are_refused_before_anything_is_sent() {
    let service = Secured::named("127.0.0.1");
    for text in ["", "not a certificate", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"] {
        let file = File::with(text);
        let error = Http::connect(&service.address, options(Some(&file))).unwrap_err().to_string();
        assert!(error.contains(&file.0.display().to_string()), "{error}");
    }
    let missing = HttpOptions { certificates: Some("no/such.pem".into()), ..options(None) };
    let error = Http::connect(&service.address, missing).unwrap_err().to_string();
    assert!(error.contains("no/such.pem") && error.contains("cannot be read"), "{error}");
}

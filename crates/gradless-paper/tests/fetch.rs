//! Fetching from a server on this machine that behaves, misbehaves, or does not answer.
#![cfg(feature = "fetch")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod server;

use std::path::PathBuf;
use std::time::Duration;

use flate2::{Compression, write::GzEncoder};
use gradless_paper::data::fetch::{Event, FetchError, Limits, Refusal, fetch};
use gradless_paper::data::{Download, Expected, Homes, Installed, Packing, Problem};
use server::{Answer, Server};

/// Two files with their well-known sums.
static FILES: [Expected; 2] = [
    Expected {
        name: "abc",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    },
    Expected {
        name: "hello",
        bytes: 5,
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    },
];

/// Patient with a busy machine, but without long pauses.
fn limits() -> Limits {
    Limits { attempts: 3, pause: Duration::from_millis(5), ..Limits::default() }
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::none()));
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn published() -> Vec<u8> {
    archive(&[("set/abc", b"abc"), ("set/readme", &vec![7; 50_000]), ("set/hello", b"hello")])
}

fn homes(addresses: &[&str]) -> Homes {
    Homes { downloads: vec![Download::new("set.tar.gz", Packing::Archive(&FILES), addresses)] }
}

/// What happened in one call.
struct Fetched {
    result: Result<Installed, FetchError>,
    events: Vec<String>,
}

/// A folder that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gradless-fetch-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn fetch(&self, addresses: &[&str]) -> Fetched {
        self.fetch_with(&homes(addresses))
    }

    fn fetch_with(&self, homes: &Homes) -> Fetched {
        self.fetch_within(homes, &limits())
    }

    fn fetch_within(&self, homes: &Homes, limits: &Limits) -> Fetched {
        let mut events = Vec::new();
        let mut watch = |event: Event<'_>| events.push(format!("{event:?}"));
        let result = fetch(homes, &self.0, limits, &mut watch);
        Fetched { result, events }
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Fetched {
    #[track_caller]
    fn brought(&self) -> &[&'static str] {
        &self.result.as_ref().unwrap().brought
    }

    /// The reasons of all homes.
    #[track_caller]
    fn refusals(self) -> Vec<Refusal> {
        match self.result.unwrap_err() {
            FetchError::NoHome { tried, .. } => tried.into_iter().map(|tried| tried.reason).collect(),
            other => panic!("{other}"),
        }
    }

    fn count(&self, event: &str) -> usize {
        self.events.iter().filter(|text| text.starts_with(event)).count()
    }
}

#[test]
fn an_archive_is_fetched_unpacked_and_not_asked_for_again() {
    let (folder, server) = (Folder::new("whole"), Server::new(&published(), vec![Answer::whole()]));
    let fetched = folder.fetch(&[&server.address]);
    assert_eq!(fetched.brought(), ["abc", "hello"]);
    assert_eq!(folder.names(), ["abc", "hello"]);
    assert!(fetched.events.last().unwrap().contains(&format!("total: Some({})", published().len())));
    assert_eq!(folder.fetch(&[&server.address]).result.unwrap().present, ["abc", "hello"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn files_that_are_published_alone_are_fetched_one_by_one_zipped_or_not() {
    let (folder, server) = (Folder::new("alone"), Server::new(b"abc", vec![Answer::whole()]));
    let download = Download::new("abc.gz", Packing::File(&FILES[0]), &[&server.address]);
    assert_eq!(folder.fetch_with(&Homes { downloads: vec![download] }).brought(), ["abc"]);
    assert!(server.requests()[0].starts_with("GET /abc.gz "), "{:?}", server.requests());
}

#[test]
fn a_cut_connection_is_resumed_where_it_broke() {
    let answers = vec![Answer::whole().cut_after(20_000), Answer::whole()];
    let (folder, server) = (Folder::new("cut"), Server::new(&published(), answers));
    let fetched = folder.fetch(&[&server.address]);
    assert_eq!(fetched.brought(), ["abc", "hello"]);
    assert_eq!(fetched.count("Retrying"), 1);
    let second = &server.requests()[1];
    assert!(second.contains("range: bytes=20000-") && second.contains("if-range: \"1\""), "{second}");
}

#[test]
fn a_later_call_goes_on_where_the_last_one_was_interrupted() {
    let cut = || Answer::whole().cut_after(10_000);
    let answers = vec![cut(), cut(), cut(), Answer::whole()];
    let (folder, server) = (Folder::new("later"), Server::new(&published(), answers));
    let refusals = folder.fetch(&[&server.address]).refusals();
    assert!(matches!(refusals[..], [Refusal::Cut { received: 30_000, .. }]), "{refusals:?}");
    assert_eq!(folder.names(), ["set.tar.gz.download", "set.tar.gz.download.from"]);
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc", "hello"]);
    assert!(server.requests()[3].contains("range: bytes=30000-"));
    assert_eq!(folder.names(), ["abc", "hello"]);
}

#[test]
fn a_server_without_ranges_begins_anew() {
    let answers = vec![Answer::whole().cut_after(20_000), Answer::whole().without_ranges()];
    let (folder, server) = (Folder::new("no-range"), Server::new(&published(), answers));
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc", "hello"]);
    assert!(server.requests()[1].contains("range: bytes=20000-"));
}

#[test]
fn a_file_that_changed_in_between_is_fetched_from_its_beginning() {
    let answers = vec![Answer::whole().cut_after(20_000), Answer::whole().tagged("\"2\"")];
    let (folder, server) = (Folder::new("changed"), Server::new(&published(), answers));
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc", "hello"]);
}

#[test]
fn pieces_of_different_files_are_noticed_and_fetched_once_more() {
    let folder = Folder::new("mixed");
    let server = Server::new(&published(), vec![Answer::whole()]);
    std::fs::create_dir_all(&folder.0).unwrap();
    std::fs::write(folder.0.join("set.tar.gz.download"), [1; 1000]).unwrap();
    let note = format!("{}set.tar.gz\n\"1\"\n{}\n", server.address, published().len());
    std::fs::write(folder.0.join("set.tar.gz.download.from"), note).unwrap();
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc", "hello"]);
    let requests = server.requests();
    assert!(requests[0].contains("range: bytes=1000-") && !requests[1].contains("range:"), "{requests:?}");
}

#[test]
fn a_piece_from_the_wrong_place_is_thrown_away() {
    let answers = vec![Answer::whole().cut_after(20_000), Answer::whole().shifted(), Answer::whole()];
    let (folder, server) = (Folder::new("shifted"), Server::new(&published(), answers));
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc", "hello"]);
    assert!(!server.requests()[2].contains("range:"));
}

#[test]
fn other_contents_are_refused_and_the_next_home_is_asked() {
    let folder = Folder::new("contents");
    let wrong = archive(&[("abc", b"abc"), ("hello", b"hallo")]);
    let (bad, good) =
        (Server::new(&wrong, vec![Answer::whole()]), Server::new(&published(), vec![Answer::whole()]));
    let fetched = folder.fetch(&[&bad.address]);
    assert_eq!(folder.names(), ["abc"], "what was right is kept");
    let refusals = fetched.refusals();
    assert!(matches!(refusals[..], [Refusal::Contents(Problem::Checksum { .. })]), "{refusals:?}");
    let fetched = folder.fetch(&[&bad.address, &good.address]);
    assert_eq!((fetched.brought(), fetched.count("GivenUp")), (&["hello"][..], 1));
}

#[test]
fn a_missing_file_sends_to_the_second_home_at_once_and_the_next_download_begins_there() {
    let folder = Folder::new("404");
    let empty = Server::new(b"", vec![Answer::status("404 Not Found")]);
    let good = Server::serving(&[("abc", b"abc"), ("hello", b"hello")]);
    let downloads = FILES
        .iter()
        .map(|file| Download::new(file.name, Packing::File(file), &[&empty.address, &good.address]));
    let fetched = folder.fetch_with(&Homes { downloads: downloads.collect() });
    assert_eq!((fetched.brought(), fetched.count("Retrying")), (&["abc", "hello"][..], 0));
    assert_eq!((empty.requests().len(), good.requests().len()), (1, 2));
}

#[test]
fn a_busy_server_is_asked_again() {
    let answers = vec![Answer::status("503 Service Unavailable"), Answer::whole()];
    let (folder, server) = (Folder::new("busy"), Server::new(&published(), answers));
    let fetched = folder.fetch(&[&server.address]);
    assert_eq!((fetched.brought().len(), fetched.count("Retrying")), (2, 1));
}

#[test]
fn a_redirect_is_followed_and_a_loop_is_left() {
    let good = Server::new(&published(), vec![Answer::whole()]);
    let target = format!("{}set.tar.gz", good.address);
    let (folder, server) = (Folder::new("redirect"), Server::new(b"", vec![Answer::redirect(&target)]));
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc", "hello"]);
    let (folder, server) = (Folder::new("loop"), Server::new(b"", vec![Answer::redirect("/set.tar.gz")]));
    let refusals = folder.fetch(&[&server.address]).refusals();
    assert!(matches!(refusals[..], [Refusal::Redirects]), "{refusals:?}");
    assert_eq!(server.requests().len(), 6, "the first and five redirects, no second attempt");
}

#[test]
fn a_server_that_hangs_is_left() {
    for (name, answer) in [("silent", Answer::silent()), ("stalls", Answer::whole().stalling_after(10))] {
        let (folder, server) = (Folder::new(name), Server::new(&published(), vec![answer]));
        let limits = Limits { silence: Duration::from_millis(300), ..limits() };
        let fetched = folder.fetch_within(&homes(&[&server.address]), &limits);
        assert_eq!(fetched.count("Retrying"), 2);
        let refusals = fetched.refusals();
        assert!(matches!(refusals[..], [Refusal::Silent(_)]), "{refusals:?}");
    }
}

#[test]
fn an_endless_body_is_cut_off_and_thrown_away() {
    let (folder, server) = (Folder::new("endless"), Server::new(&published(), vec![Answer::endless()]));
    let refusals = folder.fetch(&[&server.address]).refusals();
    assert!(matches!(refusals[..], [Refusal::TooLarge { most: 1_048_584 }]), "{refusals:?}");
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn nobody_listening_is_said_with_the_address() {
    let server = Server::new(b"", vec![]);
    let address = server.address.clone();
    drop(server);
    let fetched = Folder::new("nobody").fetch(&[&address]);
    assert_eq!(fetched.count("Retrying"), 0);
    let error = fetched.result.unwrap_err().to_string();
    assert!(error.starts_with(&format!("set.tar.gz could not be fetched: {address}set.tar.gz: ")), "{error}");
}

#[test]
fn a_download_put_into_the_folder_by_hand_is_used_and_a_damaged_one_is_not() {
    let (folder, server) = (Folder::new("hand"), Server::new(&published(), vec![Answer::whole()]));
    std::fs::create_dir_all(&folder.0).unwrap();
    std::fs::write(folder.0.join("set.tar.gz"), &published()[..30_000]).unwrap();
    let fetched = folder.fetch(&[&server.address]);
    assert_eq!((fetched.brought().len(), fetched.count("Unusable")), (2, 1));
    std::fs::remove_file(folder.0.join("abc")).unwrap();
    std::fs::write(folder.0.join("set.tar.gz"), published()).unwrap();
    assert_eq!(folder.fetch(&[&server.address]).brought(), ["abc"]);
    assert_eq!((server.requests().len(), folder.names().len()), (1, 3));
}

#[test]
fn a_folder_that_cannot_be_made_ends_the_fetch_before_any_request() {
    let (folder, server) = (Folder::new("file"), Server::new(&published(), vec![Answer::whole()]));
    std::fs::write(&folder.0, b"a file").unwrap();
    assert!(matches!(folder.fetch(&[&server.address]).result, Err(FetchError::Folder(_))));
    assert!(server.requests().is_empty());
    std::fs::remove_file(&folder.0).unwrap();
}

//! Fetches a data set from its public homes: resumed after an interruption, bounded, checked before anything gets its name.

mod error;
mod limits;
mod part;
mod transfer;

pub use error::{FetchError, Refusal, Tried};
pub use limits::Limits;

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use self::error::Failure;
use self::part::Part;
use self::transfer::Transfer;
use super::catalogue::Expected;
use super::error::{DataError, Problem};
use super::homes::{Download, Homes, Packing};
use super::install::{Installed, bring_file, unpack};

/// What a fetch is doing, for whoever shows it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Bytes have come.
    Received {
        /// The file that is being fetched.
        file: &'a str,
        /// Bytes of it that are there, those of earlier attempts included.
        bytes: u64,
        /// Bytes it has, if its home says so.
        total: Option<u64>,
    },
    /// An attempt failed; the next one follows after a pause.
    Retrying {
        /// Where.
        address: &'a str,
        /// Why.
        reason: &'a Refusal,
        /// After how long.
        pause: Duration,
    },
    /// A home is given up; the next one follows.
    GivenUp {
        /// Where.
        address: &'a str,
        /// Why.
        reason: &'a Refusal,
    },
    /// A file that someone put into the folder cannot be used, so it is fetched.
    Unusable {
        /// What is wrong with it.
        error: &'a DataError,
    },
}

/// Puts everything the homes publish into `to`, each file checked against its SHA-256 before it gets its name.
///
/// What is there with the right contents is left alone. A published file that someone has put into the folder is used
/// before anything is fetched. What arrives is kept as `<name>.download`: after an interruption, a call that is made again goes
/// on where the last one stopped, if the home allows it.
pub fn fetch(
    homes: &Homes,
    to: &Path,
    limits: &Limits,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<Installed, FetchError> {
    std::fs::create_dir_all(to).map_err(|error| Problem::from(error).at(to))?;
    let mut installed = Installed::new(to);
    let mut fetcher = Fetcher { to, limits, transfer: Transfer::new(limits), first_home: 0, watch };
    for download in &homes.downloads {
        let missing = installed.note_present(download);
        if !missing.is_empty() {
            fetcher.obtain(download, &missing)?;
        }
        installed.brought.extend(missing.iter().map(|expected| expected.name));
    }
    Ok(installed)
}

struct Fetcher<'a> {
    to: &'a Path,
    limits: &'a Limits,
    transfer: Transfer,
    /// The home that answered last; the others are asked after it.
    first_home: usize,
    watch: &'a mut dyn FnMut(Event<'_>),
}

impl Fetcher<'_> {
    fn obtain(&mut self, download: &Download, missing: &[&'static Expected]) -> Result<(), FetchError> {
        let by_hand = self.to.join(&download.name);
        if by_hand.is_file() {
            match take_out(download.packing, missing, &by_hand, self.to) {
                Ok(()) => return Ok(()),
                Err(error) => (self.watch)(Event::Unusable { error: &error }),
            }
        }
        let count = download.addresses.len();
        let mut tried = Vec::new();
        let first = self.first_home;
        for home in (0..count).map(|step| (first + step) % count) {
            let address = &download.addresses[home];
            match self.ask_home(address, download, missing) {
                Ok(()) => {
                    self.first_home = home;
                    return Ok(());
                }
                Err(Failure::Here(error)) => return Err(error.into()),
                Err(Failure::There(reason)) => {
                    if tried.len() + 1 < count {
                        (self.watch)(Event::GivenUp { address, reason: &reason });
                    }
                    tried.push(Tried { address: address.clone(), reason });
                }
            }
        }
        Err(FetchError::NoHome { file: download.name.clone(), tried })
    }

    /// Receives and unpacks.
    fn ask_home(
        &mut self,
        address: &str,
        download: &Download,
        missing: &[&'static Expected],
    ) -> Result<(), Failure> {
        let part = Part::new(self.to, &download.name);
        let mut may_be_mixed = true;
        loop {
            let resumed = self.receive(address, download, &part)?;
            let taken = take_out(download.packing, missing, part.path(), self.to);
            if let Err(error) = taken {
                if !is_about_contents(&error.problem) {
                    return Err(Failure::Here(error));
                }
                part.discard();
                // A resumed file may have been put together from two: it gets one more chance.
                if !(resumed && may_be_mixed) {
                    return Err(Refusal::Contents(error.problem).into());
                }
                may_be_mixed = false;
            } else {
                part.discard();
                return Ok(());
            }
        }
    }

    /// Receives all bytes, in several attempts if need be; says whether a piece from an earlier one is among them.
    fn receive(&mut self, address: &str, download: &Download, part: &Part) -> Result<bool, Failure> {
        let (mut left, mut farthest) = (self.limits.attempts, part.length());
        loop {
            let attempt = self.transfer.attempt(address, download, part, self.watch);
            let reason = match attempt {
                Err(Failure::There(reason)) if reason.is_passing() => reason,
                ended => return ended,
            };
            if part.length() >= farthest.saturating_add(self.limits.worth) {
                farthest = part.length();
                left = self.limits.attempts;
            }
            left = left.saturating_sub(1);
            if left == 0 {
                return Err(reason.into());
            }
            let pause = self.limits.pause_before(left);
            (self.watch)(Event::Retrying { address, reason: &reason, pause });
            sleep(pause);
        }
    }
}

fn take_out(
    packing: Packing,
    missing: &[&'static Expected],
    from: &Path,
    to: &Path,
) -> Result<(), DataError> {
    match packing {
        Packing::File(expected) => bring_file(from, expected, to),
        Packing::Archive(_) => unpack(missing, from, to),
    }
}

/// Whether another copy could be better; a full disk or a folder without permission is the same for every copy.
fn is_about_contents(problem: &Problem) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    match problem {
        Problem::Io(error) => matches!(error.kind(), InvalidData | InvalidInput | Other | UnexpectedEof),
        _ => true,
    }
}

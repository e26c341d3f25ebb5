//! Names to addresses, remembered for a while: a bounded lookup takes a thread, and would otherwise take one per request.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How long an address is believed: short enough for a service that moves.
const LIFETIME: Duration = Duration::from_secs(10);

/// Looks names up, and remembers the last.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    inner: DefaultResolver,
    last: Mutex<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    /// Scheme, host and port.
    of: String,
    since: Instant,
    addresses: Vec<SocketAddr>,
}

impl Resolver for Remembered {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let of =
            format!("{:?} {:?}", uri.scheme_str(), uri.authority().map(ureq::http::uri::Authority::as_str));
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) =
            last().as_ref().filter(|known| known.of == of && known.since.elapsed() < LIFETIME)
        {
            let mut addresses = self.empty();
            for address in &known.addresses {
                addresses.push(*address);
            }
            return Ok(addresses);
        }
        let addresses = self.inner.resolve(uri, config, timeout)?;
        *last() = Some(Known { of, since: Instant::now(), addresses: addresses.iter().copied().collect() });
        Ok(addresses)
    }
}

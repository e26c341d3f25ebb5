//! How long and how often a fetch tries.

use std::time::Duration;

/// How long and how often a fetch tries.
///
/// | field | default | purpose |
/// |---|---|---|
/// | `connect` | 15 s | to find and reach a home |
/// | `silence` | 30 s | without a byte |
/// | `whole` | 6 h | for one attempt; the largest file needs 8 kB/s |
/// | `redirects` | 5 | from one address to another |
/// | `attempts` | 4 | in a row without getting on |
/// | `worth` | 1 MiB | what counts as getting on |
/// | `pause` | 1 s | before the second attempt, doubled before each further one |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// To find and reach a home.
    pub connect: Duration,
    /// Without a byte.
    pub silence: Duration,
    /// For one attempt.
    pub whole: Duration,
    /// From one address to another.
    pub redirects: u32,
    /// In a row without getting on.
    pub attempts: u32,
    /// Bytes that count as getting on.
    pub worth: u64,
    /// Before the second attempt; doubled before each further one.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            silence: Duration::from_secs(30),
            whole: Duration::from_secs(6 * 60 * 60),
            redirects: 5,
            attempts: 4,
            worth: 1 << 20,
            pause: Duration::from_secs(1),
        }
    }
}

impl Limits {
    /// The pause when so many attempts are left.
    pub(super) fn pause_before(&self, left: u32) -> Duration {
        let failed = self.attempts.saturating_sub(left).clamp(1, 10);
        self.pause.saturating_mul(1 << (failed - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double() {
        let pauses = [3, 2, 1].map(|left| Limits::default().pause_before(left).as_secs());
        assert_eq!(pauses, [1, 2, 4]);
    }
}

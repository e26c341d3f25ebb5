//! Where records go: a file, or in tests something that fails.

use std::io::Write as _;

/// What an answer in the journal outlives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outlives {
    /// A crash of the machine: every record is synced, which takes milliseconds. For black boxes whose answers cost something.
    #[default]
    PowerLoss,
    /// The end of the process, however sudden. For black boxes on this machine that are faster than its disk: after a power
    /// loss they can be asked again, and the journal may be refused.
    Kill,
}

/// Takes bytes and does not return before they are safe.
pub(super) trait Storage: Send + std::fmt::Debug {
    /// Writes behind what is there, and waits until it would outlive what it must.
    fn append(&mut self, bytes: &[u8], outlives: Outlives) -> std::io::Result<()>;
}

impl Storage for std::fs::File {
    fn append(&mut self, bytes: &[u8], outlives: Outlives) -> std::io::Result<()> {
        self.write_all(bytes)?;
        match outlives {
            Outlives::PowerLoss => self.sync_data(),
            Outlives::Kill => Ok(()),
        }
    }
}

//! Where records go: a file, or in tests something that fails.

use std::io::Write as _;

/// Takes bytes and does not return before they are safe.
pub(super) trait Storage: Send + std::fmt::Debug {
    /// Writes behind what is there, and waits until it would outlive a crash of the machine.
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()>;
}

impl Storage for std::fs::File {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.write_all(bytes)?;
        self.sync_data()
    }
}

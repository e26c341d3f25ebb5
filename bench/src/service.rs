//! A service in another process: what is measured is the client alone.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::Fallible;

/// The present program, called with `--serve`, as a child: it ends with this process.
///
/// It writes its address to its output and lives as long as its input is open.
pub struct Service {
    child: Child,
    /// Where it is.
    pub address: String,
}

impl Service {
    /// Starts it and waits until it says where it is.
    pub fn start() -> Fallible<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("the service says nothing")?;
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        Ok(Self { child, address: address.trim().to_owned() })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

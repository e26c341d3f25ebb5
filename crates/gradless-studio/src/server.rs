//! The studio: where it listens, what it knows, and until when.

use std::ffi::OsString;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::folder::Folder;
use crate::guard::Hosts;
use crate::model::Models;
use crate::routes::{self, App, Choice};
use crate::runs::Runs;

/// What a studio is made of.
pub struct Studio {
    /// The folder of its runs, and all it reads and writes.
    pub folder: PathBuf,
    /// Where it listens; port 0 for any that is free.
    pub address: SocketAddr,
    /// The secret part of its address; made up if none is given.
    pub token: Option<String>,
    /// How the command is started: a program and its first words.
    pub program: Vec<OsString>,
    /// The environment variable that names the file to which the command writes its progress.
    pub progress: &'static str,
    /// Who loads models.
    pub models: Arc<dyn Models>,
    /// The words of the command line that name the model.
    pub model: Vec<String>,
}

/// Why there is no studio.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// Nothing can be written to its folder.
    #[error("nothing can be written to {folder}: choose another --folder")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It cannot listen there.
    #[error("nobody can listen at {address}: choose another --port")]
    Address {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The model cannot be loaded.
    #[error("{0}")]
    Model(String),
    /// There is no randomness for the token.
    #[error("the system gives no random numbers for the address")]
    Random,
    /// A token that cannot stand in an address.
    #[error("a token has 16 to 100 letters, digits, dashes and underscores")]
    Token,
    /// The system gave up while it was running.
    #[error("the studio broke off")]
    Broken(#[from] io::Error),
}

/// A studio that listens.
pub struct Bound {
    listener: std::net::TcpListener,
    app: Arc<App>,
    hosts: Hosts,
    token: String,
    address: SocketAddr,
    continued: usize,
}

impl Studio {
    /// Makes the folder, loads the model, listens, and goes on with runs that were killed.
    pub fn bind(self) -> Result<Bound, StudioError> {
        let token = match self.token {
            Some(token) => Some(token).filter(|token| is_token(token)).ok_or(StudioError::Token)?,
            None => random_token().ok_or(StudioError::Random)?,
        };
        let folder = Folder::make(&self.folder)
            .map_err(|source| StudioError::Folder { folder: self.folder.clone(), source })?;
        let choice = Choice::new(self.models, self.model).map_err(StudioError::Model)?;
        let failed = |source| StudioError::Address { address: self.address, source };
        let listener = std::net::TcpListener::bind(self.address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runs = Arc::new(Runs::new(folder, self.program, self.progress));
        let continued = runs.resume_killed().len();
        let app = Arc::new(App::new(runs, choice));
        Ok(Bound { listener, app, hosts: Hosts::of(address), token, address, continued })
    }
}

impl Bound {
    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// How many runs go on that were killed with an earlier studio.
    pub fn continued(&self) -> usize {
        self.continued
    }

    /// Answers requests until `end` is there. Runs go on without it.
    pub fn serve(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), StudioError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let router = routes::router(self.app, self.hosts, &self.token);
            tokio::select! {
                served = async { axum::serve(listener, router).await } => served,
                () = end => Ok(()),
            }
        });
        // Pages that still listen to a run do not hold it up.
        runtime.shutdown_background();
        Ok(done?)
    }
}

/// Waits, within what [`Bound::serve`] waits for.
pub async fn pause(time: std::time::Duration) {
    tokio::time::sleep(time).await;
}

fn is_token(token: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (16..=100).contains(&token.len()) && token.chars().all(plain)
}

/// 128 random bits in hexadecimal.
fn random_token() -> Option<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or('0');
    Some(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_stand_in_an_address() {
        let (a, b) = (random_token().unwrap(), random_token().unwrap());
        assert!(a != b && a.len() == 32 && is_token(&a));
        for wrong in ["", "short", "with/a/slash-in-the-middle", "with spaces in between"] {
            assert!(!is_token(wrong), "{wrong}");
        }
    }
}

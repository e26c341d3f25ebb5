//! The networks that the paper's authors published beside their scripts, read from their own files.
//!
//! Modules in the order data flows: MXNet's parameter files (`parameters`), the two networks they belong to (`network`), a
//! folder with both (`folder`).

mod folder;
mod network;
mod parameters;

pub use folder::{AuthorsError, AuthorsProblem, Converted, convert};
pub use network::{Network, NetworkError};
pub use parameters::{Parameters, ParametersError};

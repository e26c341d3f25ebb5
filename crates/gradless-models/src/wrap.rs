//! Models around models: counted, capped, cached, kept in a journal.

mod cached;
mod capped;
mod counted;
mod journalled;

pub use cached::{Cached, Hits};
pub use capped::Capped;
pub use counted::{Asked, Counted};
pub use journalled::Journalled;

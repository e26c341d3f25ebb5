//! Models around models: counted, capped, cached.

mod cached;
mod capped;
mod counted;

pub use cached::{Cached, Hits};
pub use capped::Capped;
pub use counted::{Asked, Counted};

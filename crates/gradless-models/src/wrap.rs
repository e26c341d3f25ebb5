//! Models around models: counted, capped, cached, kept in a journal, in logarithms.

mod cached;
mod capped;
mod counted;
mod journalled;
mod log_scores;

pub use cached::{Cached, Hits};
pub use capped::Capped;
pub use counted::{Asked, Counted};
pub use journalled::Journalled;
pub use log_scores::LogScores;

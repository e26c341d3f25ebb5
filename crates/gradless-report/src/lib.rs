//! Pages, pictures and plots: of explanations, of minimisations, of the paper's figures.
//!
//! Everything here is plain data in, one file out. A page is a single HTML file that fetches nothing and runs nothing; nothing here
//! asks a model anything.

mod format;
mod html;
mod missing;
pub mod picture;
mod curve;
pub mod explanation;
mod minimum;
pub mod plot;

pub use explanation::{Frame, IndexEntry, Lever, Outcome, Page, Row, Subject, Text, index_html};
pub use minimum::Minimum;

//! The studio: a local page on which searches are begun, watched, stopped and compared.
//!
//! The page decides nothing. A search on it is the command `gradless explain`, started as a program of its own with the words that
//! `words` makes of what is on the screen; so it has the same numbers and files, outlives the page and the studio, and is stopped as by Ctrl-C.
//! What the command writes to `GRADLESS_PROGRESS` is what the page draws. Only the scores under the pen are asked for here, through [`Models`].

mod model;
mod folder;
mod picture;
mod words;
mod run;
mod runs;
mod live;
mod guard;
mod page;
mod routes;
mod server;

pub use model::{Classifier, Facts, Input, Models, Seen};
pub use server::{Bound, Studio, StudioError, pause};

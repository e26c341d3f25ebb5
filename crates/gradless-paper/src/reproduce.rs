//! The paper's experiments: contrastive explanations of its networks' answers by seven methods.
//!
//! Modules in the order data flows: whose settings (`conventions`), by what (`arm`), about what (`space`, `question`), on
//! which images (`choice`), all of it (`experiment`), one job (`run`), where results are kept (`journal`), all jobs (`sweep`), what came of
//! them (`summary`, `pairs`) beside the paper (`reference`), and how it is shown (`tables`, `figures`, `page`,
//! `results`).

mod stream;
mod numpy;
mod conventions;
mod arm;
mod space;
mod question;
mod choice;
mod experiment;
mod run;
mod journal;
mod sweep;
mod summary;
mod pairs;
mod reference;
mod tables;
mod figures;
mod page;
mod results;

pub use arm::{Arm, Family, Step, UnknownArm};
pub use choice::{Choice, ChoiceError, Chosen, Order, choose};
pub use conventions::{Conventions, Difference, Source};
pub use experiment::{BATCH, Experiment, ITERATIONS, Identity, Job, LOOKS, ModelFacts};
pub use figures::{Figure, figures};
pub use journal::{Journal, JournalError, NAME, Others, Unusable};
pub use page::page;
pub use pairs::{Pair, Verdict};
pub use question::{Mode, Question, Unasked, loss, weight};
pub use reference::reference;
pub use results::Results;
pub use run::{Look, Run};
pub use summary::{Cell, CellLook, Summary};
pub use sweep::{Ending, Sweep, SweepError, Watch, missing};
pub use tables::{curves_csv, pairs_csv, runs_csv_gz, table_csv};

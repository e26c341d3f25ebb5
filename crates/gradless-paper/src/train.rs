//! The paper's two networks, trained on the processor: eight images side by side in every register, convolutions without
//! copies, gradients by hand.
//!
//! Modules in the order data flows: where numbers stand (`lane`, `planes`), the convolutions (`kernel`), the other steps
//! (`step`), a network as a list of steps (`parameters`, `plan`, `architecture`), a shard of images through it and back
//! (`pass`, `loss`), the choice of images (`recipe`, `sample`), the descent (`trainer`), its file (`checkpoint`), the whole
//! run (`run`), and what is kept of it (`export`, `curve`).

mod lane;
mod planes;
mod kernel;
mod step;
mod parameters;
mod plan;
mod architecture;
mod pass;
mod loss;
mod recipe;
mod sample;
mod trainer;
mod error;
mod checkpoint;
mod run;
mod export;
mod curve;

pub use architecture::Architecture;
pub use curve::{curve_csv, curve_svg};
pub use error::{TrainError, Unusable};
pub use export::BatchNorm;
pub use recipe::{Augmentation, Recipe};
pub use run::{Ending, Progress, Settings, Trained, Watch, resume, train};
pub use trainer::EpochRecord;

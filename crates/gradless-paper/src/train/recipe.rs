//! How a network is trained: epochs, batch, learning rate, augmentation.

use serde::{Deserialize, Serialize};

use super::architecture::Architecture;

/// How a network is trained: stochastic gradient descent with Nesterov's momentum; the learning rate rises linearly to
/// its peak and falls linearly to zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Times every image is seen.
    pub epochs: u32,
    /// Images per step; a multiple of 32.
    pub batch: usize,
    /// Largest learning rate.
    pub peak_rate: f32,
    /// Share of the steps in which the rate rises.
    pub warm_up: f32,
    /// Weight of the past.
    pub momentum: f32,
    /// Weight decay of kernels; biases and batch norm have none.
    pub decay: f32,
    /// How images vary.
    pub augmentation: Augmentation,
}

/// How images vary from epoch to epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Augmentation {
    /// Not at all.
    None,
    /// Moved by up to four pixels over a background of zeros (the mean colour), and turned left to right half the time.
    CropAndFlip,
}

impl Recipe {
    /// The recipe that reaches the accuracy in `docs/networks.md`.
    pub fn of(architecture: Architecture) -> Self {
        match architecture {
            Architecture::LeNet => Self {
                epochs: 12,
                batch: 128,
                peak_rate: 0.1,
                warm_up: 0.15,
                momentum: 0.9,
                decay: 1e-4,
                augmentation: Augmentation::None,
            },
            Architecture::ResNet8 | Architecture::ConvNet => {
                Self { epochs: 6, ..Self::of(Architecture::LeNet) }
            }
            Architecture::ResNet20 => Self {
                epochs: 40,
                batch: 128,
                peak_rate: 0.2,
                warm_up: 0.15,
                momentum: 0.9,
                decay: 5e-4,
                augmentation: Augmentation::CropAndFlip,
            },
        }
    }

    /// The learning rate of a step out of so many.
    #[expect(clippy::cast_possible_truncation, reason = "a learning rate")]
    pub(super) fn rate(&self, step: u64, steps: u64) -> f32 {
        let share = (step as f64 + 1.0) / (steps as f64 + 1.0);
        let warm_up = f64::from(self.warm_up);
        let height = if share < warm_up { share / warm_up } else { (1.0 - share) / (1.0 - warm_up) };
        self.peak_rate * height as f32
    }
}

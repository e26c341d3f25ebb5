//! The way around a residual block: the same planes, or every second row and column between channels of zeros (He et al.
//! 2016, option A), so that it has nothing to learn.

use crate::train::lane::Lane;
use crate::train::planes::Planes;

/// How the planes of the shortcut meet those of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) struct Shortcut {
    /// Rows and columns from one that is taken to the next.
    pub(in crate::train) stride: usize,
    /// Channels of zeros in front; as many follow.
    pub(in crate::train) lead: usize,
}

impl Shortcut {
    pub(in crate::train) fn between(from: Planes, to: Planes) -> Self {
        Self { stride: from.height / to.height, lead: (to.channels - from.channels) / 2 }
    }

    /// The row of the shortcut that meets this row of the block, if it does not meet zeros.
    pub(super) fn row(self, from: Planes, channel: usize, y: usize) -> Option<usize> {
        let channel = channel.checked_sub(self.lead).filter(|&channel| channel < from.channels)?;
        Some(from.at(channel, y * self.stride))
    }

    /// Begins the gradient of the shortcut's planes with that of the block's.
    pub(in crate::train) fn backward(self, to: Planes, gradient: &[Lane], from: Planes, out: &mut [Lane]) {
        if self.stride > 1 {
            for channel in 0..from.channels {
                from.rows_mut(channel, out).for_each(|row| row.fill(Lane::ZERO));
            }
        }
        for channel in 0..to.channels {
            for (y, gradient) in to.rows(channel, gradient).enumerate() {
                if let Some(start) = self.row(from, channel, y) {
                    for (out, g) in out[start..].iter_mut().step_by(self.stride).zip(gradient) {
                        *out = *g;
                    }
                }
            }
        }
    }
}

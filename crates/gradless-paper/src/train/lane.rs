//! Eight images side by side: the innermost axis of every tensor of the trainer.
//!
//! With one image per SIMD lane a convolution is a broadcast of a weight and a fused multiply-add on whole lanes: no
//! copies into matrices, no shuffles, no remainders in rows. The loops are plain; the compiler makes vectors of them.

/// Images per lane: one AVX2 register of `f32`.
pub(super) const LANES: usize = 8;

/// The same element of [`LANES`] images.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Lane(pub(super) [f32; LANES]);

impl Lane {
    pub(super) const ZERO: Self = Self([0.0; LANES]);

    /// The sum over the images, always in the same order.
    pub(super) fn sum(self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (b + f)) + ((c + g) + (d + h))
    }
}

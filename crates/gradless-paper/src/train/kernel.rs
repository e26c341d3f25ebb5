//! The convolutions of a training step on lanes, compiled twice: for processors with AVX2 and FMA, and for any.

#![expect(clippy::inline_always, reason = "a call inside a tile would spill its sums to memory")]

mod slide;
#[cfg(test)]
mod tests;
mod weight;

use super::lane::Lane;
use super::planes::Planes;

/// How a kernel slides over its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Rows and columns of the kernel.
    pub(super) kernel: usize,
    /// Rows and columns from one output to the next.
    pub(super) stride: usize,
    /// Zeros around the input.
    pub(super) padding: usize,
}

/// What happens to what stood in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    Replace,
    Add,
}

/// Output channels that are summed at once.
const BLOCK: usize = 2;

/// Weights in the order the kernel reads them: block of output channels, input channel, row, column, channel in the block.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed(Vec<f32>);

impl Packed {
    /// From `[output][input][row][column]`.
    pub(super) fn fill(&mut self, weights: &[f32], outputs: usize, per_output: usize) {
        self.0.clear();
        self.0.resize(outputs.next_multiple_of(BLOCK) * per_output, 0.0);
        for (output, weights) in weights.chunks_exact(per_output).enumerate() {
            let block = &mut self.0[output / BLOCK * BLOCK * per_output..];
            for (slot, &w) in block.chunks_exact_mut(BLOCK).zip(weights) {
                slot[output % BLOCK] = w;
            }
        }
    }

    /// The weights that carry gradients back: inputs and outputs exchanged, kernels turned by half a circle.
    pub(super) fn fill_turned(&mut self, weights: &[f32], outputs: usize, inputs: usize, kernel: usize) {
        let area = kernel * kernel;
        let per_input = outputs * area;
        self.0.clear();
        self.0.resize(inputs.next_multiple_of(BLOCK) * per_input, 0.0);
        for (index, &w) in weights.iter().enumerate() {
            let (output, input, tap) = (index / (inputs * area), index / area % inputs, index % area);
            let place = output * area + (area - 1 - tap);
            self.0[(input / BLOCK * per_input + place) * BLOCK + input % BLOCK] = w;
        }
    }
}

/// A convolution of one group of images: `output = input * weights (+ bias)`, or added to what is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convolution<'a> {
    pub(super) window: Window,
    pub(super) from: Planes,
    pub(super) to: Planes,
    pub(super) weights: &'a Packed,
    pub(super) bias: Option<&'a [f32]>,
    pub(super) write: Write,
}

impl Convolution<'_> {
    pub(super) fn run(&self, input: &[Lane], output: &mut [Lane]) {
        #[cfg(target_arch = "x86_64")]
        if fused::at_hand() {
            return fused::slide(self, input, output);
        }
        slide::any::<{ cfg!(target_arch = "aarch64") }>(self, input, output);
    }
}

/// The gradient of a convolution by its weights, summed into `gradient` (`[output][input][row][column]`).
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightGradient {
    pub(super) window: Window,
    pub(super) from: Planes,
    pub(super) to: Planes,
}

impl WeightGradient {
    pub(super) fn run(&self, input: &[Lane], output_gradient: &[Lane], gradient: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if fused::at_hand() {
            return fused::weight(self, input, output_gradient, gradient);
        }
        weight::any::<{ cfg!(target_arch = "aarch64") }>(self, input, output_gradient, gradient);
    }
}

/// The same code, compiled for processors with AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "2.6 to 4.8 times as fast as without (`kernel_speed`); the argument stands at the calls"
)]
mod fused {
    use super::{Convolution, Lane, WeightGradient, slide, weight};

    pub(super) fn at_hand() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }

    pub(super) fn slide(convolution: &Convolution<'_>, input: &[Lane], output: &mut [Lane]) {
        assert!(at_hand());
        // SAFETY: `slide_compiled` is safe code; all it asks for is a processor with AVX2 and FMA, which was just checked.
        unsafe { slide_compiled(convolution, input, output) }
    }

    pub(super) fn weight(
        kernel: &WeightGradient,
        input: &[Lane],
        output_gradient: &[Lane],
        gradient: &mut [f32],
    ) {
        assert!(at_hand());
        // SAFETY: as above.
        unsafe { weight_compiled(kernel, input, output_gradient, gradient) }
    }

    #[target_feature(enable = "avx2,fma")]
    fn slide_compiled(convolution: &Convolution<'_>, input: &[Lane], output: &mut [Lane]) {
        slide::any::<true>(convolution, input, output);
    }

    #[target_feature(enable = "avx2,fma")]
    fn weight_compiled(
        kernel: &WeightGradient,
        input: &[Lane],
        output_gradient: &[Lane],
        gradient: &mut [f32],
    ) {
        weight::any::<true>(kernel, input, output_gradient, gradient);
    }
}

/// $w x + s$ on every lane; fused where the processor can, since fusing in software is a call per number.
#[inline(always)]
fn multiply_add<const FUSED: bool>(w: f32, x: Lane, sum: &mut Lane) {
    for (sum, x) in sum.0.iter_mut().zip(x.0) {
        *sum = if FUSED { w.mul_add(x, *sum) } else { w * x + *sum };
    }
}

/// $x y + s$ lane by lane.
#[inline(always)]
fn multiply_add_lanes<const FUSED: bool>(x: Lane, y: Lane, sum: &mut Lane) {
    for ((sum, x), y) in sum.0.iter_mut().zip(x.0).zip(y.0) {
        *sum = if FUSED { x.mul_add(y, *sum) } else { x * y + *sum };
    }
}

//! The gradient by the weights: four output channels times one row of a kernel are summed in registers over a band of rows.

use super::{Lane, WeightGradient, multiply_add_lanes};

/// Output channels at once.
const OUTPUTS: usize = 4;
/// Positions per band: the planes in use stay in the first-level cache.
const BAND: usize = 128;

#[inline(always)]
pub(super) fn any<const FUSED: bool>(
    kernel: &WeightGradient,
    input: &[Lane],
    output_gradient: &[Lane],
    gradient: &mut [f32],
) {
    let window = kernel.window;
    match (window.kernel, window.stride) {
        (1, 1) => bands::<FUSED, 1, 1>(kernel, input, output_gradient, gradient),
        (3, 1) => bands::<FUSED, 3, 1>(kernel, input, output_gradient, gradient),
        (3, 2) => bands::<FUSED, 3, 2>(kernel, input, output_gradient, gradient),
        (5, 1) => bands::<FUSED, 5, 1>(kernel, input, output_gradient, gradient),
        _ => unreachable!("no network has a kernel of {window:?}"),
    }
}

#[inline(always)]
fn bands<const FUSED: bool, const K: usize, const S: usize>(
    kernel: &WeightGradient,
    input: &[Lane],
    output_gradient: &[Lane],
    gradient: &mut [f32],
) {
    let rows = (BAND / kernel.to.width).clamp(1, kernel.to.height);
    for band in (0..kernel.to.height).step_by(rows) {
        let band = band..(band + rows).min(kernel.to.height);
        let mut output = 0;
        while output + OUTPUTS <= kernel.to.channels {
            channels::<FUSED, K, S, OUTPUTS>(kernel, input, output_gradient, gradient, band.clone(), output);
            output += OUTPUTS;
        }
        while output < kernel.to.channels {
            channels::<FUSED, K, S, 1>(kernel, input, output_gradient, gradient, band.clone(), output);
            output += 1;
        }
    }
}

#[inline(always)]
fn channels<const FUSED: bool, const K: usize, const S: usize, const C: usize>(
    kernel: &WeightGradient,
    input: &[Lane],
    output_gradient: &[Lane],
    gradient: &mut [f32],
    band: std::ops::Range<usize>,
    output: usize,
) {
    let WeightGradient { window, from, to } = *kernel;
    let width = to.width;
    for channel in 0..from.channels {
        for ky in 0..K {
            let mut sums = [[Lane::ZERO; K]; C];
            for y in band.clone() {
                let start = channel * from.plane()
                    + (y * S + ky + from.halo - window.padding) * from.row()
                    + from.halo
                    - window.padding;
                let taps = &input[start..start + (width - 1) * S + K];
                let rows: [&[Lane]; C] = std::array::from_fn(|c| {
                    let start = to.at(output + c, y);
                    &output_gradient[start..start + width]
                });
                for x in 0..width {
                    for (c, row) in rows.iter().enumerate() {
                        for kx in 0..K {
                            multiply_add_lanes::<FUSED>(row[x], taps[x * S + kx], &mut sums[c][kx]);
                        }
                    }
                }
            }
            for (c, sums) in sums.iter().enumerate() {
                let start = (((output + c) * from.channels + channel) * K + ky) * K;
                for (slot, sum) in gradient[start..start + K].iter_mut().zip(sums) {
                    *slot += sum.sum();
                }
            }
        }
    }
}

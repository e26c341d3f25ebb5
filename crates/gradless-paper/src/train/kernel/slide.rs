//! The convolution itself: a tile of output columns times a block of output channels is summed in registers.

use super::{BLOCK, Convolution, Lane, Write, multiply_add};

#[inline(always)]
pub(super) fn any<const FUSED: bool>(convolution: &Convolution<'_>, input: &[Lane], output: &mut [Lane]) {
    let window = convolution.window;
    match (window.kernel, window.stride) {
        (1, 1) => planes::<FUSED, 1, 1>(convolution, input, output),
        (3, 1) => planes::<FUSED, 3, 1>(convolution, input, output),
        (3, 2) => planes::<FUSED, 3, 2>(convolution, input, output),
        (5, 1) => planes::<FUSED, 5, 1>(convolution, input, output),
        _ => unreachable!("no network has a kernel of {window:?}"),
    }
}

#[inline(always)]
fn planes<const FUSED: bool, const K: usize, const S: usize>(
    convolution: &Convolution<'_>,
    input: &[Lane],
    output: &mut [Lane],
) {
    let Convolution { from, to, window, .. } = *convolution;
    for y in 0..to.height {
        let row = (y * S + from.halo - window.padding) * from.row() + from.halo - window.padding;
        let mut x = 0;
        while x + 4 <= to.width {
            columns::<FUSED, K, S, 4>(convolution, &input[row + x * S..], output, y, x);
            x += 4;
        }
        while x < to.width {
            columns::<FUSED, K, S, 1>(convolution, &input[row + x * S..], output, y, x);
            x += 1;
        }
    }
}

/// All output channels of `X` columns: the input they share stays in the first-level cache.
#[inline(always)]
fn columns<const FUSED: bool, const K: usize, const S: usize, const X: usize>(
    convolution: &Convolution<'_>,
    input: &[Lane],
    output: &mut [Lane],
    y: usize,
    x: usize,
) {
    let Convolution { from, to, weights, bias, write, .. } = *convolution;
    let per_block = from.channels * K * K * BLOCK;
    for (block, weights) in weights.0.chunks_exact(per_block).enumerate() {
        let sums = tile::<FUSED, K, S, X>(from.plane(), from.row(), input, weights);
        for (channel, sums) in (block * BLOCK..to.channels).zip(sums) {
            let start = to.at(channel, y) + x;
            let offset = bias.map_or(0.0, |bias| bias[channel]);
            for (out, sum) in output[start..start + X].iter_mut().zip(sums) {
                for (out, sum) in out.0.iter_mut().zip(sum.0) {
                    *out = if write == Write::Add { *out + sum } else { sum + offset };
                }
            }
        }
    }
}

#[inline(always)]
fn tile<const FUSED: bool, const K: usize, const S: usize, const X: usize>(
    plane: usize,
    row: usize,
    input: &[Lane],
    weights: &[f32],
) -> [[Lane; X]; BLOCK] {
    let mut sums = [[Lane::ZERO; X]; BLOCK];
    for (channel, weights) in weights.chunks_exact(K * K * BLOCK).enumerate() {
        for (ky, weights) in weights.chunks_exact(K * BLOCK).enumerate() {
            let start = channel * plane + ky * row;
            let taps = &input[start..start + (X - 1) * S + K];
            for kx in 0..K {
                for c in 0..BLOCK {
                    let w = weights[kx * BLOCK + c];
                    for x in 0..X {
                        multiply_add::<FUSED>(w, taps[x * S + kx], &mut sums[c][x]);
                    }
                }
            }
        }
    }
    sums
}

//! The largest of two by two; the gradient goes to the first that was largest.

use crate::train::lane::{LANES, Lane};
use crate::train::planes::Planes;

/// The four corners of a window, in the order in which they are compared.
const CORNERS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

pub(in crate::train) fn forward(from: Planes, input: &[Lane], to: Planes, output: &mut [Lane]) {
    for channel in 0..to.channels {
        for y in 0..to.height {
            for x in 0..to.width {
                let corners = CORNERS.map(|(dy, dx)| input[from.at(channel, 2 * y + dy) + 2 * x + dx].0);
                output[to.at(channel, y) + x] = Lane(std::array::from_fn(|l| {
                    corners.iter().fold(f32::NEG_INFINITY, |m, corner| m.max(corner[l]))
                }));
            }
        }
    }
}

pub(in crate::train) fn backward(
    values: (Planes, &[Lane]),
    gradients: (Planes, &[Lane]),
    from: Planes,
    input_gradient: &mut [Lane],
) {
    let (planes, input) = values;
    let (to, gradient) = gradients;
    for channel in 0..to.channels {
        for y in 0..to.height {
            for x in 0..to.width {
                let corners = CORNERS.map(|(dy, dx)| input[planes.at(channel, 2 * y + dy) + 2 * x + dx].0);
                let g = gradient[to.at(channel, y) + x].0;
                let mut shares = [[0.0; LANES]; 4];
                for (lane, g) in g.into_iter().enumerate() {
                    let larger =
                        |best: usize, i: usize| if corners[i][lane] > corners[best][lane] { i } else { best };
                    shares[(1..4).fold(0, larger)][lane] = g;
                }
                for ((dy, dx), share) in CORNERS.into_iter().zip(shares) {
                    input_gradient[from.at(channel, 2 * y + dy) + 2 * x + dx] = Lane(share);
                }
            }
        }
    }
}

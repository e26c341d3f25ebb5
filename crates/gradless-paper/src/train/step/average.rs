//! The mean of each plane; the groups then stand side by side as columns.

use crate::train::lane::{LANES, Lane};
use crate::train::planes::Planes;

/// Of the group with this number.
pub(in crate::train) fn forward(from: Planes, input: &[Lane], group: usize, to: Planes, output: &mut [Lane]) {
    let share = 1.0 / from.area() as f32;
    for channel in 0..from.channels {
        let mut sum = [0.0; LANES];
        for x in from.rows(channel, input).flatten() {
            for (sum, x) in sum.iter_mut().zip(x.0) {
                *sum += x;
            }
        }
        output[to.at(channel, 0) + group] = Lane(sum.map(|sum| share * sum));
    }
}

pub(in crate::train) fn backward(
    to: Planes,
    gradient: &[Lane],
    group: usize,
    from: Planes,
    input_gradient: &mut [Lane],
) {
    let share = 1.0 / from.area() as f32;
    for channel in 0..from.channels {
        let g = Lane(gradient[to.at(channel, 0) + group].0.map(|g| share * g));
        for row in from.rows_mut(channel, input_gradient) {
            row.fill(g);
        }
    }
}

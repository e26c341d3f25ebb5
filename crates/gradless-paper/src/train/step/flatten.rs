//! Channels, rows and columns become one axis; the groups then stand side by side as columns, which fills the tiles of
//! the dense layers behind.

use crate::train::lane::Lane;
use crate::train::planes::Planes;

/// Of the group with this number.
pub(in crate::train) fn forward(from: Planes, input: &[Lane], group: usize, to: Planes, output: &mut [Lane]) {
    for channel in 0..from.channels {
        for (index, x) in from.rows(channel, input).flatten().enumerate() {
            output[to.at(channel * from.area() + index, 0) + group] = *x;
        }
    }
}

pub(in crate::train) fn backward(
    to: Planes,
    gradient: &[Lane],
    group: usize,
    from: Planes,
    input_gradient: &mut [Lane],
) {
    for channel in 0..from.channels {
        for (index, out) in from.rows_mut(channel, input_gradient).flatten().enumerate() {
            *out = gradient[to.at(channel * from.area() + index, 0) + group];
        }
    }
}

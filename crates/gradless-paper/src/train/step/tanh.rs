//! $y = \tanh x$; backwards $\bar x = (1 - y^2)\thinspace\bar y$.

use crate::train::lane::Lane;
use crate::train::planes::Planes;

pub(in crate::train) fn forward(from: Planes, input: &[Lane], to: Planes, output: &mut [Lane]) {
    for channel in 0..from.channels {
        for (input, output) in from.rows(channel, input).zip(to.rows_mut(channel, output)) {
            for (x, y) in input.iter().zip(output) {
                y.0 = x.0.map(f32::tanh);
            }
        }
    }
}

pub(in crate::train) fn backward(
    to: Planes,
    output: &[Lane],
    gradients: (Planes, &[Lane]),
    from: Planes,
    input_gradient: &mut [Lane],
) {
    for channel in 0..from.channels {
        let given = to.rows(channel, output).zip(gradients.0.rows(channel, gradients.1));
        for ((output, gradient), wanted) in given.zip(from.rows_mut(channel, input_gradient)) {
            for ((y, g), out) in output.iter().zip(gradient).zip(wanted) {
                for ((y, g), out) in y.0.iter().zip(g.0).zip(&mut out.0) {
                    *out = (1.0 - y * y) * g;
                }
            }
        }
    }
}

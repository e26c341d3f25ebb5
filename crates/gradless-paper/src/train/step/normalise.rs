//! Batch norm (Ioffe & Szegedy 2015), shortcut and rectifier in one: $y = \max(0, \gamma\thinspace\hat z + \beta + s)$
//! with $\hat z = (z - \mu)/\sigma$ over all images of the shard and all places of a channel.

use super::shortcut::Shortcut;
use crate::train::lane::{LANES, Lane};
use crate::train::planes::Planes;

/// Added to every variance.
pub(in crate::train) const EPSILON: f32 = 1e-5;

/// Mean and variance of a channel.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(in crate::train) struct Moments {
    pub(in crate::train) mean: f32,
    pub(in crate::train) variance: f32,
}

impl Moments {
    fn inverse_deviation(self) -> f32 {
        (self.variance + EPSILON).sqrt().recip()
    }
}

/// The moments of a channel over all groups.
pub(in crate::train) fn moments(planes: Planes, channel: usize, groups: &[Lane]) -> Moments {
    let (mut sum, mut squares, mut count) = (0.0_f64, 0.0_f64, 0);
    for group in groups.chunks_exact(planes.len()) {
        for row in planes.rows(channel, group) {
            let (mut sums, mut products) = (Lane::ZERO, Lane::ZERO);
            for z in row {
                for ((z, sum), product) in z.0.iter().zip(&mut sums.0).zip(&mut products.0) {
                    *sum += z;
                    *product += z * z;
                }
            }
            sum += f64::from(sums.sum());
            squares += f64::from(products.sum());
            count += row.len() * LANES;
        }
    }
    let mean = sum / count as f64;
    #[expect(clippy::cast_possible_truncation, reason = "an average of f32")]
    let narrow = |value: f64| value as f32;
    Moments { mean: narrow(mean), variance: narrow((squares / count as f64 - mean * mean).max(0.0)) }
}

/// What is learnt for a channel.
#[derive(Clone, Copy, Debug)]
pub(in crate::train) struct Affine {
    pub(in crate::train) gamma: f32,
    pub(in crate::train) beta: f32,
}

/// The planes of the shortcut of one group.
pub(in crate::train) type Around<'a> = Option<(Shortcut, Planes, &'a [Lane])>;

/// A channel of one group.
pub(in crate::train) fn forward(
    moments: Moments,
    affine: Affine,
    channel: usize,
    input: (Planes, &[Lane]),
    around: Around<'_>,
    to: Planes,
    output: &mut [Lane],
) {
    let scale = affine.gamma * moments.inverse_deviation();
    let shift = affine.beta - moments.mean * scale;
    let rows = input.0.rows(channel, input.1).zip(to.rows_mut(channel, output));
    for (y, (input, output)) in rows.enumerate() {
        let met = around.and_then(|(shortcut, planes, data)| {
            shortcut.row(planes, channel, y).map(|start| data[start..].iter().step_by(shortcut.stride))
        });
        match met {
            None => {
                for (z, out) in input.iter().zip(output) {
                    out.0 = z.0.map(|z| (scale * z + shift).max(0.0));
                }
            }
            Some(around) => {
                for ((z, out), s) in input.iter().zip(output).zip(around) {
                    for ((z, out), s) in z.0.iter().zip(&mut out.0).zip(s.0) {
                        *out = (scale * z + shift + s).max(0.0);
                    }
                }
            }
        }
    }
}

/// Keeps the gradient where the rectifier let through, and sums $\bar y$ and $\bar y z$ over the channel of one group.
pub(in crate::train) fn rectify(
    channel: usize,
    input: (Planes, &[Lane]),
    output: (Planes, &[Lane]),
    planes: Planes,
    gradient: &mut [Lane],
) -> (f64, f64) {
    let (mut sum, mut product) = (0.0_f64, 0.0_f64);
    let given = input.0.rows(channel, input.1).zip(output.0.rows(channel, output.1));
    for ((input, output), gradient) in given.zip(planes.rows_mut(channel, gradient)) {
        let (mut sums, mut products) = (Lane::ZERO, Lane::ZERO);
        for ((z, y), g) in input.iter().zip(output).zip(gradient) {
            let sums = sums.0.iter_mut().zip(&mut products.0);
            for (((z, y), g), (sum, product)) in z.0.iter().zip(y.0).zip(&mut g.0).zip(sums) {
                let kept = if y > 0.0 { *g } else { 0.0 };
                *g = kept;
                *sum += kept;
                *product += kept * z;
            }
        }
        sum += f64::from(sums.sum());
        product += f64::from(products.sum());
    }
    (sum, product)
}

/// The way back through one channel of the norm: what its learnt numbers get, and the three factors of
/// $\bar z = a \bar y + b z + c$.
#[derive(Clone, Copy, Debug)]
pub(in crate::train) struct WayBack {
    pub(in crate::train) gamma: f32,
    pub(in crate::train) beta: f32,
    a: f32,
    b: f32,
    c: f32,
}

impl WayBack {
    /// From the sums of [`rectify`] over all groups and the number of elements they are over.
    #[expect(clippy::cast_possible_truncation, reason = "gradients are kept as f32")]
    pub(in crate::train) fn new(
        moments: Moments,
        gamma: f32,
        (sum, product): (f64, f64),
        count: usize,
    ) -> Self {
        let (mean, inverse) = (f64::from(moments.mean), f64::from(moments.inverse_deviation()));
        let projected = (product - mean * sum) * inverse;
        let (scale, count) = (f64::from(gamma) * inverse, count as f64);
        let b = -scale * inverse * projected / count;
        Self {
            gamma: projected as f32,
            beta: sum as f32,
            a: scale as f32,
            b: b as f32,
            c: (-scale * sum / count - b * mean) as f32,
        }
    }

    /// A channel of one group.
    pub(in crate::train) fn backward(
        self,
        channel: usize,
        input: (Planes, &[Lane]),
        gradient: (Planes, &[Lane]),
        from: Planes,
        input_gradient: &mut [Lane],
    ) {
        let Self { a, b, c, .. } = self;
        let given = input.0.rows(channel, input.1).zip(gradient.0.rows(channel, gradient.1));
        for ((input, gradient), out) in given.zip(from.rows_mut(channel, input_gradient)) {
            for ((z, g), out) in input.iter().zip(gradient).zip(out) {
                for ((z, g), out) in z.0.iter().zip(g.0).zip(&mut out.0) {
                    *out = a * g + (b * z + c);
                }
            }
        }
    }
}

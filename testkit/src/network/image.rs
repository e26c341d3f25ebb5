//! Operators on one image: convolution, pooling, batch normalisation.

use super::tensor::Tensor;

/// What a convolution or a pooling looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) kernel: [usize; 2],
    /// Above, left, below, right.
    pub(super) pads: [usize; 4],
    pub(super) strides: [usize; 2],
    pub(super) dilations: [usize; 2],
}

/// On the padded image, with strides $s$ and dilations $d$,
/// $$ y_{o,i,j} = b_o + \sum_{c,k,l} w_{o,c,k,l} \thinspace x_{c,\thinspace i s_0 + k d_0,\thinspace j s_1 + l d_1}. $$
pub(super) fn conv(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    window: &Window,
    groups: usize,
) -> Result<Tensor, String> {
    let [channels, ..] = x.image()?;
    let &[outputs, inputs, rows, columns] = &weight.shape[..] else {
        return Err(format!("a weight of shape {:?}, four axes are needed", weight.shape));
    };
    let window = Window { kernel: [rows, columns], ..checked_kernel(window, [rows, columns])? };
    if groups == 0 || inputs.checked_mul(groups) != Some(channels) || outputs % groups != 0 {
        return Err(format!(
            "a weight of shape {:?} for {channels} channels in {groups} groups",
            weight.shape
        ));
    }
    let padded = padded(x, &window, 0.0)?;
    let [_, height, width] = padded.image()?;
    let [out_height, out_width] = window.positions(height, width)?;
    let mut y = Tensor::filled(vec![1, outputs, out_height, out_width], 0.0)?;
    if let Some(bias) = bias {
        for (plane, bias) in planes(&mut y).zip(bias.row(outputs)?) {
            plane.fill(*bias);
        }
    }
    let kernels = weight.values.chunks_exact(inputs * rows * columns);
    for (o, (plane, kernel)) in planes(&mut y).zip(kernels).enumerate() {
        let group = o / (outputs / groups);
        let given = padded.values.chunks_exact(height * width).skip(group * inputs);
        for (image, kernel) in given.zip(kernel.chunks_exact(rows * columns)) {
            for (k, w) in kernel.iter().enumerate() {
                let (top, left) = (k / columns * window.dilations[0], k % columns * window.dilations[1]);
                for (i, out) in plane.chunks_exact_mut(out_width).enumerate() {
                    let row = &image[(i * window.strides[0] + top) * width + left..];
                    add_scaled(out, *w, row, window.strides[1]);
                }
            }
        }
    }
    Ok(y)
}

/// `out[j] += w * row[j * stride]`, with the loop nearly all the time is spent in kept simple.
fn add_scaled(out: &mut [f64], w: f64, row: &[f64], stride: usize) {
    if stride == 1 {
        for (out, x) in out.iter_mut().zip(row) {
            *out += w * x;
        }
    } else {
        for (out, x) in out.iter_mut().zip(row.iter().step_by(stride)) {
            *out += w * x;
        }
    }
}

/// $y_c = \gamma_c (x_c - \mu_c) / \sqrt{\sigma_c^2 + \epsilon} + \beta_c$ with `[gamma, beta, mean, variance]`.
pub(super) fn batch_norm(x: &Tensor, parts: [&Tensor; 4], epsilon: f64) -> Result<Tensor, String> {
    let [channels, ..] = x.image()?;
    let [gamma, beta, mean, variance] = parts;
    let (gamma, beta) = (gamma.row(channels)?, beta.row(channels)?);
    let (mean, variance) = (mean.row(channels)?, variance.row(channels)?);
    let mut y = x.clone();
    for (c, plane) in planes(&mut y).enumerate() {
        let scale = gamma[c] / (variance[c] + epsilon).sqrt();
        for value in plane {
            *value = scale * (*value - mean[c]) + beta[c];
        }
    }
    Ok(y)
}

pub(super) fn max_pool(x: &Tensor, window: &Window) -> Result<Tensor, String> {
    // A NaN wins and stays.
    let larger = |best: f64, value: f64| if value > best || value.is_nan() { value } else { best };
    pool(x, window, f64::NEG_INFINITY, |values, _| values.fold(f64::NEG_INFINITY, larger))
}

pub(super) fn average_pool(x: &Tensor, window: &Window, count_padding: bool) -> Result<Tensor, String> {
    let area = window.kernel[0] as f64 * window.kernel[1] as f64;
    pool(x, window, 0.0, |values, inside| values.sum::<f64>() / if count_padding { area } else { inside })
}

pub(super) fn global_average_pool(x: &Tensor) -> Result<Tensor, String> {
    let [channels, height, width] = x.image()?;
    let mean = |plane: &[f64]| plane.iter().sum::<f64>() / plane.len() as f64;
    Tensor::new(vec![1, channels, 1, 1], x.values.chunks_exact(height * width).map(mean).collect())
}

/// `reduce` of every window: its values, and how many of them lie inside the image.
fn pool(
    x: &Tensor,
    window: &Window,
    padding: f64,
    reduce: impl Fn(&mut dyn Iterator<Item = f64>, f64) -> f64,
) -> Result<Tensor, String> {
    let [channels, height, width] = x.image()?;
    let window = checked_kernel(window, window.kernel)?;
    let padded = padded(x, &window, padding)?;
    let [_, padded_height, padded_width] = padded.image()?;
    let [out_height, out_width] = window.positions(padded_height, padded_width)?;
    let offsets = |axis: usize| (0..window.kernel[axis]).map(move |k| k * window.dilations[axis]);
    // How many of the offsets from `start` lie between the padding before and behind.
    let inside = |axis: usize, start: usize, length: usize| {
        let image = window.pads[axis]..window.pads[axis] + length;
        offsets(axis).filter(|offset| image.contains(&(start + offset))).count()
    };
    let mut y = Tensor::filled(vec![1, channels, out_height, out_width], 0.0)?;
    for (plane, image) in planes(&mut y).zip(padded.values.chunks_exact(padded_height * padded_width)) {
        for (index, value) in plane.iter_mut().enumerate() {
            let (top, left) = (index / out_width * window.strides[0], index % out_width * window.strides[1]);
            let rows = offsets(0).map(|row| (top + row) * padded_width + left);
            let mut values = rows.flat_map(|row| offsets(1).map(move |column| image[row + column]));
            *value = reduce(&mut values, (inside(0, top, height) * inside(1, left, width)) as f64);
        }
    }
    Ok(y)
}

impl Window {
    /// How many places the window has on each axis of an image that is padded already.
    fn positions(&self, height: usize, width: usize) -> Result<[usize; 2], String> {
        let fit = |axis: usize, length: usize| {
            let reach =
                self.kernel[axis].checked_sub(1)?.checked_mul(self.dilations[axis])?.checked_add(1)?;
            Some(length.checked_sub(reach)?.checked_div(self.strides[axis])? + 1)
        };
        match (fit(0, height), fit(1, width)) {
            (Some(rows), Some(columns)) => Ok([rows, columns]),
            _ => Err(format!("{self:?} does not fit an image of {height} x {width} with its padding")),
        }
    }
}

/// The window, if its kernel is the one given or left out.
fn checked_kernel(window: &Window, kernel: [usize; 2]) -> Result<Window, String> {
    if (window.kernel == [0, 0] || window.kernel == kernel) && !kernel.contains(&0) {
        Ok(*window)
    } else {
        Err(format!("kernel_shape {:?} for a kernel of {kernel:?}", window.kernel))
    }
}

/// The image with a frame of `value`.
fn padded(x: &Tensor, window: &Window, value: f64) -> Result<Tensor, String> {
    let [channels, height, width] = x.image()?;
    let [above, left, below, right] = window.pads;
    let frame =
        |before: usize, length: usize, behind: usize| before.saturating_add(length).saturating_add(behind);
    let shape = vec![1, channels, frame(above, height, below), frame(left, width, right)];
    let mut padded = Tensor::filled(shape, value)?;
    let padded_width = padded.shape[3];
    for (to, from) in planes(&mut padded).zip(x.values.chunks_exact(height * width)) {
        for (i, row) in from.chunks_exact(width).enumerate() {
            let start = (above + i) * padded_width + left;
            to[start..start + width].copy_from_slice(row);
        }
    }
    Ok(padded)
}

/// The channels of one image.
fn planes(image: &mut Tensor) -> impl Iterator<Item = &mut [f64]> {
    let size = image.shape[2] * image.shape[3];
    image.values.chunks_exact_mut(size)
}

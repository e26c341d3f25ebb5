//! Convolutions and pools: one number per axis for strides and dilations, two for pads.

use super::{Place, Reason, Rewrite, rebuilt};
use crate::onnx::node::{Node, ints};

/// More axes than any window has; the engine's have one or two.
const MAX_AXES: usize = 8;

pub(super) fn convolution(node: &Node<'_>, place: &Place<'_, '_>) -> Result<Rewrite, Reason> {
    let window = Window::of(node);
    let mut missing = Vec::new();
    // `rten` takes the number of axes from `kernel_shape` and from nowhere else.
    if window.kernel.is_none() {
        let rank = |input| node.input(input).and_then(|name| place.scope.rank(name));
        let spatial = rank(1).or_else(|| rank(0)).and_then(|rank| rank.checked_sub(2));
        let Some(axes) = window.axes().or(spatial).filter(|axes| (1..=MAX_AXES).contains(axes)) else {
            return Ok(Rewrite::Keep);
        };
        if window.strides.is_none() {
            missing.push(ints("strides", &vec![1; axes]));
        }
        if window.dilations.is_none() {
            missing.push(ints("dilations", &vec![1; axes]));
        }
        if window.pads.is_none() && !window.is_padded_by_itself {
            missing.push(ints("pads", &vec![0; 2 * axes]));
        }
    }
    if window.is_lower {
        let weights = || spatial(node, 1, place)?.iter().map(|length| (*length)?.try_into().ok()).collect();
        let kernel = window.kernel.clone().or_else(weights).filter(|_| node.operator != b"ConvTranspose");
        missing.push(window.lower_pads(kernel, spatial(node, 0, place))?);
        return rebuilt(node, place, "auto_pad", &missing);
    }
    Ok(if missing.is_empty() { Rewrite::Keep } else { Rewrite::Add(missing) })
}

pub(super) fn pool(node: &Node<'_>, place: &Place<'_, '_>) -> Result<Rewrite, Reason> {
    let window = Window::of(node);
    let axes = window.kernel.as_ref().map_or(0, Vec::len);
    let mut missing = Vec::new();
    if window.strides.is_none() && axes > 0 {
        missing.push(ints("strides", &vec![1; axes]));
    }
    if window.is_lower {
        missing.push(window.lower_pads(window.kernel.clone(), spatial(node, 0, place))?);
        return rebuilt(node, place, "auto_pad", &missing);
    }
    Ok(if missing.is_empty() { Rewrite::Keep } else { Rewrite::Add(missing) })
}

/// What is given of a window.
struct Window {
    kernel: Option<Vec<i64>>,
    strides: Option<Vec<i64>>,
    dilations: Option<Vec<i64>>,
    pads: Option<Vec<i64>>,
    /// `auto_pad` is `SAME_UPPER` or `SAME_LOWER`: pads follow from the input.
    is_padded_by_itself: bool,
    /// `auto_pad` is `SAME_LOWER`.
    is_lower: bool,
}

impl Window {
    fn of(node: &Node<'_>) -> Self {
        let list = |name| node.attribute(name).and_then(|list| list.ints(2 * MAX_AXES));
        let mode = node.attribute("auto_pad").map_or(&b""[..], |mode| mode.text());
        Self {
            kernel: list("kernel_shape"),
            strides: list("strides"),
            dilations: list("dilations"),
            pads: list("pads"),
            is_padded_by_itself: matches!(mode, b"SAME_UPPER" | b"SAME_LOWER"),
            is_lower: mode == b"SAME_LOWER",
        }
    }

    /// How many axes the lists that are given speak of.
    fn axes(&self) -> Option<usize> {
        let lists = [&self.strides, &self.dilations];
        let pads = self.pads.as_ref().map(|pads| pads.len() / 2);
        lists.into_iter().flatten().map(Vec::len).next().or(pads)
    }

    /// The `pads` that `SAME_LOWER` means, the odd pixel in front. Unless strides are 1 they depend on the input's lengths.
    fn lower_pads(
        &self,
        kernel: Option<Vec<i64>>,
        input: Option<&[Option<usize>]>,
    ) -> Result<Vec<u8>, Reason> {
        let at = |list: &Option<Vec<i64>>, axis| {
            list.as_ref().and_then(|list| list.get(axis)).copied().unwrap_or(1)
        };
        let total = |(axis, length): (usize, &i64)| {
            let (stride, dilation) = (at(&self.strides, axis), at(&self.dilations, axis));
            let reach = length.checked_sub(1)?.checked_mul(dilation)?;
            if stride == 1 {
                return Some(reach);
            }
            let input = i64::try_from((*input?.get(axis)?)?).ok()?;
            // The last window begins at the last multiple of the stride inside the input.
            let last = (input - 1).checked_div(stride)?.checked_mul(stride)?;
            Some(last.checked_add(reach)?.checked_add(1)?.checked_sub(input)?.max(0))
        };
        let totals: Option<Vec<i64>> =
            kernel.and_then(|kernel| kernel.iter().enumerate().map(total).collect());
        let totals = totals.filter(|totals| totals.iter().all(|total| *total >= 0));
        let totals =
            totals.ok_or(Reason::Otherwise("auto_pad = SAME_LOWER would be padded as SAME_UPPER"))?;
        let front = totals.iter().map(|total| total - total / 2);
        Ok(ints("pads", &front.chain(totals.iter().map(|total| total / 2)).collect::<Vec<_>>()))
    }
}

/// The axes of an input behind those of the batch and the channels.
fn spatial<'p>(node: &Node<'_>, input: usize, place: &'p Place<'_, '_>) -> Option<&'p [Option<usize>]> {
    place.scope.shape(node.input(input)?)?.get(2..)
}

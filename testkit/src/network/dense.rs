//! Operators that do not care what an image is: products, broadcasting, softmax, and moving values about.

use super::tensor::{Tensor, count};

/// Every `step`-th index of an axis from `start` to before `end`; negative ones count from the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) axis: i64,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) step: i64,
}

/// `x` times `weight`, or times its transpose.
pub(super) fn matmul(x: &Tensor, weight: &Tensor, transposed: bool) -> Result<Tensor, String> {
    let ([rows, inner], [first, second]) = (x.matrix()?, weight.matrix()?);
    let (expected, columns) = if transposed { (second, first) } else { (first, second) };
    if inner != expected {
        return Err(format!("{:?} times {:?}", x.shape, weight.shape));
    }
    let mut y = Tensor::filled(vec![rows, columns], 0.0)?;
    for (out, row) in y.values.chunks_exact_mut(columns).zip(x.values.chunks_exact(inner)) {
        if transposed {
            for (out, weights) in out.iter_mut().zip(weight.values.chunks_exact(inner)) {
                *out = row.iter().zip(weights).map(|(x, w)| x * w).sum();
            }
        } else {
            for (x, weights) in row.iter().zip(weight.values.chunks_exact(columns)) {
                out.iter_mut().zip(weights).for_each(|(out, w)| *out += x * w);
            }
        }
    }
    Ok(y)
}

/// `f` of every pair, the shapes broadcast as in numpy.
pub(super) fn elementwise(a: &Tensor, b: &Tensor, f: impl Fn(f64, f64) -> f64) -> Result<Tensor, String> {
    let rank = a.shape.len().max(b.shape.len());
    // Lengths counted from the last axis; axes that are not there have length one.
    let length = |tensor: &Tensor, back: usize| {
        tensor.shape.len().checked_sub(back + 1).map_or(1, |axis| tensor.shape[axis])
    };
    let mut shape = vec![1; rank];
    for back in 0..rank {
        shape[rank - 1 - back] = match (length(a, back), length(b, back)) {
            (a, b) if a == b => a,
            (1, other) | (other, 1) => other,
            _ => return Err(format!("shapes {:?} and {:?}", a.shape, b.shape)),
        };
    }
    // Where the value for `index` of the result lies.
    let locate = |tensor: &Tensor, mut index: usize| {
        let (mut at, mut stride) = (0, 1);
        for back in 0..rank {
            let (own, all) = (length(tensor, back), shape[rank - 1 - back]);
            at += if own == 1 { 0 } else { index % all * stride };
            stride *= own;
            index /= all;
        }
        at
    };
    let value = |index| f(a.values[locate(a, index)], b.values[locate(b, index)]);
    let values = (0..count(&shape)?).map(value).collect();
    Tensor::new(shape, values)
}

/// $e^{x_i} / \sum_j e^{x_j}$ along the last axis.
pub(super) fn softmax(x: &Tensor, axis: i64) -> Result<Tensor, String> {
    let length = match x.shape.last() {
        Some(&length) if axis_of(x, axis)? + 1 == x.shape.len() => length,
        _ => return Err(format!("axis {axis} of shape {:?}: only the last is known", x.shape)),
    };
    let mut y = x.clone();
    for row in y.values.chunks_exact_mut(length) {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for value in row.iter_mut() {
            *value = (*value - largest).exp();
        }
        let sum: f64 = row.iter().sum();
        for value in row {
            *value /= sum;
        }
    }
    Ok(y)
}

/// A matrix: the axes before `axis` are its rows, the others its columns.
pub(super) fn flatten(x: &Tensor, axis: i64) -> Result<Tensor, String> {
    // Here, unlike elsewhere, the axis may lie behind the last.
    let rank = x.shape.len();
    let axis = if usize::try_from(axis) == Ok(rank) { rank } else { axis_of(x, axis)? };
    let (rows, columns) = x.shape.split_at(axis);
    Tensor::new(vec![rows.iter().product(), columns.iter().product()], x.values.clone())
}

/// The same values in another shape: 0 keeps a length, -1 takes what is left.
pub(super) fn reshape(x: &Tensor, shape: &[i64]) -> Result<Tensor, String> {
    let wrong = || format!("shape {:?} cannot become {shape:?}", x.shape);
    let known = |(axis, length): (usize, &i64)| match length {
        0 => x.shape.get(axis).copied().map(Some).ok_or_else(wrong),
        -1 => Ok(None),
        _ => usize::try_from(*length).map(Some).map_err(|_| wrong()),
    };
    let lengths = shape.iter().enumerate().map(known).collect::<Result<Vec<_>, _>>()?;
    let taken = count(&lengths.iter().copied().flatten().collect::<Vec<_>>())?;
    let left = x.values.len().checked_div(taken).ok_or_else(wrong)?;
    if lengths.iter().filter(|length| length.is_none()).count() > 1 {
        return Err(wrong());
    }
    let lengths = lengths.into_iter().map(|length| length.unwrap_or(left)).collect();
    Tensor::new(lengths, x.values.clone()).map_err(|_| wrong())
}

pub(super) fn slice(x: &Tensor, cuts: &[Cut]) -> Result<Tensor, String> {
    cuts.iter().try_fold(x.clone(), |x, cut| {
        let axis = axis_of(&x, cut.axis)?;
        if cut.step <= 0 {
            return Err(format!("step {}: only steps forward are known", cut.step));
        }
        let length = i64::try_from(x.shape[axis]).map_err(|_| "an axis that is too long")?;
        let place =
            |index: i64| if index < 0 { index.saturating_add(length) } else { index }.clamp(0, length);
        let mut indices = Vec::new();
        let mut index = place(cut.start);
        while index < place(cut.end) {
            indices.push(usize::try_from(index).ok());
            index = index.saturating_add(cut.step);
        }
        select(&x, axis, &indices, 0.0)
    })
}

/// `value` around `x`: `pads` before each axis, then behind each axis.
pub(super) fn pad(x: &Tensor, pads: &[i64], value: f64) -> Result<Tensor, String> {
    let rank = x.shape.len();
    let sizes = pads.iter().map(|pad| usize::try_from(*pad)).collect::<Result<Vec<_>, _>>();
    let sizes = sizes.ok().filter(|sizes| sizes.len() == 2 * rank);
    let sizes = sizes.ok_or_else(|| format!("pads {pads:?} for shape {:?}", x.shape))?;
    (0..rank).try_fold(x.clone(), |x, axis| {
        // Before a list is made of them.
        let mut shape = x.shape.clone();
        shape[axis] = shape[axis].saturating_add(sizes[axis]).saturating_add(sizes[rank + axis]);
        count(&shape)?;
        let before = vec![None; sizes[axis]];
        let given = (0..x.shape[axis]).map(Some).collect();
        let behind = vec![None; sizes[rank + axis]];
        select(&x, axis, &[before, given, behind].concat(), value)
    })
}

/// The given indices of an axis, `value` where there is none.
fn select(x: &Tensor, axis: usize, indices: &[Option<usize>], value: f64) -> Result<Tensor, String> {
    let inner: usize = x.shape[axis + 1..].iter().product();
    let outer: usize = x.shape[..axis].iter().product();
    let mut shape = x.shape.clone();
    shape[axis] = indices.len();
    let mut values = Vec::with_capacity(count(&shape)?);
    for block in 0..outer {
        for index in indices {
            match index {
                Some(index) => {
                    let start = (block * x.shape[axis] + index) * inner;
                    values.extend_from_slice(&x.values[start..start + inner]);
                }
                None => values.extend(std::iter::repeat_n(value, inner)),
            }
        }
    }
    Tensor::new(shape, values)
}

/// An axis counted from the front; negative ones count from the end.
fn axis_of(x: &Tensor, axis: i64) -> Result<usize, String> {
    let rank = x.shape.len();
    let found = match usize::try_from(axis) {
        Ok(axis) => Some(axis),
        Err(_) => axis.checked_neg().and_then(|back| rank.checked_sub(usize::try_from(back).ok()?)),
    };
    found.filter(|axis| *axis < rank).ok_or_else(|| format!("axis {axis} of shape {:?}", x.shape))
}

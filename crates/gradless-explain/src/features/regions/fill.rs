//! What stands where a region is absent: a blurred copy, a colour, another picture, or what diffuses in from what is there.

/// All planes of a picture, blurred by a Gaussian of this deviation, as a share of the shorter side.
pub(crate) fn blurred_planes(picture: &[f64], shape: &[usize], share: f64) -> Vec<f64> {
    let (rows, columns) = plane(picture, shape);
    let deviation = share * rows.min(columns) as f64;
    picture.chunks_exact(rows * columns).flat_map(|plane| blurred(plane, rows, columns, deviation)).collect()
}

/// All planes of a picture, each its mean.
pub(crate) fn mean_planes(picture: &[f64], shape: &[usize]) -> Vec<f64> {
    let (rows, columns) = plane(picture, shape);
    let pixels = rows * columns;
    let mean = |plane: &[f64]| plane.iter().sum::<f64>() / pixels as f64;
    picture.chunks_exact(pixels).flat_map(|plane| std::iter::repeat_n(mean(plane), pixels)).collect()
}

/// Rows and columns of a plane; what is no picture is one row.
fn plane(picture: &[f64], shape: &[usize]) -> (usize, usize) {
    match shape[..] {
        [_, rows, columns] => (rows.max(1), columns.max(1)),
        _ => (1, picture.len().max(1)),
    }
}

/// A plane blurred by a Gaussian of this deviation, its edge continued: three box filters one after the other, of the two odd widths
/// around the ideal one (Kovesi 2010).
pub(super) fn blurred(plane: &[f64], rows: usize, columns: usize, deviation: f64) -> Vec<f64> {
    // Three boxes of width w have the variance (w^2 - 1) / 4.
    let ideal = (4.0 * deviation * deviation + 1.0).sqrt();
    let half = ((ideal - 1.0) / 2.0).floor().max(0.0);
    let narrow = 2.0 * half + 1.0;
    // How many of the three are of the narrow width, the others being wider by two.
    let narrower =
        (12.0 * deviation * deviation - 3.0 * (narrow * narrow + 4.0 * narrow + 3.0)) / (-4.0 * narrow - 4.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few pixels")]
    let (half, narrower) = (half as usize, narrower.round().clamp(0.0, 3.0) as usize);
    let mut out = plane.to_vec();
    for k in 0..3 {
        let half = if k < narrower { half } else { half + 1 };
        out = boxed(&out, rows, columns, half, false);
        out = boxed(&out, rows, columns, half, true);
    }
    out
}

/// The mean of so many places before and behind each, along rows or columns.
fn boxed(plane: &[f64], rows: usize, columns: usize, half: usize, down: bool) -> Vec<f64> {
    let (lines, length) = if down { (columns, rows) } else { (rows, columns) };
    let at = |line: usize, k: usize| if down { k * columns + line } else { line * columns + k };
    let mut out = vec![0.0; plane.len()];
    let width = (2 * half + 1) as f64;
    for line in 0..lines {
        let value = |k: isize| plane[at(line, k.clamp(0, length.cast_signed() - 1).cast_unsigned())];
        let half = half.cast_signed();
        let mut sum: f64 = (-half..=half).map(value).sum();
        for k in 0..length {
            out[at(line, k)] = sum / width;
            let k = k.cast_signed();
            sum += value(k + half + 1) - value(k - half);
        }
    }
    out
}

/// Fills the places that are not there from those that are: by coarser and coarser means, then back (pull and push, Gortler et al. 1996).
pub(super) fn diffused(plane: &[f64], is_there: &[bool], rows: usize, columns: usize) -> Vec<f64> {
    let weights: Vec<f64> = is_there.iter().map(|&there| f64::from(u8::from(there))).collect();
    let values: Vec<f64> = plane.iter().zip(&weights).map(|(x, w)| x * w).collect();
    let filled = pulled(&values, &weights, rows, columns);
    plane.iter().zip(is_there).zip(filled).map(|((&x, &there), fill)| if there { x } else { fill }).collect()
}

/// Means of what is there around every place, from sums of values and weights.
fn pulled(values: &[f64], weights: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    if rows * columns <= 1 {
        return values.iter().zip(weights).map(|(v, w)| if *w > 0.0 { v / w } else { 0.0 }).collect();
    }
    let (half_rows, half_columns) = (rows.div_ceil(2), columns.div_ceil(2));
    let (mut coarse, mut heavy) = (vec![0.0; half_rows * half_columns], vec![0.0; half_rows * half_columns]);
    for i in 0..values.len() {
        let j = i / columns / 2 * half_columns + i % columns / 2;
        coarse[j] += values[i];
        heavy[j] += weights[i];
    }
    // No place counts for more than one: what is far away does not drown what is near.
    for (value, weight) in coarse.iter_mut().zip(&mut heavy) {
        if *weight > 1.0 {
            *value /= *weight;
            *weight = 1.0;
        }
    }
    let below = pulled(&coarse, &heavy, half_rows, half_columns);
    let fill = |i: usize| {
        // Linear between the four coarse places around.
        let (row, column) = (i / columns, i % columns);
        let sides = |k: usize, most: usize| {
            let near = k / 2;
            let far = if k.is_multiple_of(2) { near.saturating_sub(1) } else { (near + 1).min(most - 1) };
            [(near, 0.75), (far, 0.25)]
        };
        let mut sum = 0.0;
        for (r, weight) in sides(row, half_rows) {
            for (c, other) in sides(column, half_columns) {
                sum += weight * other * below[r * half_columns + c];
            }
        }
        sum
    };
    (0..values.len()).map(|i| values[i] + (1.0 - weights[i]) * fill(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blur_keeps_the_mean_and_spreads_a_point_as_far_as_it_says() {
        let mut plane = vec![0.0; 61 * 61];
        plane[30 * 61 + 30] = 1.0;
        let out = blurred(&plane, 61, 61, 4.0);
        assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let variance: f64 = out.iter().enumerate().map(|(i, v)| v * ((i / 61) as f64 - 30.0).powi(2)).sum();
        assert!((variance.sqrt() - 4.0).abs() < 0.2, "{variance}");
        assert!(blurred(&[0.3; 12], 3, 4, 10.0).iter().all(|v| (v - 0.3).abs() < 1e-12));
    }

    #[test]
    fn holes_are_filled_by_what_is_around_them() {
        // Left half 0.2, right half 0.8, a hole in each.
        let plane: Vec<f64> = (0..32 * 32).map(|i| if i % 32 < 16 { 0.2 } else { 0.8 }).collect();
        let hole = |i: usize| {
            (10..16).contains(&(i / 32)) && ((4..8).contains(&(i % 32)) || (22..27).contains(&(i % 32)))
        };
        let there: Vec<bool> = (0..32 * 32).map(|i| !hole(i)).collect();
        let damaged: Vec<f64> =
            plane.iter().zip(&there).map(|(x, there)| if *there { *x } else { 9.0 }).collect();
        let out = diffused(&damaged, &there, 32, 32);
        assert!(
            out.iter().zip(&plane).all(|(a, b)| (a - b).abs() < 0.1),
            "what was gone is as its surroundings"
        );
        assert!(there.iter().zip(out.iter().zip(&plane)).all(|(there, (a, b))| !there || a == b));
        assert!(diffused(&[1.0, 2.0], &[false, false], 1, 2).iter().all(|v| v.is_finite()));
    }
}

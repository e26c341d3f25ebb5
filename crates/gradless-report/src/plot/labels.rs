//! Labels that would lie on each other move apart.

/// Moves heights apart so that neighbours keep their distance; each group of neighbours stays around its mean.
pub(super) fn spread(heights: &mut [f64], gap: f64) {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    // Groups of labels that touch: how many, and where their middle is.
    let mut groups: Vec<(usize, f64)> = Vec::new();
    for &index in &order {
        let mut group = (1, heights[index]);
        while let Some(&(count, middle)) = groups.last() {
            let reach = 0.5 * gap * (count + group.0) as f64;
            if group.1 - middle >= reach {
                break;
            }
            groups.pop();
            let total = (count + group.0) as f64;
            group = (count + group.0, (count as f64 * middle + group.0 as f64 * group.1) / total);
        }
        groups.push(group);
    }
    let placed = groups.into_iter().flat_map(|(count, middle)| {
        (0..count).map(move |i| middle + gap * (i as f64 - 0.5 * (count - 1) as f64))
    });
    for (index, height) in order.into_iter().zip(placed) {
        heights[index] = height;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_their_order() {
        let mut heights = [10.0, 50.0, 12.0, 11.0];
        spread(&mut heights, 4.0);
        assert_eq!(heights, [7.0, 50.0, 15.0, 11.0]);
        let mut chain = [0.0, 5.0, 6.0];
        spread(&mut chain, 4.0);
        // The last two part to 3.5 and 7.5, which touches the first: all three around their mean 11/3.
        assert!((chain[0] + 1.0 / 3.0).abs() < 1e-12 && (chain[2] - 23.0 / 3.0).abs() < 1e-12, "{chain:?}");
    }
}

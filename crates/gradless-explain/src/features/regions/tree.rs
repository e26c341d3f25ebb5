//! Regions within regions: neighbours that look alike are merged until few are left.

/// A squared distance of colours that nobody sees, in CIELAB units.
const SLIGHT: f64 = 1e-3;

/// For every level, the coarsest first, the group of every cell; the last level is the cells themselves.
pub(super) fn levels(
    cells: &[usize],
    colours: &[[f64; 3]],
    mut near: Vec<Vec<usize>>,
    counts: &[usize],
) -> Vec<Vec<usize>> {
    let count = near.len();
    let mut sizes = vec![0.0_f64; count];
    let mut sums = vec![[0.0_f64; 3]; count];
    for (i, &cell) in cells.iter().enumerate().filter(|(_, cell)| **cell < count) {
        sizes[cell] += 1.0;
        for (sum, colour) in sums[cell].iter_mut().zip(colours[i]) {
            *sum += colour;
        }
    }
    let mut group: Vec<usize> = (0..count).collect();
    let mut levels = vec![group.clone()];
    let mut left = count;
    let mut wanted: Vec<usize> = counts.to_vec();
    wanted.sort_unstable();
    while let Some(target) = wanted.pop() {
        while left > target {
            let Some((a, b)) = closest(&sizes, &sums, &near) else { break };
            // b becomes part of a.
            sizes[a] += sizes[b];
            sizes[b] = 0.0;
            let of_b = sums[b];
            for (sum, other) in sums[a].iter_mut().zip(of_b) {
                *sum += other;
            }
            let moved = std::mem::take(&mut near[b]);
            for other in moved {
                near[other].retain(|&beside| beside != b);
                if other != a {
                    join(&mut near[other], a);
                    join(&mut near[a], other);
                }
            }
            for label in group.iter_mut().filter(|label| **label == b) {
                *label = a;
            }
            left -= 1;
        }
        levels.push(numbered(&group));
    }
    levels.reverse();
    levels.dedup();
    levels
}

fn join(list: &mut Vec<usize>, one: usize) {
    if !list.contains(&one) {
        list.push(one);
    }
}

/// The two neighbours whose union costs least: Ward's criterion, the growth of the squared distance of colours to their mean
/// ($\lvert a\rvert\lvert b\rvert / \lvert a \cup b\rvert$ times the squared distance of the means), times the size of the union, so that groups
/// stay alike in size.
fn closest(sizes: &[f64], sums: &[[f64; 3]], near: &[Vec<usize>]) -> Option<(usize, usize)> {
    let mean = |g: usize| sums[g].map(|sum| sum / sizes[g]);
    let mut best: Option<(f64, usize, usize)> = None;
    for a in 0..sizes.len() {
        for &b in near[a].iter().filter(|&&b| b > a) {
            let apart: f64 = mean(a).iter().zip(mean(b)).map(|(x, y)| (x - y) * (x - y)).sum();
            // Of equal colours the smaller ones first.
            let cost = (apart + SLIGHT) * sizes[a] * sizes[b];
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, a, b));
            }
        }
    }
    best.map(|(_, a, b)| (a, b))
}

/// The same groups with numbers without gaps.
fn numbered(group: &[usize]) -> Vec<usize> {
    let mut known = std::collections::HashMap::new();
    group
        .iter()
        .map(|label| {
            let next = known.len();
            *known.entry(*label).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_merged_first_and_levels_are_nested() {
        // Eight cells in a row of 2 x 16 pixels: four dark, four light.
        let cells: Vec<usize> = (0..32).map(|i| i % 16 / 2).collect();
        let colours: Vec<[f64; 3]> =
            cells.iter().map(|&cell| if cell < 4 { [0.0; 3] } else { [1.0; 3] }).collect();
        let near = (0..8_usize)
            .map(|k| [k.checked_sub(1), Some(k + 1).filter(|&k| k < 8)].into_iter().flatten().collect());
        let levels = levels(&cells, &colours, near.collect(), &[2, 4]);
        assert_eq!(levels.len(), 3);
        assert_eq!(levels[0], [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(levels[2], (0..8).collect::<Vec<_>>());
        for pair in levels.windows(2) {
            for (a, b) in [(0, 1), (2, 3), (5, 7), (3, 4)] {
                assert!(
                    pair[1][a] != pair[1][b] || pair[0][a] == pair[0][b],
                    "what is together stays together"
                );
            }
        }
    }
}

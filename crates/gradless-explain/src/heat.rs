//! How much every region of a picture matters, as far as the queries of a search tell: a by-product that costs none.
//!
//! The logarithm of the odds of the class is taken for a sum of effects: of every region that is there, and of the groups it belongs to,
//! each in proportion to its area. Effects are normally distributed around nothing, the wider the more the queries show; what is left
//! over is noise. Mean and deviation of a region's effect, given the queries, are its importance and standard error. Queries of a
//! search are no random sample, and a network is not linear: the noise says how far it is from it.

use crate::answer::Heat;
use crate::features::Map;

/// Fewer queries tell nothing, and of more regions than this it takes too long.
const LEAST: usize = 16;
const MOST_REGIONS: usize = 512;
/// How much wider effects are distributed from one level to the next. This and the weight below are chosen by experiment:
/// `docs/benchmarks/photographs.md`.
const FINER: f64 = 1.4;
/// What a query counts where the class has no probability at all; with it, by so much more. Where nothing of the class is left, it hardly
/// matters what else is missing.
const WITHOUT: f64 = 0.2;
/// Rounds in which the width of effects and noise is found (MacKay 1992).
const ROUNDS: usize = 4;
/// What differs less is no difference.
const SLIGHT: f64 = 1e-9;

/// The importance of regions; `None` where the queries tell nothing. Each query says which regions were there, and the log odds.
pub(crate) fn heat(asked: &[(Vec<bool>, f64)], map: &Map) -> Option<Heat> {
    if asked.len() < LEAST || map.count() > MOST_REGIONS {
        return None;
    }
    let effects = Effects::new(map);
    let mut rows: Vec<Vec<f64>> = asked.iter().map(|(there, _)| effects.row(there)).collect();
    let count = rows.len() as f64;
    let mut odds: Vec<f64> = asked.iter().map(|(_, odds)| *odds).collect();
    let weights: Vec<f64> = odds.iter().map(|odds| WITHOUT + 1.0 / (1.0 + (-odds).exp())).collect();
    let all: f64 = weights.iter().sum();
    let mean = odds.iter().zip(&weights).map(|(odds, weight)| weight * odds).sum::<f64>() / all;
    for odds in &mut odds {
        *odds -= mean;
    }
    for effect in 0..effects.count {
        let mean = rows.iter().zip(&weights).map(|(row, weight)| weight * row[effect]).sum::<f64>() / all;
        for row in &mut rows {
            row[effect] -= mean;
        }
    }
    // A weight is a number of like queries: their root on both sides, with a mean of one.
    for ((row, odds), weight) in rows.iter_mut().zip(&mut odds).zip(&weights) {
        let root = (weight * count / all).sqrt();
        for x in row {
            *x *= root;
        }
        *odds *= root;
    }
    let spread = odds.iter().map(|odds| odds * odds).sum::<f64>() / count;
    if spread < SLIGHT {
        return None;
    }
    let (squares, projected) = products(&rows, &odds);
    let mut noise = 0.2 * spread;
    let mut width = spread / effects.count as f64;
    let mut found = None;
    for _ in 0..ROUNDS {
        let prior: Vec<f64> = effects.shrink.iter().map(|shrink| width * shrink).collect();
        let mut precision = squares.clone();
        for (i, row) in precision.iter_mut().enumerate() {
            for value in row.iter_mut() {
                *value /= noise;
            }
            row[i] += 1.0 / prior[i];
        }
        let covariance = inverse(precision)?;
        let means: Vec<f64> = covariance
            .iter()
            .map(|row| row.iter().zip(&projected).map(|(c, p)| c * p).sum::<f64>() / noise)
            .collect();
        let told: f64 = (0..effects.count).map(|i| 1.0 - covariance[i][i] / prior[i]).sum();
        let rest = |(row, odds): (&Vec<f64>, &f64)| {
            (odds - row.iter().zip(&means).map(|(x, mean)| x * mean).sum::<f64>()).powi(2)
        };
        let left: f64 = rows.iter().zip(&odds).map(rest).sum();
        noise = (left / (count - told).max(0.1 * count)).max(SLIGHT * spread);
        let sizes = (0..effects.count).map(|i| (means[i] * means[i] + covariance[i][i]) / effects.shrink[i]);
        width = (sizes.sum::<f64>() / effects.count as f64).max(SLIGHT * spread);
        found = Some((means, covariance));
    }
    let (means, covariance) = found?;
    let of_region = |region: usize| {
        let own = &effects.of_region[region];
        let weight = effects.weight[region];
        let importance = weight * own.iter().map(|&i| means[i]).sum::<f64>();
        let variance: f64 =
            own.iter().flat_map(|&i| own.iter().map(move |&j| (i, j))).map(|(i, j)| covariance[i][j]).sum();
        (importance, weight * variance.max(0.0).sqrt())
    };
    let (importance, error) = (0..map.count()).map(of_region).unzip();
    Some(Heat { importance, error, queries: asked.len() })
}

/// What the odds are made of: one effect for every group of every level.
struct Effects {
    count: usize,
    /// How much narrower each is distributed than those of the coarsest level.
    shrink: Vec<f64>,
    /// The effects of every region, and its area beside the mean of all.
    of_region: Vec<Vec<usize>>,
    weight: Vec<f64>,
}

impl Effects {
    fn new(map: &Map) -> Self {
        let regions = map.count();
        let mean = (0..regions).map(|region| map.area(region)).sum::<f64>() / regions as f64;
        let mut effects = Self {
            count: 0,
            shrink: Vec::new(),
            of_region: vec![Vec::new(); regions],
            weight: (0..regions).map(|region| map.area(region) / mean).collect(),
        };
        let mut shrink = 1.0;
        for level in 0..map.levels() {
            for group in map.groups(level) {
                for &region in &group {
                    effects.of_region[region].push(effects.count);
                }
                effects.shrink.push(shrink);
                effects.count += 1;
            }
            shrink *= FINER * FINER;
        }
        effects
    }

    /// How much of every effect there is.
    fn row(&self, there: &[bool]) -> Vec<f64> {
        let mut row = vec![0.0; self.count];
        for (region, _) in there.iter().enumerate().filter(|(_, there)| **there) {
            for &effect in &self.of_region[region] {
                row[effect] += self.weight[region];
            }
        }
        row
    }
}

/// $X^\top X$ and $X^\top y$.
fn products(rows: &[Vec<f64>], y: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let count = rows.first().map_or(0, Vec::len);
    let mut squares = vec![vec![0.0; count]; count];
    let mut projected = vec![0.0; count];
    for (row, y) in rows.iter().zip(y) {
        for i in 0..count {
            projected[i] += row[i] * y;
            for (sum, x) in squares[i][..=i].iter_mut().zip(row) {
                *sum += row[i] * x;
            }
        }
    }
    for i in 1..count {
        let (above, rest) = squares.split_at_mut(i);
        for (above, below) in above.iter_mut().zip(&rest[0]) {
            above[i] = *below;
        }
    }
    (squares, projected)
}

/// The inverse of a symmetric positive definite matrix, by Cholesky's factor; `None` if it is none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    for i in 0..count {
        for j in 0..=i {
            let (above, rest) = matrix.split_at_mut(i);
            let row = &mut rest[0];
            let dot: f64 = if j == i {
                row[..j].iter().map(|x| x * x).sum()
            } else {
                row[..j].iter().zip(&above[j][..j]).map(|(a, b)| a * b).sum()
            };
            let left = row[j] - dot;
            if j == i {
                row[i] = Some(left.sqrt()).filter(|root| *root > 0.0)?;
            } else {
                row[j] = left / above[j][j];
            }
        }
    }
    // The columns of the inverse of the factor, as rows.
    let mut columns = vec![vec![0.0; count]; count];
    for (j, column) in columns.iter_mut().enumerate() {
        column[j] = 1.0 / matrix[j][j];
        for i in j + 1..count {
            let dot: f64 = matrix[i][j..i].iter().zip(&column[j..i]).map(|(a, b)| a * b).sum();
            column[i] = -dot / matrix[i][i];
        }
    }
    let mut inverse = vec![vec![0.0; count]; count];
    for i in 0..count {
        for j in 0..=i {
            let dot: f64 = columns[i][i..].iter().zip(&columns[j][i..]).map(|(a, b)| a * b).sum();
            inverse[i][j] = dot;
            inverse[j][i] = dot;
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use gradless::random::{Key, Purpose};
    use rand_core::Rng;

    use super::*;
    use crate::features::{Partition, Pixels, Regions};
    use crate::{Background, Features, Question};

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
        let inverse = inverse(matrix.clone()).unwrap();
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..3 {
                let product: f64 = row.iter().zip(&inverse).map(|(value, other)| value * other[j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        assert_eq!(super::inverse(vec![vec![1.0, 2.0], vec![2.0, 1.0]]), None);
    }

    #[test]
    fn known_effects_are_found_within_their_errors() {
        // Of 64 squares two matter, one speaks against the class; queries show half of the squares each, with noise of 0.3.
        let picture = Pixels::new(vec![0.5; 256], vec![1, 16, 16], 0.0, 1.0);
        let regions = Regions::new(picture, &Partition::Grid(8), Background::Mean).unwrap();
        let coordinates = regions.coordinates(Question::Part).unwrap();
        let map = coordinates.map().unwrap();
        let mut rng = Key { seed: 3, purpose: Purpose::Disturbances }.stream(0, 0);
        let mut uniform = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut truth = vec![0.0; 64];
        (truth[9], truth[10], truth[50]) = (3.0, 2.0, -1.5);
        let asked: Vec<(Vec<bool>, f64)> = (0..300)
            .map(|_| {
                let there: Vec<bool> = (0..64).map(|_| uniform() < 0.5).collect();
                let sum: f64 = there.iter().zip(&truth).filter(|(there, _)| **there).map(|(_, t)| t).sum();
                (there, sum + 0.3 * 12.0_f64.sqrt() * (uniform() - 0.5))
            })
            .collect();
        let heat = heat(&asked, map).unwrap();
        let within = |errors: f64| {
            (0..64).filter(|&i| (heat.importance[i] - truth[i]).abs() <= errors * heat.error[i]).count()
        };
        assert!(within(2.0) >= 57 && within(4.0) == 64, "{} {}", within(2.0), within(4.0));
        assert!(heat.error.iter().all(|error| *error < 0.3), "{:?}", heat.error);
        assert_eq!(heat.queries, 300);
        assert!(super::heat(&asked[..8], map).is_none());
    }
}

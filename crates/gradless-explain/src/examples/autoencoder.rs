//! How far an input is from what examples are made of.

use super::Examples;

/// Gives inputs back as it knows them: what it cannot give back is not like its examples (Dhurandhar et al. 2018).
pub trait Autoencoder: Sync {
    /// The input as it comes back; `None` if that cannot be told.
    fn restored(&self, input: &[f64]) -> Option<Vec<f64>>;

    /// How far an input is from its own image.
    fn distance(&self, input: &[f64]) -> Option<f64> {
        let squares = |back: Vec<f64>| input.iter().zip(back).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        self.restored(input).map(|back| squares(back).sqrt())
    }
}

/// Directions that are kept, at most.
const COMPONENTS: usize = 50;
/// Examples that are looked at, at most; evenly taken from all.
const LOOKED_AT: usize = 2_000;
/// Rounds of the subspace iteration: the error of the images is known to a few per cent after four.
const ROUNDS: usize = 6;

/// The linear autoencoder of some examples: their mean and the directions in which they differ most.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    mean: Vec<f64>,
    /// Orthonormal.
    components: Vec<Vec<f64>>,
}

impl Linear {
    /// The one that gives these examples back with the smallest error, by subspace iteration; nothing is drawn at random.
    pub fn of(examples: &Examples) -> Self {
        let (count, dim) = (examples.len(), examples.dim());
        let step = count.div_ceil(LOOKED_AT).max(1);
        let mut rows: Vec<Vec<f64>> = (0..count).step_by(step).map(|i| examples.row(i)).collect();
        let mut mean = vec![0.0; dim];
        for row in &rows {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / rows.len() as f64);
        }
        for row in &mut rows {
            row.iter_mut().zip(&mean).for_each(|(x, mean)| *x -= mean);
        }
        // One direction less than examples: with as many, all of them come back whole and nothing is learned.
        let kept = COMPONENTS.min(dim).min(rows.len().saturating_sub(1) / 2);
        let spread = rows.len().checked_div(kept).unwrap_or(1);
        let mut components: Vec<Vec<f64>> = rows.iter().step_by(spread.max(1)).take(kept).cloned().collect();
        orthonormalise(&mut components);
        for _ in 0..ROUNDS {
            let mut next = vec![vec![0.0; dim]; components.len()];
            for row in &rows {
                for (next, component) in next.iter_mut().zip(&components) {
                    let along = dot(row, component);
                    next.iter_mut().zip(row).for_each(|(next, x)| *next += along * x);
                }
            }
            components = next;
            orthonormalise(&mut components);
        }
        Self { mean, components }
    }
}

impl Autoencoder for Linear {
    fn restored(&self, input: &[f64]) -> Option<Vec<f64>> {
        let centred: Vec<f64> = input.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect();
        let mut back = self.mean.clone();
        for component in &self.components {
            let along = dot(&centred, component);
            back.iter_mut().zip(component).for_each(|(back, c)| *back += along * c);
        }
        Some(back)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Gram and Schmidt's way, each vector against all before it, twice; what depends on the others goes.
fn orthonormalise(vectors: &mut Vec<Vec<f64>>) {
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(vectors.len());
    for mut vector in vectors.drain(..) {
        let before = dot(&vector, &vector).sqrt();
        for _ in 0..2 {
            for other in &done {
                let along = dot(&vector, other);
                vector.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
        }
        let length = dot(&vector, &vector).sqrt();
        if length > 1e-9 * before && length > 0.0 {
            for x in &mut vector {
                *x /= length;
            }
            done.push(vector);
        }
    }
    *vectors = done;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_among_the_examples_comes_back_and_what_does_not_is_as_far_as_it_is() {
        // A plane in five dimensions, through (1, 1, 1, 1, 1).
        let plane = |a: f32, b: f32| [1.0 + a, 1.0 + b, 1.0 - a, 1.0, 1.0 + a - b];
        let rows: Vec<f32> =
            (0..40_u8).flat_map(|i| plane(f32::from(i % 7) - 3.0, f32::from(i % 5) - 2.0)).collect();
        let linear = Linear::of(&Examples::new(rows, 5).unwrap());
        let inside: Vec<f64> = plane(0.5, -7.0).iter().map(|&x| f64::from(x)).collect();
        assert!(linear.distance(&inside).unwrap() < 1e-6);
        let mut outside = inside;
        outside[3] += 2.0;
        assert!((linear.distance(&outside).unwrap() - 2.0).abs() < 1e-6);
    }

    #[test]
    fn few_examples_leave_a_mean() {
        let linear = Linear::of(&Examples::new(vec![1.0, 2.0, 3.0, 4.0], 2).unwrap());
        assert_eq!(linear.restored(&[9.0, 9.0]), Some(vec![2.0, 3.0]));
    }
}

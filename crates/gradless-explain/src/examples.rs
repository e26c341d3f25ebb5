//! Inputs like the one that is explained: where changes begin, and what is plausible.

mod autoencoder;

pub use autoencoder::{Autoencoder, Linear};

use crate::question::QuestionError;

/// Inputs like the one that is explained, in single precision.
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    rows: Vec<f32>,
    dim: usize,
}

impl Examples {
    /// Rows one after the other, `dim` numbers each.
    pub fn new(rows: Vec<f32>, dim: usize) -> Result<Self, QuestionError> {
        if dim == 0 || !rows.len().is_multiple_of(dim) {
            return Err(QuestionError::Length { found: rows.len(), expected: dim });
        }
        match rows.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(QuestionError::NotFinite { index: index % dim, value: rows[index].into() }),
            None => Ok(Self { rows, dim }),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.dim
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Numbers of one.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// One of them.
    pub fn row(&self, index: usize) -> Vec<f64> {
        self.single(index).iter().map(|&x| f64::from(x)).collect()
    }

    fn single(&self, index: usize) -> &[f32] {
        &self.rows[index * self.dim..(index + 1) * self.dim]
    }

    /// The distance of each from an input, by the sum of squares.
    fn squared_distances(&self, input: &[f64]) -> Vec<f64> {
        let square = |(&a, &b): (&f32, &f64)| (f64::from(a) - b).powi(2);
        self.rows.chunks_exact(self.dim).map(|row| row.iter().zip(input).map(square).sum()).collect()
    }

    /// All of them, the nearest to an input first.
    pub fn by_distance(&self, input: &[f64]) -> Vec<usize> {
        let distances = self.squared_distances(input);
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| distances[a].total_cmp(&distances[b]).then(a.cmp(&b)));
        order
    }

    /// The distance from an input to the nearest; `None` if there is none.
    pub fn nearest_distance(&self, input: &[f64]) -> Option<f64> {
        self.squared_distances(input).into_iter().min_by(f64::total_cmp).map(f64::sqrt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        let examples = Examples::new(vec![0.0, 0.0, 3.0, 4.0, 1.0, 0.0], 2).unwrap();
        assert_eq!(examples.by_distance(&[0.9, 0.0]), [2, 0, 1]);
        assert_eq!(examples.nearest_distance(&[3.0, 4.5]), Some(0.5));
        assert_eq!((examples.len(), examples.row(1)), (3, vec![3.0, 4.0]));
    }

    #[test]
    fn damaged_rows_are_refused() {
        assert_eq!(Examples::new(vec![0.0; 3], 2), Err(QuestionError::Length { found: 3, expected: 2 }));
        let nan = Examples::new(vec![0.0, 1.0, f32::NAN], 3);
        assert!(matches!(nan, Err(QuestionError::NotFinite { index: 2, .. })));
    }
}

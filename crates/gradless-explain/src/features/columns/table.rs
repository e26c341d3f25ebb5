//! Rows like the one that is explained: which values occur, and how far a row is from them.

use crate::question::QuestionError;

/// Rows of a table, encoded as the row that is explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    rows: Vec<f64>,
    dim: usize,
}

impl Table {
    /// Rows one after the other, `dim` numbers each.
    pub fn new(rows: Vec<f64>, dim: usize) -> Result<Self, QuestionError> {
        if dim == 0 || !rows.len().is_multiple_of(dim) || rows.is_empty() {
            return Err(QuestionError::Length { found: rows.len(), expected: dim });
        }
        match rows.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(QuestionError::NotFinite { index: index % dim, value: rows[index] }),
            None => Ok(Self { rows, dim }),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.dim
    }

    /// Whether there are none; there always are some.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Numbers of a row.
    pub fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.rows.chunks_exact(self.dim)
    }

    pub(super) fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.dim..(index + 1) * self.dim]
    }

    /// All values of a number, in order, as often as they occur.
    pub(super) fn values(&self, i: usize) -> Vec<f64> {
        let mut values: Vec<f64> = self.rows().map(|row| row[i]).collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

//! Queries: the only thing that crosses the boundary between the method and the black box.

use std::ops::Range;

use crate::direction::Directions;
use crate::policy::Placement;
use crate::space::Space;

/// A batch of points to evaluate, written row by row into the caller's buffer.
///
/// A row is a base point, or a base point plus a step along one direction. Nothing is stored but that:
/// the largest thing in memory is the chunk of rows being evaluated. Writing takes `&self`, so several threads
/// may write different rows at once.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    pub(crate) space: &'a Space,
    pub(crate) current: &'a [f64],
    pub(crate) centre: &'a [f64],
    pub(crate) previous: &'a [f64],
    pub(crate) sparse: &'a [f64],
    pub(crate) averaged: &'a [f64],
    pub(crate) handed: &'a [f64],
    pub(crate) directions: &'a Directions,
    pub(crate) rows: &'a [Row],
    pub(crate) placement: Placement,
}

/// One query: where it starts, how far it goes along which direction, and which noise sample it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) base: Base,
    /// Direction and signed length; `None` for the base point itself.
    pub(crate) step: Option<(usize, f64)>,
    pub(crate) sample: u64,
}

/// The point a query starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// $x_t$.
    Current,
    /// The point differences are taken around: $x_t$ where it has room for them.
    Centre,
    /// $x_{t-1}$, for momentum that corrects its past.
    Previous,
    /// The prox point $v_t$, evaluated once at the end.
    Sparse,
    /// The average of the iterates, evaluated at the end.
    Averaged,
    /// The point a method went on from with another's way of stepping, evaluated at the end.
    Handed,
}

impl Queries<'_> {
    /// The number of points.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is nothing to evaluate.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of coordinates of each point.
    pub fn dim(&self) -> usize {
        self.space.full_dim()
    }

    /// The noise sample $\xi$ of a row.
    ///
    /// A stochastic black box that can, should use the same randomness for rows with the same number and fresh
    /// randomness for every new number: then the two values of a difference share their noise.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn sample(&self, row: usize) -> u64 {
        self.rows[row].sample
    }

    /// Writes one point.
    ///
    /// # Panics
    /// If there is no such row or `out` does not hold [`dim`](Self::dim) numbers.
    pub fn write(&self, row: usize, out: &mut [f64]) {
        assert_eq!(out.len(), self.dim(), "a point has as many coordinates as the problem");
        let Row { base, step, .. } = self.rows[row];
        let base = match base {
            Base::Current => self.current,
            Base::Centre => self.centre,
            Base::Previous => self.previous,
            Base::Sparse => self.sparse,
            Base::Averaged => self.averaged,
            Base::Handed => self.handed,
        };
        let free = &mut out[..base.len()];
        match step {
            None => free.copy_from_slice(base),
            Some((direction, length)) => self.directions.write(direction, base, length, free),
        }
        if self.placement == Placement::Inside {
            self.space.set.settle(free);
        }
        self.space.expand(out, self.placement);
    }

    /// Writes the points of some rows one after the other.
    ///
    /// # Panics
    /// If a row does not exist or `out` does not hold exactly these rows.
    pub fn write_rows(&self, rows: Range<usize>, out: &mut [f64]) {
        assert_eq!(out.len(), rows.len() * self.dim(), "room for exactly these rows");
        for (row, out) in rows.zip(out.chunks_exact_mut(self.dim())) {
            self.write(row, out);
        }
    }

    /// All points as one row-major matrix; convenient when the batch is small.
    pub fn to_matrix(&self) -> Vec<f64> {
        let mut matrix = vec![0.0; self.len() * self.dim()];
        self.write_rows(0..self.len(), &mut matrix);
        matrix
    }
}

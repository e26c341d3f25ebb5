//! Normal deviates, produced again whenever they are needed.

use rand_distr::{Distribution, StandardNormal};

use super::Norms;
use crate::random::Key;

/// $u \sim N(0, I)$, shortened where it is longer than a bound, if there is one.
#[derive(Clone)]
pub(super) struct Gaussian {
    key: Key,
    iteration: u64,
    bound: Option<(usize, Norms)>,
    /// What is left of each direction, where there is a bound.
    shares: Vec<f64>,
}

impl Gaussian {
    pub(super) fn new(key: Key) -> Self {
        Self { key, iteration: 0, bound: None, shares: Vec::new() }
    }

    /// Sets the bound for so many coordinates.
    pub(super) fn bound(&mut self, dim: usize) {
        self.bound = Some((dim, Norms::of_normals(dim)));
    }

    pub(super) fn draw(&mut self, iteration: u64, count: usize) {
        self.iteration = iteration;
        if let Some((dim, bound)) = self.bound {
            self.shares = (0..count).map(|j| share_within(bound, self.deviates(j).take(dim))).collect();
        }
    }

    /// The components of $u_j$, one after the other, without end.
    ///
    /// The ziggurat method takes a varying number of words per deviate, so a component is found only by
    /// passing those before it.
    pub(super) fn components(&self, j: usize) -> impl Iterator<Item = f64> + use<> {
        let share = self.shares.get(j).copied().unwrap_or(1.0);
        self.deviates(j).map(move |u| share * u)
    }

    fn deviates(&self, j: usize) -> impl Iterator<Item = f64> + use<> {
        StandardNormal.sample_iter(self.key.stream(self.iteration, j as u64))
    }

    pub(super) fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        for ((out, x), u) in out.iter_mut().zip(base).zip(self.components(j)) {
            *out = x + scale * u;
        }
    }

    pub(super) fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        for (j, &c) in coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            for (g, u) in g.iter_mut().zip(self.components(j)) {
                *g += c * u;
            }
        }
    }
}

/// The factor that brings a direction within the bound on every norm.
fn share_within(bound: Norms, u: impl Iterator<Item = f64>) -> f64 {
    let (mut max, mut l1, mut squares) = (0.0_f64, 0.0, 0.0);
    for u in u {
        max = max.max(u.abs());
        l1 += u.abs();
        squares += u * u;
    }
    (bound.max / max).min(bound.l1 / l1).min(bound.l2 / squares.sqrt()).min(1.0)
}

//! Normal deviates, produced again whenever they are needed.

use rand_distr::{Distribution, StandardNormal};

use crate::random::Key;

/// $u \sim N(0, I)$.
#[derive(Clone)]
pub(super) struct Gaussian {
    key: Key,
    iteration: u64,
}

impl Gaussian {
    pub(super) fn new(key: Key) -> Self {
        Self { key, iteration: 0 }
    }

    pub(super) fn draw(&mut self, iteration: u64) {
        self.iteration = iteration;
    }

    /// The components of $u_j$, one after the other, without end.
    ///
    /// The ziggurat method takes a varying number of words per deviate, so a component is found only by
    /// passing those before it.
    pub(super) fn components(&self, j: usize) -> impl Iterator<Item = f64> + use<> {
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

//! Sparse targets: the black box pulls a few coordinates to known values.

use crate::noise;

/// What the black box does with the distance to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Family A: $\frac12\sum_i (x_i-b_i)^2$ over all coordinates; $L = 1$. The gradient is sparse only at the start.
    Quadratic,
    /// Family B: the same over the support only: gradients are exactly sparse.
    Active,
    /// Family C: $\sum_i \rho(x_i-b_i)$ with $\rho(z) = z^2/(1+z^2)$, nonconvex; $L = 2$.
    Nonconvex,
}

/// $l$ with a sparse target $b$, elastic-net weights $\gamma_1, \gamma_2$, box $[-1,1]^d$, start 0.
#[derive(Clone, Debug)]
pub struct SparseTarget {
    /// $d$.
    pub dim: usize,
    /// Coordinates with $b_i \ne 0$, ascending.
    pub support: Vec<usize>,
    /// $b$ on the support.
    pub target: Vec<f64>,
    /// $\gamma_1$.
    pub l1: f64,
    /// $\gamma_2$.
    pub l2: f64,
    /// What is done with $x - b$.
    pub shape: Shape,
}

impl SparseTarget {
    /// Family A as in the specification: 10 coordinates at $\pm 0.5$, $\gamma_1 = \gamma_2 = \gamma$.
    pub fn quadratic(dim: usize, gamma: f64, seed: u64) -> Self {
        Self::new(dim, 10, 0.5, gamma, gamma, Shape::Quadratic, seed)
    }

    /// Family C as in the specification: 20 coordinates at $\pm 0.7$.
    pub fn nonconvex(dim: usize, gamma: f64, seed: u64) -> Self {
        Self::new(dim, 20, 0.7, gamma, gamma, Shape::Nonconvex, seed)
    }

    /// The sparse quadratic of the reference page: $d = 1000$, 10 active at $\pm1$, $r = 0.05\lVert x\rVert_1$;
    /// $F(0) = 5$ and $F^* = 0.4875$.
    pub fn reference_page(seed: u64) -> Self {
        Self::new(1_000, 10, 1.0, 0.05, 0.0, Shape::Quadratic, seed)
    }

    /// Any member: `size` coordinates at alternating signs of `height`.
    pub fn new(dim: usize, size: usize, height: f64, l1: f64, l2: f64, shape: Shape, seed: u64) -> Self {
        let support = noise::choose(size, dim, seed);
        let target = (0..size).map(|i| if i % 2 == 0 { height } else { -height }).collect();
        Self { dim, support, target, l1, l2, shape }
    }

    /// The smoothness of $l$ in $\ell_2$.
    pub fn smoothness(&self) -> f64 {
        if self.shape == Shape::Nonconvex { 2.0 } else { 1.0 }
    }

    /// $l(x)$.
    pub fn loss(&self, x: &[f64]) -> f64 {
        let rho = |z: f64| match self.shape {
            Shape::Quadratic | Shape::Active => 0.5 * z * z,
            Shape::Nonconvex => z * z / (1.0 + z * z),
        };
        // All coordinates as if their target were 0 (in lanes, for speed), then the support put right.
        let mut lanes = [0.0; 8];
        if self.shape != Shape::Active {
            for chunk in x.chunks(8) {
                for (lane, &value) in lanes.iter_mut().zip(chunk) {
                    *lane += rho(value);
                }
            }
        }
        let elsewhere: f64 = lanes.iter().sum();
        let correction: f64 = self
            .support
            .iter()
            .zip(&self.target)
            .map(|(&i, b)| rho(x[i] - b) - if self.shape == Shape::Active { 0.0 } else { rho(x[i]) })
            .sum();
        elsewhere + correction
    }

    /// $\nabla l(x)$.
    pub fn gradient(&self, x: &[f64], out: &mut [f64]) {
        let slope = |z: f64| match self.shape {
            Shape::Quadratic | Shape::Active => z,
            Shape::Nonconvex => 2.0 * z / (1.0 + z * z).powi(2),
        };
        for (out, &x) in out.iter_mut().zip(x) {
            *out = if self.shape == Shape::Active { 0.0 } else { slope(x) };
        }
        for (&i, b) in self.support.iter().zip(&self.target) {
            out[i] = slope(x[i] - b);
        }
    }

    /// $r(x)$.
    pub fn penalty(&self, x: &[f64]) -> f64 {
        if self.l1 == 0.0 && self.l2 == 0.0 {
            return 0.0;
        }
        x.iter().map(|x| self.l1 * x.abs() + 0.5 * self.l2 * x * x).sum()
    }

    /// $l(x) + r(x)$.
    pub fn objective(&self, x: &[f64]) -> f64 {
        self.loss(x) + self.penalty(x)
    }

    /// $f(x_1)$, $x_1 = 0$.
    pub fn start_objective(&self) -> f64 {
        self.objective(&vec![0.0; self.dim])
    }

    /// The minimal objective: each coordinate of the support by itself, in closed form for the quadratics and by a fine
    /// search followed by Newton for the nonconvex shape.
    pub fn minimum(&self) -> f64 {
        self.target.iter().map(|b| self.scalar_minimum(b.abs())).sum()
    }

    fn scalar_minimum(&self, b: f64) -> f64 {
        let value = |s: f64| match self.shape {
            Shape::Quadratic | Shape::Active => 0.5 * (s - b).powi(2),
            Shape::Nonconvex => (s - b).powi(2) / (1.0 + (s - b).powi(2)),
        } + self.l1 * s
            + 0.5 * self.l2 * s * s;
        match self.shape {
            Shape::Quadratic | Shape::Active => value(((b - self.l1) / (1.0 + self.l2)).clamp(0.0, 1.0)),
            Shape::Nonconvex => {
                let mut step = 0.01;
                let mut best = 0.0;
                while step > 1e-12 {
                    let around = (0..=200).map(|i| (best + step * (f64::from(i) - 100.0)).clamp(0.0, 1.0));
                    best = around.fold(best, |best, s| if value(s) < value(best) { s } else { best });
                    step *= 0.1;
                }
                value(best)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_page_has_its_stated_values() {
        let problem = SparseTarget::reference_page(0);
        assert!((problem.start_objective() - 5.0).abs() < 1e-12);
        assert!((problem.minimum() - 0.4875).abs() < 1e-12);
    }

    #[test]
    fn gradients_agree_with_differences() {
        for shape in [Shape::Quadratic, Shape::Active, Shape::Nonconvex] {
            let problem = SparseTarget::new(12, 3, 0.7, 0.1, 0.1, shape, 5);
            let x: Vec<f64> = (0..12).map(|i| 0.1 * f64::from(i) - 0.5).collect();
            let mut gradient = vec![0.0; 12];
            problem.gradient(&x, &mut gradient);
            for i in 0..12 {
                let at = |h: f64| {
                    let mut y = x.clone();
                    y[i] += h;
                    problem.loss(&y)
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((difference - gradient[i]).abs() < 1e-8, "{shape:?} {i}");
            }
        }
    }

    #[test]
    fn no_point_on_a_grid_beats_the_minimum() {
        for shape in [Shape::Quadratic, Shape::Nonconvex] {
            let problem = SparseTarget::new(1, 1, 0.7, 0.05, 0.1, shape, 0);
            let least =
                (-1000..=1000).map(|i| problem.objective(&[f64::from(i) / 1000.0])).fold(f64::MAX, f64::min);
            assert!(problem.minimum() <= least + 1e-12 && problem.minimum() > least - 1e-5, "{shape:?}");
        }
    }
}

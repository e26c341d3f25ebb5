//! The generalised projection by nested bisection: the definition, written down.

use crate::scalar::{crossing, minimise};

/// $\argmin_{l \le y \le h} \langle g, y\rangle + \sum_i \gamma_{1,i}|y_i| + \tfrac{\gamma_{2,i}}2 y_i^2 + \eta B(y, x)$
/// for a separable $\varphi$ with derivative `dual`.
pub struct Separable<'a> {
    /// $\varphi'$, odd and increasing.
    pub dual: &'a dyn Fn(f64) -> f64,
    /// $x$.
    pub x: &'a [f64],
    /// $g$.
    pub g: &'a [f64],
    /// $\eta$.
    pub eta: f64,
    /// $\gamma_1$.
    pub l1: &'a [f64],
    /// $\gamma_2$.
    pub l2: &'a [f64],
    /// $l$, finite.
    pub lower: &'a [f64],
    /// $h$, finite.
    pub upper: &'a [f64],
}

/// What a constraint adds to the problem: to $\gamma_1$, $\gamma_2$ and $g$ of every coordinate.
#[derive(Clone, Copy, Default)]
struct Added {
    l1: f64,
    l2: f64,
    g: f64,
}

/// No multiplier in a test is larger.
const FAR: f64 = 1e12;

impl Separable<'_> {
    /// The answer in the box alone.
    pub fn in_box(&self) -> Vec<f64> {
        self.with(Added::default())
    }

    /// The answer with $\lVert y\rVert_1 \le \rho$ as well.
    pub fn in_l1_ball(&self, radius: f64) -> Vec<f64> {
        let at = |l1: f64| self.with(Added { l1, ..Added::default() });
        at(crossing(|mu| radius - at(mu).iter().map(|y| y.abs()).sum::<f64>(), 0.0, FAR))
    }

    /// The answer with $\lVert y\rVert_2 \le \rho$ as well.
    pub fn in_l2_ball(&self, radius: f64) -> Vec<f64> {
        let at = |l2: f64| self.with(Added { l2, ..Added::default() });
        at(crossing(|mu| radius - at(mu).iter().map(|y| y * y).sum::<f64>().sqrt(), 0.0, FAR))
    }

    /// The answer with $\sum_i y_i$ given as well; the lower bounds are 0 for a simplex.
    pub fn with_sum(&self, total: f64) -> Vec<f64> {
        let at = |g: f64| self.with(Added { g, ..Added::default() });
        at(crossing(|mu| total - at(mu).iter().sum::<f64>(), -FAR, FAR))
    }

    fn with(&self, added: Added) -> Vec<f64> {
        (0..self.x.len()).map(|i| self.coordinate(i, added)).collect()
    }

    /// Where the derivative changes sign; it jumps by twice the $\ell_1$ weight at 0.
    fn coordinate(&self, i: usize, added: Added) -> f64 {
        let derivative = |y: f64| {
            let smooth = self.g[i] + added.g + (self.l2[i] + added.l2) * y;
            let kink = (self.l1[i] + added.l1) * if y == 0.0 { 0.0 } else { y.signum() };
            smooth + kink + self.eta * ((self.dual)(y) - (self.dual)(self.x[i]))
        };
        let (low, high) = (self.lower[i], self.upper[i]);
        let at_zero = self.g[i] + added.g - self.eta * (self.dual)(self.x[i]);
        if at_zero.abs() <= self.l1[i] + added.l1 {
            return 0.0_f64.max(low).min(high);
        }
        crossing(derivative, low, high)
    }
}

/// Minimises a convex function that is smooth up to a separable part, one coordinate after the other.
pub fn coordinate_descent(
    f: impl Fn(&[f64]) -> f64,
    start: &[f64],
    lower: &[f64],
    upper: &[f64],
    sweeps: usize,
) -> Vec<f64> {
    let mut y = start.to_vec();
    for _ in 0..sweeps {
        for i in 0..y.len() {
            let along = |value: f64| {
                let mut moved = y.clone();
                moved[i] = value;
                f(&moved)
            };
            y[i] = minimise(along, lower[i], upper[i]);
        }
    }
    y
}

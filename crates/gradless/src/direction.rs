//! $u_1, \dots, u_m$: the directions along which the black box is asked.

mod block;
mod coordinate;
mod gaussian;
mod hadamard;
mod rademacher;
mod signs;
mod sphere;
mod subset;

pub(crate) use block::rows_of_block;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::random::{Key, Purpose};
use crate::set::Margins;
use crate::vector;
use block::Block;
use coordinate::Coordinate;
use gaussian::Gaussian;
use hadamard::Hadamard;
use rademacher::Rademacher;
use sphere::Sphere;

/// A law of directions as the user names it.
///
/// All satisfy $c\thinspace\mathbb E[u u^\top] = I$ with $c$ the [`factor`](Directions::factor), so that
/// $\hat g = \frac{c}{m}\sum_j y_j u_j$ is unbiased for linear $l$ when $y_j$ is the slope of $l$ along $u_j$.
///
/// | Law | $\lVert u\rVert_\infty$ | $\lVert u\rVert_1$ | $\lVert u\rVert_2$ | Memory |
/// |---|---|---|---|---|
/// | `Rademacher` | $1$ | $d$ | $\sqrt d$ | $md$ bits |
/// | `Hadamard` | $1$ | $d$ | $\sqrt d$ | $3d$ bits, $m$ indices; while adding up many directions $N < 2d$ numbers |
/// | `Gaussian` | unbounded | unbounded | unbounded | none |
/// | `Sphere` | $1$ | $\sqrt d$ | $1$ | $m$ numbers |
/// | `Coordinate` | $\sqrt d$ | $\sqrt d$ | $\sqrt d$ | $d$ bits, $m$ indices |
/// | `Block` | $1$ | $N - 1$ | $\sqrt{N - 1}$ | $d$ bits, $N$ indices |
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Direction {
    /// Independent fair signs: the law of the method's theorems, with $\lVert u\rVert_\infty = 1$ in every dimension.
    ///
    /// For linear $l$ one direction has $\mathbb E\lVert y u\rVert_\infty^2 = \lVert\nabla l\rVert_2^2$ in any dimension.
    Rademacher,
    /// Rows of a Hadamard matrix of order $N$, the next power of two, drawn without replacement, times random signs.
    ///
    /// Each direction alone has the law of [`Rademacher`](Self::Rademacher); together they are orthogonal if $d = N$.
    /// For linear $l$ the variance of the mean of $m \le N$ directions is $\frac{N-m}{N-1}$ times that of
    /// independent ones, and $m = N$ gives the gradient exactly. More than $N$ directions come in independent
    /// blocks. Sampling without replacement is dominated by sampling with replacement for every
    /// convex function of the sum (Hoeffding 1963), so bounds on the mini-batch keep their constants.
    /// Directions of one iteration are dependent: statistics must take the batch as the unit.
    Hadamard,
    /// Standard normal, $u \sim N(0, I)$, for comparison with methods stated so (Nesterov & Spokoiny 2017).
    Gaussian,
    /// Uniform on the unit sphere, factor $d$ (Flaxman, Kalai & McMahan 2005).
    Sphere,
    /// $\sqrt d\thinspace e_i$, coordinates drawn without replacement in blocks of $d$: $m = d$ is the classical difference gradient.
    Coordinate,
    /// Orthogonal signs on $N - 1$ coordinates, $N$ being the power of two from $m$ on: for $m = N$ their slopes exactly, and
    /// nothing of the others. Factor $d/(N-1)$.
    ///
    /// The coordinates are drawn, unless a method that remembers slopes chooses them.
    Block,
}

/// The directions of one iteration at a time.
///
/// They are a function of (law, dimension, seed, iteration, count): drawing again gives the same, in any
/// order of iterations. For `Rademacher`, `Gaussian` and `Sphere` direction $j$ does not depend on the count either.
///
/// ```
/// use gradless::direction::{Direction, Directions};
///
/// let mut directions = Directions::new(Direction::Rademacher, 3, 42);
/// directions.draw(0, 8);
/// let mut point = [0.0; 3];
/// directions.write(5, &[1.0, 2.0, 3.0], 0.5, &mut point);
/// assert!(point.iter().zip([1.0, 2.0, 3.0]).all(|(p, x)| (p - x).abs() == 0.5));
/// ```
#[derive(Clone)]
pub struct Directions {
    dim: usize,
    law: Law,
    drawn: Option<Drawn>,
}

/// Bounds on $\lVert u\rVert_\infty$, $\lVert u\rVert_1$ and $\lVert u\rVert_2$ of directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Norms {
    pub(crate) max: f64,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
}

impl Norms {
    /// Signs on so many coordinates.
    pub(crate) fn of_signs(count: usize) -> Self {
        let count = count as f64;
        Self { max: 1.0, l1: count, l2: count.sqrt() }
    }

    /// What so many normal deviates rarely exceed: each norm about two and a half standard deviations above its mean.
    fn of_normals(count: usize) -> Self {
        let count = count as f64;
        let mean = std::f64::consts::FRAC_2_PI.sqrt();
        Self {
            max: (2.0 * count.ln()).sqrt() + 2.5,
            l1: mean * count + 2.5 * count.sqrt(),
            l2: count.sqrt() + 2.5,
        }
    }

    /// The norms of perturbations of this length.
    pub(crate) fn times(self, length: f64) -> Margins {
        Margins { max: self.max * length, l1: self.l1 * length, l2: self.l2 * length }
    }
}

/// The coordinates that directions move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Perturbed<'a> {
    /// All of them.
    All,
    /// Those of these groups, each by its share of the reach.
    Groups(&'a [Vec<usize>], &'a [f64]),
}

impl Perturbed<'_> {
    /// Every coordinate with its share of the reach.
    pub(crate) fn each(self, dim: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::All => (0..dim).for_each(|i| visit(i, 1.0)),
            Self::Groups(groups, shares) => {
                for (group, &share) in groups.iter().zip(shares) {
                    for &i in group {
                        visit(i, share);
                    }
                }
            }
        }
    }

    /// The largest share.
    pub(crate) fn most(self) -> f64 {
        match self {
            Self::All => 1.0,
            Self::Groups(_, shares) => shares.iter().copied().fold(0.0, f64::max),
        }
    }
}

#[derive(Clone)]
enum Law {
    Rademacher(Rademacher),
    Hadamard(Hadamard),
    Gaussian(Gaussian),
    Sphere(Sphere),
    Coordinate(Coordinate),
    Block(Block),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Drawn {
    iteration: u64,
    count: usize,
}

impl Directions {
    /// No directions yet; see [`draw`](Self::draw).
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn new(kind: Direction, dim: usize, seed: u64) -> Self {
        assert!(dim > 0, "directions need a space to point in");
        let key = Key { seed, purpose: Purpose::Directions };
        let law = match kind {
            Direction::Rademacher => Law::Rademacher(Rademacher::new(dim, key)),
            Direction::Hadamard => Law::Hadamard(Hadamard::new(dim, key)),
            Direction::Gaussian => Law::Gaussian(Gaussian::new(key)),
            Direction::Sphere => Law::Sphere(Sphere::new(dim, key)),
            Direction::Coordinate => Law::Coordinate(Coordinate::new(dim, key)),
            Direction::Block => Law::Block(Block::new(dim, key)),
        };
        Self { dim, law, drawn: None }
    }

    /// Prepares $u_0, \dots, u_{m-1}$ of an iteration, $m$ being `count`.
    ///
    /// Asking again for what is there costs nothing.
    pub fn draw(&mut self, iteration: u64, count: usize) {
        let wanted = Some(Drawn { iteration, count });
        if self.drawn == wanted {
            return;
        }
        match &mut self.law {
            Law::Rademacher(law) => law.draw(iteration, count),
            Law::Hadamard(law) => law.draw(iteration, count),
            Law::Gaussian(law) => law.draw(iteration, count),
            Law::Sphere(law) => law.draw(iteration, count),
            Law::Coordinate(law) => law.draw(iteration, count),
            Law::Block(law) => law.draw(iteration, count),
        }
        self.drawn = wanted;
    }

    /// Prepares $m$ directions on these groups of coordinates, each moving together, where the law is [`Direction::Block`];
    /// elsewhere as [`draw`](Self::draw).
    /// `shares` are the lengths of their steps, in radii.
    pub(crate) fn choose(&mut self, iteration: u64, count: usize, groups: Vec<Vec<usize>>, shares: Vec<f64>) {
        match &mut self.law {
            Law::Block(law) => {
                law.choose(iteration, groups, shares);
                self.drawn = Some(Drawn { iteration, count });
            }
            _ => self.draw(iteration, count),
        }
    }

    /// The groups of coordinates of the block; none for other laws.
    pub(crate) fn groups(&self) -> &[Vec<usize>] {
        match &self.law {
            Law::Block(law) => law.groups(),
            _ => &[],
        }
    }

    /// The coordinates that the directions move.
    pub(crate) fn perturbed(&self) -> Perturbed<'_> {
        match &self.law {
            Law::Block(law) => Perturbed::Groups(law.groups(), law.shares()),
            _ => Perturbed::All,
        }
    }

    /// $m$, how many directions are prepared; 0 before the first draw.
    pub fn count(&self) -> usize {
        self.drawn.map_or(0, |drawn| drawn.count)
    }

    /// $x_\text{out} = x + c\thinspace u_j$, with $x$ the `base` and $c$ the `scale`.
    ///
    /// May be called from several threads at once. Costs a pass over memory for signs and coordinates, where
    /// the signs add about a fifth to the time of a copy, and seven nanoseconds per component for normal deviates.
    ///
    /// # Panics
    /// If $j \ge m$ or a length is not the dimension.
    pub fn write(&self, j: usize, base: &[f64], scale: f64, out: &mut [f64]) {
        assert!(j < self.count(), "direction {j} of {}", self.count());
        assert_eq!(base.len(), self.dim, "length of the base point");
        assert_eq!(out.len(), self.dim, "length of the output");
        match &self.law {
            Law::Rademacher(law) => law.write(j, base, scale, out),
            Law::Hadamard(law) => law.write(j, base, scale, out),
            Law::Gaussian(law) => law.write(j, base, scale, out),
            Law::Sphere(law) => law.write(j, base, scale, out),
            Law::Coordinate(law) => law.write(j, base, scale, out),
            Law::Block(law) => law.write(j, base, scale, out),
        }
    }

    /// Which draw these are.
    pub(crate) fn iteration(&self) -> u64 {
        self.drawn.map_or(0, |drawn| drawn.iteration)
    }

    /// Component $i$ of $u_j$.
    pub(crate) fn component(&self, j: usize, i: usize) -> f64 {
        if let Law::Rademacher(law) = &self.law {
            return law.sign(j, i);
        }
        let mut unit = vec![0.0; self.dim];
        unit[i] = 1.0;
        self.dot(j, &unit)
    }

    /// $\langle u_j, h\rangle$.
    pub(crate) fn dot(&self, j: usize, h: &[f64]) -> f64 {
        if let Law::Block(law) = &self.law {
            return law.dot(j, h);
        }
        let mut u = vec![0.0; self.dim];
        self.write(j, &vec![0.0; self.dim], 1.0, &mut u);
        vector::dot(&u, h)
    }

    /// $g \mathrel{+}= \sum_j c_j u_j$, in an order that depends on the dimension and $m$ alone.
    ///
    /// A direction to be left out has the coefficient 0.
    ///
    /// # Panics
    /// If there are not $m$ coefficients or the length of `g` is not the dimension.
    pub fn accumulate(&self, coefficients: &[f64], g: &mut [f64]) {
        assert_eq!(coefficients.len(), self.count(), "one coefficient for each direction");
        assert_eq!(g.len(), self.dim, "length of the sum");
        match &self.law {
            Law::Rademacher(law) => law.accumulate(coefficients, g),
            Law::Hadamard(law) => law.accumulate(coefficients, g),
            Law::Gaussian(law) => law.accumulate(coefficients, g),
            Law::Sphere(law) => law.accumulate(coefficients, g),
            Law::Coordinate(law) => law.accumulate(coefficients, g),
            Law::Block(law) => law.accumulate(coefficients, g),
        }
    }

    /// $c$ in $\hat g = \frac{c}{m}\sum_j y_j u_j$: the dimension for the sphere, its ratio to the block for blocks, else 1.
    pub fn factor(&self) -> f64 {
        match &self.law {
            Law::Sphere(_) => self.dim as f64,
            Law::Block(law) => self.dim as f64 / law.groups().len().max(1) as f64,
            _ => 1.0,
        }
    }

    /// Shortens the rare direction that is longer than [`norms`](Self::norms) says, where a law has no bound of its own.
    #[must_use]
    pub(crate) fn bounded(mut self) -> Self {
        if let Law::Gaussian(law) = &mut self.law {
            law.bound(self.dim);
        }
        self
    }

    /// Bounds on the norms of every direction that was drawn, up to rounding. Gaussian directions have none unless they are
    /// [`bounded`](Self::bounded): then about one in a hundred is shortened in one dimension, and fewer in more.
    pub(crate) fn norms(&self) -> Norms {
        let d = self.dim as f64;
        match &self.law {
            // A block has not more than all coordinates, and as many as were chosen.
            Law::Block(law) if !law.groups().is_empty() => Norms::of_signs(law.perturbed()),
            Law::Rademacher(_) | Law::Hadamard(_) | Law::Block(_) => Norms::of_signs(self.dim),
            Law::Gaussian(_) => Norms::of_normals(self.dim),
            Law::Sphere(_) => Norms { max: 1.0, l1: d.sqrt(), l2: 1.0 },
            Law::Coordinate(_) => Norms { max: d.sqrt(), l1: d.sqrt(), l2: d.sqrt() },
        }
    }
}

impl fmt::Debug for Directions {
    /// Names what was drawn, not the bits: there may be gigabytes of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.law {
            Law::Rademacher(_) => Direction::Rademacher,
            Law::Hadamard(_) => Direction::Hadamard,
            Law::Gaussian(_) => Direction::Gaussian,
            Law::Sphere(_) => Direction::Sphere,
            Law::Coordinate(_) => Direction::Coordinate,
            Law::Block(_) => Direction::Block,
        };
        f.debug_struct("Directions")
            .field("kind", &kind)
            .field("dim", &self.dim)
            .field("drawn", &self.drawn)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LAWS: [Direction; 6] = [
        Direction::Rademacher,
        Direction::Hadamard,
        Direction::Gaussian,
        Direction::Sphere,
        Direction::Coordinate,
        Direction::Block,
    ];

    fn drawn(kind: Direction, dim: usize, seed: u64, iteration: u64, count: usize) -> Directions {
        let mut directions = Directions::new(kind, dim, seed);
        directions.draw(iteration, count);
        directions
    }

    /// All directions, written out.
    pub(super) fn vectors(directions: &Directions) -> Vec<Vec<f64>> {
        let origin = vec![0.0; directions.dim];
        let mut u = vec![vec![0.0; directions.dim]; directions.count()];
        u.iter_mut().enumerate().for_each(|(j, u)| directions.write(j, &origin, 1.0, u));
        u
    }

    /// A dense vector without pattern.
    pub(super) fn dense(dim: usize) -> Vec<f64> {
        vectors(&drawn(Direction::Gaussian, dim, 1234, 0, 1)).swap_remove(0)
    }

    /// $\hat g$ for the linear $l$ with this gradient.
    pub(super) fn estimate(directions: &Directions, gradient: &[f64]) -> Vec<f64> {
        let weight = directions.factor() / directions.count() as f64;
        let y: Vec<f64> = vectors(directions).iter().map(|u| weight * vector::dot(u, gradient)).collect();
        let mut g = vec![0.0; gradient.len()];
        directions.accumulate(&y, &mut g);
        g
    }

    /// Mean and standard error.
    pub(super) fn mean(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    proptest! {
        #[test]
        fn accumulating_is_adding_up_what_is_written(
            law in 0..LAWS.len(), dim in 1_usize..200, count in 0_usize..150, iteration: u64, keep: u64,
        ) {
            let directions = drawn(LAWS[law], dim, 9, iteration, count);
            // Some coefficients are exactly zero: directions that were dropped.
            let c: Vec<f64> =
                (0..count).map(|j| f64::from(u8::from(keep >> (j % 64) & 1 == 1)) * (j as f64 - 40.5)).collect();
            let mut expected = vec![1.0; dim];
            for (u, c) in vectors(&directions).iter().zip(&c) {
                expected.iter_mut().zip(u).for_each(|(g, u)| *g += c * u);
            }
            let mut g = vec![1.0; dim];
            directions.accumulate(&c, &mut g);
            let tolerance = 1e-13 * (1.0 + vector::norm_l1(&c)) * (dim as f64).sqrt();
            prop_assert!(vector::distance_l1(&g, &expected) <= tolerance * dim as f64);
        }
    }

    #[test]
    fn writing_adds_the_scaled_direction_to_the_base() {
        for kind in LAWS {
            let directions = drawn(kind, 70, 2, 0, 3);
            let (base, mut out) = (dense(70), vec![f64::NAN; 70]);
            for (j, u) in vectors(&directions).iter().enumerate() {
                directions.write(j, &base, -0.25, &mut out);
                assert!((0..70).all(|i| (out[i] - (base[i] - 0.25 * u[i])).abs() < 1e-14), "{kind:?}");
            }
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test plays the driver, who has threads")]
    fn threads_may_write_side_by_side() {
        let directions = drawn(Direction::Hadamard, 300, 2, 0, 8);
        let (origin, mut rows) = (vec![0.0; 300], vec![vec![0.0; 300]; 8]);
        std::thread::scope(|scope| {
            for (j, row) in rows.iter_mut().enumerate() {
                let (directions, origin) = (&directions, &origin);
                scope.spawn(move || directions.write(j, origin, 1.0, row));
            }
        });
        assert_eq!(rows, vectors(&directions));
    }

    #[test]
    fn a_direction_depends_on_neither_the_count_nor_what_was_drawn_before() {
        for kind in [Direction::Rademacher, Direction::Gaussian, Direction::Sphere] {
            let many = vectors(&drawn(kind, 77, 5, 3, 40));
            let mut directions = drawn(kind, 77, 5, 8, 50);
            directions.draw(3, 7);
            assert_eq!(vectors(&directions), many[..7], "{kind:?}");
        }
    }

    #[test]
    fn drawing_an_iteration_again_gives_it_again() {
        for kind in LAWS {
            let mut directions = drawn(kind, 77, 5, 3, 20);
            let first = vectors(&directions);
            directions.draw(4, 30);
            assert_ne!(vectors(&directions)[..20], first, "{kind:?}");
            directions.draw(3, 20);
            assert_eq!(vectors(&directions), first, "{kind:?}");
        }
    }

    #[test]
    fn the_second_moment_is_the_identity() {
        // The batch is the unit, since Hadamard and coordinate directions of one batch are dependent.
        let (dim, count, batches) = (5, 3, 4000);
        for kind in LAWS {
            let mut products = vec![Vec::with_capacity(batches); dim * dim];
            for iteration in 0..batches as u64 {
                let directions = drawn(kind, dim, 6, iteration, count);
                let u = vectors(&directions);
                for (entry, products) in products.iter_mut().enumerate() {
                    let sum: f64 = u.iter().map(|u| u[entry / dim] * u[entry % dim]).sum();
                    products.push(directions.factor() * sum / count as f64);
                }
            }
            for (entry, products) in products.iter().enumerate() {
                let expected = f64::from(u8::from(entry / dim == entry % dim));
                let (mean, error) = mean(products);
                assert!((mean - expected).abs() <= 4.0 * error + 1e-12, "{kind:?} {entry}: {mean} ± {error}");
            }
        }
    }

    #[test]
    fn the_norms_bound_every_direction() {
        for (kind, dim) in LAWS.into_iter().flat_map(|kind| [1, 2, 50, 64].map(|dim| (kind, dim))) {
            let mut directions = Directions::new(kind, dim, 7).bounded();
            directions.draw(0, 100);
            let Norms { max, l1, l2 } = directions.norms();
            for u in vectors(&directions) {
                assert!(vector::norm_max(&u) <= max && vector::norm_l1(&u) <= l1 * (1.0 + 1e-15));
                assert!(vector::norm_l2(&u) <= l2 * (1.0 + 1e-15));
            }
        }
    }

    #[test]
    fn a_full_block_gives_the_gradient() {
        for (kind, dim, count) in [
            (Direction::Hadamard, 32, 32),
            (Direction::Hadamard, 21, 32),
            (Direction::Hadamard, 21, 96),
            (Direction::Coordinate, 21, 21),
            (Direction::Coordinate, 21, 63),
            (Direction::Block, 21, 32),
            (Direction::Block, 63, 64),
        ] {
            let gradient = dense(dim);
            let g = estimate(&drawn(kind, dim, 0, 5, count), &gradient);
            assert!(vector::distance_l1(&g, &gradient) < 1e-13 * dim as f64, "{kind:?} {dim} {count}");
        }
    }
}

//! Problems whose constants are known, the paths methods take on them, and the paths of methods that are wrong on purpose.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use crate::support::{drive_by_hand, iterations};
use gradless::estimator::kappa;
use gradless::policy::Finish;
use gradless::{
    Answers, Ask, BatchSize, Config, Estimator, Method, Noise, Preset, Problem, Radius, Regulariser, Set,
    Solver, vector,
};
use testkit::families::SparseTarget;
use testkit::noise;
use testkit::scalar::crossing;

/// $l + r$ on a box, $r = \gamma_1\lVert x\rVert_1 + \frac{\gamma_2}2\lVert x\rVert_2^2$, with everything a theorem speaks of.
pub(crate) struct Known {
    pub(crate) dim: usize,
    black_box: BlackBox,
    /// $\gamma_1$ and $\gamma_2$.
    l1: f64,
    l2: f64,
    start: f64,
    lower: f64,
    upper: f64,
    /// $D$: no point is longer in $\ell_1$.
    pub(crate) radius: f64,
    /// $L$.
    pub(crate) smoothness: f64,
}

enum BlackBox {
    /// $\frac L2(\sum_i x_i - c)^2$.
    Sum,
    Sparse(SparseTarget),
}

/// $c$.
const TOTAL: f64 = 0.3;

impl Known {
    /// $\frac L2(\sum_i x_i - c)^2 + \gamma_1\lVert x\rVert_1$ on $[0, 1/d]^d$, all coordinates alike: here the descent lemma in $\ell_1$
    /// is an equality as long as no bound is met, whatever $d$, and the strong convexity of the entropy is tight near the
    /// far corner.
    pub(crate) fn sum(dim: usize, smoothness: f64) -> Self {
        let width = 1.0 / dim as f64;
        Self {
            dim,
            black_box: BlackBox::Sum,
            l1: 0.01 * smoothness,
            l2: 0.0,
            start: 0.9 * width,
            lower: 0.0,
            upper: width,
            radius: 1.0,
            smoothness,
        }
    }

    /// Ten of the coordinates are pulled to $\pm\frac12$, from 0: gradients do not grow with $d$.
    pub(crate) fn sparse(dim: usize) -> Self {
        let family = SparseTarget::quadratic(dim, 0.02, 1);
        Self {
            dim,
            l1: family.l1,
            l2: family.l2,
            start: 0.0,
            lower: -1.0,
            upper: 1.0,
            // Of what is visited; the box itself is longer.
            radius: 5.0,
            smoothness: family.smoothness(),
            black_box: BlackBox::Sparse(family),
        }
    }

    fn loss(&self, x: &[f64]) -> f64 {
        match &self.black_box {
            BlackBox::Sum => 0.5 * self.smoothness * (x.iter().sum::<f64>() - TOTAL).powi(2),
            BlackBox::Sparse(family) => family.loss(x),
        }
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut g = vec![0.0; self.dim];
        match &self.black_box {
            BlackBox::Sum => g.fill(self.smoothness * (x.iter().sum::<f64>() - TOTAL)),
            BlackBox::Sparse(family) => family.gradient(x, &mut g),
        }
        g
    }

    fn problem(&self) -> Problem {
        Problem::builder(self.dim)
            .regulariser(Regulariser::elastic_net(self.l1, self.l2))
            .set(Set::bounds(self.lower, self.upper))
            .start(vec![self.start; self.dim])
            .build()
            .unwrap()
    }

    pub(crate) fn objective(&self, x: &[f64]) -> f64 {
        self.loss(x) + x.iter().map(|x| self.l1 * x.abs() + 0.5 * self.l2 * x * x).sum::<f64>()
    }

    /// $\varphi'$ of the entropy.
    fn dual(&self, x: f64) -> f64 {
        x.signum() * (self.dim as f64 * x.abs()).ln_1p()
    }

    /// $P(x, \nabla l(x), \alpha)$ with a bisection where the weight of $\lVert x\rVert_2^2$ asks for one: no code is shared with what is
    /// tested.
    pub(crate) fn prox(&self, x: &[f64], alpha: f64) -> Vec<f64> {
        let a = 1.0 / self.dim as f64;
        let (gamma1, gamma2) = (self.l1 / alpha, self.l2 / alpha);
        let coordinate = |(&x, g): (&f64, f64)| {
            let z = self.dual(x) - g / alpha;
            let k = (z.abs() - gamma1).max(0.0);
            let size = match gamma2 {
                0.0 => a * k.exp_m1(),
                _ if k == 0.0 => 0.0,
                _ => crossing(|s| (s / a).ln_1p() + gamma2 * s - k, 0.0, 2.0 * self.upper),
            };
            (z.signum() * size).clamp(self.lower, self.upper)
        };
        x.iter().zip(self.gradient(x)).map(coordinate).collect()
    }

    /// $B(x, y) + B(y, x)$.
    pub(crate) fn divergences(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - y) * (self.dual(*x) - self.dual(*y))).sum()
    }

    /// Whether a bound holds some coordinate.
    pub(crate) fn is_held(&self, x: &[f64]) -> bool {
        x.iter().any(|&x| x == self.lower || x == self.upper)
    }

    /// $\lVert\mathcal G(x, \nabla l(x), \eta)\rVert_1$ with $\eta = \alpha/(D+1)$ and the divergence of $(D+1)\varphi$: what every theorem bounds.
    pub(crate) fn stationarity(&self, x: &[f64], alpha: f64) -> f64 {
        alpha / (self.radius + 1.0) * vector::distance_l1(x, &self.prox(x, alpha))
    }
}

/// What a method did: $x_1, \dots, x_{T+1}$, its weights $\alpha_1, \dots, \alpha_T$, and the noise of the gradients it was told.
pub(crate) struct Path {
    pub(crate) points: Vec<Vec<f64>>,
    pub(crate) weights: Vec<f64>,
    pub(crate) errors: Vec<f64>,
}

impl Path {
    /// A first-order method told gradients times `factor`, with noise of this size.
    pub(crate) fn first_order(known: &Known, method: &str, t: u64, factor: f64, noise_level: f64) -> Self {
        let mut config = Config::new(Method::named(method).unwrap(), Preset::Paper);
        config.recipe.estimator = Estimator::Gradients { batch: BatchSize::Fixed(1) };
        if method == "fo-exp-grad" {
            config.recipe = config.recipe.with_weight(2.0 * known.smoothness * (known.radius + 1.0));
        }
        let mut path = Self { points: Vec::new(), weights: Vec::new(), errors: Vec::new() };
        let mut solver = Solver::new(known.problem(), iterations(config, t)).unwrap();
        loop {
            let x = solver.point();
            let rows = match solver.ask() {
                Ask::Gradient(queries) => queries.to_matrix(),
                Ask::Evaluate(_) => panic!("gradients are asked for"),
                Ask::Stop(_) => break path.points.push(x),
            };
            let mut told: Vec<f64> = rows.chunks(known.dim).flat_map(|x| known.gradient(x)).collect();
            let round = path.points.len() as u64;
            // All coordinates of a round err alike, at both points that STORM asks about.
            let noise = noise_level * noise::normal(round);
            for g in &mut told {
                *g = factor * *g + noise;
            }
            solver.tell(Answers::Gradients { gradients: &told, values: None }).unwrap();
            path.errors.push(noise.abs());
            path.points.push(x);
        }
        path.weights = solver.history().iter().map(|record| record.step_size).collect();
        path
    }

    /// A zeroth-order method told values times `factor`, with the batch and the radius of its theorem.
    pub(crate) fn zeroth_order(known: &Known, method: &str, t: u64, factor: f64, seed: u64) -> Self {
        let config = Config::new(Method::named(method).unwrap(), Preset::Paper);
        let (batch, radius) = match method {
            "zo-exp-storm" => (30, Radius::Storm),
            _ => (theorem_batch(t, known.dim), Radius::Horizon),
        };
        let recipe = config.recipe.with_batch(BatchSize::Fixed(batch)).with_radius(radius);
        let config = Config { recipe, seed, noise: Noise::None, finish: Finish::Skip, ..config };
        let mut path = Self { points: Vec::new(), weights: Vec::new(), errors: Vec::new() };
        let outcome = drive_by_hand(
            Solver::new(known.problem(), iterations(config, t)).unwrap(),
            |x, _| factor * known.loss(x),
            |solver| {
                path.points.push(solver.point());
                true
            },
        );
        path.points.insert(0, vec![known.start; known.dim]);
        path.weights = outcome.history.iter().map(|record| record.step_size).collect();
        path
    }

    /// Steps that are all as long as the first of another path, in random directions, with its weights.
    pub(crate) fn random_steps(known: &Known, like: &Self) -> Self {
        let length = vector::distance_l1(&like.points[0], &like.points[1]);
        let mut x = vec![known.start; known.dim];
        let mut points = vec![x.clone()];
        for t in 0..like.weights.len() {
            let normal = |i: usize| noise::normal((t * known.dim + i) as u64);
            let size: f64 = (0..known.dim).map(|i| normal(i).abs()).sum();
            for (i, x) in x.iter_mut().enumerate() {
                *x = (*x + length / size * normal(i)).clamp(known.lower, known.upper);
            }
            points.push(x.clone());
        }
        Self { points, weights: like.weights.clone(), errors: Vec::new() }
    }

    /// Stays where it began, whatever its weights.
    pub(crate) fn frozen(known: &Known, like: &Self) -> Self {
        let points = vec![vec![known.start; known.dim]; like.points.len()];
        Self { points, weights: like.weights.clone(), errors: Vec::new() }
    }

    /// Has these weights and steps with a multiple of them.
    pub(crate) fn with_weights(known: &Known, weights: Vec<f64>, multiple: f64) -> Self {
        let mut points = vec![vec![known.start; known.dim]];
        for (t, weight) in weights.iter().enumerate() {
            points.push(known.prox(&points[t], multiple * weight));
        }
        Self { points, weights, errors: Vec::new() }
    }

    /// $\sum_t\lVert\mathcal G(x_t, \nabla l(x_t), \eta_t)\rVert_1^2$.
    pub(crate) fn stationarity(&self, known: &Known) -> f64 {
        self.points.iter().zip(&self.weights).map(|(x, &alpha)| known.stationarity(x, alpha).powi(2)).sum()
    }

    /// $\sum_t\lVert d_t - \nabla l(x_t)\rVert_\infty^2$ of a method without momentum.
    pub(crate) fn error(&self) -> f64 {
        self.errors.iter().map(|error| error * error).sum()
    }

    /// The largest objective met.
    pub(crate) fn height(&self, known: &Known) -> f64 {
        self.points.iter().map(|x| known.objective(x)).fold(0.0, f64::max)
    }
}

/// $m = \lceil 2T\kappa_d\rceil$.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
fn theorem_batch(t: u64, dim: usize) -> usize {
    (2.0 * t as f64 * kappa(dim)).ceil() as usize
}

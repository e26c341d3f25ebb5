//! Every method beside a second reading of its definition: only the rows that were handed out are looked at, the step is
//! redone from the formulas, and the next iterate must be the same.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod support;

use gradless::method::UpdateRule;
use gradless::policy::{Finish, Placement, PreviousValue};
use gradless::prox::{Prox, Step, closed_form};
use gradless::step_size::{StepRule, StormGrowth};
use gradless::{
    Answers, Ask, BatchSize, Config, Geometry, Method, Momentum, Noise, Preset, Problem, Regulariser, Set,
    Solver, vector,
};
use support::{iterations, value_methods};

const DIM: usize = 6;
const M: usize = 4;
const T: u64 = 40;

fn f(x: &[f64]) -> f64 {
    x.iter()
        .enumerate()
        .map(|(i, x)| (x - 0.3 * (i % 3) as f64).powi(2) / (1.0 + i as f64))
        .sum::<f64>()
        .ln_1p()
}

/// What a method remembers, as in the specification.
struct Naive {
    config: Config,
    prox: Prox,
    problem: Problem,
    nu: f64,
    scale_free: bool,
    x: Vec<f64>,
    previous: Vec<f64>,
    d: Vec<f64>,
    /// $A$, $S_t$ and $\alpha_t$.
    floor: f64,
    sum: f64,
    alpha: f64,
    /// $h$, $\Lambda$, $W$ and the mirror point of AO-ExpGrad.
    hint: Vec<f64>,
    lambda: f64,
    loss_weights: f64,
    mirror: Vec<f64>,
}

impl Naive {
    /// $\frac{\delta}{m\nu}\sum_j (l(\text{row}_j) - l(\text{base}))\,u_j$ with $u_j = (\text{row}_j - \text{base})/\nu$.
    fn estimate(&self, rows: &[f64], base: &[f64]) -> Vec<f64> {
        let factor =
            if matches!(self.config.recipe.step(), Some(StepRule::AccZom { .. })) { DIM as f64 } else { 1.0 };
        let mut g = vec![0.0; DIM];
        for row in rows.chunks(DIM) {
            let y = factor * (f(row) - f(base)) / self.nu / M as f64;
            for (g, (row, base)) in g.iter_mut().zip(row.iter().zip(base)) {
                *g += y * (row - base) / self.nu;
            }
        }
        g
    }

    fn p(&self, x: &[f64], g: &[f64], eta: f64) -> Vec<f64> {
        let mut v = vec![0.0; DIM];
        self.prox.step(self.problem.regulariser(), self.problem.set(), Step { x, g, eta }, &mut v).unwrap();
        v
    }

    /// $\lambda\alpha\lVert v - x\rVert$.
    fn size(&self, v: &[f64]) -> f64 {
        match self.config.recipe.geometry {
            Geometry::Entropy => {
                let largest = vector::norm_l1(v).max(vector::norm_l1(&self.x));
                self.alpha * vector::distance_l1(v, &self.x) / (largest + 1.0)
            }
            Geometry::PNorm => self.alpha * vector::distance_l1(v, &self.x) / std::f64::consts::E,
            Geometry::Euclidean => self.alpha * vector::distance_l2(v, &self.x),
        }
    }

    /// The next iterate after the rows of iteration `t`.
    fn next(&mut self, t: u64, rows: &[f64]) -> Vec<f64> {
        let time = t as f64;
        let tau = |t: f64| (1.0 + (t - 1.0) / M as f64).powf(2.0 / 3.0);
        let zom = |t: f64| 1.0 / ((23.0_f64 / 12.0).powi(3) + t).powf(1.0 / 3.0);
        let g = self.estimate(&rows[DIM..(M + 1) * DIM], &self.x);
        let carry = match self.config.recipe.momentum {
            _ if t == 1 => 0.0,
            Momentum::Storm(_) => 1.0 - 2.0 / (1.0 + tau(time)),
            Momentum::AccZom(_) => 1.0 - (23.0 / 12.0 * zom(time - 1.0).powi(2)).min(1.0),
            _ => 0.0,
        };
        let corrected = if carry > 0.0 {
            let asked_again = usize::from(self.config.previous_value == PreviousValue::AskAgain);
            let h = self.estimate(&rows[(M + 1 + asked_again) * DIM..], &self.previous);
            (0..DIM).map(|i| g[i] + carry * (self.d[i] - h[i])).collect()
        } else {
            g.clone()
        };
        self.d = corrected;
        if t == 1 && self.config.recipe.update != UpdateRule::Optimistic {
            let euclidean = self.config.recipe.geometry == Geometry::Euclidean;
            let norm = if euclidean { vector::norm_l2(&self.d) } else { vector::norm_max(&self.d) };
            self.floor = if self.scale_free { norm } else { 1.0 };
            self.alpha = self.floor;
        }
        let average = |x: &[f64], v: &[f64], w: f64| x.iter().zip(v).map(|(x, v)| x + w * (v - x)).collect();
        match self.config.recipe.update {
            UpdateRule::Mirror(StepRule::Constant { weight }) => self.p(&self.x, &self.d, weight),
            UpdateRule::Mirror(StepRule::Adaptive { .. }) => {
                self.alpha = (self.floor.powi(2) + self.sum).sqrt();
                let v = self.p(&self.x, &self.d, self.alpha);
                self.sum += self.size(&v).powi(2);
                v
            }
            UpdateRule::Mirror(StepRule::AdaptivePlus { .. } | StepRule::Storm { .. }) => {
                let v = self.p(&self.x, &self.d, self.alpha);
                self.sum += self.size(&v).powi(2);
                let (now, total) = (tau(time + 1.0), self.floor.powi(2) + self.sum);
                let beta = ((now - 1.0) / now.sqrt()).max(1.0);
                let alpha = match self.config.recipe.step() {
                    Some(StepRule::Storm { growth: StormGrowth::Paper, .. }) => (beta * total).sqrt(),
                    Some(StepRule::Storm { growth: StormGrowth::Authors, .. }) => beta * total.sqrt(),
                    _ => self.floor.max(self.sum.sqrt()),
                };
                let share = self.alpha / alpha;
                self.alpha = alpha;
                average(&self.x, &v, share)
            }
            UpdateRule::Mirror(StepRule::AccZom { gamma, .. }) => {
                let v = self.p(&self.x, &self.d, 1.0 / gamma);
                average(&self.x, &v, zom(time))
            }
            UpdateRule::Optimistic => {
                self.loss_weights += time;
                let change = g.iter().zip(&self.hint).fold(0.0_f64, |m, (g, h)| m.max((g - h).abs()));
                self.lambda += (time * change).powi(2);
                let w = (self.lambda / (DIM as f64 * 0.7 + 1.0).ln()).sqrt();
                let lead: Vec<f64> = g
                    .iter()
                    .zip(&self.hint)
                    .map(|(g, h)| (time * (g - h) + (time + 1.0) * g) / (time + 1.0))
                    .collect();
                self.mirror = self.p(&self.mirror, &lead, w / (time + 1.0));
                self.hint = g;
                average(&self.x, &self.mirror, time / self.loss_weights)
            }
            other => panic!("no second reading of {other:?}"),
        }
    }
}

#[test]
fn every_method_does_what_its_definition_says() {
    for preset in [Preset::Practical, Preset::Paper, Preset::Authors] {
        // What `auto` does next depends on all that was seen: `src/auto` and `tests/auto.rs` look at its parts.
        for name in value_methods().filter(|&name| name != "auto") {
            let problem = Problem::builder(DIM)
                .regulariser(Regulariser::elastic_net(0.01, 0.05))
                .set(Set::bounds(-0.4, 0.7))
                .start(vec![0.05; DIM])
                .build()
                .unwrap();
            let mut config = iterations(Config::new(Method::named(name).unwrap(), preset), T);
            config.recipe = config.recipe.with_batch(BatchSize::Fixed(M));
            if matches!(config.recipe.step(), Some(StepRule::Constant { .. } | StepRule::AccZom { .. })) {
                config.recipe = config.recipe.with_weight(3.0);
            }
            let placement = Placement::Anywhere;
            let config = Config { noise: Noise::None, finish: Finish::Skip, seed: 3, placement, ..config };
            let mut solver = Solver::new(problem.clone(), config.clone()).unwrap();
            let generator = config.recipe.geometry.generator(DIM);
            let mut naive = Naive {
                prox: closed_form(&generator, problem.regulariser(), problem.set()).unwrap(),
                nu: solver.radius(),
                scale_free: preset == Preset::Practical,
                x: vec![0.05; DIM],
                previous: Vec::new(),
                d: vec![0.0; DIM],
                floor: 1.0,
                sum: 0.0,
                alpha: 1.0,
                hint: vec![0.0; DIM],
                lambda: 0.0,
                loss_weights: 0.0,
                mirror: vec![0.05; DIM],
                config,
                problem,
            };
            for t in 1..=T {
                let Ask::Evaluate(queries) = solver.ask() else { panic!("values are asked for") };
                let rows = queries.to_matrix();
                let next = naive.next(t, &rows);
                let values: Vec<f64> = rows.chunks(DIM).map(f).collect();
                solver.tell(Answers::Values(&values)).unwrap();
                // Rounding of the differences is magnified by 1/nu; from here the solver's own point is followed.
                let error = vector::distance_l1(&next, &solver.point());
                assert!(error < 1e-10, "{name} {preset:?}, t = {t}: off by {error}");
                naive.previous = std::mem::replace(&mut naive.x, solver.point());
            }
        }
    }
}

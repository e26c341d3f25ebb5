//! Models whose best answers are known, and ways in which models disappoint.

use std::sync::atomic::{AtomicU64, Ordering};

use gradless::{Inputs, Model, ModelError};

/// Two classes: the second wins where $\langle w, x\rangle > b$.
pub(crate) struct Linear {
    pub(crate) w: Vec<f64>,
    pub(crate) b: f64,
    pub(crate) shape: [usize; 1],
    pub(crate) asked: AtomicU64,
}

impl Linear {
    pub(crate) fn new(dim: usize, b: f64) -> Self {
        let w = (0..dim)
            .map(|i| ((i * 37 % 101) as f64 / 50.0 - 1.0) * if i % 7 == 0 { 3.0 } else { 1.0 })
            .collect();
        Self { w, b, shape: [dim], asked: AtomicU64::new(0) }
    }

    pub(crate) fn lead(&self, x: &[f64]) -> f64 {
        self.w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() - self.b
    }

    /// The least $\ell_1$ norm of a change in 0..=1 of the input that closes the gap: the steepest places first.
    pub(crate) fn least_change(&self, input: &[f64]) -> f64 {
        let sign = -self.lead(input).signum();
        let mut gap = self.lead(input).abs();
        let room = |(w, x): (&f64, &f64)| (w.abs(), if w * sign > 0.0 { 1.0 - x } else { *x });
        let mut places: Vec<(f64, f64)> = self.w.iter().zip(input).map(room).collect();
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut norm = 0.0;
        for (w, room) in places {
            let step = room.min(gap / w);
            norm += step;
            gap -= step * w;
            if gap <= 1e-12 {
                break;
            }
        }
        norm
    }
}

impl Model for Linear {
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.check(inputs, scores)?;
        self.asked.fetch_add(inputs.len() as u64, Ordering::Relaxed);
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(2)) {
            let lead = self.lead(x);
            scores.copy_from_slice(&[-lead / 2.0, lead / 2.0]);
        }
        Ok(())
    }
    fn preferred_rows(&self) -> usize {
        16
    }
}

pub(crate) const INPUTS: usize = 64;
pub(crate) const HIDDEN: usize = 16;
pub(crate) const CLASSES: usize = 3;

/// 64 numbers to 16 and 3, tanh between, with weights drawn from a seed.
pub(crate) struct TanhNet {
    pub(crate) first: Vec<f64>,
    pub(crate) second: Vec<f64>,
}

impl TanhNet {
    pub(crate) fn new(seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        // The sum of four uniform numbers: close enough to normal.
        let mut normal = |scale: f64| {
            let mut uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
            scale * 3.0_f64.sqrt() * (uniform() + uniform() + uniform() + uniform())
        };
        let first = (0..INPUTS * HIDDEN).map(|_| normal(0.4)).collect();
        let second = (0..HIDDEN * CLASSES).map(|_| normal(0.7)).collect();
        Self { first, second }
    }

    pub(crate) fn hidden(&self, x: &[f64]) -> Vec<f64> {
        let one = |w: &[f64]| w.iter().zip(x).map(|(w, x)| w * x).sum::<f64>().tanh();
        self.first.chunks_exact(INPUTS).map(one).collect()
    }

    pub(crate) fn forward(&self, x: &[f64]) -> Vec<f64> {
        let hidden = self.hidden(x);
        self.second.chunks_exact(HIDDEN).map(|w| w.iter().zip(&hidden).map(|(w, h)| w * h).sum()).collect()
    }

    /// The gradient of one score minus another.
    pub(crate) fn gradient(&self, x: &[f64], plus: usize, minus: usize) -> Vec<f64> {
        let hidden = self.hidden(x);
        let mut g = vec![0.0; INPUTS];
        for (h, w) in self.first.chunks_exact(INPUTS).enumerate() {
            let outer = self.second[plus * HIDDEN + h] - self.second[minus * HIDDEN + h];
            for (g, w) in g.iter_mut().zip(w) {
                *g += outer * (1.0 - hidden[h] * hidden[h]) * w;
            }
        }
        g
    }
}

impl Model for TanhNet {
    fn shape(&self) -> &[usize] {
        &[INPUTS]
    }
    fn classes(&self) -> usize {
        CLASSES
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        for (x, scores) in inputs.rows().zip(scores.chunks_exact_mut(CLASSES)) {
            scores.copy_from_slice(&self.forward(x));
        }
        Ok(())
    }
}

/// Answers with the class alone: 1 for it, 0 for the others.
pub(crate) struct Label<M>(pub(crate) M);

impl<M: Model> Model for Label<M> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }
    fn classes(&self) -> usize {
        self.0.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.scores(inputs, scores)?;
        for scores in scores.chunks_exact_mut(self.0.classes()) {
            let class = gradless_explain::condition::largest(scores);
            scores.fill(0.0);
            scores[class] = 1.0;
        }
        Ok(())
    }
}

/// Scores beyond the highest two are 0, as of services that tell a few classes only; others may tie.
pub(crate) struct TopTwo(pub(crate) TanhNet);

impl Model for TopTwo {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }
    fn classes(&self) -> usize {
        self.0.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        self.0.scores(inputs, scores)?;
        for scores in scores.chunks_exact_mut(CLASSES) {
            let sum: f64 = scores.iter().map(|s| s.exp()).sum();
            let least = (0..CLASSES).fold(0, |least, i| if scores[i] < scores[least] { i } else { least });
            for (i, score) in scores.iter_mut().enumerate() {
                *score = if i == least { 0.0 } else { score.exp() / sum };
            }
        }
        Ok(())
    }
}

/// Answers so many inputs and then never again.
pub(crate) struct Dying {
    pub(crate) model: TanhNet,
    pub(crate) left: AtomicU64,
}

impl Model for Dying {
    fn shape(&self) -> &[usize] {
        self.model.shape()
    }
    fn classes(&self) -> usize {
        self.model.classes()
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        let enough = |left: u64| left.checked_sub(inputs.len() as u64);
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enough) {
            Ok(_) => self.model.scores(inputs, scores),
            Err(_) => Err(ModelError::Gone("it is gone".to_owned())),
        }
    }
}

/// Does not answer where a certain place is large.
pub(crate) struct Shy(pub(crate) Linear);

impl Model for Shy {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }
    fn classes(&self) -> usize {
        2
    }
    fn scores(&self, inputs: Inputs<'_>, scores: &mut [f64]) -> Result<(), ModelError> {
        if let Some(row) = inputs.rows().position(|x| x[7] > 0.9 || x[20] < 0.05) {
            return Err(ModelError::NotFinite { row, class: 0, value: f64::NAN });
        }
        self.0.scores(inputs, scores)
    }
    fn preferred_rows(&self) -> usize {
        4
    }
}

//! Family E: a small random tanh network with the losses of contrastive explanations and white-box gradients.

use crate::noise;

/// One hidden layer of tanh units and linear scores; weights are random but fixed by the seed.
#[derive(Clone, Debug)]
pub struct TanhNet {
    dim: usize,
    hidden: usize,
    classes: usize,
    inner: Vec<f64>,
    outer: Vec<f64>,
}

impl TanhNet {
    /// A network with weights of variance 1/fan-in.
    pub fn new(dim: usize, hidden: usize, classes: usize, seed: u64) -> Self {
        let weights = |count: usize, fan_in: usize, salt: u64| {
            let scale = 1.0 / (fan_in as f64).sqrt();
            (0..count)
                .map(|i| scale * noise::normal(noise::word(seed ^ salt).wrapping_add(i as u64)))
                .collect()
        };
        Self {
            dim,
            hidden,
            classes,
            inner: weights(hidden * dim, dim / 8 + 1, 1),
            outer: weights(classes * hidden, hidden, 2),
        }
    }

    fn activations(&self, x: &[f64]) -> Vec<f64> {
        self.inner
            .chunks_exact(self.dim)
            .map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>().tanh())
            .collect()
    }

    /// The scores of the classes.
    pub fn scores(&self, x: &[f64]) -> Vec<f64> {
        let hidden = self.activations(x);
        self.outer
            .chunks_exact(self.hidden)
            .map(|row| row.iter().zip(&hidden).map(|(w, h)| w * h).sum())
            .collect()
    }

    /// The class with the largest score.
    pub fn class(&self, x: &[f64]) -> usize {
        let scores = self.scores(x);
        (0..self.classes).fold(0, |best, k| if scores[k] > scores[best] { k } else { best })
    }

    /// $\operatorname{softplus}(\max_{i\ne k}F_i - F_k)$: the loss of a pertinent positive for class $k$.
    pub fn positive_loss(&self, x: &[f64], k: usize) -> f64 {
        let scores = self.scores(x);
        let rival = rival(&scores, k);
        softplus(scores[rival] - scores[k])
    }

    /// The gradient of [`positive_loss`](Self::positive_loss), valid where the runner-up is unique.
    pub fn positive_gradient(&self, x: &[f64], k: usize, out: &mut [f64]) {
        let hidden = self.activations(x);
        let scores = self.scores(x);
        let rival = rival(&scores, k);
        let slope = 1.0 / (1.0 + (scores[k] - scores[rival]).exp());
        out.fill(0.0);
        for (h, activation) in hidden.iter().enumerate() {
            let outer = self.outer[rival * self.hidden + h] - self.outer[k * self.hidden + h];
            let factor = slope * outer * (1.0 - activation * activation);
            for (out, w) in out.iter_mut().zip(&self.inner[h * self.dim..(h + 1) * self.dim]) {
                *out += factor * w;
            }
        }
    }
}

fn rival(scores: &[f64], k: usize) -> usize {
    (0..scores.len())
        .filter(|&i| i != k)
        .fold(usize::from(k == 0), |best, i| if scores[i] > scores[best] { i } else { best })
}

fn softplus(c: f64) -> f64 {
    c.max(0.0) + (-c.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let net = TanhNet::new(16, 8, 4, 3);
        let x: Vec<f64> = (0..16).map(|i| noise::uniform(100 + i)).collect();
        let k = net.class(&x);
        let mut gradient = vec![0.0; 16];
        net.positive_gradient(&x, k, &mut gradient);
        for i in 0..16 {
            let at = |h: f64| {
                let mut y = x.clone();
                y[i] += h;
                net.positive_loss(&y, k)
            };
            assert!(((at(1e-5) - at(-1e-5)) / 2e-5 - gradient[i]).abs() < 1e-8);
        }
    }
}

//! What changes do to the scores, as far as it is known: a slope for every slot, and how sure it is.

use rand_core::Rng;

/// By how much slopes that might be differ from those that are thought, as a share of how unsure they are. Fewest pixels after 500, 1,000 and 2,500
/// queries on tuning pictures by geometric mean, own LeNet: 0.25: 7.6, 7.2, 6.9; 0.5: 7.4, 7.0, 6.5; 1: 7.5, 7.1, 6.5; 2: 7.7, 7.0, 6.7; own `ResNet`:
/// 0.25: 2.2, 2.1, 2.0; 0.5: 2.2, 2.0, 1.9; 1: 2.4, 2.2, 1.9; 2: 2.2, 2.0, 1.9.
const HEAT: f64 = 0.6;
/// How much of what is observed the sum over slots does not explain, as a share of the first variance. 0.01 and 0.2 do as well.
const NOISE: f64 = 0.05;
/// By how much slopes are less sure after every step, up to the first variance. 0.005 and 0.1 are worse by 1 to 5%.
const DRIFT: f64 = 0.02;
/// Weight of the newest observation in how wrong predictions are.
const NEWEST: f64 = 0.05;

/// A linear model of scores with independent slopes, learnt one observation at a time (a Kalman filter with a diagonal covariance).
pub(super) struct Effects {
    classes: usize,
    /// The slope of every slot for every class.
    slopes: Vec<f64>,
    /// The variance of a slot's slopes, in units of `scale`.
    variances: Vec<f64>,
    /// The variance of a slot of which nothing is known, in scores.
    scale: f64,
    seen: u64,
}

impl Effects {
    pub(super) fn new(slots: usize, classes: usize) -> Self {
        Self { classes, slopes: vec![0.0; slots * classes], variances: vec![1.0; slots], scale: 0.0, seen: 0 }
    }

    /// Slopes of every class at every slot.
    pub(super) fn slopes(&self) -> &[f64] {
        &self.slopes
    }

    /// The slope of a slot in a direction: a class that should rise, one that should fall.
    pub(super) fn slope(&self, slot: usize, [rises, falls]: [usize; 2]) -> f64 {
        self.slopes[slot * self.classes + rises] - self.slopes[slot * self.classes + falls]
    }

    /// How far slopes are from what is thought of them where nothing is known.
    pub(super) fn deviation(&self) -> f64 {
        self.scale.sqrt()
    }

    /// A slope as it might be.
    pub(super) fn sampled(&self, slot: usize, direction: [usize; 2], rng: &mut impl Rng) -> f64 {
        let deviation = HEAT * (self.variances[slot] * self.scale).sqrt();
        self.slope(slot, direction) + deviation * normal(rng)
    }

    /// Learns from a move: slots with how far they went, and by how much scores rose.
    pub(super) fn learn(&mut self, moved: &[(usize, f64)], rose: &[f64], direction: [usize; 2]) {
        let squares: f64 = moved.iter().map(|&(slot, step)| self.variances[slot] * step * step).sum();
        let total = squares + NOISE * moved.iter().map(|&(_, step)| step * step).sum::<f64>();
        if total <= 0.0 || rose.iter().any(|rose| !rose.is_finite()) {
            return;
        }
        let predicted = |class: usize| -> f64 {
            moved.iter().map(|&(slot, step)| step * self.slopes[slot * self.classes + class]).sum()
        };
        let errors: Vec<f64> = rose.iter().enumerate().map(|(class, rose)| rose - predicted(class)).collect();
        let error = errors[direction[0]] - errors[direction[1]];
        self.seen += 1;
        let newest = NEWEST.max(1.0 / self.seen as f64);
        self.scale += newest * (error * error / total - self.scale);
        for &(slot, step) in moved {
            let gain = self.variances[slot] * step / total;
            for (class, error) in errors.iter().enumerate() {
                self.slopes[slot * self.classes + class] += gain * error;
            }
            self.variances[slot] *= 1.0 - gain * step;
        }
    }

    /// What is known was known somewhere else.
    pub(super) fn drift(&mut self) {
        for variance in &mut self.variances {
            *variance = (*variance + DRIFT).min(1.0);
        }
    }
}

/// A standard normal number (Box and Muller 1958).
pub(super) fn normal(rng: &mut impl Rng) -> f64 {
    let uniform = |word: u64| ((word >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (radius, angle) = (uniform(rng.next_u64()), uniform(rng.next_u64()));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

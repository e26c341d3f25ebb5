//! Cross-entropy of the softmax of the scores, its gradient, and whether the largest score is the right one.

use super::pass::Memory;
use super::plan::Plan;

/// Sums over images.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Tally {
    pub(super) images: u64,
    pub(super) loss: f64,
    pub(super) correct: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: Self) {
        self.images += other.images;
        self.loss += other.loss;
        self.correct += other.correct;
    }

    pub(super) fn mean_loss(&self) -> f64 {
        self.loss / self.images as f64
    }

    pub(super) fn accuracy(&self) -> f64 {
        self.correct as f64 / self.images as f64
    }
}

/// Tallies the first images of the shard and sets the gradient of `share` times the sum of their losses.
pub(super) fn cross_entropy(memory: &mut Memory, plan: &Plan, labels: &[u8], share: f64) -> Tally {
    let mut tally = Tally::default();
    for (image, &label) in labels.iter().enumerate() {
        let scores: Vec<f64> =
            (0..plan.classes()).map(|class| f64::from(memory.score(plan, image, class))).collect();
        let label = usize::from(label);
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
        tally.add(Tally {
            images: 1,
            loss: largest + total.ln() - scores[label],
            correct: u64::from(scores.iter().position(|&score| score == largest) == Some(label)),
        });
        for (class, score) in scores.iter().enumerate() {
            let wanted = if class == label { 1.0 } else { 0.0 };
            let gradient = share * ((score - largest).exp() / total - wanted);
            #[expect(clippy::cast_possible_truncation, reason = "gradients are kept as f32")]
            memory.set_score_gradient(plan, image, class, gradient as f32);
        }
    }
    tally
}

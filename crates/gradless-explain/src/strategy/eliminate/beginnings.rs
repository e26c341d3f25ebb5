//! Where changes begin: at real examples of another class, or at variants of the input that have one.

use super::super::Search;
use super::super::direct::Held;
use super::super::trial::Trials;
use super::variants::Variants;
use crate::condition::Confidence;
use crate::error::ExplainError;

/// Beginnings that are followed to their end.
const FOLLOWED: usize = 10;
/// Examples that are asked about at once, the nearest first, and at most.
const AT_ONCE: usize = 16;
const ASKED: usize = 320;

impl Search<'_> {
    /// Hands out points that answer the question, the nearest to the input first.
    pub(super) fn begin(
        &self,
        trials: &Trials<'_, '_>,
        mut follow: impl FnMut(Held) -> Result<(), ExplainError>,
    ) -> Result<(), ExplainError> {
        let mut followed = 0;
        if let Some(examples) = self.examples {
            let order = examples.by_distance(self.input);
            for near in order.chunks(AT_ONCE).take(ASKED / AT_ONCE) {
                let points = self.points(near.iter().map(|&index| examples.row(index)));
                followed += self.follow(trials, points, FOLLOWED - followed, &mut follow)?;
                if followed == FOLLOWED {
                    return Ok(());
                }
            }
        }
        if followed == 0 {
            let mut points = self.points(self.variants().into_iter());
            points.sort_by(|a, b| self.distance(a).total_cmp(&self.distance(b)));
            self.follow(trials, points, FOLLOWED, &mut follow)?;
        }
        Ok(())
    }

    /// Asks about points, and follows as many of those that answer the question; how many that were.
    fn follow(
        &self,
        trials: &Trials<'_, '_>,
        mut points: Vec<Vec<f64>>,
        most: usize,
        follow: &mut impl FnMut(Held) -> Result<(), ExplainError>,
    ) -> Result<usize, ExplainError> {
        points.truncate(trials.left());
        let inputs: Vec<Vec<f64>> = points.iter().map(|point| self.ledger.input(point)).collect();
        let scores = self.ledger.look_at_inputs(&inputs)?;
        let mut followed = 0;
        for (point, scores) in points.into_iter().zip(scores) {
            let margin = self.ledger.around.condition.margin(&scores);
            self.ledger.miss(&point, &scores, margin);
            trials.remember(&point, &scores);
            if followed < most
                && self.ledger.is_valid(margin)
                && let Some(held) = trials.passed(point)?
            {
                // As sure as of what it begins with, if the model is surer of that than of the input.
                if let Confidence::Share(share) = self.asked {
                    let condition = self.ledger.around.condition;
                    let lead = condition.without_confidence(margin, &scores);
                    trials.ask_more(share * (lead - condition.confidence(self.original_scores)));
                }
                follow(held)?;
                trials.ask_more(0.0);
                followed += 1;
            }
        }
        Ok(followed)
    }

    /// Points that show the model these inputs, as far as they may, each once; not the input itself.
    fn points(&self, inputs: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
        let coordinates = self.ledger.around.coordinates;
        let mut points: Vec<Vec<f64>> = Vec::new();
        for point in inputs.map(|input| coordinates.point_of(&input)) {
            if point != coordinates.origin && !points.contains(&point) {
                points.push(point);
            }
        }
        points
    }

    /// How far a point is from the input, by the sum of its differences.
    fn distance(&self, point: &[f64]) -> f64 {
        point.iter().zip(self.ledger.origin()).map(|(x, o)| (x - o).abs()).sum()
    }

    /// Variants of the input; nothing where it is no picture.
    fn variants(&self) -> Vec<Vec<f64>> {
        let coordinates = self.ledger.around.coordinates;
        let (rows, columns) = coordinates.layout;
        let is_picture = rows > 1 && self.input.len().is_multiple_of(rows * columns);
        if !is_picture || self.input.len() != coordinates.dim() {
            return Vec::new();
        }
        Variants { input: self.input, absent: self.absent, rows, columns }.all()
    }
}

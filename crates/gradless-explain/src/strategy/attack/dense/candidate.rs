//! The smallest change that a linear model says is enough.

use rand_core::Rng;

use super::{Dense, Held};
use crate::question::Norm;

/// Halvings that find how far is enough.
const HALVINGS: usize = 20;
/// Further than this nothing is searched.
const FURTHEST: f64 = 1e4;

impl<R: Rng> Dense<'_, '_, '_, R> {
    /// The smallest change that reaches a lead by the slopes, and what it reaches; `None` where none does.
    pub(super) fn candidate(
        &self,
        base: &Held,
        direction: [usize; 2],
        lead: f64,
        wanted: f64,
    ) -> Option<(Vec<f64>, f64)> {
        let coordinates = self.attack.search.ledger.around.coordinates;
        let origin = &coordinates.origin;
        let mut slopes: Vec<(usize, f64)> =
            self.free.iter().map(|&at| (at, self.slope(at, direction))).collect();
        let here: f64 = slopes.iter().map(|&(at, slope)| slope * (base.point[at] - origin[at])).sum();
        let at_origin = lead - here;
        if self.norm == Norm::L1 {
            slopes.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        }
        let most = slopes.iter().fold(0.0_f64, |most, (_, slope)| most.max(slope.abs()));
        if most == 0.0 {
            return None;
        }
        let made = |scale: f64| -> (Vec<f64>, f64) {
            let mut point = origin.clone();
            let (mut reached, mut left) = (at_origin, scale);
            for &(at, slope) in &slopes {
                let far = match self.norm {
                    Norm::Linf => scale * slope.signum(),
                    // The steepest go as far as they may, one after the other.
                    Norm::L1 => left * slope.signum(),
                    Norm::L2 | Norm::Pixels | Norm::Numbers => scale * slope / most,
                };
                let (lower, upper) = coordinates.bounds[at];
                point[at] = coordinates.snap(at, (origin[at] + far).clamp(lower, upper));
                reached += slope * (point[at] - origin[at]);
                left = (left - (point[at] - origin[at]).abs()).max(0.0);
            }
            (point, reached)
        };
        let (mut low, mut high) = (0.0, 1e-3);
        while made(high).1 < wanted {
            (low, high) = (high, 2.0 * high);
            if high > FURTHEST {
                return None;
            }
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if made(middle).1 < wanted { low = middle } else { high = middle }
        }
        Some(made(high))
    }
}

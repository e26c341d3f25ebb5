//! Surveys heard again: what a look finds is taken out of what the surveys before it said, so that the next coordinates stand out.

use serde::{Deserialize, Serialize};

use super::Memory;
use crate::auto::component::Component;
use crate::direction::{Direction, Directions};

/// Surveys are heard again once the looks have found this share of what they said is lacking.
const WORTH_HEARING: f64 = 0.1;
/// No more rows of surveys than these are kept; the oldest survey goes first.
const MOST_ROWS: usize = 2_048;

/// The surveys so far, without what has been found since.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Surveys {
    heard: Vec<Heard>,
    /// Coordinates looked at for the first time since they were heard last, with their slopes.
    found: Vec<(usize, f64)>,
}

/// The rows of one survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Heard {
    /// Which draw its directions are.
    draw: u64,
    /// $y_j - \langle h, u_j\rangle$ with $h$ what is known now of the slopes then.
    lacking: Vec<f64>,
}

impl Heard {
    /// Takes out what all rows have in common: no slope makes it.
    fn centre(&mut self) {
        let mean = self.lacking.iter().sum::<f64>() / self.lacking.len() as f64;
        self.lacking.iter_mut().for_each(|lacking| *lacking -= mean);
    }

    fn variance(&self) -> f64 {
        self.lacking.iter().map(|lacking| lacking * lacking).sum::<f64>() / self.lacking.len() as f64
    }
}

impl Surveys {
    pub(super) fn add(&mut self, draw: u64, lacking: Vec<f64>) {
        self.heard.push(Heard { draw, lacking });
        while self.heard.iter().map(|heard| heard.lacking.len()).sum::<usize>() > MOST_ROWS {
            self.heard.remove(0);
        }
    }

    pub(super) fn find(&mut self, coordinate: usize, slope: f64) {
        if !self.heard.is_empty() {
            self.found.push((coordinate, slope));
        }
    }

    /// Whether its coordinates exist and its numbers make sense.
    pub(super) fn fits(&self, dim: usize) -> bool {
        let rows = self
            .heard
            .iter()
            .all(|heard| !heard.lacking.is_empty() && heard.lacking.iter().all(|y| y.is_finite()));
        rows && self.found.iter().all(|&(i, slope)| i < dim && slope.is_finite())
    }

    fn is_worth_hearing(&self) -> bool {
        let found: f64 = self.found.iter().map(|(_, slope)| slope * slope).sum();
        self.heard.last().is_some_and(|last| found > WORTH_HEARING * last.variance())
    }
}

impl Memory {
    /// Hears the surveys again where enough has been found since.
    ///
    /// A survey of a few steep slopes among many sees each through the noise of the others. With the steepest taken out the next stand out,
    /// so that about $2 \ln d$ rows for each suffice: matching pursuit (Mallat & Zhang 1993) with every find measured exactly by a look.
    pub(crate) fn hear_again(&mut self, seed: u64) {
        if self.without == Some(Component::Rehearing) || !self.surveys.is_worth_hearing() {
            return;
        }
        let Surveys { heard, found } = &mut self.surveys;
        let mut directions = Directions::new(Direction::Rademacher, self.seen.len(), seed);
        self.hints.fill(0.0);
        self.evidence = 0.0;
        for survey in heard {
            let size = survey.lacking.len();
            directions.draw(survey.draw, size);
            for (j, lacking) in survey.lacking.iter_mut().enumerate() {
                *lacking -= found.iter().map(|&(i, slope)| slope * directions.component(j, i)).sum::<f64>();
            }
            survey.centre();
            let weight = 1.0 / survey.variance();
            if weight.is_finite() {
                let shares: Vec<f64> =
                    survey.lacking.iter().map(|lacking| weight / size as f64 * lacking).collect();
                directions.accumulate(&shares, &mut self.hints);
                self.evidence += weight;
            }
        }
        found.clear();
        let scale = if self.evidence > 0.0 { 1.0 / self.evidence } else { 0.0 };
        for (hint, &seen) in self.hints.iter_mut().zip(&self.seen) {
            *hint *= if seen == 0 { scale } else { 0.0 };
        }
    }
}

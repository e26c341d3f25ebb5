//! Where nothing is possible: which rule or range is in the way.

use crate::error::ExplainError;
use crate::features::{Coordinates, Features, Move};
use crate::ledger::Ledger;
use crate::question::{Origin, Question};

/// Questions that may be asked about one restriction.
const EACH: usize = 12;
/// Restrictions that are named.
const NAMED: usize = 3;

/// What would have to be allowed for the closest miss to become an answer, in words; each by itself is enough.
pub(super) fn possible(
    features: &dyn Features,
    question: Question,
    ledger: &Ledger<'_>,
    miss: &[f64],
) -> Result<Vec<String>, ExplainError> {
    let mut possible = Vec::new();
    if question.origin() != Origin::Input {
        return Ok(possible);
    }
    let Some(allowed) = ledger.around.coordinates.moves() else { return Ok(possible) };
    for (words, relaxed) in features.relaxed() {
        if possible.len() == NAMED || ledger.left() < EACH as u64 || ledger.is_cancelled() {
            break;
        }
        let coordinates = relaxed.coordinates(question)?;
        let inputs = beyond(&coordinates, &allowed, miss);
        let answers = ledger.look_at_inputs(&inputs)?;
        let condition = ledger.around.condition;
        if answers.iter().any(|scores| ledger.is_valid(condition.margin(scores))) {
            possible.push(words);
        }
    }
    Ok(possible)
}

/// Inputs that were not allowed: the closest miss, and the input itself, with a move that exists without the restriction only.
fn beyond(coordinates: &Coordinates<'_>, allowed: &[Vec<Move>], miss: &[f64]) -> Vec<Vec<f64>> {
    let Some(moves) = coordinates.moves() else { return Vec::new() };
    let mut inputs: Vec<Vec<f64>> = Vec::new();
    let more = moves.iter().zip(allowed).filter(|(moves, allowed)| moves.len() > allowed.len());
    for (moves, _) in more {
        let step = moves.len().div_ceil(EACH / 2).max(1);
        for one in moves.iter().rev().step_by(step) {
            for mut point in [coordinates.point_of(miss), coordinates.origin.clone()] {
                one.to.iter().for_each(|&(i, value)| point[i] = value);
                let input = coordinates.input(&point, miss.len());
                if coordinates.allows(&input) && !inputs.contains(&input) {
                    inputs.push(input);
                }
            }
        }
    }
    inputs.truncate(EACH);
    inputs
}

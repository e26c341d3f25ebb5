//! Several different answers to one question: first those that have no feature in common.

use gradless::Model;

use super::{Account, Session};
use crate::answer::Answer;
use crate::error::ExplainError;
use crate::features::Kind;
use crate::question::Question;
use crate::scores::Scores;

/// Other answers that are looked for with all but one feature of the first, where none without any of them is found.
const SHARING: usize = 2;

impl Session<'_> {
    /// The answers to a question, at most as many as are wanted; the first may be a miss.
    pub(super) fn several(
        &self,
        model: &dyn Model,
        scores: Scores,
        question: Question,
        account: &Account,
    ) -> Result<Vec<Answer>, ExplainError> {
        let first = self.one(model, scores, question, account, &[])?;
        let mut answers = vec![first];
        let free = Account { before: 0, ..*account };
        let are_regions = self.features.kind() == Kind::Regions;
        while answers.len() < self.options.count && answers[0].valid && !self.is_cancelled() {
            let used: Vec<usize> = answers.iter().flat_map(|answer| answer.used.clone()).collect();
            let apart = std::iter::once(used);
            // Regions lie side by side: what shares most of them is the same answer.
            let sharing = if are_regions { 0 } else { SHARING };
            let sharing = answers[0].used.iter().map(|&feature| vec![feature]).take(sharing);
            let mut found = false;
            for held in apart.chain(sharing).collect::<Vec<_>>() {
                let Some(other) = self.other(model, scores, question, &free, &held)? else { continue };
                let is_new = answers.iter().all(|answer| answer.used != other.used);
                // Every answer of regions says how sure it is.
                let is_as_sure = are_regions || other.confidence.asked == answers[0].confidence.asked;
                if other.valid && is_new && is_as_sure && !other.used.is_empty() {
                    answers.push(other);
                    found = true;
                    break;
                }
                // What an attempt in vain took is told with the answers that there are.
                answers[0].queries += other.queries;
                answers[0].sent += other.sent;
            }
            if !found {
                break;
            }
        }
        // The smallest first, whichever was found first; what attempts took stays with the first.
        let (queries, sent) = (answers[0].queries, answers[0].sent);
        let first = answers[0].used.clone();
        answers.sort_by_key(|answer| answer.used.len());
        if let Some(moved) = answers.iter().position(|answer| answer.used == first).filter(|&at| at > 0) {
            let own = (answers[0].queries, answers[0].sent);
            (answers[0].queries, answers[0].sent) = (queries, sent);
            (answers[moved].queries, answers[moved].sent) = own;
        }
        for (rank, answer) in answers.iter_mut().enumerate() {
            answer.alternative = rank;
        }
        Ok(answers)
    }

    /// An answer without these features; `None` if there is nothing to search.
    fn other(
        &self,
        model: &dyn Model,
        scores: Scores,
        question: Question,
        account: &Account,
        held: &[usize],
    ) -> Result<Option<Answer>, ExplainError> {
        let mut coordinates = self.features.coordinates(question)?;
        coordinates.hold(held);
        if coordinates.free().is_empty() {
            return Ok(None);
        }
        self.one(model, scores, question, account, held).map(Some)
    }
}

//! What the journal knows, and which answer the next asking of a point gets.

use std::collections::HashMap;

use super::question::{Key, Question};

/// What is done when a point is asked for again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// The answer is remembered: the black box repeats itself whatever the sample, and is never asked for a point twice. What
    /// failed is asked again.
    Remember,
    /// It is asked again, and every asking keeps its own answer: repeated questions measure noise.
    #[default]
    AskAgain,
}

/// An answer: numbers, or nothing where the black box failed.
pub(super) type Told = Option<Box<[f64]>>;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Answers of earlier runs that have not been asked for in this one.
    waiting: HashMap<Question, Told>,
    /// What was asked in this run.
    asked: HashMap<Key, Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    /// The time of the next question that is new.
    next: u32,
    /// The last answer, where it is remembered.
    known: Option<Box<[f64]>>,
}

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    Known(Told),
    ToSend(Question),
}

impl Memory {
    /// Takes an answer from the file.
    pub(super) fn load(&mut self, question: Question, told: Told) {
        self.waiting.insert(question, told);
    }

    /// The answer to the next asking of a point.
    pub(super) fn ask(&mut self, key: Key, repeats: Repeats) -> Found {
        let asked = self.asked.entry(key).or_default();
        if let Some(known) = &asked.known {
            return Found::Known(Some(known.clone()));
        }
        let question = Question { key, time: asked.next };
        // Where answers are remembered, several threads may wait for the same one; only a failure makes it another question.
        if repeats == Repeats::AskAgain {
            asked.next += 1;
        }
        match self.waiting.remove(&question) {
            None => Found::ToSend(question),
            Some(told) => {
                self.keep(question, told.as_deref(), repeats);
                Found::Known(told)
            }
        }
    }

    /// Takes the answer to a question.
    pub(super) fn keep(&mut self, question: Question, told: Option<&[f64]>, repeats: Repeats) {
        if repeats == Repeats::AskAgain {
            return;
        }
        let asked = self.asked.entry(question.key).or_default();
        match told {
            Some(numbers) if numbers.iter().all(|number| number.is_finite()) => {
                asked.known = Some(numbers.into());
            }
            _ => asked.next = asked.next.max(question.time + 1),
        }
    }

    /// Answers that nobody has asked for yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "an answer may be none")]
    fn told(value: f64) -> Told {
        Some([value].into())
    }

    #[test]
    fn a_point_asked_again_is_another_question_and_replays_in_order() {
        let key = Key([1; 16]);
        let mut memory = Memory::default();
        let questions = [0, 1].map(|time| Question { key, time });
        for question in questions {
            assert_eq!(memory.ask(key, Repeats::AskAgain), Found::ToSend(question));
        }
        let mut replayed = Memory::default();
        replayed.load(questions[1], told(2.0));
        replayed.load(questions[0], told(1.0));
        let mut ask = || replayed.ask(key, Repeats::AskAgain);
        assert_eq!([ask(), ask()], [Found::Known(told(1.0)), Found::Known(told(2.0))]);
        assert_eq!(ask(), Found::ToSend(Question { key, time: 2 }));
    }

    #[test]
    fn what_is_remembered_is_not_asked_again_unless_it_failed() {
        let key = Key([2; 16]);
        let [first, second] = [0, 1].map(|time| Question { key, time });
        let mut memory = Memory::default();
        let mut replayed = Memory::default();
        for (question, answer) in [(first, told(f64::NAN)), (second, told(5.0))] {
            assert_eq!(memory.ask(key, Repeats::Remember), Found::ToSend(question));
            memory.keep(question, answer.as_deref(), Repeats::Remember);
            replayed.load(question, answer);
        }
        assert_eq!(memory.ask(key, Repeats::Remember), Found::Known(told(5.0)));
        assert!(matches!(replayed.ask(key, Repeats::Remember), Found::Known(Some(nan)) if nan[0].is_nan()));
        for _ in 0..2 {
            assert_eq!(replayed.ask(key, Repeats::Remember), Found::Known(told(5.0)));
        }
        assert_eq!(replayed.waiting(), 0);
    }
}

//! A text as pieces that are there or not: words, sentences, or whatever a tokenizer finds.

use std::collections::HashMap;
use std::ops::Range;

use super::{Kind, Switches};
use crate::question::QuestionError;

/// Stands inside a word where letters follow.
const INNER: [char; 3] = ['\'', '’', '-'];
/// Stands behind a word without a space.
const CLOSING: &str = ",.;:!?)";
/// Ends a sentence.
const FULL_STOPS: [char; 3] = ['.', '!', '?'];

/// A text cut into pieces, each of which belongs to a switch.
///
/// ```
/// use gradless_explain::features::{Text, Unit};
///
/// let text = Text::new("not good, not bad", &Unit::Words, true)?;
/// assert_eq!(text.names(), ["not", "good", "bad"]);
/// assert_eq!(text.built(&[0, 1, 1]), "good, bad"); // both occurrences of "not" are one switch
/// # Ok::<(), gradless_explain::QuestionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    whole: String,
    /// Where the pieces stand, in bytes.
    spans: Vec<Range<usize>>,
    /// The switch of every piece.
    switch: Vec<usize>,
    /// What every switch is called.
    names: Vec<String>,
    /// What may stand in the place of the pieces of a switch.
    candidates: Vec<Vec<String>>,
    /// What stands in the place of a piece that is gone.
    mask: Option<String>,
}

/// What a text is cut into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Letters, digits and underscores, with apostrophes and hyphens inside.
    #[default]
    Words,
    /// Up to a full stop, a question mark, an exclamation mark, or the end of a line.
    Sentences,
    /// Pieces by their places in bytes, in order.
    Spans(Vec<Range<usize>>),
}

impl Text {
    /// The pieces of a text; with `together`, all occurrences of one, in capitals or not, are one switch.
    pub fn new(text: &str, unit: &Unit, together: bool) -> Result<Self, QuestionError> {
        let spans = match unit {
            Unit::Words => words(text),
            Unit::Sentences => sentences(text),
            Unit::Spans(spans) => spans.clone(),
        };
        let mut end = 0;
        for span in &spans {
            let is_in_order = span.start >= end && span.start < span.end;
            if !is_in_order || text.get(span.clone()).is_none() {
                return Err(QuestionError::Pieces { start: span.start, end: span.end });
            }
            end = span.end;
        }
        if spans.is_empty() {
            return Err(QuestionError::NoWords);
        }
        let mut known: HashMap<String, usize> = HashMap::new();
        let (mut names, mut switch) = (Vec::new(), Vec::new());
        for span in &spans {
            let piece = &text[span.clone()];
            let next = names.len();
            let number = if together { *known.entry(piece.to_lowercase()).or_insert(next) } else { next };
            if number == next {
                names.push(piece.to_owned());
            }
            switch.push(number);
        }
        let candidates = vec![Vec::new(); names.len()];
        Ok(Self { whole: text.to_owned(), spans, switch, names, candidates, mask: None })
    }

    /// The same with something in the place of pieces that are gone.
    #[must_use]
    pub fn masked(mut self, mask: Option<String>) -> Self {
        self.mask = mask;
        self
    }

    /// The same with words that may replace the pieces of a switch in a change: `of` gives them for its name.
    #[must_use]
    pub fn with_candidates(mut self, of: impl Fn(&str) -> Vec<String>) -> Self {
        self.candidates = self.names.iter().map(|name| of(name)).collect();
        for (name, candidates) in self.names.iter().zip(&mut self.candidates) {
            candidates.retain(|candidate| candidate.to_lowercase() != name.to_lowercase());
        }
        self
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.whole
    }

    /// What every switch is called: its first piece.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What may stand in the place of the pieces of every switch.
    pub fn candidates(&self) -> &[Vec<String>] {
        &self.candidates
    }

    /// Its switches as features; those at the marked places stay.
    pub fn switches(&self, frozen: Vec<bool>) -> Result<Switches, QuestionError> {
        let alternatives: Vec<usize> = self.candidates.iter().map(Vec::len).collect();
        Ok(Switches::new(Kind::Words, &alternatives, frozen)?.named(self.names.clone()))
    }

    /// The text with the pieces of every switch gone (0), as they are (1), or replaced (2 and above).
    pub fn built(&self, states: &[usize]) -> String {
        let mut out = String::with_capacity(self.whole.len());
        let mut at = 0;
        for (span, &switch) in self.spans.iter().zip(&self.switch) {
            out.push_str(&self.whole[at..span.start]);
            let piece = &self.whole[span.clone()];
            match (states.get(switch).copied().unwrap_or(1), &self.mask) {
                (1, _) => out.push_str(piece),
                (0, Some(mask)) => out.push_str(mask),
                (0, None) => self.close_up(&mut out, span.end),
                (state, _) => {
                    let other = self.candidates[switch].get(state - 2);
                    out.push_str(other.map_or(piece, String::as_str));
                }
            }
            at = span.end;
        }
        out.push_str(&self.whole[at..]);
        out.trim().to_owned()
    }

    /// Of the two spaces around a piece that is gone one goes with it.
    fn close_up(&self, out: &mut String, end: usize) {
        let next = self.whole[end..].chars().next();
        let ends = next.is_none_or(|next| next.is_whitespace() || CLOSING.contains(next));
        if ends && out.ends_with(char::is_whitespace) {
            out.pop();
        }
    }

    /// The text in order: what stands between pieces, and the pieces with their switches.
    pub fn pieces(&self) -> Vec<(&str, Option<usize>)> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for (span, &switch) in self.spans.iter().zip(&self.switch) {
            if span.start > at {
                pieces.push((&self.whole[at..span.start], None));
            }
            pieces.push((&self.whole[span.clone()], Some(switch)));
            at = span.end;
        }
        if at < self.whole.len() {
            pieces.push((&self.whole[at..], None));
        }
        pieces
    }
}

fn words(text: &str) -> Vec<Range<usize>> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        if !is_letter(c) {
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some(&(at, c)) = rest.peek() {
            let follows = text[at + c.len_utf8()..].chars().next();
            let is_inside = is_letter(c) || INNER.contains(&c) && follows.is_some_and(is_letter);
            if !is_inside {
                break;
            }
            end = at + c.len_utf8();
            rest.next();
        }
        spans.push(start..end);
    }
    spans
}

fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let (mut start, mut stopped) = (0, false);
    let mut end_at = |start: usize, end: usize| {
        let piece = &text[start..end];
        let body = piece.trim_start();
        if !body.trim_matches(|c: char| c.is_whitespace() || FULL_STOPS.contains(&c)).is_empty() {
            spans.push(end - body.len()..end - body.len() + body.trim_end().len());
        }
    };
    for (at, c) in text.char_indices() {
        let is_stop = FULL_STOPS.contains(&c);
        if (stopped && !is_stop) || c == '\n' {
            end_at(start, at);
            start = at;
        }
        stopped = is_stop;
    }
    end_at(start, text.len());
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, unit: &Unit) -> Vec<String> {
        Text::new(text, unit, false).unwrap().names().to_vec()
    }

    #[test]
    fn words_keep_their_apostrophes_and_hyphens() {
        let found = names("Don't re-enter, she said -- it’s «très» 2_000 x' -y", &Unit::Words);
        assert_eq!(found, ["Don't", "re-enter", "she", "said", "it’s", "très", "2_000", "x", "y"]);
    }

    #[test]
    fn sentences_end_at_full_stops_and_lines() {
        let found = names("Really?! Yes. No\n\n  Perhaps...  ?\n", &Unit::Sentences);
        assert_eq!(found, ["Really?!", "Yes.", "No", "Perhaps..."]);
    }

    #[test]
    fn a_text_closes_up_where_a_word_is_gone() {
        let text = Text::new("The film was good, really good; not (so) bad.", &Unit::Words, true).unwrap();
        let without = |name: &str| {
            let states: Vec<usize> = text.names().iter().map(|known| usize::from(known != name)).collect();
            text.built(&states)
        };
        assert_eq!(without("good"), "The film was, really; not (so) bad.");
        assert_eq!(without("so"), "The film was good, really good; not () bad.");
        assert_eq!(without("The"), "film was good, really good; not (so) bad.");
        assert_eq!(text.built(&[1; 8]), text.text());
        assert_eq!(text.pieces().iter().map(|(piece, _)| *piece).collect::<String>(), text.text());
    }

    #[test]
    fn masks_and_other_words_take_the_place_of_a_piece() {
        let text = Text::new("a good film", &Unit::Words, true).unwrap().masked(Some("_".into()));
        let text = text
            .with_candidates(|name| if name == "good" { vec!["Good".into(), "bad".into()] } else { vec![] });
        assert_eq!(text.candidates()[1], ["bad"], "a word is no candidate for itself");
        assert_eq!(text.built(&[1, 0, 1]), "a _ film");
        assert_eq!(text.built(&[1, 2, 1]), "a bad film");
        assert_eq!(text.built(&[1, 9, 1]), "a good film", "what does not exist changes nothing");
        let switches = text.switches(Vec::new()).unwrap();
        assert_eq!(crate::features::Features::bounds(&switches)[1].at(1), 2.0);
    }

    #[test]
    fn pieces_out_of_order_or_inside_a_letter_are_refused() {
        let spans = |spans: &[Range<usize>]| Text::new("très bon", &Unit::Spans(spans.to_vec()), true);
        assert_eq!(spans(&[0..5, 6..9]).unwrap().names(), ["très", "bon"]);
        let refused = |start, end| QuestionError::Pieces { start, end };
        assert_eq!(spans(&[6..9, 0..5]).unwrap_err(), refused(0, 5));
        for wrong in [3..9, 2..2, 0..99] {
            assert_eq!(spans(std::slice::from_ref(&wrong)).unwrap_err(), refused(wrong.start, wrong.end));
        }
        assert_eq!(Text::new(" ... !", &Unit::Words, true).unwrap_err(), QuestionError::NoWords);
        assert_eq!(Text::new("", &Unit::Sentences, true).unwrap_err(), QuestionError::NoWords);
    }
}

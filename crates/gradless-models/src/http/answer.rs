//! The body of an answer: scores found at their place in JSON, without keeping anything else of it.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::named::{Classes, Labels};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// No answer to the first request has more classes than this.
const MOST_CLASSES: usize = 1 << 20;

/// Where the scores are: a JSON pointer, in its parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place(Vec<String>);

impl Place {
    /// As it was written.
    fn words(&self) -> String {
        self.0.iter().flat_map(|part| ["/", part.as_str()]).collect()
    }

    /// A JSON pointer such as `/outputs/0/data`; an empty one is the whole answer.
    pub(super) fn new(pointer: &str) -> Option<Self> {
        if pointer.is_empty() {
            return Some(Self(Vec::new()));
        }
        let parts = pointer.strip_prefix('/')?.split('/');
        Some(Self(parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect()))
    }
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Told {
    /// It cannot be understood.
    #[error("is not JSON with scores in it ({message})")]
    NotJson {
        /// What and where.
        message: String,
    },
    /// It is JSON, without scores where they should be.
    #[error("has nothing at {pointer:?}, where the scores should be: say where they are (`response`)")]
    Missing {
        /// The place.
        pointer: String,
    },
    /// It answers another number of inputs, or with another number of scores.
    #[error("has {found} scores for {rows} inputs, {expected} were expected")]
    Count {
        /// Inputs of the request.
        rows: usize,
        /// Scores expected.
        expected: usize,
        /// Scores found; no more than one too many are counted.
        found: usize,
    },
    /// Its rows differ in length.
    #[error("has {found} scores for input {row}, {expected} were expected")]
    Row {
        /// Which input.
        row: usize,
        /// Scores expected.
        expected: usize,
        /// Scores found; no more than one too many are counted.
        found: usize,
    },
    /// A score is NaN or infinite.
    #[error("has a score that is not a number: {value} for class {class} of input {row}")]
    NotFinite {
        /// Which input.
        row: usize,
        /// Which class.
        class: usize,
        /// What stands there.
        value: f64,
    },
}

/// Reads the scores of `rows` inputs into `scores`; the number of classes is what is found if it is not known yet.
///
/// The body is walked once. Nothing is stored but the scores, and of those never more than one too many. Python writes NaN
/// and Infinity without quotes, which JSON does not have; that is understood, and refused as what it is.
pub(super) fn read(
    body: &[u8],
    place: &Place,
    rows: usize,
    classes: Option<usize>,
    scores: &mut Vec<f64>,
) -> Result<usize, Told> {
    let each = match walk(body, place, rows, classes, scores) {
        Err(Told::NotJson { message }) => match without_bare_words(body) {
            Some(body) => walk(&body, place, rows, classes, scores)?,
            None => return Err(Told::NotJson { message }),
        },
        other => other?,
    };
    match scores.iter().position(|score| !score.is_finite()) {
        Some(i) => Err(Told::NotFinite { row: i / each, class: i % each, value: scores[i] }),
        None => Ok(each),
    }
}

/// Reads an answer by names: the scores of `rows` inputs, and the classes, which are what is found if they are not known yet.
pub(super) fn read_named(
    body: &[u8],
    place: &Place,
    rows: usize,
    (labels, names): (&Labels, &[String]),
    classes: Option<&Classes>,
    scores: &mut Vec<f64>,
) -> Result<Classes, Told> {
    let not_json = |message: String| Told::NotJson { message };
    let value: Value = serde_json::from_slice(body).map_err(|error| not_json(error.to_string()))?;
    let pointer = place.words();
    let found = value.pointer(&pointer).ok_or(Told::Missing { pointer })?;
    let entries = Labels::entries(found, rows).map_err(not_json)?;
    let classes = match classes {
        Some(classes) => classes.clone(),
        None => labels.classes(&entries, names).map_err(not_json)?,
    };
    scores.clear();
    scores.extend(entries.iter().flat_map(|entry| labels.scores(entry, &classes)));
    match scores.iter().position(|score| !score.is_finite()) {
        Some(i) => {
            let (row, class) = (i / classes.count.max(1), i % classes.count.max(1));
            Err(Told::NotFinite { row, class, value: scores[i] })
        }
        None => Ok(classes),
    }
}

fn walk(
    body: &[u8],
    place: &Place,
    rows: usize,
    classes: Option<usize>,
    scores: &mut Vec<f64>,
) -> Result<usize, Told> {
    scores.clear();
    let most = rows.saturating_mul(classes.unwrap_or(MOST_CLASSES));
    let mut found = Found { scores, most, first: None, odd: None, seen: false };
    let mut json = serde_json::Deserializer::from_slice(body);
    let walked = Walk { path: &place.0, found: &mut found }.deserialize(&mut json).and_then(|()| json.end());
    let Found { first, odd, seen, .. } = found;
    let count = |expected| Err(Told::Count { rows, expected, found: scores.len() });
    if let Err(error) = walked {
        return if scores.len() > most {
            count(most)
        } else {
            Err(Told::NotJson { message: error.to_string() })
        };
    }
    if !seen {
        return Err(Told::Missing { pointer: place.words() });
    }
    let each = classes.or(first).unwrap_or(scores.len() / rows.max(1));
    match (first, odd) {
        (Some(found), _) if found != each => Err(Told::Row { row: 0, expected: each, found }),
        (_, Some((row, found))) => Err(Told::Row { row, expected: each, found }),
        _ if each == 0 || Some(scores.len()) != rows.checked_mul(each) => {
            count(rows.saturating_mul(each.max(1)))
        }
        _ => Ok(each),
    }
}

/// The body with `null` for NaN and Infinity outside of strings; none if there are no such words.
fn without_bare_words(body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut rest, mut quoted, mut changed) = (body, false, false);
    while let [first, ..] = rest {
        let word: Option<&[u8]> = if quoted {
            None
        } else {
            let words: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
            words.into_iter().find(|word| rest.starts_with(word))
        };
        let length = match (word, first) {
            (Some(word), _) => {
                out.extend_from_slice(b"null");
                changed = true;
                word.len()
            }
            // What is behind a backslash does not end a string.
            (None, b'\\') if quoted => {
                out.extend_from_slice(&rest[..rest.len().min(2)]);
                rest.len().min(2)
            }
            (None, &byte) => {
                quoted ^= byte == b'"';
                out.push(byte);
                1
            }
        };
        rest = &rest[length..];
    }
    changed.then_some(out)
}

/// What was found so far.
struct Found<'a> {
    scores: &'a mut Vec<f64>,
    most: usize,
    /// Length of the first list, where there is one list per input.
    first: Option<usize>,
    /// The first list of another length, and its length.
    odd: Option<(usize, usize)>,
    seen: bool,
}

impl Found<'_> {
    fn push<E: serde::de::Error>(&mut self, score: f64) -> Result<(), E> {
        // One too many is kept: it shows in the count.
        if self.scores.len() > self.most {
            return Err(E::custom("too many scores"));
        }
        self.scores.push(score);
        Ok(())
    }
}

/// Goes down to the place, past everything else.
struct Walk<'a, 'b> {
    path: &'a [String],
    found: &'a mut Found<'b>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if self.path.is_empty() {
            self.found.seen = true;
            from.deserialize_seq(Batch(self.found))
        } else {
            from.deserialize_any(self)
        }
    }
}

/// A value that is not on the way: nothing is there.
macro_rules! nothing_here {
    ($($name:ident($type:ty)),*) => {
        $(fn $name<E>(self, _: $type) -> Result<(), E> { Ok(()) })*
    };
}

impl<'de> Visitor<'de> for Walk<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an answer")
    }

    nothing_here!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            // Of a key that is there twice, the first counts.
            if key == self.path[0] && !self.found.seen {
                map.next_value_seed(Walk { path: &self.path[1..], found: self.found })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Ok(wanted) = self.path[0].parse::<usize>() else {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        for _ in 0..wanted {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        if list.next_element_seed(Walk { path: &self.path[1..], found: self.found })?.is_some() {
            while list.next_element::<IgnoredAny>()?.is_some() {}
        }
        Ok(())
    }
}

/// The scores of all inputs: a list of lists, or one list.
struct Batch<'a, 'b>(&'a mut Found<'b>);

impl<'de> Visitor<'de> for Batch<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of scores")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut row = 0;
        while let Some(element) = list.next_element_seed(Element { found: self.0, inner: false })? {
            let is_list = element.is_some();
            if row > 0 && is_list != self.0.first.is_some() {
                return Err(A::Error::custom("lists and numbers side by side"));
            }
            if let Some(length) = element {
                let first = *self.0.first.get_or_insert(length);
                if length != first && self.0.odd.is_none() {
                    self.0.odd = Some((row, length));
                }
            }
            row += 1;
        }
        Ok(())
    }
}

/// A score, or the list of the scores of one input; gives the length of a list.
struct Element<'a, 'b> {
    found: &'a mut Found<'b>,
    /// Whether it stands in the list of one input.
    inner: bool,
}

impl<'de> DeserializeSeed<'de> for Element<'_, '_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element<'_, '_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.inner { "a score" } else { "a score or the scores of one input" })
    }

    fn visit_f64<E: serde::de::Error>(self, score: f64) -> Result<Self::Value, E> {
        self.found.push(score).map(|()| None)
    }

    fn visit_i64<E: serde::de::Error>(self, score: i64) -> Result<Self::Value, E> {
        self.visit_f64(score as f64)
    }

    fn visit_u64<E: serde::de::Error>(self, score: u64) -> Result<Self::Value, E> {
        self.visit_f64(score as f64)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        self.visit_f64(f64::NAN)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        // What some services write for numbers that JSON does not have.
        match text.parse::<f64>() {
            Ok(score) if !score.is_finite() => self.visit_f64(score),
            _ => Err(E::invalid_type(serde::de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        if self.inner {
            return Err(A::Error::invalid_type(serde::de::Unexpected::Seq, &self));
        }
        let mut length = 0;
        while list.next_element_seed(Element { found: self.found, inner: true })?.is_some() {
            length += 1;
        }
        Ok(Some(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(body: &str, pointer: &str, classes: Option<usize>) -> Result<(usize, Vec<f64>), Told> {
        let mut scores = Vec::new();
        let classes = read(body.as_bytes(), &Place::new(pointer).unwrap(), 2, classes, &mut scores)?;
        Ok((classes, scores))
    }

    #[test]
    fn scores_are_found_wherever_a_service_puts_them() {
        let scores = vec![1.0, 2.0, 3.0, -0.5, 0.0, 1e-3];
        for (body, pointer) in [
            (r#"{"scores": [[1, 2, 3], [-0.5, 0, 1e-3]]}"#, "/scores"),
            (r#"{"a": {"scores": [[9]]}, "scores": [1, 2, 3, -0.5, 0, 1e-3], "z": null}"#, "/scores"),
            (r#"{"outputs": [{"data": 1}, {"data": [1, 2, 3, -0.5, 0, 1e-3]}, []]}"#, "/outputs/1/data"),
            (r#"{"a/b": {"m~n": [[1, 2, 3], [-0.5, 0, 1e-3]]}}"#, "/a~1b/m~0n"),
            (" [[1, 2, 3], [-0.5, 0, 1e-3]] ", ""),
        ] {
            assert_eq!(told(body, pointer, Some(3)), Ok((3, scores.clone())), "{body}");
            assert_eq!(told(body, pointer, None), Ok((3, scores.clone())), "{body}");
        }
    }

    #[test]
    fn answers_of_the_wrong_length_are_counted() {
        let count = |expected, found| Err(Told::Count { rows: 2, expected, found });
        assert_eq!(told("[[1, 2]]", "", Some(2)), count(4, 2));
        assert_eq!(told("[[1, 2], [3, 4], [5, 6]]", "", Some(2)), count(4, 5));
        assert_eq!(told("[1, 2, 3]", "", Some(2)), count(4, 3));
        assert_eq!(told("[]", "", None), count(2, 0));
        assert_eq!(told("[[], []]", "", None), count(2, 0));
        assert_eq!(told("[[1, 2], [3]]", "", Some(2)), Err(Told::Row { row: 1, expected: 2, found: 1 }));
        assert_eq!(told("[[1], [2, 3, 4]]", "", Some(2)), Err(Told::Row { row: 0, expected: 2, found: 1 }));
    }

    #[test]
    fn what_is_not_a_number_is_told_from_what_is_not_an_answer() {
        for body in ["[[1, NaN], [3, 4]]", "[[1, null], [3, 4]]", r#"[[1, "NaN"], [3, 4]]"#] {
            let error = told(body, "", Some(2)).unwrap_err();
            assert!(matches!(error, Told::NotFinite { row: 0, class: 1, .. }), "{body}: {error}");
        }
        assert!(matches!(told("[[1, 2], [-Infinity, 4]]", "", Some(2)), Err(Told::NotFinite { row: 1, .. })));
        for body in [
            "",
            "<html>",
            "[[1, 2], [3",
            "[[1, 2], [3, 4]] x",
            "{}}",
            "[[[1]], [[2]]]",
            "[1, [2]]",
            "{\"NaN\": NaN",
        ] {
            assert!(matches!(told(body, "", Some(2)), Err(Told::NotJson { .. })), "{body}");
        }
        assert!(matches!(told("[[true, 1], [0, 1]]", "", Some(2)), Err(Told::NotJson { .. })));
        assert!(matches!(told(r#"{"error": "NaN"}"#, "/scores", Some(2)), Err(Told::Missing { .. })));
        assert!(matches!(told("7", "/scores", Some(2)), Err(Told::Missing { .. })));
    }

    #[test]
    fn lists_nested_without_end_do_not_exhaust_the_stack() {
        for (open, pointer) in [("[", ""), ("[", "/0/0"), ("{\"a\":", "/a/a"), ("{\"b\":", "/a")] {
            let body = open.repeat(200_000);
            assert!(told(&body, pointer, Some(2)).is_err());
        }
    }
}

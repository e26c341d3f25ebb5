//! The body of a request: inputs as JSON, put into the service's own words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::HttpError;

/// Where the inputs go.
const INPUTS: &str = "$inputs";
/// Where the only input of a request goes.
const INPUT: &str = "$input";
/// Where the only text of a request goes, in the middle of other text too.
const TEXT: &str = "$text";
/// Where their number goes.
const ROWS: &str = "$rows";

/// How the numbers of a batch are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// One list of numbers per input: `[[1,2,3,4],[5,6,7,8]]`.
    #[default]
    Rows,
    /// Lists within lists, as the input's shape has axes: `[[[1,2],[3,4]],[[5,6],[7,8]]]`.
    Nested,
    /// One list for the whole batch: `[1,2,3,4,5,6,7,8]`.
    Flat,
}

/// A text with places for the inputs and their number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template {
    pieces: Vec<Piece>,
    numbers: Numbers,
    /// One input as the service sees it.
    tensor: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Inputs,
    Input,
    /// The text as it is written in a string, with the quotes around it or not.
    Words {
        quoted: bool,
    },
    Rows,
}

/// What is put into a template.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    /// So many inputs of finite numbers.
    Numbers(&'a [f64], usize),
    /// Records as JSON.
    Records(&'a [Value]),
}

impl Content<'_> {
    fn rows(self) -> usize {
        match self {
            Self::Numbers(_, rows) => rows,
            Self::Records(records) => records.len(),
        }
    }

    /// The only input as a text; what is none is written as JSON.
    fn text(self) -> String {
        match self {
            Self::Numbers(inputs, _) => inputs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Self::Records([Value::String(text), ..]) => text.clone(),
            Self::Records(records) => records.first().map(ToString::to_string).unwrap_or_default(),
        }
    }
}

impl Template {
    /// Understands a template; it must be JSON once it is filled in.
    pub(super) fn new(text: &str, numbers: Numbers, tensor: &[usize]) -> Result<Self, HttpError> {
        let refused = |problem: String| HttpError::Request { text: text.to_owned(), problem };
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            pieces.push(Piece::Text(before.to_owned()));
            let quoted = is_in_string(&text[..text.len() - from.len()]);
            let (piece, length) = match from {
                _ if from.starts_with(INPUTS) => (Piece::Inputs, INPUTS.len()),
                _ if from.starts_with(INPUT) => (Piece::Input, INPUT.len()),
                _ if from.starts_with(TEXT) => (Piece::Words { quoted: !quoted }, TEXT.len()),
                _ if from.starts_with(ROWS) => (Piece::Rows, ROWS.len()),
                _ => (Piece::Text("$".to_owned()), 1),
            };
            pieces.push(piece);
            rest = &from[length..];
        }
        pieces.push(Piece::Text(rest.to_owned()));
        let holds = |piece: &&Piece| matches!(piece, Piece::Inputs | Piece::Input | Piece::Words { .. });
        if pieces.iter().filter(holds).count() != 1 {
            return Err(refused(format!(
                "it needs {INPUTS} once, where the inputs go ({INPUT} or {TEXT} where a request has one)"
            )));
        }
        let template = Self { pieces, numbers, tensor: tensor.to_vec() };
        let sample = template.fill(Content::Records(&[Value::from("a text")]));
        match serde_json::from_slice::<serde::de::IgnoredAny>(&sample) {
            Ok(_) => Ok(template),
            Err(error) => Err(refused(format!("filled in, it is not JSON ({error})"))),
        }
    }

    /// Whether a request has one input only.
    pub(super) fn is_single(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Input | Piece::Words { .. }))
    }

    /// The body for some inputs.
    pub(super) fn fill(&self, content: Content<'_>) -> Vec<u8> {
        // A number between 0 and 1 has up to 18 digits, its comma and its point.
        let room = match content {
            Content::Numbers(inputs, _) => inputs.len() * 20,
            Content::Records(_) => 0,
        };
        let mut body = Vec::with_capacity(64 + room);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => body.extend_from_slice(text.as_bytes()),
                Piece::Rows => body.extend_from_slice(content.rows().to_string().as_bytes()),
                Piece::Inputs => self.write_inputs(&mut body, content),
                Piece::Input => match content {
                    Content::Numbers(inputs, _) => write_list(&mut body, inputs),
                    Content::Records(records) => write_json(&mut body, records.first()),
                },
                Piece::Words { quoted } => {
                    let mut text = Vec::new();
                    write_json(&mut text, Some(&content.text().into()));
                    let inside = if *quoted { &text[..] } else { &text[1..text.len() - 1] };
                    body.extend_from_slice(inside);
                }
            }
        }
        body
    }

    fn write_inputs(&self, body: &mut Vec<u8>, content: Content<'_>) {
        let (inputs, rows) = match content {
            Content::Records(records) => {
                let _ = serde_json::to_writer(body, records);
                return;
            }
            Content::Numbers(inputs, rows) => (inputs, rows),
        };
        match self.numbers {
            Numbers::Flat => write_list(body, inputs),
            Numbers::Rows => write_nested(body, inputs, &[rows, inputs.len() / rows.max(1)]),
            Numbers::Nested => {
                let shape: Vec<usize> = std::iter::once(rows).chain(self.tensor.iter().copied()).collect();
                write_nested(body, inputs, &shape);
            }
        }
    }
}

/// Whether the end of a text stands inside a string of JSON.
fn is_in_string(text: &str) -> bool {
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    quoted
}

fn write_json(body: &mut Vec<u8>, value: Option<&Value>) {
    // Writing into memory does not fail.
    let _ = serde_json::to_writer(body, &value);
}

fn write_nested(body: &mut Vec<u8>, numbers: &[f64], shape: &[usize]) {
    let [first, rest @ ..] = shape else { return };
    if rest.is_empty() {
        return write_list(body, numbers);
    }
    body.push(b'[');
    for (index, part) in numbers.chunks(numbers.len().div_ceil((*first).max(1)).max(1)).enumerate() {
        if index > 0 {
            body.push(b',');
        }
        write_nested(body, part, rest);
    }
    body.push(b']');
}

fn write_list(body: &mut Vec<u8>, numbers: &[f64]) {
    body.push(b'[');
    for (index, number) in numbers.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        // The shortest digits that read back as the same number. Writing into memory does not fail.
        let _ = serde_json::to_writer(&mut *body, number);
    }
    body.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, numbers: Numbers) -> String {
        let template = Template::new(text, numbers, &[1, 2, 2]).unwrap();
        let x: Vec<f64> = (0..8).map(|i| f64::from(i) / 4.0).collect();
        String::from_utf8(template.fill(Content::Numbers(&x, 2))).unwrap()
    }

    #[test]
    fn inputs_are_grouped_as_the_service_wants_them() {
        let rows = filled(r#"{"inputs": $inputs}"#, Numbers::Rows);
        assert_eq!(rows, r#"{"inputs": [[0.0,0.25,0.5,0.75],[1.0,1.25,1.5,1.75]]}"#);
        let nested = filled(r#"{"instances": $inputs}"#, Numbers::Nested);
        assert_eq!(nested, r#"{"instances": [[[[0.0,0.25],[0.5,0.75]]],[[[1.0,1.25],[1.5,1.75]]]]}"#);
        let flat = filled(r#"{"shape": [$rows, 1, 2, 2], "data": $inputs, "price": "$"}"#, Numbers::Flat);
        assert_eq!(
            flat,
            r#"{"shape": [2, 1, 2, 2], "data": [0.0,0.25,0.5,0.75,1.0,1.25,1.5,1.75], "price": "$"}"#
        );
    }

    #[test]
    fn records_are_put_in_as_a_list_alone_or_in_the_middle_of_a_text() {
        let filled = |text: &str, records: &[Value]| {
            let template = Template::new(text, Numbers::Rows, &[]).unwrap();
            (String::from_utf8(template.fill(Content::Records(records))).unwrap(), template.is_single())
        };
        let rows = [serde_json::json!({"a": 1, "b": null}), serde_json::json!({"a": 2, "b": "x"})];
        let list = filled(r#"{"rows": $rows, "data": $inputs}"#, &rows);
        assert_eq!(list, (r#"{"rows": 2, "data": [{"a":1,"b":null},{"a":2,"b":"x"}]}"#.to_owned(), false));
        let says = [Value::from("he said \"no\"\n")];
        assert_eq!(
            filled(r#"{"input": $input}"#, &says),
            (r#"{"input": "he said \"no\"\n"}"#.to_owned(), true)
        );
        assert_eq!(filled(r#"{"text": $text}"#, &says).0, r#"{"text": "he said \"no\"\n"}"#);
        let prompt = filled(r#"[{"content": "Spam or \"ham\"?\n$text"}]"#, &says).0;
        assert_eq!(prompt, r#"[{"content": "Spam or \"ham\"?\nhe said \"no\"\n"}]"#);
        let row = filled(r#"{"prompt": "Credit? $text"}"#, &rows).0;
        assert_eq!(row, r#"{"prompt": "Credit? {\"a\":1,\"b\":null}"}"#);
    }

    #[test]
    fn every_digit_of_a_number_arrives() {
        let template = Template::new("$inputs", Numbers::Flat, &[4]).unwrap();
        let x = [0.1 + 0.2, f64::MIN_POSITIVE, -1.0 / 3.0, 1e300];
        let back: Vec<f64> = serde_json::from_slice(&template.fill(Content::Numbers(&x, 1))).unwrap();
        assert_eq!(back, x);
    }

    #[test]
    fn a_template_without_inputs_or_that_is_not_json_is_refused() {
        for (text, part) in [
            ("{}", "$inputs once"),
            ("[$inputs, $inputs]", "$inputs once"),
            ("{inputs: $inputs}", "not JSON"),
            ("", "$inputs once"),
        ] {
            let error = Template::new(text, Numbers::Rows, &[2]).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

//! The body of a request: inputs as JSON, put into the service's own words.

use serde::{Deserialize, Serialize};

use super::HttpError;

/// Where the inputs go.
const INPUTS: &str = "$inputs";
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
    Rows,
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
            let (piece, length) = match from {
                _ if from.starts_with(INPUTS) => (Piece::Inputs, INPUTS.len()),
                _ if from.starts_with(ROWS) => (Piece::Rows, ROWS.len()),
                _ => (Piece::Text("$".to_owned()), 1),
            };
            pieces.push(piece);
            rest = &from[length..];
        }
        pieces.push(Piece::Text(rest.to_owned()));
        if pieces.iter().filter(|piece| **piece == Piece::Inputs).count() != 1 {
            return Err(refused(format!("it needs {INPUTS} once, where the inputs go")));
        }
        let template = Self { pieces, numbers, tensor: tensor.to_vec() };
        let sample = template.fill(&vec![0.0; tensor.iter().product()], 1);
        match serde_json::from_slice::<serde::de::IgnoredAny>(&sample) {
            Ok(_) => Ok(template),
            Err(error) => Err(refused(format!("filled in, it is not JSON ({error})"))),
        }
    }

    /// The body for some inputs, all of them finite numbers.
    pub(super) fn fill(&self, inputs: &[f64], rows: usize) -> Vec<u8> {
        // A number between 0 and 1 has up to 18 digits, its comma and its point.
        let mut body = Vec::with_capacity(64 + inputs.len() * 20);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => body.extend_from_slice(text.as_bytes()),
                Piece::Rows => body.extend_from_slice(rows.to_string().as_bytes()),
                Piece::Inputs => match self.numbers {
                    Numbers::Flat => write_list(&mut body, inputs),
                    Numbers::Rows => write_nested(&mut body, inputs, &[rows, inputs.len() / rows.max(1)]),
                    Numbers::Nested => {
                        let shape: Vec<usize> =
                            std::iter::once(rows).chain(self.tensor.iter().copied()).collect();
                        write_nested(&mut body, inputs, &shape);
                    }
                },
            }
        }
        body
    }
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
        String::from_utf8(template.fill(&x, 2)).unwrap()
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
    fn every_digit_of_a_number_arrives() {
        let template = Template::new("$inputs", Numbers::Flat, &[4]).unwrap();
        let x = [0.1 + 0.2, f64::MIN_POSITIVE, -1.0 / 3.0, 1e300];
        let back: Vec<f64> = serde_json::from_slice(&template.fill(&x, 1)).unwrap();
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

//! The lines: a request with its points, an answer with their values.

use gradless::Batch;
use serde::{Deserialize, Serialize};

/// The version of the lines; it stands in every request.
pub const SCHEMA: u32 = 1;
/// So much of a line that makes no sense is shown.
const SHOWN: usize = 80;

#[derive(Serialize)]
struct Request<'a> {
    schema: u32,
    id: u64,
    points: Vec<&'a [f64]>,
    samples: &'a [u64],
}

/// A request as a line. Numbers are written so that reading them gives the same bits.
pub(super) fn request(id: u64, batch: Batch<'_>) -> String {
    let points = batch.points.chunks_exact(batch.dim.max(1)).collect();
    let request = Request { schema: SCHEMA, id, points, samples: batch.samples };
    // Plain numbers and lists become JSON; if they did not, the empty line would be refused by whoever reads it.
    let mut line = serde_json::to_string(&request).unwrap_or_default();
    line.push('\n');
    line
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: u64,
    values: Option<Vec<Value>>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Number(f64),
    Nothing(()),
    #[expect(dead_code, reason = "a failure is a failure; why is for those who read the lines")]
    Failed(Failure),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    #[expect(dead_code, reason = "a failure is a failure; why is for those who read the lines")]
    error: String,
}

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Values for this request; NaN where the black box says that it failed.
    Values(u64, Vec<f64>),
    /// All of this request has failed, says the black box.
    Failed(u64),
}

/// Reads a line, or says what is wrong with it.
pub(super) fn answer(line: &str) -> Result<Line, String> {
    let wrong = |error: serde_json::Error| {
        let shown: String = line.chars().take(SHOWN).collect();
        let more = if line.chars().nth(SHOWN).is_some() { "..." } else { "" };
        format!("it wrote a line that is not an answer ({error}): {}{more}", shown.escape_debug())
    };
    let Answer { id, values, error } = serde_json::from_str(&finite(line)).map_err(wrong)?;
    match (values, error) {
        (Some(values), None) => {
            let number = |value| match value {
                Value::Number(number) => number,
                Value::Nothing(()) | Value::Failed(_) => f64::NAN,
            };
            Ok(Line::Values(id, values.into_iter().map(number).collect()))
        }
        (None, Some(_)) => Ok(Line::Failed(id)),
        _ => Err("it wrote an answer that has not exactly one of `values` and `error`".to_owned()),
    }
}

/// `NaN` and `Infinity`, which Python writes and JSON does not know, as `null`.
fn finite(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains("NaN") && !line.contains("Infinity") {
        return line.into();
    }
    let mut cleaned = String::with_capacity(line.len());
    let (mut rest, mut quoted) = (line, false);
    'next: while let Some(c) = rest.chars().next() {
        if !quoted {
            for word in ["NaN", "-Infinity", "Infinity"] {
                if let Some(after) = rest.strip_prefix(word) {
                    cleaned.push_str("null");
                    rest = after;
                    continue 'next;
                }
            }
        }
        // What follows a backslash ends no string.
        let length = if quoted && c == '\\' {
            1 + rest[1..].chars().next().map_or(0, char::len_utf8)
        } else {
            c.len_utf8()
        };
        quoted ^= c == '"';
        cleaned.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    cleaned.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_out_as_they_are() {
        let points = [0.1, -0.0, 1.0 / 3.0, 5e-324];
        let line = request(7, Batch { points: &points, dim: 2, samples: &[3, u64::MAX] });
        assert_eq!(
            line,
            "{\"schema\":1,\"id\":7,\"points\":[[0.1,-0.0],[0.3333333333333333,5e-324]],\"samples\":[3,18446744073709551615]}\n"
        );
    }

    #[test]
    fn values_come_back_to_the_bit_and_failures_as_nan() {
        let read = answer(
            r#" {"values": [0.1, -0.0, 1e300, 3, null, {"error": "NaN \" here"}, NaN, -Infinity], "id": 7}"#,
        );
        let Ok(Line::Values(7, values)) = read else { panic!("{read:?}") };
        let bits: Vec<u64> = values[..4].iter().map(|value| value.to_bits()).collect();
        assert_eq!(bits, [0.1, -0.0, 1e300, 3.0].map(f64::to_bits));
        assert!(values[4..].iter().all(|value| value.is_nan()) && values.len() == 8);
        assert_eq!(answer(r#"{"id":1,"error":"all of it"}"#), Ok(Line::Failed(1)));
    }

    /// The blocks of code in the document behind marks of this name.
    fn documented(name: &str) -> Vec<&'static str> {
        let text = include_str!("../../../../docs/minimize.md");
        let mark = format!("<!-- {name} -->\n```json\n");
        text.split(&mark).skip(1).filter_map(|text| text.split("```").next()).collect()
    }

    #[test]
    fn the_documented_lines_are_written_and_read() {
        let points = [0.5, -1.0, 0.25, 0.0];
        let written = request(7, Batch { points: &points, dim: 2, samples: &[3, 3] });
        assert_eq!(documented("request"), [written]);
        let [first, second, third] = documented("answer")[..] else { panic!("three answers") };
        for line in [first, second] {
            let Ok(Line::Values(7, values)) = answer(line) else { panic!("{line}") };
            assert!(values[0] == 0.25 && values[1].is_nan() && values.len() == 2);
        }
        assert_eq!(answer(third), Ok(Line::Failed(7)));
    }

    #[test]
    fn what_is_no_answer_is_shown() {
        for (line, word) in [
            ("hello", "hello"),
            ("{\"id\":1}", "exactly one"),
            ("{\"id\":1,\"values\":[1],\"error\":\"x\"}", "exactly one"),
            ("{\"id\":1,\"value\":[1]}", "unknown field"),
            ("{\"id\":-1,\"values\":[1]}", "invalid value"),
            ("{\"id\":1,\"values\":[\"1\"]}", "values"),
            ("{\"id\":1,\"values\":[1e999]}", "out of range"),
            ("", "EOF"),
        ] {
            let told = answer(line).unwrap_err();
            assert!(told.contains(word), "{told}");
        }
    }
}

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
pub(super) struct Line<T> {
    /// Which request it answers.
    pub(super) id: u64,
    /// The answer, nothing if the black box says that it failed, or what is wrong with it.
    pub(super) said: Result<Option<T>, String>,
}

/// Reads a line with a value for each of so many points, or says what is wrong with it. A value is NaN where the black box says that it
/// failed.
pub(super) fn answer(line: &str, rows: usize) -> Result<Line<Vec<f64>>, String> {
    let Answer { id, values, error } =
        serde_json::from_str(&finite(line)).map_err(|error| wrong(line, &error))?;
    let said = match (values, error) {
        (Some(values), None) if values.len() == rows => {
            let number = |value| match value {
                Value::Number(number) => number,
                Value::Nothing(()) | Value::Failed(_) => f64::NAN,
            };
            Ok(Some(values.into_iter().map(number).collect()))
        }
        (Some(values), None) => Err(format!("it answered {rows} points with {} values", values.len())),
        (None, Some(_)) => Ok(None),
        _ => return Err("it wrote an answer that has not exactly one of `values` and `error`".to_owned()),
    };
    Ok(Line { id, said })
}

/// Says what is wrong with a line.
pub(super) fn wrong(line: &str, error: &serde_json::Error) -> String {
    let shown: String = line.chars().take(SHOWN).collect();
    let more = if line.chars().nth(SHOWN).is_some() { "..." } else { "" };
    format!("it wrote a line that is not an answer ({error}): {}{more}", shown.escape_debug())
}

/// `NaN` and `Infinity`, which Python writes and JSON does not know, as `null`.
pub(super) fn finite(line: &str) -> std::borrow::Cow<'_, str> {
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
        let line =
            r#" {"values": [0.1, -0.0, 1e300, 3, null, {"error": "NaN \" here"}, NaN, -Infinity], "id": 7}"#;
        let read = answer(line, 8);
        let Ok(Line { id: 7, said: Ok(Some(values)) }) = read else { panic!("{read:?}") };
        let bits: Vec<u64> = values[..4].iter().map(|value| value.to_bits()).collect();
        assert_eq!(bits, [0.1, -0.0, 1e300, 3.0].map(f64::to_bits));
        assert!(values[4..].iter().all(|value| value.is_nan()) && values.len() == 8);
        assert_eq!(answer(r#"{"id":1,"error":"all of it"}"#, 8), Ok(Line { id: 1, said: Ok(None) }));
        let few = answer(r#"{"id":1,"values":[1]}"#, 2).unwrap();
        assert!(few.said.unwrap_err().contains("2 points with 1 values"));
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
            let Ok(Line { id: 7, said: Ok(Some(values)) }) = answer(line, 2) else { panic!("{line}") };
            assert!(values[0] == 0.25 && values[1].is_nan() && values.len() == 2);
        }
        assert_eq!(answer(third, 2), Ok(Line { id: 7, said: Ok(None) }));
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
            let told = answer(line, 1).unwrap_err();
            assert!(told.contains(word), "{told}");
        }
    }
}

//! What can go wrong with an answer.

use std::time::Duration;

use serde_json::{Value, json};

/// What goes wrong with an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Nothing; the answer comes in chunks of seven bytes.
    Chunked,
    /// It comes so much later.
    Late(Duration),
    /// The scores of the last input are missing.
    RowTooFew,
    /// The scores of the last input come twice.
    RowTooMany,
    /// The first input has a score too few.
    ScoreTooFew,
    /// The first score is `NaN`, as Python writes it.
    Nan,
    /// The first score is `null`.
    Null,
    /// It is a page that says so.
    NotJson,
    /// Its body is empty.
    Empty,
    /// The connection ends in the middle of the body.
    HalfBody,
    /// The connection is reset in the middle of the body.
    ResetMidBody,
    /// Nothing more comes from the middle of the body on.
    HangMidBody,
    /// One byte at a time, with this pause.
    Drip(Duration),
    /// So many bytes that mean nothing.
    Garbage(usize),
    /// Nothing comes.
    Hang,
    /// The connection ends before anything came.
    HangUp,
    /// It is right, and the connection ends although it should not.
    Stale,
    /// It is elsewhere.
    Redirect(String),
    /// A status, with header lines.
    Status(u16, String),
    /// What comes is not HTTP.
    NotHttp,
    /// The headers do not end before this many bytes.
    LongHead(usize),
    /// The length of a chunk is not a number.
    BadChunk,
    /// The length of the body is not a number.
    BadLength,
    /// The body is cut off by a length that is too short.
    ShortLength,
}

impl Fault {
    /// The body of an answer with what is wrong with it.
    pub(super) fn spoil(&self, body: Vec<u8>) -> Vec<u8> {
        let edit = |change: &dyn Fn(&mut Vec<Value>)| {
            let mut answer: Value = serde_json::from_slice(&body).unwrap_or_default();
            if let Some(rows) = answer["scores"].as_array_mut() {
                change(rows);
            }
            answer.to_string().into_bytes()
        };
        match self {
            Self::RowTooFew => edit(&|rows| {
                rows.pop();
            }),
            Self::RowTooMany => edit(&|rows| rows.extend(rows.last().cloned())),
            Self::ScoreTooFew => edit(&|rows| {
                if let Some(row) = rows.first_mut().and_then(Value::as_array_mut) {
                    row.pop();
                }
            }),
            Self::Null => edit(&|rows| rows[0][0] = json!(null)),
            Self::Nan => {
                let body = edit(&|rows| rows[0][0] = json!(null));
                String::from_utf8_lossy(&body).replacen("null", "NaN", 1).into_bytes()
            }
            Self::NotJson => b"<html><body>502 Bad Gateway</body></html>".to_vec(),
            Self::Empty => Vec::new(),
            Self::Garbage(bytes) => (0..*bytes).map(|i| u8::try_from(i * i % 251).unwrap_or(0)).collect(),
            _ => body,
        }
    }
}

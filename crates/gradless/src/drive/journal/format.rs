//! The bytes of a journal: a header, then records, each with its length, kind and checksum.
//!
//! | bytes | header |
//! |---|---|
//! | 8 | `GRADJRNL` |
//! | 4 | format version, little endian like every number here |
//! | 4 | numbers per answer |
//! | 32 | fingerprint of the problem |
//! | 4 | CRC-32 of the 48 bytes before |
//!
//! | bytes | record |
//! |---|---|
//! | 4 | `GREC` |
//! | 4 | length of the body |
//! | 1 | kind: 1 sent, 2 answers, 3 end, 4 repeated |
//! | .. | body |
//! | 4 | CRC-32 of the record's position in the file and of everything before in it |
//!
//! The body of `sent` is one question after the other: key (16 bytes) and the how-manieth time it is asked (4). The body of
//! `answers` is the same with, after each question, a byte (0 failed, 1 answered) and the numbers of the answer if there are
//! any. `end` has no body, that of `repeated` is a number of points (8).

use super::memory::Told;
use super::question::{Key, Question};

pub(super) const MAGIC: &[u8; 8] = b"GRADJRNL";
/// Raised whenever the bytes change their meaning.
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER: usize = 52;
const MARK: &[u8; 4] = b"GREC";
/// Mark, length and kind.
const HEAD: usize = 9;
const CHECKSUM: usize = 4;
const QUESTION: usize = 20;
/// How often the bytes behind a damaged record are gone through at most.
const CARE: usize = 64;

/// What a record says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Record {
    /// These questions are about to be sent.
    Sent(Vec<Question>),
    /// These were answered: numbers, or nothing where the black box failed.
    Answers(Vec<(Question, Told)>),
    /// The run has come to its end.
    End,
    /// So many points are about to be sent once more.
    Repeated(u64),
}

/// The header of a journal.
pub(super) fn header(fingerprint: &[u8; 32], width: u32) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&width.to_le_bytes());
    bytes[16..48].copy_from_slice(fingerprint);
    let checksum = crc32fast::hash(&bytes[..48]);
    bytes[48..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A record as bytes, to be written at this position.
pub(super) fn record(position: u64, record: &Record) -> Vec<u8> {
    let (kind, body) = match record {
        Record::Sent(questions) => (1, questions.iter().flat_map(question_bytes).collect::<Vec<u8>>()),
        Record::Answers(answers) => {
            let mut body = Vec::new();
            for (question, answer) in answers {
                body.extend(question_bytes(question));
                body.push(u8::from(answer.is_some()));
                let numbers = answer.iter().flat_map(|answer| answer.iter());
                body.extend(numbers.flat_map(|number| number.to_bits().to_le_bytes()));
            }
            (2, body)
        }
        Record::End => (3, Vec::new()),
        Record::Repeated(points) => (4, points.to_le_bytes().to_vec()),
    };
    let mut bytes = Vec::with_capacity(HEAD + body.len() + CHECKSUM);
    bytes.extend_from_slice(MARK);
    // Batches are far smaller than 4 GB: a point is asked for as 20 bytes.
    bytes.extend_from_slice(&u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(&body);
    let checksum = checksum(position, &bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The record at the beginning of `bytes`, which stand at `position`, and its length; `None` if it is not whole.
pub(super) fn parse(position: u64, bytes: &[u8], width: usize) -> Option<(Record, usize)> {
    let (head, rest) = bytes.split_at_checked(HEAD)?;
    if !head.starts_with(MARK) {
        return None;
    }
    let length = usize::try_from(word(&head[4..8])?).ok()?;
    let (body, rest) = rest.split_at_checked(length)?;
    let told = word(rest.get(..CHECKSUM)?)?;
    let whole = HEAD + length;
    if checksum(position, &bytes[..whole]) != told {
        return None;
    }
    let record = match head[8] {
        1 => Record::Sent(questions(body)?),
        2 => Record::Answers(answers(body, width)?),
        3 if body.is_empty() => Record::End,
        4 => Record::Repeated(u64::from_le_bytes(body.try_into().ok()?)),
        _ => return None,
    };
    Some((record, whole + CHECKSUM))
}

/// Whether a whole record stands anywhere in a journal's bytes from `from` on.
///
/// Every mark may begin one, and whoever wants to keep a reader busy writes nothing but marks of long records: a file that
/// needs more than [`CARE`] times its length to be looked through is taken to hold one.
pub(super) fn is_followed(bytes: &[u8], from: usize, width: usize) -> bool {
    let mut left = bytes.len().saturating_mul(CARE);
    for at in (from..bytes.len()).filter(|&at| bytes[at..].starts_with(MARK)) {
        let claimed = word(&bytes[at + MARK.len()..]).and_then(|length| usize::try_from(length).ok());
        let Some(claimed) = claimed.filter(|&claimed| claimed <= bytes.len() - at) else { continue };
        if claimed > left || parse(at as u64, &bytes[at..], width).is_some() {
            return true;
        }
        left -= claimed;
    }
    false
}

fn checksum(position: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&position.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn question_bytes(question: &Question) -> [u8; QUESTION] {
    let mut bytes = [0; QUESTION];
    bytes[..16].copy_from_slice(&question.key.0);
    bytes[16..].copy_from_slice(&question.time.to_le_bytes());
    bytes
}

fn question(bytes: &[u8]) -> Option<Question> {
    let (key, time) = bytes.split_at_checked(16)?;
    Some(Question { key: Key(key.try_into().ok()?), time: word(time)? })
}

fn questions(body: &[u8]) -> Option<Vec<Question>> {
    body.len().is_multiple_of(QUESTION).then_some(())?;
    body.chunks_exact(QUESTION).map(question).collect()
}

fn answers(mut body: &[u8], width: usize) -> Option<Vec<(Question, Told)>> {
    let mut found = Vec::new();
    while !body.is_empty() {
        let (head, rest) = body.split_at_checked(QUESTION)?;
        let question = question(head)?;
        let (&answered, rest) = rest.split_first()?;
        body = rest;
        let answer = match answered {
            0 => None,
            1 => {
                let (numbers, rest) = body.split_at_checked(width.checked_mul(8)?)?;
                body = rest;
                let number = |bytes: &[u8; 8]| f64::from_bits(u64::from_le_bytes(*bytes));
                Some(numbers.as_chunks::<8>().0.iter().map(number).collect())
            }
            _ => return None,
        };
        found.push((question, answer));
    }
    Some(found)
}

pub(super) fn word(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(byte: u8, time: u32) -> Question {
        Question { key: Key([byte; 16]), time }
    }

    fn records() -> Vec<Record> {
        let odd = f64::from_bits(0x7FF8_0000_0000_1234);
        vec![
            Record::Sent(vec![question(1, 0), question(2, 7)]),
            Record::Answers(vec![(question(1, 0), Some([0.1, -0.0].into())), (question(2, 7), None)]),
            Record::Answers(vec![(question(3, 0), Some([odd, f64::INFINITY].into()))]),
            Record::Sent(Vec::new()),
            Record::Repeated(1 << 40),
            Record::End,
        ]
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_only_where_it_was_written() {
        for written in records() {
            let bytes = record(100, &written);
            let (read, length) = parse(100, &bytes, 2).unwrap();
            assert_eq!((format!("{read:?}"), length), (format!("{written:?}"), bytes.len()));
            assert_eq!(parse(101, &bytes, 2), None);
        }
    }

    #[test]
    fn no_bit_may_change_and_no_byte_may_be_missing() {
        for written in records() {
            let bytes = record(7, &written);
            for cut in 0..bytes.len() {
                assert_eq!(parse(7, &bytes[..cut], 2), None);
            }
            for bit in 0..8 * bytes.len() {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(parse(7, &damaged, 2), None, "bit {bit}");
            }
        }
    }

    #[test]
    fn a_whole_record_is_found_behind_rubbish() {
        let rubbish = b"GRECGREC\0\0\0".to_vec();
        let at = rubbish.len();
        let bytes = [rubbish, record(at as u64, &Record::End)].concat();
        assert!(is_followed(&bytes, 0, 1) && is_followed(&bytes, at, 1));
        assert!(!is_followed(&bytes[..bytes.len() - 1], 0, 1) && !is_followed(&bytes, at + 1, 1));
    }

    #[test]
    fn marks_of_long_records_without_end_are_not_looked_through_one_by_one() {
        // 8 MB that would be read half a million times.
        let bytes = b"GREC\0\0\x10\0".repeat(1 << 20);
        assert!(is_followed(&bytes, 1, 1));
    }
}

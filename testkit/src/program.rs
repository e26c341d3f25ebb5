//! A black box as a program: reads points, writes values, and misbehaves as it is told to.

use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

/// What a program does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Answers much too late.
    Late,
    /// Answers twice.
    Twice,
    /// Answers the request before once more, then this one.
    OutOfOrder,
    /// Answers with one value too many.
    WrongLength,
    /// Answers NaN, as Python writes it.
    NaN,
    /// Says that it could not evaluate the points.
    Failed,
    /// Writes something that is not JSON.
    NotJson,
    /// Writes half a line and ends.
    HalfALine,
    /// Writes half a line and waits for ever.
    HalfALineThenNothing,
    /// Writes 10 MB without an end of line.
    Garbage,
    /// Dies by a signal.
    Signal,
    /// Ends with exit code 0 without an answer.
    ExitsEarly,
    /// Ends with exit code 3 and a last word.
    ExitsWithAnError,
    /// Writes 10 MB to stderr, then answers.
    FloodsStderr,
    /// Does not read its stdin.
    Deaf,
}

/// Every fault with its name on the command line and in tables.
pub const FAULTS: [(&str, Fault); 16] = [
    ("none", Fault::None),
    ("late", Fault::Late),
    ("twice", Fault::Twice),
    ("out-of-order", Fault::OutOfOrder),
    ("wrong-length", Fault::WrongLength),
    ("nan", Fault::NaN),
    ("failed", Fault::Failed),
    ("not-json", Fault::NotJson),
    ("half-a-line", Fault::HalfALine),
    ("half-a-line-then-nothing", Fault::HalfALineThenNothing),
    ("garbage", Fault::Garbage),
    ("signal", Fault::Signal),
    ("exits-early", Fault::ExitsEarly),
    ("exits-with-an-error", Fault::ExitsWithAnError),
    ("floods-stderr", Fault::FloodsStderr),
    ("deaf", Fault::Deaf),
];

/// What a program is told.
#[derive(Clone, Copy, Debug)]
pub struct Orders<'a> {
    /// What it does wrong.
    pub fault: Fault,
    /// At every so manieth request.
    pub every: u64,
    /// Time an answer takes.
    pub pause: Duration,
    /// Where every point is written, with a time, before it is answered.
    pub log: Option<&'a Path>,
}

/// The value every such program gives to a point: sparse, with its minimum near 0.8 and -0.5.
pub fn value(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, x) in x.iter().enumerate() {
        let aim = match i {
            1 => 0.8,
            4 => -0.5,
            _ => 0.0,
        };
        sum += (x - aim) * (x - aim);
    }
    sum
}

/// Answers requests until stdin ends.
///
/// # Panics
/// If a request makes no sense, or the log cannot be written.
pub fn serve(orders: Orders<'_>) {
    let mut log =
        orders.log.map(|path| OpenOptions::new().append(true).create(true).open(path).expect("a log"));
    let mut lines = std::io::stdin().lock().lines();
    let mut stdout = std::io::stdout().lock();
    let mut served: u64 = 0;
    let mut previous = String::new();
    if orders.fault == Fault::Deaf && orders.every == 1 {
        std::thread::sleep(Duration::from_secs(600));
    }
    while let Some(Ok(line)) = lines.next() {
        served += 1;
        let (id, points) = request(&line);
        if let Some(log) = &mut log {
            let asked: Vec<String> = points.iter().map(|point| format!("{point:?}\n")).collect();
            log.write_all(asked.concat().as_bytes()).expect("the log");
        }
        std::thread::sleep(orders.pause);
        let values: Vec<String> = points.iter().map(|x| value(x).to_string()).collect();
        let answer = format!("{{\"id\":{id},\"values\":[{}]}}\n", values.join(","));
        let fault = if served.is_multiple_of(orders.every) { orders.fault } else { Fault::None };
        let written = match fault {
            Fault::None => answer.clone(),
            Fault::Late | Fault::Deaf => {
                std::thread::sleep(Duration::from_secs(600));
                answer.clone()
            }
            Fault::Twice => format!("{answer}{answer}"),
            Fault::OutOfOrder => format!("{previous}{answer}"),
            Fault::WrongLength => answer.replace("]}", ",0.5]}"),
            Fault::NaN => {
                format!("{{\"id\": {id}, \"values\": [{}]}}\n", vec!["NaN"; points.len()].join(", "))
            }
            Fault::Failed => format!("{{\"id\":{id},\"error\":\"out of memory\"}}\n"),
            Fault::NotJson => "value: 0.5\n".to_owned(),
            Fault::HalfALine | Fault::HalfALineThenNothing => answer[..answer.len() / 2].to_owned(),
            Fault::Garbage => "x".repeat(10 << 20),
            Fault::Signal => std::process::abort(),
            Fault::ExitsEarly => return,
            Fault::ExitsWithAnError => {
                eprint(b"the disk of the simulator is full\n");
                std::process::exit(3);
            }
            Fault::FloodsStderr => {
                eprint(&vec![b'e'; 10 << 20]);
                answer.clone()
            }
        };
        // Whoever asked may be gone.
        if stdout.write_all(written.as_bytes()).and_then(|()| stdout.flush()).is_err() {
            return;
        }
        match fault {
            Fault::HalfALine => return,
            Fault::HalfALineThenNothing => std::thread::sleep(Duration::from_secs(600)),
            _ => previous = answer,
        }
    }
}

fn eprint(bytes: &[u8]) {
    let _ = std::io::stderr().lock().write_all(bytes);
}

/// The number and the points of a request.
fn request(line: &str) -> (u64, Vec<Vec<f64>>) {
    let behind = |key: &str| line.split_once(key).map_or("", |(_, rest)| rest);
    let id = behind("\"id\":").split(',').next().and_then(|id| id.parse().ok()).expect("an id");
    let points = behind("\"points\":[[").split_once("]]").map_or("", |(points, _)| points);
    let point = |text: &str| text.split(',').map(|number| number.parse().expect("a number")).collect();
    (id, points.split("],[").map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read() {
        let line = r#"{"schema":1,"id":12,"points":[[0.5,-1e-7],[2.0,3.0]],"samples":[0,1]}"#;
        assert_eq!(request(line), (12, vec![vec![0.5, -1e-7], vec![2.0, 3.0]]));
    }

    #[test]
    fn the_minimum_is_where_it_is_said_to_be() {
        assert_eq!(value(&[0.0, 0.8, 0.0, 0.0, -0.5]), 0.0);
    }
}

//! A program as the model.

use std::time::Duration;

use anyhow::{Context, bail};
use gradless_models::{Description, ProcessOptions, Program, Record};

use super::{BlackBox, Loaded, ModelArguments, hash, with_flags};
use crate::run::interrupt;

/// Inputs in one request, unless told otherwise.
const ROWS: usize = 16;
/// Bytes of one line of an answer: 16 inputs with thousands of scores.
const LONGEST_LINE: usize = 16 << 20;

/// Starts a program that is asked about arrays of numbers, whose shape is given.
pub(super) fn of_arrays(asked: &ModelArguments) -> anyhow::Result<Loaded> {
    let description = with_flags(Description::default(), asked)?;
    let Some(shape) = &description.shape else {
        bail!(
            "a program does not say what it takes: give the shape of one input, channels first (--shape 1,28,28)"
        );
    };
    let [low, high] = description.range;
    // The golden ratio's multiples, modulo 1: numbers that fill the range evenly.
    let number = |i: usize| low + (high - low) * (i as f64 * 0.618_033_988_749_895).fract();
    let first = Record::Numbers((0..shape.iter().product()).map(number).collect());
    of_records(asked, &[], &[first])
}

/// Starts a program, and asks it about some records.
pub(super) fn of_records(
    asked: &ModelArguments,
    columns: &[String],
    first: &[Record],
) -> anyhow::Result<Loaded> {
    let description = with_flags(Description::default(), asked)?;
    let timeout = asked.timeout.map(Duration::try_from_secs_f64).transpose().context("--timeout")?;
    let rows = asked.rows.map_or(ROWS, |rows| rows as usize);
    let options = ProcessOptions {
        rows,
        timeout,
        longest_line: LONGEST_LINE,
        cancel: Some(interrupt::flag()),
        ..ProcessOptions::default()
    };
    let words: Vec<String> = asked.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let program = Program::start(&asked.program, None, options, description, columns, first)?;
    let sha256 = hash(words.join("\0").as_bytes());
    Ok(Loaded::new(words.join(" "), sha256, BlackBox::Program(Box::new(program))))
}

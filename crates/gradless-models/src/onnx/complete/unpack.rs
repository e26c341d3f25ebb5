//! Writes packed lists one by one: protocol buffers let a writer choose, `rten` reads shapes and attributes only unpacked.

use std::borrow::Cow;

use crate::onnx::edits::Edits;
use crate::onnx::wire::{Field, Part, Span, WireError, number, put_four, put_number};

/// `AttributeProto`'s lists.
pub(super) const FLOATS: u64 = 7;
pub(super) const INTS: u64 = 8;

/// Unpacks the shape of a tensor.
pub(super) fn tensor(edits: &mut Edits, part: Part<'_>) -> Result<(), WireError> {
    let Some(span) = part.inside() else { return Ok(()) };
    let open = edits.open(part);
    for inner in span.parts() {
        let inner = inner?;
        if inner.number == 1 {
            list(edits, inner)?;
        }
    }
    edits.close(open);
    Ok(())
}

/// An attribute with its lists unpacked.
pub(super) fn attribute(bytes: &[u8]) -> Result<Cow<'_, [u8]>, WireError> {
    let mut edits = Edits::default();
    for part in (Span { bytes, start: 0 }).parts() {
        let part = part?;
        if matches!(part.number, FLOATS | INTS) {
            list(&mut edits, part)?;
        }
    }
    Ok(edits.apply(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned))
}

/// Unpacks a list of numbers.
pub(super) fn list(edits: &mut Edits, part: Part<'_>) -> Result<(), WireError> {
    let Field::Bytes(mut packed) = part.field else { return Ok(()) };
    let mut out = Vec::new();
    while !packed.is_empty() {
        if part.number == FLOATS {
            let (float, rest) = packed.split_first_chunk().ok_or(WireError::Cut)?;
            put_four(&mut out, FLOATS, *float);
            packed = rest;
        } else {
            put_number(&mut out, part.number, number(&mut packed)?);
        }
    }
    edits.replace(part.from, part.to, out);
    Ok(())
}

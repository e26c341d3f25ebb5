//! What `rten` 0.27 does not take as ONNX means it, and how the same is said so that it does.
//!
//! | operator | ONNX | `rten` | here |
//! |---|---|---|---|
//! | `Conv`, `ConvTranspose`, `ConvInteger` | `strides` and `dilations` are 1, `pads` 0 | only if `kernel_shape` is given | written out |
//! | `MaxPool`, `AveragePool` | `strides` are 1 | refused | written out |
//! | those five, `auto_pad = SAME_LOWER` | an odd pixel is put in front | behind | `pads` written out, or refused |
//! | `QuantizeLinear` | `axis` is 1 | -1 | written out |
//! | `Softmax`, `LogSoftmax` before opset 13 | `axis` is 1; all axes from it on are one | -1; it alone | flattened and unflattened |
//! | `Dropout` | does nothing unless in training | not compiled in | `Identity` |
//! | `MatMul` with a vector on the right | that axis goes | stays, behind a batch | a matrix of one column |
//! | `Pow` of floats with whole exponents | allowed | refused | exponents as floats |
//! | `ArgMax` | the first of equals | the last | `TopK` with one |
//! | `Sign` | 0 has 0 | 0 has 1 | corrected |
//! | `Cast` to truth values | 0.5 and 5 are true | 0 and 5 | compared with 0 |
//! | `Softplus` | 100 has 100 | infinity | in two parts |
//! | `Resize`, `mode = cubic` | cubic | linear | refused |
//!
//! How this was found: `docs/benchmarks/onnx-operators.md`. A rule can go when the engine has learned it.

mod values;
mod windows;

use super::names::Names;
use super::unpack;
use crate::onnx::node::{Draft, Node, int};
use crate::onnx::scope::Scope;
use crate::onnx::wire::WireError;

/// How a node is changed.
#[derive(Debug)]
pub(super) enum Rewrite {
    Keep,
    /// These attributes are added.
    Add(Vec<Vec<u8>>),
    /// These nodes stand in its place.
    Instead(Vec<Draft>),
}

/// Why a node cannot be said for the engine.
#[derive(Debug)]
pub(super) enum Reason {
    /// The engine would compute something else.
    Otherwise(&'static str),
    Wire(WireError),
}

impl From<WireError> for Reason {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// Where a node stands.
pub(super) struct Place<'p, 'a> {
    /// The version of ONNX's own operators.
    pub(super) opset: Option<u64>,
    pub(super) scope: &'p Scope<'a>,
    pub(super) names: &'p mut Names<'a>,
    /// The name it was given, if it had none of its own.
    pub(super) name: Option<&'p str>,
}

impl Place<'_, '_> {
    fn is_before(&self, opset: u64) -> bool {
        self.opset.is_some_and(|found| found < opset)
    }

    /// A node in the place of another, under its name.
    fn draft(&self, operator: &[u8], node: &Node<'_>) -> Draft {
        Draft::new(operator, self.name.map_or(node.name, str::as_bytes))
    }

    /// A node beside that one.
    fn helper(&mut self, operator: &[u8], node: &Node<'_>) -> Draft {
        Draft::new(operator, self.names.part(node).as_bytes())
    }

    /// Names of values between nodes.
    fn values<const N: usize>(&mut self) -> [Vec<u8>; N] {
        std::array::from_fn(|_| self.names.value())
    }
}

/// How a node of ONNX's own operators is said for `rten`.
pub(super) fn rewrite(node: &Node<'_>, place: &mut Place<'_, '_>) -> Result<Rewrite, Reason> {
    match node.operator {
        b"Conv" | b"ConvTranspose" | b"ConvInteger" => windows::convolution(node, place),
        b"MaxPool" | b"AveragePool" => windows::pool(node, place),
        b"QuantizeLinear" if node.attribute("axis").is_none() => Ok(Rewrite::Add(vec![int("axis", 1)])),
        b"Softmax" | b"LogSoftmax" if place.is_before(13) => Ok(values::softmax(node, place)),
        b"Dropout" => Ok(dropout(node, place)),
        b"MatMul" => Ok(values::matmul(node, place)),
        b"Pow" => Ok(values::pow(node, place)),
        b"ArgMax" => Ok(values::argmax(node, place)),
        b"Sign" => Ok(values::sign(node, place)),
        b"Cast" => Ok(values::cast(node, place)),
        b"Softplus" => Ok(values::softplus(node, place)),
        b"Resize" if node.attribute("mode").is_some_and(|mode| mode.text() == b"cubic") => {
            Err(Reason::Otherwise("mode = cubic would be computed as linear"))
        }
        _ => Ok(Rewrite::Keep),
    }
}

/// Nobody who is asked is in training. Up to opset 6 that had to be said, and was not always.
fn dropout(node: &Node<'_>, place: &Place<'_, '_>) -> Rewrite {
    let is_no = |flag: &[u8]| place.scope.known(flag).is_some_and(|known| known.is_false);
    let trains = place.is_before(7) || node.input(2).is_some_and(|flag| !is_no(flag));
    let masks = node.outputs.iter().skip(1).any(|mask| !place.names.is_idle(mask));
    match (node.input(0), node.outputs.first()) {
        (Some(x), Some(y)) if !trains && !masks => {
            Rewrite::Instead(vec![place.draft(b"Identity", node).input(x).output(y)])
        }
        _ => Rewrite::Keep,
    }
}

/// The same node without an attribute and with others.
fn rebuilt(
    node: &Node<'_>,
    place: &Place<'_, '_>,
    without: &str,
    with: &[Vec<u8>],
) -> Result<Rewrite, Reason> {
    let mut draft = place.draft(node.operator, node);
    for name in &node.inputs {
        draft = draft.input(name);
    }
    for name in &node.outputs {
        draft = draft.output(name);
    }
    for attribute in node.attributes.iter().filter(|attribute| attribute.name != without.as_bytes()) {
        draft = draft.attribute(&unpack::attribute(attribute.bytes)?);
    }
    for attribute in with {
        draft = draft.attribute(attribute);
    }
    Ok(Rewrite::Instead(vec![draft]))
}

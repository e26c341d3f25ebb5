//! Makes a file say what ONNX lets it leave out, before an engine sees it.
//!
//! Nodes without a name of their own get one, so that an engine can say which node it speaks of. And for `rten`, what ONNX
//! has a default for and that engine has not is filled in ([`rules`]). Everything else stays as it is, byte for byte; a file
//! that needs nothing is not copied.

mod names;
mod rules;
mod unpack;

pub(super) use names::Nodes;

use std::borrow::Cow;

use super::edits::Edits;
use super::engine::Engine;
use super::graph::deeper;
use super::node::{ATTRIBUTE, NAME, Node};
use super::scope::Scope;
use super::wire::{Field, Part, Span, fields, put_bytes};
use crate::error::Problem;
use names::Names;
use rules::{Place, Reason, Rewrite};

/// What is filled in takes no more bytes than this: names and lists are short.
const MOST: usize = 1 << 28;

/// A file as an engine gets it.
#[derive(Debug)]
pub(super) struct Completed<'a> {
    #[cfg_attr(
        not(any(feature = "rten", feature = "ort")),
        expect(dead_code, reason = "without an engine nobody reads it")
    )]
    pub(super) bytes: Cow<'a, [u8]>,
    /// What its nodes are called, for errors.
    #[cfg_attr(not(feature = "rten"), expect(dead_code, reason = "onnxruntime says operators itself"))]
    pub(super) nodes: Nodes,
}

/// Fills in what the engine needs.
pub(super) fn complete(model: &[u8], engine: Engine) -> Result<Completed<'_>, Problem> {
    let mut opset = None;
    let mut names = Names::default();
    for field in fields(model) {
        match field? {
            (7, Field::Bytes(graph)) => names.collect(graph, 0)?,
            (8, Field::Bytes(import)) => opset = read_opset(import)?.or(opset),
            _ => {}
        }
    }
    let mut walk = Walk { engine, opset, names, scope: Scope::default(), edits: Edits::default() };
    for part in (Span { bytes: model, start: 0 }).parts() {
        let part = part?;
        if part.number == 7 {
            walk.graph(part, 0)?;
        }
    }
    let bytes = walk.edits.apply(model).map_or(Cow::Borrowed(model), Cow::Owned);
    Ok(Completed { bytes, nodes: walk.names.into_nodes() })
}

/// The version of ONNX's own operators, if that is what is imported.
fn read_opset(import: &[u8]) -> Result<Option<u64>, Problem> {
    let (mut domain, mut version): (&[u8], _) = (b"", None);
    for field in fields(import) {
        match field? {
            (1, Field::Bytes(name)) => domain = name,
            (2, Field::Number(number)) => version = Some(number),
            _ => {}
        }
    }
    Ok(version.filter(|_| matches!(domain, b"" | b"ai.onnx")))
}

/// A walk over all nodes, in order.
struct Walk<'a> {
    engine: Engine,
    opset: Option<u64>,
    names: Names<'a>,
    scope: Scope<'a>,
    edits: Edits,
}

impl<'a> Walk<'a> {
    fn graph(&mut self, part: Part<'a>, depth: usize) -> Result<(), Problem> {
        let Some(span) = part.inside() else { return Ok(()) };
        let open = self.edits.open(part);
        self.scope.enter(span.bytes)?;
        for part in span.parts() {
            let part = part?;
            match part.number {
                1 => {
                    self.node(part, depth)?;
                    if self.edits.put() > MOST {
                        let what = format!("it leaves out more than the {MOST} bytes that are filled in");
                        return Err(Problem::NotOnnx { what });
                    }
                }
                5 if self.engine.needs_completion() => unpack::tensor(&mut self.edits, part)?,
                _ => {}
            }
        }
        self.scope.leave();
        self.edits.close(open);
        Ok(())
    }

    fn node(&mut self, part: Part<'a>, depth: usize) -> Result<(), Problem> {
        let Some(span) = part.inside() else { return Ok(()) };
        let node = Node::read(span.bytes)?;
        let open = self.edits.open(part);
        for inner in span.parts() {
            let inner = inner?;
            if inner.number == ATTRIBUTE {
                self.attribute(inner, depth)?;
            }
        }
        let name = self.names.name(&node);
        let rewrite = if self.engine.needs_completion() {
            self.rewrite(&node, name.as_deref())?
        } else {
            Rewrite::Keep
        };
        self.scope.follow(&node)?;
        let mut added = Vec::new();
        if let Some(name) = &name {
            // Of a name that is written twice the last counts.
            put_bytes(&mut added, NAME, name.as_bytes());
        }
        match rewrite {
            Rewrite::Keep => {}
            Rewrite::Add(attributes) => {
                for attribute in &attributes {
                    put_bytes(&mut added, ATTRIBUTE, attribute);
                }
            }
            Rewrite::Instead(drafts) => {
                let mut nodes = Vec::new();
                for draft in &drafts {
                    put_bytes(&mut nodes, 1, draft.bytes());
                }
                self.edits.instead(open, part, nodes);
                return Ok(());
            }
        }
        if !added.is_empty() {
            self.edits.replace(part.to, part.to, added);
        }
        self.edits.close(open);
        Ok(())
    }

    /// Graphs in attributes are graphs; lists of numbers are unpacked.
    fn attribute(&mut self, part: Part<'a>, depth: usize) -> Result<(), Problem> {
        let Some(span) = part.inside() else { return Ok(()) };
        let open = self.edits.open(part);
        for inner in span.parts() {
            let inner = inner?;
            match inner.number {
                6 | 11 => self.graph(inner, deeper(depth)?)?,
                5 if self.engine.needs_completion() => unpack::tensor(&mut self.edits, inner)?,
                unpack::FLOATS | unpack::INTS if self.engine.needs_completion() => {
                    unpack::list(&mut self.edits, inner)?;
                }
                _ => {}
            }
        }
        self.edits.close(open);
        Ok(())
    }

    fn rewrite(&mut self, node: &Node<'a>, name: Option<&str>) -> Result<Rewrite, Problem> {
        if !node.is_own() {
            return Ok(Rewrite::Keep);
        }
        let mut place = Place { opset: self.opset, scope: &self.scope, names: &mut self.names, name };
        rules::rewrite(node, &mut place).map_err(|reason| match reason {
            Reason::Wire(error) => error.into(),
            Reason::Otherwise(what) => Problem::Refused {
                engine: self.engine.name(),
                message: format!("{}: {what}", names::words(node)),
            },
        })
    }
}

#[cfg(test)]
mod tests;

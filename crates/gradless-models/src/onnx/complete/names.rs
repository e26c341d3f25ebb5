//! Names: which a file uses, which its nodes get, and what is said of a node in an error.

use std::collections::{HashMap, HashSet};

use crate::error::Problem;
use crate::onnx::graph::deeper;
use crate::onnx::node::Node;
use crate::onnx::wire::{Field, fields};

/// The names in a file, and the names its nodes were given.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// Every value: `rten` has one space of names for values and nodes.
    values: HashSet<&'a [u8]>,
    /// The values that somebody takes.
    taken: HashSet<&'a [u8]>,
    /// The names of nodes so far.
    nodes: HashSet<&'a [u8]>,
    /// Names made so far.
    made: u64,
    words: HashMap<String, String>,
}

impl<'a> Names<'a> {
    /// Reads the names of a graph and of those inside it.
    pub(super) fn collect(&mut self, graph: &'a [u8], depth: usize) -> Result<(), Problem> {
        for field in fields(graph) {
            match field? {
                (1, Field::Bytes(bytes)) => self.collect_node(bytes, depth)?,
                (5, Field::Bytes(tensor)) => self.values.extend(name_of(tensor, 8)?),
                (11, Field::Bytes(value)) => self.values.extend(name_of(value, 1)?),
                (12, Field::Bytes(value)) => self.taken.extend(name_of(value, 1)?),
                _ => {}
            }
        }
        Ok(())
    }

    fn collect_node(&mut self, bytes: &'a [u8], depth: usize) -> Result<(), Problem> {
        let node = Node::read(bytes)?;
        self.values.extend(node.inputs.iter().chain(&node.outputs));
        self.taken.extend(&node.inputs);
        for attribute in &node.attributes {
            for field in fields(attribute.bytes) {
                if let (6 | 11, Field::Bytes(graph)) = field? {
                    self.collect(graph, deeper(depth)?)?;
                }
            }
        }
        Ok(())
    }

    /// Whether nobody takes this value.
    pub(super) fn is_idle(&self, value: &[u8]) -> bool {
        value.is_empty() || !self.taken.contains(value)
    }

    /// A name for a node that has none, or none of its own.
    pub(super) fn name(&mut self, node: &Node<'a>) -> Option<String> {
        let own = !node.name.is_empty() && !self.values.contains(node.name) && self.nodes.insert(node.name);
        let words = words(node);
        if own {
            self.words.insert(String::from_utf8_lossy(node.name).into_owned(), words);
            return None;
        }
        Some(self.make(words))
    }

    /// A name for a node that stands for a part of another.
    pub(super) fn part(&mut self, of: &Node<'_>) -> String {
        self.make(words(of))
    }

    /// A name of a value that the file does not have.
    pub(super) fn value(&mut self) -> Vec<u8> {
        loop {
            self.made += 1;
            let name = format!("gradless/{}", self.made).into_bytes();
            if !self.values.contains(&name[..]) {
                return name;
            }
        }
    }

    fn make(&mut self, words: String) -> String {
        let mut name = words.clone();
        if self.words.contains_key(&name) || self.values.contains(name.as_bytes()) {
            self.made += 1;
            name = format!("{words} #{}", self.made);
        }
        self.words.insert(name.clone(), words);
        name
    }

    pub(super) fn into_nodes(self) -> Nodes {
        Nodes { words: self.words }
    }
}

/// The text in a field of a message, as bytes.
fn name_of(bytes: &[u8], number: u64) -> Result<Option<&[u8]>, Problem> {
    let mut name = None;
    for field in fields(bytes) {
        if let (found, Field::Bytes(bytes)) = field?
            && found == number
        {
            name = Some(bytes);
        }
    }
    Ok(name)
}

/// The operator of a node and how to find it: by its name, or by what it gives.
pub(super) fn words(node: &Node<'_>) -> String {
    let operator = String::from_utf8_lossy(node.operator);
    let (kind, name) = if node.name.is_empty() {
        ("output", node.outputs.iter().find(|name| !name.is_empty()).copied().unwrap_or_default())
    } else {
        ("node", node.name)
    };
    // Longer names are not names but attempts to fill somebody's screen.
    let name: String = String::from_utf8_lossy(name).chars().take(200).collect();
    format!("{} ({kind} \"{name}\")", operator.chars().take(200).collect::<String>())
}

/// What the nodes of a file are called.
#[derive(Clone, Debug, Default)]
pub(in crate::onnx) struct Nodes {
    /// By the name an engine has for a node.
    words: HashMap<String, String>,
}

impl Nodes {
    /// An engine's sentence with operator and node wherever it names a node.
    #[cfg_attr(not(feature = "rten"), expect(dead_code, reason = "onnxruntime says operators itself"))]
    pub(in crate::onnx) fn tell(&self, message: &str) -> String {
        let mut out = String::new();
        let mut rest = message;
        // `rten` writes `operator "NAME" failed` and `in node "NAME"`.
        while let Some((before, kind, after)) = ["operator \"", "in node \""]
            .into_iter()
            .filter_map(|kind| rest.split_once(kind).map(|(before, after)| (before, kind, after)))
            .min_by_key(|(before, ..)| before.len())
        {
            out.push_str(before);
            // Names may hold a few quotes: the longest one that is known is meant.
            let ends = after.match_indices('"').map(|(end, _)| end).take(16);
            let known = ends.filter_map(|end| self.words.get(&after[..end]).map(|words| (end, words))).last();
            if let Some((end, words)) = known {
                out.push_str(if kind.starts_with("in") { "in " } else { "" });
                out.push_str(words);
                rest = &after[end + 1..];
            } else {
                out.push_str(kind);
                rest = after;
            }
        }
        out + rest
    }
}

//! One case: a graph, what goes in, what must come out, and whether an engine agrees.

use std::fmt;
use std::path::Path;

use bench::Fallible;
use gradless_models::{Element, Engine, Problem, Tensor, run_graph};
use serde::Deserialize;

/// What `bench/operators/cases.py` has written.
#[derive(Deserialize)]
pub(crate) struct Listing {
    /// The versions of the packages.
    pub(crate) onnx: String,
    pub(crate) onnxruntime: String,
    /// How many cases were left out, by the reason.
    pub(crate) left_out: std::collections::BTreeMap<String, usize>,
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) group: Group,
    /// The operator, layer or network.
    pub(crate) operator: String,
    rtol: f64,
    atol: f64,
    inputs: Vec<Described>,
    outputs: Vec<Described>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Group {
    Node,
    Layer,
    Network,
}

/// A tensor without its numbers.
#[derive(Deserialize)]
struct Described {
    name: String,
    r#type: String,
    shape: Vec<usize>,
}

/// What goes in and what must come out.
pub(crate) struct Tensors {
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

/// What an engine made of a case.
pub(crate) enum Outcome {
    Passed,
    /// It did not take it or did not run it, for this reason.
    Refused(Problem),
    /// It answered otherwise, in this way.
    Wrong(String),
}

impl Listing {
    pub(crate) fn read(folder: &Path) -> Fallible<Self> {
        Ok(serde_json::from_slice(&std::fs::read(folder.join("cases.json"))?)?)
    }
}

impl Case {
    /// The graph and the tensors of the case with this number.
    pub(crate) fn read(&self, folder: &Path, index: usize) -> Fallible<(Vec<u8>, Tensors)> {
        let graph = std::fs::read(folder.join(format!("{index}.onnx")))?;
        let bytes = std::fs::read(folder.join(format!("{index}.bin")))?;
        let mut numbers = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let mut tensor = |about: &Described| {
            let count = about.shape.iter().product();
            let values: Vec<f64> = numbers.by_ref().take(count).collect();
            let (name, shape) = (about.name.clone(), about.shape.clone());
            if values.len() == count {
                Ok(Tensor { name, element: element(&about.r#type)?, shape, values })
            } else {
                Err(format!("{}: {index}.bin is too short", self.name))
            }
        };
        let inputs = self.inputs.iter().map(&mut tensor).collect::<Result<_, _>>()?;
        let outputs = self.outputs.iter().map(&mut tensor).collect::<Result<_, _>>()?;
        Ok((graph, Tensors { inputs, outputs }))
    }

    pub(crate) fn run(&self, engine: Engine, graph: &[u8], tensors: &Tensors) -> Outcome {
        match run_graph(engine, graph, &tensors.inputs) {
            Err(problem) => Outcome::Refused(problem),
            Ok(found) => {
                let mut pairs = found.iter().zip(&tensors.outputs);
                pairs
                    .find_map(|(found, wanted)| self.difference(found, wanted))
                    .map_or(Outcome::Passed, Outcome::Wrong)
            }
        }
    }

    /// In which way an output is not what it should be; by numpy's measure, as the package itself does.
    fn difference(&self, found: &Tensor, wanted: &Tensor) -> Option<String> {
        if found.shape != wanted.shape {
            return Some(format!("shape {:?} instead of {:?}", found.shape, wanted.shape));
        }
        let close = |found: f64, wanted: f64| {
            found == wanted
                || (found.is_nan() && wanted.is_nan())
                || (found - wanted).abs() <= self.atol + self.rtol * wanted.abs()
        };
        let mut pairs = found.values.iter().zip(&wanted.values);
        let (found, wanted) = pairs.find(|(found, wanted)| !close(**found, **wanted))?;
        Some(format!("{found} instead of {wanted}"))
    }
}

fn element(name: &str) -> Result<Element, String> {
    Ok(match name {
        "float" => Element::Float,
        "double" => Element::Double,
        "int8" => Element::Int8,
        "uint8" => Element::UInt8,
        "int32" => Element::Int32,
        "int64" => Element::Int64,
        "bool" => Element::Bool,
        other => return Err(format!("what is {other}?")),
    })
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Refused(problem) => write!(f, "refused: {problem}"),
            Self::Wrong(difference) => write!(f, "wrong: {difference}"),
        }
    }
}

//! Writes small models and runs them.

use crate::onnx::node::Draft;
use crate::onnx::once::{Element, Tensor, run_graph};
use crate::onnx::wire::{put_bytes, put_number};
use crate::{Engine, Problem};

/// A model in the making.
#[derive(Clone, Default)]
pub(super) struct Sketch {
    graph: Vec<u8>,
    opset: u64,
    inputs: Vec<(String, Vec<usize>)>,
}

impl Sketch {
    pub(super) fn new(opset: u64) -> Self {
        Self { opset, ..Self::default() }
    }

    pub(super) fn node(mut self, node: &Draft) -> Self {
        put_bytes(&mut self.graph, 1, node.bytes());
        self
    }

    /// An input of floats.
    pub(super) fn input(mut self, name: &str, shape: &[usize]) -> Self {
        put_bytes(&mut self.graph, 11, &value(name, shape));
        self.inputs.push((name.to_owned(), shape.to_vec()));
        self
    }

    /// A weight of floats.
    pub(super) fn weight(self, name: &str, shape: &[u64], numbers: &[f32]) -> Self {
        let raw: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.tensor(name, 1, shape, &raw)
    }

    /// A weight of any type, by ONNX's number for it.
    pub(super) fn tensor(mut self, name: &str, element: u64, shape: &[u64], raw: &[u8]) -> Self {
        let mut tensor = Vec::new();
        for length in shape {
            put_number(&mut tensor, 1, *length);
        }
        put_number(&mut tensor, 2, element);
        put_bytes(&mut tensor, 8, name.as_bytes());
        put_bytes(&mut tensor, 9, raw);
        put_bytes(&mut self.graph, 5, &tensor);
        self
    }

    /// A weight as it stands in a file.
    pub(super) fn raw_weight(mut self, tensor: &[u8]) -> Self {
        put_bytes(&mut self.graph, 5, tensor);
        self
    }

    pub(super) fn output(mut self, name: &str) -> Self {
        let mut value = Vec::new();
        put_bytes(&mut value, 1, name.as_bytes());
        put_bytes(&mut self.graph, 12, &value);
        self
    }

    /// The graph alone, to be put into an attribute.
    pub(super) fn graph(&self) -> &[u8] {
        &self.graph
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut model = Vec::new();
        put_number(&mut model, 1, 8);
        put_bytes(&mut model, 7, &self.graph);
        let mut opset = Vec::new();
        put_number(&mut opset, 2, self.opset);
        put_bytes(&mut model, 8, &opset);
        model
    }

    /// What `rten` answers if each input is fed with numbers that go up and down.
    pub(super) fn run(&self) -> Result<Vec<Tensor>, Problem> {
        let numbers = |count: usize| (0..count).map(|i| (i * 7 % 11) as f64 / 4.0 - 1.0).collect();
        self.run_with(numbers)
    }

    /// What `rten` answers if each input is fed with these.
    pub(super) fn run_with(&self, numbers: impl Fn(usize) -> Vec<f64>) -> Result<Vec<Tensor>, Problem> {
        let tensor = |(name, shape): &(String, Vec<usize>)| {
            let values = numbers(shape.iter().product());
            Tensor { name: name.clone(), element: Element::Float, shape: shape.clone(), values }
        };
        let inputs: Vec<Tensor> = self.inputs.iter().map(tensor).collect();
        run_graph(Engine::Rten, &self.bytes(), &inputs)
    }

    /// The numbers of the only output.
    pub(super) fn values(&self) -> Vec<f64> {
        self.run().unwrap_or_else(|problem| panic!("{problem}")).remove(0).values
    }
}

fn value(name: &str, shape: &[usize]) -> Vec<u8> {
    let mut axes = Vec::new();
    for length in shape {
        let mut axis = Vec::new();
        put_number(&mut axis, 1, *length as u64);
        put_bytes(&mut axes, 1, &axis);
    }
    let mut tensor = Vec::new();
    put_number(&mut tensor, 1, 1);
    put_bytes(&mut tensor, 2, &axes);
    let mut kind = Vec::new();
    put_bytes(&mut kind, 1, &tensor);
    let mut value = Vec::new();
    put_bytes(&mut value, 1, name.as_bytes());
    put_bytes(&mut value, 2, &kind);
    value
}

//! A referee for image classifiers: reads an ONNX file and evaluates it in `f64` with plain loops.
//!
//! Slow, obvious, and independent of the engines and of the writer it judges. Weights are the file's `f32`, widened;
//! all arithmetic is `f64`. It knows the operators of small convolutional classifiers and refuses everything else by name.

mod dense;
mod image;
mod model;
mod operator;
mod tensor;
mod wire;

use std::collections::HashMap;

use model::{Constant, Model, Node};
use operator::Operator;
use tensor::Tensor;

/// A classifier read from an ONNX file: one input with a batch axis, one row of scores.
#[derive(Clone, Debug)]
pub struct Network {
    input: String,
    shape: Vec<usize>,
    output: String,
    classes: usize,
    weights: HashMap<String, Tensor>,
    steps: Vec<Step>,
}

/// One operator with the names of what it takes and gives.
#[derive(Clone, Debug)]
struct Step {
    name: String,
    operator: Operator,
    inputs: Vec<String>,
    output: String,
}

impl Network {
    /// Reads the bytes of an ONNX file.
    ///
    /// Everything that can be wrong is found here: the network is run once on zeros, and shapes do not depend on
    /// values.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let Model { nodes, mut constants, input: (input, shape), output } = Model::read(bytes)?;
        let mut steps = Vec::new();
        for node in nodes {
            let name = format!("{} {:?}", node.operator, node.name);
            step(node, &mut constants)
                .map(|step| steps.extend(step))
                .map_err(|reason| format!("{name}: {reason}"))?;
        }
        let weights = constants.into_iter().filter_map(|(name, constant)| match constant {
            Constant::Floats(tensor) => Some((name, tensor)),
            Constant::Ints(_) => None,
        });
        let mut network = Self { input, shape, output, classes: 0, weights: weights.collect(), steps };
        let given = tensor::count(&network.shape)?;
        let scores = network.run(&vec![0.0; given])?;
        match scores.shape[..] {
            [1, classes] if classes > 0 => network.classes = classes,
            ref shape => return Err(format!("the output has shape {shape:?}, a row of scores is needed")),
        }
        Ok(network)
    }

    /// The shape of an input without the batch axis.
    pub fn input_shape(&self) -> &[usize] {
        &self.shape
    }

    /// How many scores there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Name, shape and values of its weights, by name.
    pub fn weights(&self) -> Vec<(String, Vec<usize>, Vec<f32>)> {
        #[expect(clippy::cast_possible_truncation, reason = "they were f32 in the file")]
        let narrow = |values: &[f64]| values.iter().map(|&value| value as f32).collect();
        let weight =
            |(name, tensor): (&String, &Tensor)| (name.clone(), tensor.shape.clone(), narrow(&tensor.values));
        let mut weights: Vec<_> = self.weights.iter().map(weight).collect();
        weights.sort_by(|one, other| one.0.cmp(&other.0));
        weights
    }

    /// The scores of one input.
    ///
    /// # Panics
    ///
    /// If `input` has another length than the product of [`Self::input_shape`].
    pub fn scores(&self, input: &[f64]) -> Vec<f64> {
        assert_eq!(input.len(), self.shape.iter().product::<usize>(), "values in an input of this network");
        match self.run(input) {
            Ok(scores) => scores.values,
            Err(reason) => unreachable!("the same shapes went through when the network was read: {reason}"),
        }
    }

    fn run(&self, input: &[f64]) -> Result<Tensor, String> {
        let shape = [&[1], &self.shape[..]].concat();
        let mut values = HashMap::from([(self.input.as_str(), Tensor { shape, values: input.to_vec() })]);
        for step in &self.steps {
            let find = |name: &String| {
                let found = values.get(name.as_str()).or_else(|| self.weights.get(name));
                found.ok_or_else(|| format!("{}: nothing gives its input {name:?}", step.name))
            };
            let inputs = step.inputs.iter().map(find).collect::<Result<Vec<_>, _>>()?;
            let result = step.operator.apply(&inputs).map_err(|reason| format!("{}: {reason}", step.name))?;
            values.insert(&step.output, result);
        }
        values
            .remove(self.output.as_str())
            .ok_or_else(|| format!("nothing gives the output {:?}", self.output))
    }
}

/// What a node does when the network runs; nothing if it only names a constant.
fn step(mut node: Node, constants: &mut HashMap<String, Constant>) -> Result<Option<Step>, String> {
    let [output] = &node.outputs[..] else {
        return Err(format!("has {} outputs, one is known", node.outputs.len()));
    };
    let output = output.clone();
    let constant = match node.operator.as_str() {
        "Constant" => Some(node.constant()?),
        "Identity" => node.inputs.first().and_then(|name| constants.get(name)).cloned(),
        _ => None,
    };
    if let Some(constant) = constant {
        constants.insert(output, constant);
        return Ok(None);
    }
    let operator = Operator::read(&mut node, constants)?;
    node.all_attributes_read()?;
    Ok(Some(Step {
        name: format!("{} {:?}", node.operator, node.name),
        operator,
        inputs: node.inputs,
        output,
    }))
}

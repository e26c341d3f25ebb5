//! A trained network as an ONNX file, step by step from the same plan that trained it.

use super::kernel::Window;
use super::plan::{ParameterId, Plan, Slot, Step};
use super::planes::Planes;
use super::run::Trained;
use super::step::normalise::{EPSILON, Moments};
use super::step::shortcut::Shortcut;
use super::trainer::State;
use crate::onnx::{Graph, OnnxError, Tensor, Value, fold_batch_norm};

/// What becomes of batch norm in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchNorm {
    /// Part of the weights of the convolution before it: fewer operators, the same function up to rounding.
    Folded,
    /// Operators of their own, as they were trained.
    Kept,
}

impl Trained {
    /// The network as an ONNX file: one input `image` `[batch, channels, rows, columns]`, one output of scores
    /// `[batch, 10]`, the batch axis free. Scaling of pixels is not part of it: see [`super::Architecture::mean`].
    pub fn to_onnx(&self, batch_norm: BatchNorm) -> Result<Vec<u8>, OnnxError> {
        Exporter::new(&self.state, batch_norm).run()
    }
}

struct Exporter<'a> {
    state: &'a State,
    plan: Plan,
    batch_norm: BatchNorm,
    graph: Graph,
    values: Vec<Option<Value>>,
}

impl<'a> Exporter<'a> {
    fn new(state: &'a State, batch_norm: BatchNorm) -> Self {
        let plan = state.architecture.plan();
        let Planes { channels, height, width, .. } = plan.slots[Plan::INPUT].values;
        let mut graph = Graph::new(state.architecture.name(), "image", &[channels, height, width]);
        graph.metadata("seed", &state.seed.to_string());
        graph.metadata("epochs", &state.epoch.to_string());
        if let Some(last) = state.history.last() {
            graph.metadata("test_accuracy", &last.test_accuracy.to_string());
        }
        let mut values = vec![None; plan.slots.len()];
        values[Plan::INPUT] = Some(graph.input());
        Self { state, plan, batch_norm, graph, values }
    }

    fn run(mut self) -> Result<Vec<u8>, OnnxError> {
        let steps = self.plan.steps.clone();
        for (index, step) in steps.iter().enumerate() {
            let (to, value) = match *step {
                Step::Convolve { from, to, window, weight, bias } => {
                    let folds = self.batch_norm == BatchNorm::Folded
                        && matches!(steps.get(index + 1), Some(Step::Normalise { .. }));
                    if folds {
                        continue;
                    }
                    (to, self.convolve(from, window, weight, bias)?)
                }
                Step::Normalise { from, to, gamma, beta, norm, shortcut } => {
                    let x = match self.batch_norm {
                        BatchNorm::Kept => self.norm(from, gamma, beta, norm)?,
                        BatchNorm::Folded => self.folded(&steps[index - 1], gamma, beta, norm)?,
                    };
                    (to, self.rectify(x, to, shortcut)?)
                }
                Step::Tanh { from, to } => (to, self.graph.tanh(self.value(from))?),
                Step::MaxPool { from, to } => (to, self.graph.max_pool(self.value(from), [2, 2], [2, 2])?),
                Step::Average { from, to } => {
                    let mean = self.graph.global_average_pool(self.value(from))?;
                    (to, self.graph.flatten(mean)?)
                }
                Step::Flatten { from, to } => (to, self.graph.flatten(self.value(from))?),
            };
            self.values[to] = Some(value);
        }
        let output = self.value(self.plan.output());
        self.graph.finish(output, self.plan.classes())
    }

    fn value(&self, slot: Slot) -> Value {
        self.values[slot].expect("steps stand in the order data flows")
    }

    fn weight(&self, weight: ParameterId) -> Tensor {
        Tensor {
            shape: self.plan.parameters[weight].shape.clone(),
            values: self.state.parameters[weight].clone(),
        }
    }

    /// A dense layer if its input has been flattened.
    fn convolve(
        &mut self,
        from: Slot,
        window: Window,
        weight: ParameterId,
        bias: Option<ParameterId>,
    ) -> Result<Value, OnnxError> {
        let mut tensor = self.weight(weight);
        let bias = bias.map(|bias| self.state.parameters[bias].as_slice());
        let x = self.value(from);
        if self.plan.slots[from].groups == 1 {
            tensor.shape.truncate(2);
            self.graph.dense(x, &tensor, bias)
        } else {
            self.graph.conv(x, &tensor, bias, [window.padding; 2], [window.stride; 2])
        }
    }

    fn norm(
        &mut self,
        from: Slot,
        gamma: ParameterId,
        beta: ParameterId,
        norm: usize,
    ) -> Result<Value, OnnxError> {
        let (mean, variance) = self.moments(norm);
        let (gamma, beta) = (&self.state.parameters[gamma], &self.state.parameters[beta]);
        let x = self.value(from);
        self.graph.batch_norm(x, gamma, beta, &mean, &variance, EPSILON)
    }

    fn folded(
        &mut self,
        convolution: &Step,
        gamma: ParameterId,
        beta: ParameterId,
        norm: usize,
    ) -> Result<Value, OnnxError> {
        let Step::Convolve { from, window, weight, .. } = *convolution else {
            unreachable!("a norm follows a convolution");
        };
        let (mean, variance) = self.moments(norm);
        let (gamma, beta) = (&self.state.parameters[gamma], &self.state.parameters[beta]);
        let (tensor, bias) =
            fold_batch_norm(&self.weight(weight), None, gamma, beta, &mean, &variance, EPSILON)?;
        let x = self.value(from);
        self.graph.conv(x, &tensor, Some(&bias), [window.padding; 2], [window.stride; 2])
    }

    fn rectify(&mut self, x: Value, to: Slot, shortcut: Option<Slot>) -> Result<Value, OnnxError> {
        let Some(slot) = shortcut else {
            return self.graph.relu(x);
        };
        let (from, to) = (self.plan.slots[slot].values, self.plan.slots[to].values);
        let Shortcut { stride, lead } = Shortcut::between(from, to);
        let mut around = self.value(slot);
        if stride > 1 {
            around = self.graph.shortcut(around, stride, [lead; 2])?;
        }
        let sum = self.graph.add(x, around)?;
        self.graph.relu(sum)
    }

    fn moments(&self, norm: usize) -> (Vec<f32>, Vec<f32>) {
        self.state.averages[norm].iter().map(|&Moments { mean, variance }| (mean, variance)).unzip()
    }
}

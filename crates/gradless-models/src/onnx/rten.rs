//! The default engine: `rten`, pure Rust.

use std::sync::Arc;

use rten::{LoadErrorKind, Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::prelude::*;
use rten_tensor::{Tensor, TensorView};

use super::complete::{Completed, Nodes};
use super::engine::{Failure, Loaded, Output, Worker, guarded};

struct Network {
    model: Arc<Model>,
    nodes: Arc<Nodes>,
    input: NodeId,
    output: NodeId,
}

pub(super) fn load(model: Completed<'_>, output: Output) -> Result<Box<dyn Loaded>, Failure> {
    guarded(|| {
        let (model, nodes) = open(model)?;
        let others = || Failure::Refused("it sees other inputs and outputs than the file names".to_owned());
        let &[input] = model.input_ids() else { return Err(others()) };
        let outputs = model.output_ids();
        let output = *outputs.get(output.index).filter(|_| outputs.len() == output.of).ok_or_else(others)?;
        Ok(Box::new(Network { model: Arc::new(model), nodes: Arc::new(nodes), input, output })
            as Box<dyn Loaded>)
    })
}

pub(super) fn open(model: Completed<'_>) -> Result<(Model, Nodes), Failure> {
    let nodes = model.nodes;
    let loaded = ModelOptions::with_all_ops().load(model.bytes.into_owned()).map_err(|error| {
        let message = nodes.tell(&error.to_string());
        // Operators that are missing and attributes that are wrong are of the same kind.
        let missing = ["operator not supported", "operator not enabled", "operator uses opset"];
        if error.kind() == LoadErrorKind::OperatorInvalid && missing.iter().any(|part| message.contains(part))
        {
            Failure::Operator(message)
        } else {
            Failure::Refused(message)
        }
    })?;
    Ok((loaded, nodes))
}

/// One thread: the rows of a batch are split, the operators are not.
pub(super) fn one_thread() -> RunOptions {
    RunOptions::default().with_thread_pool(Some(Arc::new(ThreadPool::with_num_threads(1))))
}

impl Loaded for Network {
    fn worker(&self) -> Result<Box<dyn Worker>, Failure> {
        let (model, nodes) = (Arc::clone(&self.model), Arc::clone(&self.nodes));
        Ok(Box::new(Runner { model, nodes, input: self.input, output: self.output, options: one_thread() }))
    }
}

struct Runner {
    model: Arc<Model>,
    nodes: Arc<Nodes>,
    input: NodeId,
    output: NodeId,
    options: RunOptions,
}

impl Worker for Runner {
    fn run(
        &mut self,
        shape: &[usize],
        input: &[f32],
        take: &mut dyn FnMut(&[usize], &[f32]),
    ) -> Result<(), String> {
        let run = || {
            let view = TensorView::from_data(shape, input);
            let inputs = vec![(self.input, view.into())];
            let [answer] = self
                .model
                .run_n(inputs, [self.output], Some(self.options.clone()))
                .map_err(|error| Failure::Refused(self.nodes.tell(&error.to_string())))?;
            let answer: Tensor<f32> = answer
                .try_into()
                .map_err(|_| Failure::Refused("the answer is not of 32-bit floats".to_owned()))?;
            Ok(answer)
        };
        let answer = guarded(run).map_err(Failure::words)?;
        match answer.data() {
            Some(numbers) => take(answer.shape(), numbers),
            None => take(answer.shape(), &answer.to_vec()),
        }
        Ok(())
    }
}

//! The default engine: `rten`, pure Rust.

use std::sync::Arc;

use rten::{LoadErrorKind, Model, ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::prelude::*;
use rten_tensor::{Tensor, TensorView};

use super::engine::{Failure, Loaded, Output, Worker, guarded};

struct Network {
    model: Arc<Model>,
    input: NodeId,
    output: NodeId,
}

pub(super) fn load(bytes: &[u8], output: Output) -> Result<Box<dyn Loaded>, Failure> {
    guarded(|| {
        let loaded = ModelOptions::with_all_ops().load(bytes.to_vec());
        let model = loaded.map_err(|error| {
            let message = error.to_string();
            // Operators that are missing and attributes that are wrong are of the same kind.
            let missing = ["operator not supported", "operator not enabled", "operator uses opset"];
            if error.kind() == LoadErrorKind::OperatorInvalid
                && missing.iter().any(|part| message.contains(part))
            {
                Failure::Operator(message)
            } else {
                Failure::Refused(message)
            }
        })?;
        let others = || Failure::Refused("it sees other inputs and outputs than the file names".to_owned());
        let &[input] = model.input_ids() else { return Err(others()) };
        let outputs = model.output_ids();
        let output = *outputs.get(output.index).filter(|_| outputs.len() == output.of).ok_or_else(others)?;
        Ok(Box::new(Network { model: Arc::new(model), input, output }) as Box<dyn Loaded>)
    })
}

impl Loaded for Network {
    fn worker(&self) -> Result<Box<dyn Worker>, Failure> {
        // One thread: the rows of a batch are split, the operators are not.
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let options = RunOptions::default().with_thread_pool(Some(pool));
        let (model, input, output) = (Arc::clone(&self.model), self.input, self.output);
        Ok(Box::new(Runner { model, input, output, options }))
    }
}

struct Runner {
    model: Arc<Model>,
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
                .map_err(|error| Failure::Refused(error.to_string()))?;
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

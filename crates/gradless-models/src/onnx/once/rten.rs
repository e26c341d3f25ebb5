//! Any graph through `rten`.

use rten::Value;
use rten_tensor::prelude::*;

use super::{Element, Tensor};
use crate::onnx::complete::Completed;
use crate::onnx::engine::{Failure, guarded};
use crate::onnx::rten::{one_thread, open};

pub(super) fn run(model: Completed<'_>, inputs: &[Tensor], outputs: &[&str]) -> Result<Vec<Tensor>, Failure> {
    guarded(|| {
        let (model, nodes) = open(model)?;
        let id = |name: &str| model.node_id(name).map_err(|error| Failure::Refused(error.to_string()));
        let fed = |tensor: &Tensor| Ok((id(&tensor.name)?, value(tensor)?.into()));
        let inputs = inputs.iter().map(fed).collect::<Result<Vec<_>, Failure>>()?;
        let ids = outputs.iter().map(|name| id(name)).collect::<Result<Vec<_>, Failure>>()?;
        let answers = model.run(inputs, &ids, Some(one_thread()));
        let answers = answers.map_err(|error| Failure::Refused(nodes.tell(&error.to_string())))?;
        outputs.iter().zip(answers).map(|(name, answer)| tensor(name, &answer)).collect()
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the tensor says what its numbers are"
)]
fn value(tensor: &Tensor) -> Result<Value, Failure> {
    let (shape, numbers) = (&tensor.shape[..], tensor.values.iter());
    let made = match tensor.element {
        Element::Float | Element::Double => {
            rten_tensor::Tensor::try_from_data(shape, numbers.map(|x| *x as f32).collect::<Vec<_>>())
                .map(Value::from)
        }
        Element::Int8 => {
            rten_tensor::Tensor::try_from_data(shape, numbers.map(|x| *x as i8).collect::<Vec<_>>())
                .map(Value::from)
        }
        Element::UInt8 => {
            rten_tensor::Tensor::try_from_data(shape, numbers.map(|x| *x as u8).collect::<Vec<_>>())
                .map(Value::from)
        }
        Element::Int32 | Element::Int64 | Element::Bool => {
            rten_tensor::Tensor::try_from_data(shape, numbers.map(|x| *x as i32).collect::<Vec<_>>())
                .map(Value::from)
        }
    };
    made.map_err(|error| Failure::Refused(error.to_string()))
}

fn tensor(name: &str, value: &Value) -> Result<Tensor, Failure> {
    let (element, values) = match value {
        Value::FloatTensor(tensor) => (Element::Float, tensor.iter().map(|x| f64::from(*x)).collect()),
        Value::Int32Tensor(tensor) => (Element::Int32, tensor.iter().map(|x| f64::from(*x)).collect()),
        Value::Int8Tensor(tensor) => (Element::Int8, tensor.iter().map(|x| f64::from(*x)).collect()),
        Value::UInt8Tensor(tensor) => (Element::UInt8, tensor.iter().map(|x| f64::from(*x)).collect()),
        _ => return Err(Failure::Refused(format!("the output {name:?} is not a tensor"))),
    };
    Ok(Tensor { name: name.to_owned(), element, shape: value.shape().to_vec(), values })
}

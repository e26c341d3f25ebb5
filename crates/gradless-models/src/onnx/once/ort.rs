//! Any graph through onnxruntime.

use ort::session::SessionInputValue;
use ort::value::{DynValue, PrimitiveTensorElementType};

use super::{Element, Tensor};
use crate::onnx::complete::Completed;
use crate::onnx::engine::Failure;
use crate::onnx::ort::{environment, session, words};

pub(super) fn run(
    model: &Completed<'_>,
    inputs: &[Tensor],
    outputs: &[&str],
) -> Result<Vec<Tensor>, Failure> {
    let mut session = session(&environment()?, &model.bytes)?;
    let fed = |tensor: &Tensor| Ok((tensor.name.clone(), value(tensor)?));
    let inputs = inputs.iter().map(fed).collect::<Result<Vec<_>, String>>().map_err(Failure::Refused)?;
    let answers = session.run(inputs).map_err(words).map_err(Failure::Refused)?;
    let answer = |name: &&str| {
        let value = answers.get(name).ok_or_else(|| format!("the output {name:?} is missing"))?;
        tensor(name, value)
    };
    outputs.iter().map(answer).collect::<Result<_, _>>().map_err(Failure::Refused)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the tensor says what its numbers are"
)]
fn value(tensor: &Tensor) -> Result<SessionInputValue<'static>, String> {
    let numbers = tensor.values.iter();
    match tensor.element {
        Element::Float => owned(tensor, numbers.map(|x| *x as f32).collect()),
        Element::Double => owned(tensor, tensor.values.clone()),
        Element::Int8 => owned(tensor, numbers.map(|x| *x as i8).collect()),
        Element::UInt8 => owned(tensor, numbers.map(|x| *x as u8).collect()),
        Element::Int32 => owned(tensor, numbers.map(|x| *x as i32).collect()),
        Element::Int64 => owned(tensor, numbers.map(|x| *x as i64).collect()),
        Element::Bool => owned(tensor, numbers.map(|x| *x != 0.0).collect()),
    }
}

fn owned<T: PrimitiveTensorElementType + std::fmt::Debug + Clone + 'static>(
    tensor: &Tensor,
    numbers: Vec<T>,
) -> Result<SessionInputValue<'static>, String> {
    let made = ort::value::Tensor::from_array((tensor.shape.clone(), numbers)).map_err(words)?;
    Ok(made.into())
}

#[expect(clippy::cast_precision_loss, reason = "64-bit whole numbers are indices here")]
fn tensor(name: &str, value: &DynValue) -> Result<Tensor, String> {
    macro_rules! try_as {
        ($element:expr, $kind:ty, $number:expr) => {
            if let Ok((shape, numbers)) = value.try_extract_tensor::<$kind>() {
                let shape = shape.iter().map(|length| usize::try_from(*length).unwrap_or(0)).collect();
                let values = numbers.iter().map($number).collect();
                return Ok(Tensor { name: name.to_owned(), element: $element, shape, values });
            }
        };
    }
    try_as!(Element::Float, f32, |x| f64::from(*x));
    try_as!(Element::Double, f64, |x| *x);
    try_as!(Element::Int8, i8, |x| f64::from(*x));
    try_as!(Element::UInt8, u8, |x| f64::from(*x));
    try_as!(Element::Int32, i32, |x| f64::from(*x));
    try_as!(Element::Int64, i64, |x| *x as f64);
    try_as!(Element::Bool, bool, |x| f64::from(u8::from(*x)));
    Err(format!("the output {name:?} is not a tensor of numbers"))
}

//! The operators the referee knows, with their settings read once.

use std::collections::HashMap;

use super::dense::{self, Cut};
use super::image::{self, Window};
use super::model::{Constant, Node};
use super::tensor::Tensor;

/// An operator with its settings. Meanings and defaults are those of the ONNX operator of the same name.
#[derive(Clone, Debug)]
pub(super) enum Operator {
    Conv { window: Window, groups: usize },
    BatchNorm { epsilon: f64 },
    Relu,
    Tanh,
    MaxPool(Window),
    AveragePool { window: Window, count_padding: bool },
    GlobalAveragePool,
    Flatten { axis: i64 },
    Reshape(Vec<i64>),
    Gemm { alpha: f64, beta: f64, transposed: bool },
    Elementwise(fn(f64, f64) -> f64),
    Softmax { axis: i64 },
    Identity,
    Slice(Vec<Cut>),
    Pad { pads: Vec<i64>, value: f64 },
}

impl Operator {
    /// Takes the settings from a node's attributes and constant inputs; what is left are the inputs that flow.
    pub(super) fn read(node: &mut Node, constants: &HashMap<String, Constant>) -> Result<Self, String> {
        let operator = match node.operator.as_str() {
            "Conv" => Self::Conv {
                groups: usize::try_from(node.int("group", 1)?).map_err(|_| "a negative group")?,
                window: window(node)?,
            },
            "BatchNormalization" => {
                // Momentum is for training only.
                node.float("momentum", 0.9)?;
                only(node, "training_mode", 0)?;
                Self::BatchNorm { epsilon: node.float("epsilon", 1e-5)? }
            }
            "Relu" => Self::Relu,
            "Tanh" => Self::Tanh,
            "MaxPool" => {
                only(node, "ceil_mode", 0)?;
                only(node, "storage_order", 0)?;
                Self::MaxPool(window(node)?)
            }
            "AveragePool" => {
                only(node, "ceil_mode", 0)?;
                let count_padding = node.int("count_include_pad", 0)? != 0;
                Self::AveragePool { window: window(node)?, count_padding }
            }
            "GlobalAveragePool" => Self::GlobalAveragePool,
            "Flatten" => Self::Flatten { axis: node.int("axis", 1)? },
            "Reshape" => {
                only(node, "allowzero", 0)?;
                let shape = ints(node, constants, 1)?.ok_or("no shape")?;
                node.inputs.truncate(1);
                Self::Reshape(shape)
            }
            "Gemm" => {
                only(node, "transA", 0)?;
                Self::Gemm {
                    alpha: node.float("alpha", 1.0)?,
                    beta: node.float("beta", 1.0)?,
                    transposed: node.int("transB", 0)? != 0,
                }
            }
            "MatMul" => Self::Gemm { alpha: 1.0, beta: 1.0, transposed: false },
            "Add" => Self::Elementwise(|a, b| a + b),
            "Sub" => Self::Elementwise(|a, b| a - b),
            "Mul" => Self::Elementwise(|a, b| a * b),
            "Div" => Self::Elementwise(|a, b| a / b),
            "Softmax" => Self::Softmax { axis: node.int("axis", -1)? },
            "Identity" => Self::Identity,
            "Slice" => slice(node, constants)?,
            "Pad" => pad(node, constants)?,
            other => return Err(format!("{other} is not among the operators that are known")),
        };
        Ok(operator)
    }

    /// The output for one example.
    pub(super) fn apply(&self, inputs: &[&Tensor]) -> Result<Tensor, String> {
        match (self, inputs) {
            (Self::Conv { window, groups }, [x, weight]) => image::conv(x, weight, None, window, *groups),
            (Self::Conv { window, groups }, [x, weight, bias]) => {
                image::conv(x, weight, Some(bias), window, *groups)
            }
            (Self::BatchNorm { epsilon }, [x, gamma, beta, mean, variance]) => {
                image::batch_norm(x, [gamma, beta, mean, variance], *epsilon)
            }
            // Not `max`: that would turn a NaN into zero.
            (Self::Relu, [x]) => Ok(x.map(|value| if value < 0.0 { 0.0 } else { value })),
            (Self::Tanh, [x]) => Ok(x.map(f64::tanh)),
            (Self::MaxPool(window), [x]) => image::max_pool(x, window),
            (Self::AveragePool { window, count_padding }, [x]) => {
                image::average_pool(x, window, *count_padding)
            }
            (Self::GlobalAveragePool, [x]) => image::global_average_pool(x),
            (Self::Flatten { axis }, [x]) => dense::flatten(x, *axis),
            (Self::Reshape(shape), [x]) => dense::reshape(x, shape),
            (Self::Gemm { alpha, transposed, .. }, [x, weight]) => {
                dense::matmul(x, weight, *transposed).map(|product| product.map(|value| alpha * value))
            }
            (Self::Gemm { alpha, beta, transposed }, [x, weight, bias]) => {
                let product = dense::matmul(x, weight, *transposed)?.map(|value| alpha * value);
                dense::elementwise(&product, &bias.map(|value| beta * value), |a, b| a + b)
            }
            (Self::Elementwise(f), [a, b]) => dense::elementwise(a, b, f),
            (Self::Softmax { axis }, [x]) => dense::softmax(x, *axis),
            (Self::Identity, [x]) => Ok((*x).clone()),
            (Self::Slice(cuts), [x]) => dense::slice(x, cuts),
            (Self::Pad { pads, value }, [x]) => dense::pad(x, pads, *value),
            _ => Err(format!("{} inputs", inputs.len())),
        }
    }
}

fn window(node: &mut Node) -> Result<Window, String> {
    let auto_pad = node.text("auto_pad", "NOTSET")?;
    if auto_pad != "NOTSET" && auto_pad != "VALID" {
        return Err(format!("auto_pad = {auto_pad} is not known: export with explicit pads"));
    }
    Ok(Window {
        // Zero: not given, so the kernel is as large as the weight.
        kernel: node.sizes("kernel_shape", 0)?,
        pads: node.sizes("pads", 0)?,
        strides: node.sizes("strides", 1)?,
        dilations: node.sizes("dilations", 1)?,
    })
}

/// An attribute of which only one value is known.
fn only(node: &mut Node, name: &str, known: i64) -> Result<(), String> {
    match node.int(name, known)? {
        found if found == known => Ok(()),
        found => Err(format!("{name} = {found}: only {known} is known")),
    }
}

/// The whole numbers of an input, which must be known before the network runs; `None` if the input is left out.
fn ints(
    node: &Node,
    constants: &HashMap<String, Constant>,
    index: usize,
) -> Result<Option<Vec<i64>>, String> {
    let Some(name) = node.inputs.get(index).filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    match constants.get(name) {
        Some(Constant::Ints(ints)) => Ok(Some(ints.clone())),
        _ => Err(format!("its input {name:?} must be constant whole numbers")),
    }
}

fn slice(node: &mut Node, constants: &HashMap<String, Constant>) -> Result<Operator, String> {
    let starts = ints(node, constants, 1)?.ok_or("no starts")?;
    let ends = ints(node, constants, 2)?.ok_or("no ends")?;
    let axes = ints(node, constants, 3)?.unwrap_or_else(|| (0_i64..).take(starts.len()).collect());
    let steps = ints(node, constants, 4)?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err(format!("starts {starts:?}, ends {ends:?}, axes {axes:?}, steps {steps:?}"));
    }
    node.inputs.truncate(1);
    let cut = |i: usize| Cut { axis: axes[i], start: starts[i], end: ends[i], step: steps[i] };
    Ok(Operator::Slice((0..starts.len()).map(cut).collect()))
}

fn pad(node: &mut Node, constants: &HashMap<String, Constant>) -> Result<Operator, String> {
    let mode = node.text("mode", "constant")?;
    let pads = ints(node, constants, 1)?.ok_or("no pads")?;
    let value = match node.inputs.get(2).filter(|name| !name.is_empty()) {
        None => 0.0,
        Some(name) => match constants.get(name) {
            Some(Constant::Floats(tensor)) if tensor.values.len() == 1 => tensor.values[0],
            _ => return Err(format!("its input {name:?} must be one constant number")),
        },
    };
    if mode != "constant" || node.inputs.len() > 3 {
        return Err(format!(
            "mode {mode} with {} inputs: only constants on all axes are known",
            node.inputs.len()
        ));
    }
    node.inputs.truncate(1);
    Ok(Operator::Pad { pads, value })
}

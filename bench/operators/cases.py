"""Writes the operator tests of the package `onnx` into a folder that `cargo run -p bench --bin operators` reads.

    python cases.py FOLDER

Three groups, all from the package itself:

- `node`: one operator each, with inputs and outputs computed by numpy (`onnx.backend.test.case.node`);
- `layer`: layers of PyTorch as its exporter wrote them years ago, opset 6 to 9 (`onnx/backend/test/data/pytorch-*`);
- `network`: nine classifiers with their weights made constant (`onnx/backend/test/data/light`).

`cases.json` lists them; `K.onnx` is the graph of case K and `K.bin` its tensors, inputs first, all as 64-bit floats.
"""

import json
import pathlib
import sys
import warnings
from importlib.metadata import version

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

# What classifiers are made of.
OPERATORS = """
Conv ConvTranspose AveragePool MaxPool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool Gemm MatMul Einsum
Add Sub Mul Div Pow Sqrt Exp Log Neg Abs Reciprocal Sign Floor Ceil Round Sin Cos Clip Min Max Mean Sum Mod CumSum
Relu LeakyRelu PRelu Elu Celu Selu ThresholdedRelu Sigmoid HardSigmoid HardSwish Swish Tanh Erf Gelu Softplus Softsign Mish Shrink
Softmax LogSoftmax Hardmax
BatchNormalization InstanceNormalization LayerNormalization GroupNormalization RMSNormalization LpNormalization
MeanVarianceNormalization LRN
Reshape Flatten Transpose Squeeze Unsqueeze Concat Split Slice Pad Gather GatherElements GatherND Expand Tile Identity Cast Dropout
Where Shape Size Constant ConstantOfShape Range OneHot DepthToSpace SpaceToDepth Resize Upsample GridSample TopK Trilu
ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare ArgMax ArgMin
Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor Not IsNaN IsInf
QuantizeLinear DequantizeLinear LSTM GRU RNN Attention If Loop
""".split()
TYPES = {
    TensorProto.FLOAT: "float",
    TensorProto.DOUBLE: "double",
    TensorProto.INT8: "int8",
    TensorProto.UINT8: "uint8",
    TensorProto.INT32: "int32",
    TensorProto.INT64: "int64",
    TensorProto.BOOL: "bool",
}
# The newest that onnxruntime 1.31 reads.
IR_VERSION, OPSET = 13, 26
DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"


class LeftOut(Exception):
    """Why a case says nothing about classifiers."""


def array(info, value):
    """The numbers of a tensor; numpy's scalars are tensors without axes."""
    if not info.type.HasField("tensor_type") or isinstance(value, list):
        raise LeftOut("sequences and optional values")
    if info.type.tensor_type.elem_type not in TYPES:
        raise LeftOut("element types that only one engine or neither has")
    return numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)


def described(info, value):
    return {"name": info.name, "type": TYPES[info.type.tensor_type.elem_type], "shape": list(value.shape)}


def readable(model):
    """The same with a version of the file format, and of the operators where they have not changed, that engines read."""
    older = onnx.ModelProto()
    older.CopyFrom(model)
    older.ir_version = min(model.ir_version, IR_VERSION)
    same = onnx.ModelProto()
    same.CopyFrom(older)
    for entry in older.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = min(entry.version, OPSET)
    try:
        onnx.checker.check_model(older, full_check=True)
    except Exception:
        return same
    return older


def save(folder, cases, name, group, operator, model, inputs, outputs, rtol, atol):
    weights = {tensor.name for tensor in model.graph.initializer}
    fed = [info for info in model.graph.input if info.name not in weights]
    inputs = [array(info, value) for info, value in zip(fed, inputs)]
    outputs = [array(info, value) for info, value in zip(model.graph.output, outputs)]
    case = {
        "name": name,
        "group": group,
        "operator": operator,
        "opset": max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1),
        "rtol": rtol,
        "atol": atol,
        "inputs": [described(info, value) for info, value in zip(fed, inputs)],
        "outputs": [described(info, value) for info, value in zip(model.graph.output, outputs)],
    }
    model = readable(model)
    (folder / f"{len(cases)}.onnx").write_bytes(model.SerializeToString())
    numbers = [value.astype("<f8").tobytes() for value in [*inputs, *outputs]]
    (folder / f"{len(cases)}.bin").write_bytes(b"".join(numbers))
    cases.append(case)


def in_training(node):
    """Training is no business of a classifier that is asked."""
    mode = any(attribute.name == "training_mode" and attribute.i for attribute in node.attribute)
    return mode or (node.op_type == "Dropout" and len(node.input) > 2 and node.input[2])


def all_optional(model):
    """Whether all outputs but the first may be left out."""
    schema = onnx.defs.get_schema(model.graph.node[0].op_type)
    return all(output.option == onnx.defs.OpSchema.FormalParameterOption.Optional for output in schema.outputs[1:])


def nodes():
    from onnx.backend.test.case.node import collect_testcases

    for case in collect_testcases(None):
        # Cases whose operator was replaced by the body of its function say nothing of the operator.
        if len(case.model.graph.node) == 1 and "_expanded" not in case.name:
            yield case


def stored(folder):
    """A case as the package stores it: a model, and tensors in files of their own."""
    model = onnx.load(folder / "model.onnx")

    def tensors(kind):
        files = sorted(folder.glob(f"test_data_set_0/{kind}_*.pb"), key=lambda file: int(file.stem.split("_")[1]))
        return [numpy_helper.to_array(onnx.load_tensor(file)) for file in files]

    return model, tensors("input"), tensors("output")


def dummy(info):
    """The input that the package's runner makes for its networks: a ramp from 0 to 1."""
    shape = tuple(axis.dim_value for axis in info.type.tensor_type.shape.dim)
    count = int(np.prod(shape))
    return (np.arange(count).reshape(shape) / count).astype(np.float32)


def main():
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cases, left_out, others = [], {}, {}

    def keep(name, *rest):
        try:
            save(folder, cases, name, *rest)
        except LeftOut as reason:
            left_out[str(reason)] = left_out.get(str(reason), 0) + 1

    for case in nodes():
        model = case.model
        operator = model.graph.node[0].op_type
        if operator not in OPERATORS:
            others[operator] = others.get(operator, 0) + 1
            continue
        if in_training(model.graph.node[0]):
            left_out["training mode on"] = left_out.get("training mode on", 0) + 1
            continue
        (inputs, outputs), *_ = case.data_sets
        keep(case.name, "node", operator, model, inputs, outputs, case.rtol, case.atol)
        if len(model.graph.output) > 1 and all_optional(model):
            # Classifiers take the first output alone.
            del model.graph.output[1:]
            keep(f"{case.name}_first_output", "node", operator, model, inputs, outputs[:1], case.rtol, case.atol)
    for group in ["pytorch-converted", "pytorch-operator"]:
        for place in sorted((DATA / group).iterdir()):
            model, inputs, outputs = stored(place)
            keep(place.name, "layer", place.name.removeprefix("test_"), model, inputs, outputs, 1e-3, 1e-5)
    for file in sorted((DATA / "light").glob("*.onnx")):
        model = onnx.load(file)
        weights = {tensor.name for tensor in model.graph.initializer}
        inputs = [dummy(info) for info in model.graph.input if info.name not in weights]
        output = numpy_helper.to_array(onnx.load_tensor(file.with_name(f"{file.stem}_output_0.pb")))
        keep(file.stem, "network", file.stem.removeprefix("light_"), model, inputs, [output], 2e-3, 1e-7)
    listing = {"onnx": onnx.__version__, "onnxruntime": version("onnxruntime"), "left_out": left_out, "cases": cases}
    (folder / "cases.json").write_text(json.dumps(listing))
    print(f"{len(cases)} cases in {folder}; left out: {left_out}")
    print("operators not asked for:", ", ".join(sorted(others)))


main()

"""Writes small random classifiers as ONNX files, and scores.json: what onnxruntime (f32) and onnx's own reference
implementation (f64, on a copy of the file with double weights) answer.

With onnx, onnxruntime and numpy installed:
    python testkit/tests/network/make.py
The stored files were made with onnx 1.23.2, onnxruntime 1.31.1 and numpy 2.4.6.

`lenet` uses what exporters write around a LeNet (preprocessing, Constant, Reshape, MatMul and Add, weights as lists of
floats); `resnet` strides, padding, batch norm and the shortcut as Slice and Pad; `odd` the settings seldom used.
"""
import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(3)


class Builder:
    """Adds nodes one by one; every method returns the name of the new tensor."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def random(self, *shape, scale=1.0, shift=0.0):
        fan_in = max(1, int(np.prod(shape[1:])))
        return self.given((shift + RANDOM.standard_normal(shape) * scale / np.sqrt(fan_in)).astype(np.float32))

    def given(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def listed(self, *shape):
        """Weights as float_data, not as raw bytes."""
        name = f"w{len(self.weights)}"
        values = RANDOM.standard_normal(shape).astype(np.float32) / 4
        self.weights.append(helper.make_tensor(name, TensorProto.FLOAT, shape, values.ravel().tolist()))
        return name

    def constant(self, values):
        return self.node("Constant", value=numpy_helper.from_array(np.asarray(values)))

    def node(self, operator, *inputs, **attributes):
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=f"n{len(self.nodes)}", **attributes))
        return output

    def model(self, output, shape, classes, opset):
        ends = [
            helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", *shape]),
            helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", classes]),
        ]
        graph = helper.make_graph(self.nodes, "net", ends[:1], ends[1:], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model


def lenet():
    b = Builder()
    x = b.node("Div", b.node("Sub", "input", b.constant(np.float32(0.1307))), b.constant(np.float32([[[[0.3081]]]])))
    x = b.node("Tanh", b.node("Conv", x, b.random(3, 1, 5, 5), b.random(3), kernel_shape=[5, 5]))
    x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Tanh", b.node("Conv", x, b.listed(4, 3, 3, 3), b.listed(4)))
    x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.node("Reshape", x, b.constant(np.int64([-1, 16])))
    x = b.node("Tanh", b.node("Gemm", x, b.random(12, 16), b.random(12), transB=1, alpha=0.5, beta=2.0))
    x = b.node("Tanh", b.node("Add", b.node("MatMul", x, b.random(12, 10)), b.random(10)))
    return b.model(x, [1, 16, 16], 10, 17)


def resnet():
    b = Builder()

    def normalised(x, inputs, outputs, stride):
        weight = b.random(outputs, inputs, 3, 3, scale=1.4)
        x = b.node("Conv", x, weight, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[stride, stride])
        parts = b.random(outputs, shift=1, scale=0.2), b.random(outputs), b.random(outputs)
        variance = b.given((0.3 + RANDOM.random(outputs)).astype(np.float32))
        return b.node("BatchNormalization", x, *parts, variance, epsilon=1e-3, momentum=0.9)

    x = b.node("Relu", normalised("input", 3, 4, 1))
    for inputs, outputs, stride in [(4, 4, 1), (4, 8, 2), (8, 16, 2)]:
        y = b.node("Relu", normalised(x, inputs, outputs, stride))
        y = normalised(y, outputs, outputs, 1)
        if stride == 2:
            far = 2**63 - 1
            cut = [b.constant(np.int64(v)) for v in ([0, 0], [far, far], [2, 3], [2, 2])]
            zeros = (outputs - inputs) // 2
            pads = b.constant(np.int64([0, zeros, 0, 0, 0, zeros, 0, 0]))
            x = b.node("Pad", b.node("Slice", x, *cut), pads, b.constant(np.float32(0)), mode="constant")
        x = b.node("Relu", b.node("Add", y, x))
    x = b.node("Flatten", b.node("GlobalAveragePool", x))
    return b.model(b.node("Gemm", x, b.random(10, 16), b.random(10), transB=1), [3, 9, 8], 10, 17)


def odd():
    b = Builder()
    settings = {"group": 2, "dilations": [2, 1], "pads": [2, 0, 1, 3], "strides": [1, 2]}
    x = b.node("Conv", "input", b.random(6, 2, 3, 2), b.node("Identity", b.random(6)), **settings)
    x = b.node("MaxPool", x, kernel_shape=[3, 2], strides=[1, 2], pads=[1, 1, 1, 0], dilations=[2, 1])
    x = b.node("Mul", b.node("Identity", x), b.random(6, 1, 1, shift=1))
    x = b.node("AveragePool", x, kernel_shape=[2, 2], pads=[1, 0, 0, 1])
    x = b.node("AveragePool", x, kernel_shape=[2, 2], pads=[0, 1, 1, 0], count_include_pad=1)
    x = b.node("Slice", x, *[b.given(np.int64(v)) for v in ([-4, 1], [-1, 100], [-2, 1], [2, 3])])
    x = b.node("Pad", x, b.given(np.int64([0, 1, 0, 0, 0, 0, 2, 1])), b.given(np.float32(0.5)))
    x = b.node("Flatten", b.node("Reshape", x, b.given(np.int64([0, 3, -1]))), axis=-2)
    x = b.node("Gemm", x, b.random(48, 7), b.random(1, 7))
    return b.model(b.node("Softmax", x, axis=1), [4, 7, 9], 7, 13)


def doubled(model):
    """The same network with double weights."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    constants = [a.t for node in model.graph.node for a in node.attribute if node.op_type == "Constant"]
    for tensor in [*model.graph.initializer, *constants]:
        if tensor.data_type == TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    for value in [*model.graph.input, *model.graph.output]:
        value.type.tensor_type.elem_type = TensorProto.DOUBLE
    return model


cases = {}
for build in (lenet, resnet, odd):
    name, model = build.__name__, build()
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    shape = session.get_inputs()[0].shape[1:]
    inputs = RANDOM.integers(-64, 65, (2, *shape)) / 64
    (single,) = session.run(None, {"input": inputs.astype(np.float32)})
    # One at a time, as the shapes inside are those of a batch of one.
    double = [ReferenceEvaluator(doubled(model)).run(None, {"input": x[None]})[0][0] for x in inputs]
    assert double[0].dtype == np.float64 and np.allclose(single, double, rtol=0, atol=1e-5)
    print(name, "f32 and f64 differ by", np.abs(single - double).max())
    cases[name] = [
        {"input": x.ravel().tolist(), "onnxruntime": [float(v) for v in f], "reference": d.tolist()}
        for x, f, d in zip(inputs, single, double)
    ]
(HERE / "scores.json").write_text(json.dumps(cases) + "\n")

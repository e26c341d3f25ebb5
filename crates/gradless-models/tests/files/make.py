"""Makes the small ONNX files beside this script and expected.json, what onnxruntime answers to them.

Run with `pip install numpy onnx onnxruntime` in any Python from 3.10: python make.py
"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
RNG = np.random.default_rng(7)
CONV = {"kernel_shape": [3, 3], "strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1]}


def weight(name, *shape, rng=RNG):
    fan_in = max(1, int(np.prod(shape[1:] if len(shape) == 4 else shape[:-1])))
    return numpy_helper.from_array((rng.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32), name)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs, outputs, weights=(), domains=(), check=True, opset=17):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(weights))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8, producer_name="make.py")
    if check:
        onnx.checker.check_model(model)
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs, outputs, name=f"{kind.lower()}_{outputs[0]}", **attributes)


def dense(batch="batch", last=()):
    nodes = [
        node("Gemm", ["x", "w1", "b1"], ["h"]),
        node("Tanh", ["h"], ["t"]),
        node("Gemm", ["t", "w2", "b2"], ["s" if last else "y"]),
        *last,
    ]
    weights = [weight("w1", 12, 16), weight("b1", 16), weight("w2", 16, 4), weight("b2", 4)]
    return nodes, [value("x", [batch, 12])], [value("y", [batch, 4])], weights


def conv(batch="batch", height=8, width=8):
    """Two channels in, as small as a convolutional classifier can be."""
    nodes = [
        node("Conv", ["x", "c1", "a1"], ["h"], **CONV),
        node("Relu", ["h"], ["r"]),
        node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0]),
        node("Conv", ["p", "c2", "a2"], ["g"], **CONV),
        node("Tanh", ["g"], ["t"]),
        node("GlobalAveragePool", ["t"], ["m"]),
        node("Flatten", ["m"], ["f"]),
        node("Gemm", ["f", "w", "b"], ["y"]),
    ]
    weights = [weight("c1", 6, 2, 3, 3), weight("a1", 6), weight("c2", 10, 6, 3, 3), weight("a2", 10)]
    weights += [weight("w", 10, 3), weight("b", 3)]
    return nodes, [value("x", [batch, 2, height, width])], [value("y", [batch, 3])], weights


def defaults(height=8, width=8):
    """Everything left out that ONNX has a default for: attributes, names of nodes, the rest of a Dropout."""
    rng = np.random.default_rng(8)
    nodes = [
        helper.make_node("Conv", ["x", "c1", "a1"], ["h"]),
        helper.make_node("Tanh", ["h"], ["t"]),
        helper.make_node("MaxPool", ["t"], ["p"], kernel_shape=[2, 2]),
        helper.make_node("Conv", ["p", "c2"], ["g"], group=2),
        helper.make_node("Dropout", ["g"], ["d"]),
        helper.make_node("GlobalAveragePool", ["d"], ["m"]),
        helper.make_node("Flatten", ["m"], ["f"]),
        helper.make_node("Gemm", ["f", "w", "b"], ["y"]),
    ]
    weights = [weight("c1", 6, 2, 3, 3, rng=rng), weight("a1", 6, rng=rng), weight("c2", 8, 3, 2, 3, rng=rng)]
    weights += [weight("w", 8, 3, rng=rng), weight("b", 3, rng=rng)]
    return nodes, [value("x", ["batch", 2, height, width])], [value("y", ["batch", 3])], weights


def corrected():
    """Operators that rten computes otherwise than ONNX, one of them inside a branch. Opset 12: a Softmax is over all axes."""
    rng = np.random.default_rng(10)
    sign = [helper.make_node("Relu", ["h"], ["r"]), helper.make_node("Sign", ["r"], ["z"])]
    branch = helper.make_graph(sign, "branch", [], [value("z", None)])
    nodes = [
        helper.make_node("Conv", ["x", "c"], ["h"], auto_pad="SAME_LOWER"),
        helper.make_node("Softplus", ["h"], ["s"]),
        helper.make_node("Pow", ["s", "two"], ["p"]),
        helper.make_node("Softmax", ["p"], ["q"]),
        helper.make_node("Reshape", ["q", "shape"], ["t"]),
        helper.make_node("MatMul", ["t", "v"], ["y1"]),
        helper.make_node("If", ["yes"], ["g"], then_branch=branch, else_branch=branch),
        helper.make_node("Cast", ["h"], ["b"], to=TensorProto.BOOL),
        helper.make_node("Cast", ["b"], ["n"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["g", "n"], ["a"]),
        helper.make_node("GlobalAveragePool", ["a"], ["m"]),
        helper.make_node("Flatten", ["m"], ["y2"]),
        helper.make_node("Add", ["y1", "y2"], ["y"]),
    ]
    constants = {"two": np.array(2), "shape": np.array([0, 3, 16]), "yes": np.array(True)}
    weights = [weight("c", 3, 2, 2, 2, rng=rng), numpy_helper.from_array(rng.uniform(1, 9, 16).astype(np.float32), "v")]
    weights += [numpy_helper.from_array(array, name) for name, array in constants.items()]
    return nodes, [value("x", ["batch", 2, 4, 4])], [value("y", ["batch", 3])], weights


def main():
    save("dense", *dense())
    save("batch1", *dense(batch=1))
    save("probabilities", *dense(last=[node("Softmax", ["s"], ["y"], axis=1)]))
    save("conv", *conv())
    save("open-axes", *conv(height="height", width="width"))
    save("defaults", *defaults())
    save("corrected", *corrected(), opset=12)
    save("unnamed-open-axes", *defaults(height="height", width="width"))

    # Channels last outside, first inside.
    nodes, _, outputs, weights = conv()
    nodes[0].input[0] = "turned"
    nodes.insert(0, node("Transpose", ["x"], ["turned"], perm=[0, 3, 1, 2]))
    save("nhwc", nodes, [value("x", ["batch", 8, 8, 2])], outputs, weights)

    two = [value("x", ["batch", 4]), value("z", ["batch", 4])]
    save("two-inputs", [node("Add", ["x", "z"], ["y"])], two, [value("y", ["batch", 4])])
    pair = [value("y", ["batch", 4]), value("z", ["batch", 4])]
    nodes = [node("Tanh", ["x"], ["y"]), node("Relu", ["x"], ["z"])]
    save("two-outputs", nodes, [value("x", ["batch", 4])], pair)

    for name, bad in [("nan", np.nan), ("infinite", -np.inf)]:
        nodes, inputs, outputs, weights = dense()
        array = numpy_helper.to_array(weights[0]).copy()
        array[3, 5] = bad
        # The Relu takes NaN for 0 in some engines: it must be seen in the weights, not in the answer.
        nodes[1] = node("Relu", ["h"], ["t"])
        weights[0] = numpy_helper.from_array(array, "w1")
        save(name, nodes, inputs, outputs, weights)

    # Weights are numbers, the answer is not: log of what is negative for ordinary inputs.
    nodes, inputs, outputs, weights = dense(last=[node("Abs", ["s"], ["a"]), node("Neg", ["a"], ["n"]), node("Log", ["n"], ["y"])])
    save("nan-scores", nodes, inputs, outputs, weights)

    nodes, inputs, outputs, weights = dense(last=[helper.make_node("Sharpen", ["s"], ["y"], name="own", domain="org.example")])
    save("operator", nodes, inputs, outputs, weights, domains=["org.example"], check=False)

    save("rank3", [node("Tanh", ["x"], ["y"])], [value("x", ["batch", 3, 4])], [value("y", ["batch", 3, 4])])
    save("whole-numbers", [node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)],
         [value("x", ["batch", 4], TensorProto.INT64)], [value("y", ["batch", 4])])

    # The batch is summed away: [4] instead of [batch, 4].
    nodes = [node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)]
    axes = numpy_helper.from_array(np.array([0], dtype=np.int64), "axes")
    save("no-batch", nodes, [value("x", ["batch", 4])], [value("y", [4])], [axes])

    expected = {}
    for name, shape in [("dense", [12]), ("batch1", [12]), ("probabilities", [12]), ("conv", [2, 8, 8]),
                        ("open-axes", [2, 8, 8]), ("nhwc", [2, 8, 8]), ("defaults", [2, 8, 8]), ("corrected", [2, 4, 4])]:
        session = onnxruntime.InferenceSession(HERE / f"{name}.onnx", providers=["CPUExecutionProvider"])
        # These came later: files made behind them keep their numbers.
        rng = np.random.default_rng(9) if name in ("defaults", "corrected") else RNG
        x = np.round(rng.uniform(0, 1, [5, *shape]), 3)
        fed = x.astype(np.float32)
        if name == "nhwc":
            fed = np.moveaxis(fed, 1, -1)
        rows = [fed[i : i + 1] for i in range(5)] if name == "batch1" else [fed]
        scores = np.concatenate([session.run(None, {"x": np.ascontiguousarray(row)})[0] for row in rows])
        expected[name] = {
            "onnxruntime": onnxruntime.__version__,
            "shape": shape,
            "inputs": x.reshape(5, -1).tolist(),
            "scores": [[float(np.round(s, 8)) for s in row] for row in scores],
        }
    (HERE / "expected.json").write_text(json.dumps(expected) + "\n")

    nodes, inputs, outputs, weights = dense()
    weights[0].ClearField("raw_data")
    weights[0].data_location = TensorProto.EXTERNAL
    weights[0].external_data.add(key="location", value="elsewhere.bin")
    save("elsewhere", nodes, inputs, outputs, weights, check=False)

    # As scikit-learn exports: a label beside the scores, or a label alone.
    label = [node("ArgMax", ["y"], ["label"], axis=1, keepdims=0)]
    nodes, inputs, outputs, weights = dense()
    labels = [value("label", ["batch"], TensorProto.INT64)]
    save("labels-and-scores", nodes + label, inputs, labels + outputs, weights)
    save("labels", nodes + label, inputs, labels, weights)

    # Five scores promised, four given.
    nodes, inputs, _, weights = dense()
    save("promises", nodes, inputs, [value("y", ["batch", 5])], weights, check=False)


main()

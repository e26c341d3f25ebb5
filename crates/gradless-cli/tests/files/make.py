"""Makes the small models and inputs of the command's tests, here and in the folders of the documents in ../cmd.

Every model is so small that its answer can be worked out by hand: pictures of 4 x 4 pixels from 0 to 1, and class c counts
the pixels of row c; class 0 begins with half a point. Run with `pip install numpy onnx`: python make.py
"""

import pathlib
import struct
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
DOCUMENTS = HERE.parent / "cmd"
BIAS = np.array([0.5, 0, 0], dtype=np.float32)


def value(name, shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def constant(name, values, kind=np.float32):
    return numpy_helper.from_array(np.asarray(values, dtype=kind), name)


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output] if isinstance(output, str) else output, name=f"{kind}_{output}", **attributes)


def save(name, nodes, shape, classes, weights, inputs=None):
    inputs = inputs or [value("x", ["batch", *shape])]
    graph = helper.make_graph(nodes, name, inputs, [value("y", ["batch", classes])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="make.py")
    onnx.checker.check_model(model)
    bytes = model.SerializeToString()
    assert len(bytes) < 5000
    (HERE / f"{name}.onnx").write_bytes(bytes)


def counting(shape, weights, bias=BIAS, last="y"):
    """Scores that are weighted sums."""
    flat = [] if len(shape) == 1 else [node("Flatten", ["x"], "f", axis=1)]
    nodes = [*flat, node("Gemm", ["f" if flat else "x", "w", "b"], last)]
    return nodes, [constant("w", weights), constant("b", bias)]


def groups(inputs, classes, each):
    """Class c counts the inputs from c * each on."""
    weights = np.zeros((inputs, classes))
    for c in range(classes):
        weights[c * each : (c + 1) * each, c] = 1
    return weights


def models():
    grey = [1, 4, 4]
    rows = groups(16, 3, 4)
    nodes, weights = counting(grey, rows)
    save("rows", nodes, grey, 3, weights)

    nodes, weights = counting(grey, rows, last="s")
    save("probabilities", [*nodes, node("Softmax", ["s"], "y", axis=1)], grey, 3, weights)

    best = node("ArgMax", ["s"], "best", axis=1, keepdims=1)
    hot = [node("Equal", ["best", "numbers"], "hot"), node("Cast", ["hot"], "y", to=TensorProto.FLOAT)]
    save("labels", [*nodes, best, *hot], grey, 3, [*weights, constant("numbers", [[0, 1, 2]], np.int64)])

    # Ten classes count a pixel each, and all but the three highest scores are 0.
    wide = np.zeros((16, 10))
    wide[range(10), range(10)] = 1
    nodes, weights = counting(grey, wide, bias=0.1 + 0.01 * np.arange(10), last="s")
    nodes += [
        node("TopK", ["s", "k"], ["top", "where"], axis=1),
        node("ReduceMin", ["top"], "least", axes=[1], keepdims=1),
        node("GreaterOrEqual", ["s", "least"], "kept"),
        node("Where", ["kept", "s", "zero"], "y"),
    ]
    save("top3", nodes, grey, 10, [*weights, constant("k", [3], np.int64), constant("zero", [0])])

    # Class c counts channel c: red, green, blue.
    nodes, weights = counting([3, 4, 4], groups(48, 3, 16))
    save("colours", nodes, [3, 4, 4], 3, weights)

    # Pictures of 96 x 96 pixels, cut into regions: class 0 counts where it is clearly red in the quarter above on the left, class 1 where it is
    # clearly blue in that below on the right; class 2 is what shows neither.
    clearly = np.zeros((2, 3, 4, 4))
    clearly[0] = np.array([1, -0.5, -0.5])[:, None, None] / 16
    clearly[1] = np.array([-0.5, -0.5, 1])[:, None, None] / 16
    corners = np.zeros((2, 2, 2, 3))
    corners[0, 0, 0, 0] = corners[1, 1, 1, 1] = 100
    seen = [
        node("Conv", ["x", "colours", "least"], "clear", kernel_shape=[4, 4], strides=[4, 4]),
        node("Relu", ["clear"], "more"),
        node("AveragePool", ["more"], "quarters", kernel_shape=[12, 12], strides=[12, 12]),
        node("Flatten", ["quarters"], "f", axis=1),
    ]
    nodes, weights = counting([8], corners.reshape(8, 3), bias=[0, 0, 0.5])
    nodes[0] = node("Gemm", ["f", "w", "b"], "y")
    save("corners", [*seen, *nodes], [3, 96, 96], 3, [*weights, constant("colours", clearly), constant("least", [-0.45, -0.45])])

    # Not a picture: class c counts the numbers from 4 c on.
    nodes, weights = counting([12], groups(12, 3, 4))
    save("flat", nodes, [12], 3, weights)

    two = [value("x", ["batch", 4]), value("z", ["batch", 4])]
    save("two-inputs", [node("Add", ["x", "z"], "y")], None, 4, [], inputs=two)

    # The answer is not a number: the logarithm of what is negative.
    nodes, weights = counting(grey, rows, bias=[-9, -9, -9], last="s")
    save("not-a-number", [*nodes, node("Log", ["s"], "y")], grey, 3, weights)

    # The same, but only where a row is bright: the logarithm of 3 points less those of the row.
    nodes, weights = counting(grey, -rows, bias=[3.5, 3, 3], last="s")
    save("not-where-bright", [*nodes, node("Log", ["s"], "y")], grey, 3, weights)


def png(width, height, rows):
    """A grey picture; every row begins with a 0, its filter."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def npy(path, values):
    np.save(path, np.asarray(values, dtype=np.float64))


def inputs():
    black, white = [0] * 4, [255] * 4
    second = png(4, 4, [black, white, black, black])
    third = png(4, 4, [black, [0, 0, 0, 90], [200, 200, 200, 0], black])

    folder = DOCUMENTS / "explain.in"
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    for name in ["rows", "labels", "top3", "flat"]:
        (folder / f"{name}.onnx").write_bytes((HERE / f"{name}.onnx").read_bytes())
    (folder / "row.png").write_bytes(second)
    (folder / "pictures/row.png").write_bytes(second)
    (folder / "pictures/other.png").write_bytes(third)
    (folder / "pictures/damaged.png").write_bytes(second[:50])
    (folder / "rows.txt").write_text("first\nsecond\nthird\n")
    npy(folder / "numbers.npy", [0] * 4 + [1] * 4 + [0] * 4)

    folder = DOCUMENTS / "refused.in"
    (folder / "empty-folder").mkdir(parents=True, exist_ok=True)
    (folder / "empty-folder/.keep").write_text("")
    (folder / "kept").mkdir(exist_ok=True)
    (folder / "kept/notes.txt").write_text("mine\n")
    for name in ["rows", "two-inputs", "not-a-number"]:
        (folder / f"{name}.onnx").write_bytes((HERE / f"{name}.onnx").read_bytes())
    (folder / "row.png").write_bytes(second)
    (folder / "truncated.png").write_bytes(second[:50])
    (folder / "text.png").write_text("This is a text.\n")
    (folder / "empty.png").write_bytes(b"")
    (folder / "large.png").write_bytes(png(5, 3, [[0] * 5] * 3))
    (folder / "nothing.png").write_bytes(png(0, 0, []))
    (folder / "two.txt").write_text("one\ntwo\n")
    values = np.zeros((4, 4))
    np.save(folder / "nothing.npy", np.zeros((0, 0)))
    np.save(folder / "black.npy", values)
    values[1, 2] = np.nan
    np.save(folder / "nan.npy", values)
    np.save(folder / "text.npy", np.array(["a", "b"]))
    (folder / "cut.npy").write_bytes((folder / "nan.npy").read_bytes()[:-8])
    np.save(folder / "long.npy", np.zeros(17))
    idx = struct.pack(">IIII", 0x803, 2, 4, 4)
    (folder / "cut-idx3-ubyte").write_bytes(idx + bytes(20))


models()
inputs()

"""Makes the ONNX files for records beside this script, other kinds of numbers, and records.json, what they answer.

Run with `pip install numpy pandas scikit-learn skl2onnx onnx onnxruntime`: python make_records.py
"""

import json
import pathlib

import numpy as np
import onnxruntime
import pandas as pd
from onnx import TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

HERE = pathlib.Path(__file__).parent
RNG = np.random.default_rng(3)


def people(count):
    return pd.DataFrame(
        {
            "age": RNG.integers(18, 80, count),
            "net income": np.round(RNG.gamma(4, 800, count), 2),
            "job": RNG.choice(["none", "part", "full"], count),
        }
    )


def save(name, onx):
    (HERE / f"{name}.onnx").write_bytes(onx.SerializeToString())
    return onnxruntime.InferenceSession(HERE / f"{name}.onnx", providers=["CPUExecutionProvider"])


def main():
    told = {}
    frame = people(300)
    good = np.where(frame["net income"] / 1000 + (frame["job"] == "full") > 3.3, "yes", "no")
    types = [("age", Int64TensorType([None, 1])), ("net_income", FloatTensorType([None, 1])), ("job", StringTensorType([None, 1]))]
    renamed = frame.rename(columns={"net income": "net_income"})
    table = make_column_transformer((OneHotEncoder(), ["job"]), (StandardScaler(), ["age", "net_income"]))
    model = make_pipeline(table, LogisticRegression()).fit(renamed, good)
    save("credit", to_onnx(model, initial_types=types))
    rows = people(4)
    told["credit"] = {
        "columns": list(frame.columns),
        "rows": [[int(a), float(b), c] for a, b, c in rows.itertuples(index=False)],
        "classes": list(model.classes_),
        "scores": model.predict_proba(rows.rename(columns={"net income": "net_income"})).tolist(),
    }

    numbers = RNG.normal(size=(200, 4)).astype(np.float32)
    labels = (numbers[:, 0] > 0).astype(int) + (numbers[:, 1] > 0.5)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(numbers, labels)
    save("forest", to_onnx(forest, numbers[:1], options={"zipmap": False}))
    asked = RNG.normal(size=(4, 4)).astype(np.float32)
    told["forest"] = {
        "columns": list("abcd"),
        "rows": [[float(x) for x in row] for row in asked],
        "classes": ["0", "1", "2"],
        "scores": forest.predict_proba(asked).tolist(),
    }

    texts = ["cheap pills now", "meeting at noon", "win money now", "see you at the meeting", "cheap money", "lunch at noon"]
    spam = make_pipeline(TfidfVectorizer(token_pattern="[a-z]+", lowercase=False), LogisticRegression()).fit(texts, ["spam", "ham"] * 3)
    # The locale of the exporter need not exist where the file is run.
    options = {TfidfVectorizer: {"locale": "C"}}
    save("spam", to_onnx(spam, initial_types=[("text", StringTensorType([None, 1]))], options=options))
    told["spam"] = {
        "columns": [],
        "rows": texts[:3],
        "classes": list(spam.classes_),
        "scores": spam.predict_proba(texts[:3]).tolist(),
    }

    price = LinearRegression().fit(numbers[:, :2], 3 * numbers[:, 0] - numbers[:, 1])
    save("price", to_onnx(price, numbers[:1, :2]))
    told["price"] = {
        "columns": ["size", "age"],
        "rows": [[float(x) for x in row[:2]] for row in asked],
        "classes": [],
        "scores": price.predict(asked[:, :2]).reshape(-1, 1).tolist(),
    }
    (HERE / "records.json").write_text(json.dumps(told) + "\n")

    # One dense layer that takes and gives other numbers than 32-bit floats.
    weights = np.array([[1, -1], [2, 0], [0, 3]])
    for name, kind, dtype in [("half", TensorProto.FLOAT16, np.float16), ("double", TensorProto.DOUBLE, np.float64)]:
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["y"])],
            name,
            [helper.make_tensor_value_info("x", kind, ["batch", 3])],
            [helper.make_tensor_value_info("y", kind, ["batch", 2])],
            [numpy_helper.from_array(weights.astype(dtype), "w")],
        )
        save(name, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    for name, kind in [("bytes", TensorProto.UINT8), ("whole", TensorProto.INT64)]:
        graph = helper.make_graph(
            [helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT), helper.make_node("MatMul", ["f", "w"], ["y"])],
            name,
            [helper.make_tensor_value_info("x", kind, ["batch", 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 2])],
            [numpy_helper.from_array(weights.astype(np.float32), "w")],
        )
        save(name, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))


main()

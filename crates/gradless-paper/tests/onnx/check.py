"""Checks the ONNX files beside it with the official checker and writes what onnxruntime answers to scores.json.

With onnx, onnxruntime and numpy installed:
    python crates/gradless-paper/tests/onnx/check.py
The files are what the test `the_writer_still_writes_the_bytes_that_were_checked` makes; it says where it puts them when
they changed. The stored numbers were made with onnx 1.23.2, onnxruntime 1.31.1 and numpy 2.4.6.
"""
import json
import pathlib

import numpy as np
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).parent
cases = {}
for path in sorted(HERE.glob("*.onnx")):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    assert given.shape[0] == "batch" and session.get_outputs()[0].shape[0] == "batch"
    inputs = np.random.default_rng(7).integers(-64, 65, (3, *given.shape[1:])) / 64
    (scores,) = session.run(None, {given.name: inputs.astype(np.float32)})
    cases[path.stem] = [
        {"input": x.ravel().tolist(), "scores": [float(s) for s in y]} for x, y in zip(inputs, scores)
    ]
    print(f"{path.name}: {path.stat().st_size} bytes, opset {onnx.load(path).opset_import[0].version}, right")
(HERE / "scores.json").write_text(json.dumps(cases) + "\n")

"""Python's onnxruntime, asked by `cargo run --release -p bench --bin engines`.

Reads lines "FILE BATCH THREADS SECONDS", runs the file on random inputs for about that long, and answers
"IMAGES CPU_SECONDS WALL_SECONDS". Sessions are kept, so loading is not measured.
"""

import sys
import time

import numpy
import onnxruntime

sessions = {}


def session(file, threads):
    key = (file, threads)
    if key not in sessions:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        sessions[key] = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    return sessions[key]


def measure(file, batch, threads, seconds):
    model = session(file, threads)
    entry = model.get_inputs()[0]
    inputs = numpy.random.default_rng(0).random([batch, *entry.shape[1:]], dtype=numpy.float32)
    for _ in range(3):
        model.run(None, {entry.name: inputs})
    images, cpu, wall = 0, time.process_time(), time.perf_counter()
    while time.perf_counter() - wall < seconds:
        model.run(None, {entry.name: inputs})
        images += batch
    return images, time.process_time() - cpu, time.perf_counter() - wall


print(onnxruntime.__version__, flush=True)
for line in sys.stdin:
    *path, batch, threads, seconds = line.split(" ")
    images, cpu, wall = measure(" ".join(path), int(batch), int(threads), float(seconds))
    print(images, cpu, wall, flush=True)

"""The studio from Python: ``python -m gradless studio``, and the Python lines that it shows."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import pytest


@pytest.fixture
def studio(tmp_path):
    """The address of a studio in a folder of its own."""
    words = [sys.executable, "-m", "gradless", "studio", "--no-open", "--format", "json", "--folder", "runs"]
    environment = {**os.environ, "GRADLESS_STUDIO_TOKEN": "a-token-for-python", "GRADLESS_ENGINE": "rten"}
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    told = ""
    while not told.rstrip().endswith("}"):
        line = process.stdout.readline()
        assert line, "the studio ended"
        told += line
    yield json.loads(told)["url"]
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 0


def ask(url, path, value=None):
    body = None if value is None else json.dumps(value).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url + path, body, {"content-type": "application/json"}), timeout=60) as answer:
        return json.loads(answer.read())


def seven():
    pixels = [0] * 784
    for column in range(7, 20):
        pixels[7 * 28 + column] = 255
    for row in range(8, 23):
        pixels[row * 28 + 20 - (row - 8) // 2] = 255
    return pixels


@pytest.mark.skipif(sys.platform == "win32", reason="the studio is stopped by a signal")
def test_the_python_lines_give_the_numbers_of_the_search(studio, tmp_path):
    name = ask(studio, "api/runs", {"input": {"drawing": seven()}, "target": "9", "seed": 4, "max_queries": 800})["name"]
    while (run := ask(studio, f"api/runs/{name}")["run"])["state"] == "running":
        time.sleep(0.05)
    assert run["state"] == "done", run
    shutil.move(tmp_path / "runs" / name, tmp_path / "before")
    code = run["python"] + "\nprint(json.dumps(answers))\n"
    environment = {**os.environ, "GRADLESS_ENGINE": "rten"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    again = json.loads(done.stdout.splitlines()[-1])
    # What the command says of itself stands before it.
    found = json.loads((tmp_path / "before" / "result.json").read_text())
    own = {"seconds", "sent"}
    assert [{key: one[key] for key in one if key not in own} for one in again] == [{key: one[key] for key in one if key not in own} for one in found]

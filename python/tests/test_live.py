"""Searches that are looked at while they go on."""

import io
import subprocess
import sys

import gradless
import numpy as np
import pytest
from gradless import _live


def scale(X):
    """Class 1 if the first three numbers outweigh the others."""
    total = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    return np.stack([-total, total], axis=1)


def test_a_function_is_told_what_the_search_holds():
    told = []
    x = np.ones(20)
    found = gradless.explain(scale, x, progress=told.append)
    assert {forming.question for forming in told} == {"part", "change"}
    assert all(forming.queries <= forming.budget == 5000 for forming in told)
    held = [forming for forming in told if forming.held is not None]
    # What is shown has the features that are held, and the class that is sought.
    assert held and all(np.count_nonzero(forming.x) == forming.held for forming in held if forming.question == "part")
    assert all(scale(forming.x[None])[0].argmax() == (forming.question == "part") for forming in held)
    # Nobody's answer depends on who looks.
    assert [one.to_json() for one in found] != [] and found.part.x.tobytes() == gradless.explain(scale, x).part.x.tobytes()


def test_an_exception_of_the_function_ends_the_search():
    def refuses(forming):
        raise KeyError("seen enough")

    for workers in (None, 2):
        with pytest.raises(KeyError, match="seen enough"):
            gradless.explain(scale, np.ones(20), progress=refuses, workers=workers)
    with pytest.raises(TypeError, match="progress is 3"):
        gradless.explain(scale, np.ones(20), progress=3)


def test_in_a_terminal_there_is_a_line(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    gradless.explain(scale, np.ones(20), question="part", progress=True)
    written = sys.stderr.getvalue()
    assert written.startswith("\rpart: ") and written.endswith("\n") and "of 5,000 queries" in written


def test_a_card_shows_what_forms_and_holds_no_markup_of_others():
    def flat(X):
        return scale(X.reshape(len(X), -1))

    setting = gradless.explain(flat, np.ones((1, 4, 5)) * 0.9, question="part").setting
    view = _live.View(setting)
    for queries in (10, 20):
        view.latest["<part>"] = _live.Forming("<part>", queries, 5000, 20 - queries // 10, np.ones((1, 4, 5)))
        view.sizes.setdefault("<part>", []).append((queries, 20 - queries // 10))
    page = view.to_html()
    assert "&lt;part&gt;: 20 of 5,000 queries, 18 held" in page and "<part>" not in page
    assert "<svg" in page and "data:image/png;base64," in page and 'max="5000" value="20"' in page


def test_a_notebook_replaces_the_card_while_it_searches():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    cell = """
import time, numpy as np, gradless
from IPython.display import DisplayHandle
updates, update = [], DisplayHandle.update
DisplayHandle.update = lambda handle, shown, **more: (updates.append(shown.data), update(handle, shown, **more))[1]
def slow(X):
    time.sleep(0.01)
    X = X.reshape(len(X), -1)
    total = 2 * X[:, :3].sum(axis=1) - 0.2 * X[:, 3:].sum(axis=1) - 0.5
    return np.stack([-total, total], axis=1)
found = gradless.explain(slow, np.ones((1, 6, 10)) * 0.9, max_queries=400, progress=True, batch_size=8)
print(len(updates), len(set(updates)))
"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    [card] = [output for output in outputs if output.output_type == "display_data"]
    updates, different = (int(number) for number in "".join(output.get("text", "") for output in outputs).split())
    assert updates >= 3 and different == updates, "the card was replaced while the search went on"
    # What stands there in the end is the last of the cards.
    assert "part: " in card.data["text/html"] and "held" in card.data["text/html"]


def test_without_a_notebook_nothing_of_it_is_imported():
    code = "import sys, gradless; assert 'IPython' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0

"""The notebook runs to its pictures, and the examples of the documents work."""

import re
import runpy
from pathlib import Path

import gradless
import pytest

PYTHON = Path(__file__).resolve().parents[1]
ROOT = PYTHON.parent


def test_the_notebook_runs_and_ends_in_pictures(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    book = nbformat.read(PYTHON / "examples" / "tutorial.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert not any(output.output_type == "error" for output in outputs)
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    pages = [output for output in outputs if "text/html" in output.get("data", {})]
    assert len(pictures) == 2 and len(pages) == 3
    assert "image/png" in [cell for cell in book.cells if cell.cell_type == "code"][-1].outputs[-1]["data"]
    assert "data:image/png" in pages[-1]["data"]["text/html"]


def test_the_notebook_is_what_its_script_writes():
    nbformat = pytest.importorskip("nbformat")
    made = runpy.run_path(str(PYTHON / "examples" / "make_tutorial.py"))["notebook"]()
    kept = nbformat.read(PYTHON / "examples" / "tutorial.ipynb", as_version=4)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in made.cells]
    assert all(not cell.get("outputs") for cell in kept.cells)


def blocks(path):
    """The Python examples of a document, in their order."""
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["docs/tables.md", "docs/texts.md"])
def test_the_tutorials_run_and_end_in_a_page(name, tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": "example"}
    for example in blocks(ROOT / name):
        exec(compile(example, name, "exec"), scope)
    found = scope["found"]
    assert found.part.valid and found.change.valid
    (page,) = tmp_path.glob("*.html")
    text = page.read_text(encoding="utf-8")
    assert "What is enough" in text and "What would change it" in text
    assert all(word in text for word in [*found.part.words, *found.change.words])


@pytest.mark.parametrize("name", ["README.md", "python/README.md"])
def test_the_examples_of_the_readmes_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    examples = blocks(ROOT / name)
    assert examples
    scope = {"__name__": "example"}
    for example in examples:
        exec(compile(example, name, "exec"), scope)


def test_the_examples_of_the_guide_are_python():
    examples = blocks(ROOT / "docs" / "python.md")
    assert len(examples) >= 5
    for example in examples:
        compile(example, "docs/python.md", "exec")
        # Every name of ours that it uses exists.
        for name in re.findall(r"gradless\.([A-Za-z_0-9.]+)", example):
            owner = gradless
            for part in name.rstrip(".").split("."):
                owner = getattr(owner, part)

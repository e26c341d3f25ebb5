"""Skipped tests are lines for the summary of `./test`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest

def test_that_runs(): pass

def test_without_a_package(): pytest.importorskip("a_package_that_nobody_has")

@pytest.mark.skip(reason="a reason\\nin two lines")
def test_marked(): pass

@pytest.mark.xfail(reason="known")
def test_that_is_expected_to_fail(): assert False
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest on the tests above and on a file that is skipped as a whole."""
    (tmp_path / "test_one.py").write_text(TESTS)
    (tmp_path / "test_whole.py").write_text("import pytest\npytest.importorskip('a_package_that_nobody_has')\n")

    def run(**environment):
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)} | environment
        command = [sys.executable, "-m", "pytest", "-q", "-p", "skipped", "-p", "no:cacheprovider", "--rootdir", tmp_path, "."]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)

    return run


def test_every_skip_is_a_line_behind_those_that_are_there(run, tmp_path):
    file = tmp_path / "skipped"
    file.write_text("earlier: a reason\n")
    run(GRADLESS_SKIPPED=str(file))
    missing = "could not import 'a_package_that_nobody_has': No module named 'a_package_that_nobody_has'"
    assert sorted(file.read_text().splitlines()) == [
        "earlier: a reason",
        "test_one.py::test_marked: a reason in two lines",
        f"test_one.py::test_without_a_package: {missing}",
        f"test_whole.py: {missing}",
    ]


def test_without_a_file_nothing_is_written(run, tmp_path):
    before = sorted(tmp_path.iterdir())
    assert "3 skipped" in run(GRADLESS_SKIPPED="").stdout
    assert [path for path in sorted(tmp_path.iterdir()) if path.name != "__pycache__"] == before

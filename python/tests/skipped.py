"""Lists skipped tests for the summary of `./test`, in the file that GRADLESS_SKIPPED names: `pytest -p skipped`."""

import os


def pytest_runtest_logreport(report):
    """A test was skipped, or a part of it."""
    tell(report)


def pytest_collectreport(report):
    """A whole file was skipped."""
    tell(report)


def tell(report):
    """Writes a line if this was skipped. A test that is expected to fail has run."""
    file = os.environ.get("GRADLESS_SKIPPED")
    if not file or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    line = " ".join(f"{report.nodeid}: {reason.removeprefix('Skipped: ')}".split())
    with open(file, "a", encoding="utf-8") as lines:
        lines.write(line + "\n")

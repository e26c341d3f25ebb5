"""The command line: ``python -m gradless explain``, ``python -m gradless studio``."""

from __future__ import annotations

import signal
import sys

from . import _gradless
from ._predict import find_onnxruntime


def main() -> int:
    """Runs the command with the words of this process and gives its exit code."""
    # Python only notes an interrupt and waits for its interpreter, which is not running now. The command takes over where
    # there is something to keep.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    find_onnxruntime()
    return _gradless.run_command(["gradless", *sys.argv[1:]], [sys.executable, "-m", "gradless"])


if __name__ == "__main__":
    sys.exit(main())

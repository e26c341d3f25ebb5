"""Puts a table between its markers in a page of the repository."""

import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commit():
    """The commit that is measured, with a mark where the tree differs from it."""
    said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def command(program):
    """The command that was given, without where it keeps what is done."""
    words = sys.argv[1:]
    while "--out" in words:
        at = words.index("--out")
        del words[at : at + 2]
    return shlex.join([program, *words])


def put(page, name, text):
    """Replaces what stands between `<!-- name: ... -->` and `<!-- end of name -->`."""
    path = ROOT / page
    old = path.read_text()
    begin = old.find(f"<!-- {name}: ")
    end = old.find(f"<!-- end of {name} -->")
    if begin < 0 or end < begin:
        raise SystemExit(f"{page} has no place for '{name}': <!-- {name}: ... -->")
    start = old.index("-->", begin) + len("-->")
    path.write_text(f"{old[:start]}\n{text}\n{old[end:]}")


def table(header, rows):
    """A table of Markdown; the first row of `rows` is the first line below the header."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)

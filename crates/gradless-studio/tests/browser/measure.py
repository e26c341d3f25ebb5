"""What progress costs a search, in processor time; writes that and the latencies: measure.py GRADLESS WORK PAIRS PAGE."""

import json
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

program, work, pairs, page = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])


def seconds(watched):
    """Processor time of a search of the embedded digit on one thread, its progress written as for the studio or not at all."""
    environment = {name: value for name, value in os.environ.items() if name != "GRADLESS_PROGRESS"}
    # A file that cannot be opened is not written to.
    environment["GRADLESS_PROGRESS"] = str(work / "progress" if watched else work / "nowhere" / "progress")
    environment["GRADLESS_ENGINE"] = "rten"
    (work / "progress").unlink(missing_ok=True)
    words = [program, "explain", "--threads=1", "--seed=0", "--force", f"--out={work / 'run'}"]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), process.returncode
    return used.ru_utime + used.ru_stime


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.1f} | {low:.1f} to {high:.1f} | {max(values):.1f}"


seconds(True)
logarithms, plain = [], []
for _ in range(pairs):
    order = [True, False]
    random.shuffle(order)
    taken = {watched: seconds(watched) for watched in order}
    logarithms.append(taken[True] / taken[False] - 1)
    plain.append(taken[False])
lines = len((work / "progress").read_text().splitlines()) if (work / "progress").exists() else 0
error = statistics.stdev(logarithms) / pairs**0.5
found = json.loads((work / "latencies.json").read_text())
table = f"""
| ms | median | quartiles | largest of | aim |
|---|---|---|---|---|
| scores after a stroke | {quartiles(found["scores"])} of {len(found["scores"])} | 50 |
| first frame of a search | {quartiles(found["first"])} of {len(found["first"])} | 300 |

The most frames that were drawn within a second: {found["most"]} (aim 20).

Progress takes {100 * statistics.mean(logarithms):.1f} % (standard error {100 * error:.1f} %, median {100 * statistics.median(logarithms):.1f} %) of the processor time of a
search: {pairs} pairs of searches of {statistics.median(plain):.2f} s, one with progress ({lines} lines) and one without, in random order (aim 5 %).
"""
begin, end = "<!-- studio: written by the command above -->", "<!-- end of studio -->"
text = page.read_text()
before, rest = text.split(begin)
page.write_text(f"{before}{begin}{table}{rest[rest.index(end):]}")
print(table)

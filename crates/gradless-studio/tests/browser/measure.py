"""What watching costs a search, and what stands between a stroke and its scores: measure.py GRADLESS WORK PAIRS PAGE.

Processor time throughout, which other programs on the machine hardly alter. The latencies that the browser saw are written if the machine was quiet.
"""

import http.client
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

program, work, pairs, page = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
TICKS = os.sysconf("SC_CLK_TCK")
TOKEN = "a-token-for-measuring"
REQUESTS = 1000
FIRSTS = 20
EXPLAIN = [program, "explain", "--threads=1", "--force", f"--out={work / 'run'}"]


def environment(progress):
    return {**os.environ, "GRADLESS_PROGRESS": str(progress), "GRADLESS_ENGINE": "rten", "GRADLESS_STUDIO_TOKEN": TOKEN}


def search(watched):
    """Processor seconds of a search of the embedded digit on one thread, its progress written as for the studio or not at all."""
    (work / "progress").unlink(missing_ok=True)
    # A file that cannot be opened is not written to.
    told = environment(work / "progress" if watched else work / "nowhere" / "progress")
    process = subprocess.Popen([*EXPLAIN, "--seed=0"], env=told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), process.returncode
    return used.ru_utime + used.ru_stime


def used_by(process):
    """Processor seconds of a process that runs, all its threads together."""
    fields = Path(f"/proc/{process}/schedstat").read_text().split()
    threads = [int(path.read_text().split()[0]) for path in Path(f"/proc/{process}/task").glob("*/schedstat")]
    return max(sum(threads), int(fields[0])) / 1e9


def until_the_first_frame(seed):
    """Processor seconds from the start of a search to its first frame."""
    progress = work / "progress"
    progress.unlink(missing_ok=True)
    process = subprocess.Popen([*EXPLAIN, f"--seed={seed}"], env=environment(progress), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (progress.exists() and '"shown"' in progress.read_text()):
        assert process.poll() is None
        time.sleep(0.0005)
    process.send_signal(signal.SIGSTOP)
    used = used_by(process.pid)
    process.kill()
    process.wait()
    return used


def of_a_request():
    """Processor seconds of the studio for the scores of a drawing."""
    words = [program, "studio", "--no-open", "--format", "json", "--folder", str(work / "studio")]
    studio = subprocess.Popen(words, env=environment(work / "none"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    told = ""
    while "}" not in told:
        told += studio.stdout.readline()
    host = json.loads(told)["url"].split("/")[2]
    connection = http.client.HTTPConnection(host)
    rng = random.Random(0)
    drawings = [json.dumps({"drawings": [[rng.choice([0, 0, 0, 128, 255]) for _ in range(784)]]}) for _ in range(20)]

    def ask(count):
        for k in range(count):
            connection.request("POST", f"/{TOKEN}/api/scores", drawings[k % 20], {"content-type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()

    ask(50)
    before = used_by(studio.pid)
    ask(REQUESTS)
    used = (used_by(studio.pid) - before) / REQUESTS
    studio.kill()
    studio.wait()
    return used


def written(text, name, table):
    """The text with a table between its marks."""
    begin, end = f"<!-- {name}: written by the command above -->", f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n{table.strip()}\n{rest[rest.index(end):]}"


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.0f} | {low:.0f} to {high:.0f} | {max(values):.0f}"


search(True)
costs, plain = [], []
for _ in range(pairs):
    order = [True, False]
    random.shuffle(order)
    taken = {watched: search(watched) for watched in order}
    costs.append(100 * (taken[True] / taken[False] - 1))
    plain.append(taken[False])
search(True)
lines = len((work / "progress").read_text().splitlines())
error = statistics.stdev(costs) / pairs**0.5
firsts = [1000 * until_the_first_frame(seed) for seed in range(FIRSTS)]
cost = f"""
| processor time | | aim |
|---|---|---|
| watching a search: {pairs} pairs of searches of {statistics.median(plain):.2f} s, with progress ({lines} lines) and without, in random order | {statistics.mean(costs):+.1f} % (standard error {error:.1f}) | below 5 % |
| the scores of a drawing, in the studio: mean of {REQUESTS} requests | {1000 * of_a_request():.1f} ms | 50 ms until they are shown |
| from the start of a search to its first frame, in the command: median of {FIRSTS} | {statistics.median(firsts):.0f} ms | 300 ms until it is shown |
"""
text = written(page.read_text(), "processor", cost)
print(cost)

found = json.loads((work / "latencies.json").read_text())
cores = os.cpu_count()
print(f"seen in the browser at a load of {found['load']:.1f} on {cores} cores: scores {quartiles(found['scores'])} ms, first frame {quartiles(found['first'])} ms")
if found["load"] < cores / 2:
    text = written(text, "browser", f"""
| ms, in the browser | median | quartiles | largest of | aim |
|---|---|---|---|---|
| scores after a stroke | {quartiles(found["scores"])} of {len(found["scores"])} | 50 |
| first frame of a search | {quartiles(found["first"])} of {len(found["first"])} | 300 |
""")
else:
    print("the machine was busy: what the browser saw is not written")
text = written(text, "frames", f"The most frames that were drawn within a second: {found['most']} (aim 20).")
page.write_text(text)

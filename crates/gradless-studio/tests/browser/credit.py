"""A model for the browser test: judges rows of people and texts, one JSON object per line."""

import json
import math
import sys


def score(thing):
    if isinstance(thing, str):
        words = thing.lower()
        return 1.5 * sum(word in words for word in ("pills", "money", "cheap")) - 2
    job = {"none": -0.5, "part": 0, "full": 0.5}.get(thing.get("job"), 0)
    return (thing["income"] or 0) / 1000 - 3 + job + 0.002 * (thing["age"] or 0)


for line in sys.stdin:
    request = json.loads(line)
    scores = [1 / (1 + math.exp(-score(thing))) for thing in request["inputs"]]
    print(json.dumps({"id": request["id"], "scores": [[1 - s, s] for s in scores]}), flush=True)

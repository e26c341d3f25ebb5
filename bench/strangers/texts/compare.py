"""The fewest words whose removal alters the class, and the fewest that keep it, beside the top words of lime and shap.

Others give every word a weight. Their words are taken one after the other, the most important first: removed until the class alters, or kept until
it is the class, and asking for that is not counted for them. All have the same condition: the class, nothing more.
"""

import argparse
import json
import pathlib
import sys
import time
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import gradless  # noqa: E402
import page  # noqa: E402
from problems import WORDS, Counted, problems  # noqa: E402


class Sheet:
    """A text and its words, all occurrences of one together."""

    def __init__(self, text):
        self.text = text
        self.spans = [match.span() for match in WORDS.finditer(text)]
        self.words = list(dict.fromkeys(text[a:b].lower() for a, b in self.spans))

    def without(self, gone):
        """The text without some words."""
        parts, at = [], 0
        for a, b in self.spans:
            parts.append(self.text[at:a])
            if self.text[a:b].lower() not in gone:
                parts.append(self.text[a:b])
            at = b
        return "".join([*parts, self.text[at:]])

    def only(self, kept):
        return self.without(set(self.words) - set(kept))


def fewest(order, holds):
    """How many of the first words make a condition hold; None if all of them do not."""
    for count in range(1, len(order) + 1):
        if holds(order[:count]):
            return count
    return None


def ours(model, sheet, question):
    counted = Counted(model)
    found = gradless.explain(counted, sheet.text, features=gradless.Words(), question=question, confidence=0, stability="off")
    words = [word.lower() for word in found.words]
    label = model.predict_proba([sheet.text])[0].argmax()

    def holds(some):
        text = sheet.only(some) if question == "part" else sheet.without(set(some))
        same = model.predict_proba([text])[0].argmax() == label
        return same if question == "part" else not same

    minimal = all(not holds([w for w in words if w != word]) for word in words)
    return {"valid": bool(found.valid and holds(words)), "words": len(words), "queries": counted.texts, "minimal": minimal}


def weights_of_lime(samples):
    def weights(model, sheet, label):
        from lime.lime_text import LimeTextExplainer

        counted = Counted(model)
        explainer = LimeTextExplainer(split_expression=lambda text: [text[a:b].lower() for a, b in Sheet(text).spans], bow=True, random_state=0)
        told = explainer.explain_instance(sheet.text.lower(), counted, labels=[label], num_features=len(sheet.words), num_samples=samples)
        return dict(told.as_list(label=label)), counted.texts

    return weights


def weights_of_shap(model, sheet, label):
    import shap

    counted = Counted(model)

    def switched(masks):
        kept = [[w for w, on in zip(sheet.words, row) if on] for row in np.atleast_2d(masks)]
        return counted([sheet.only(words) for words in kept])[:, label]

    explainer = shap.PartitionExplainer(switched, shap.maskers.Partition(np.zeros((1, len(sheet.words))), clustering=chain(len(sheet.words))))
    told = explainer(np.ones((1, len(sheet.words))), max_evals=500, silent=True)
    return dict(zip(sheet.words, told.values[0])), counted.texts


def chain(count):
    """A balanced tree over words in their order."""
    clusters, linkage, size, nodes = list(range(count)), [], [1] * count, count
    while len(clusters) > 1:
        merged = []
        for a, b in zip(clusters[::2], clusters[1::2]):
            linkage.append([a, b, len(linkage) + 1, size[a] + size[b]])
            size.append(size[a] + size[b])
            merged.append(nodes)
            nodes += 1
        clusters = merged + (clusters[-1:] if len(clusters) % 2 else [])
    return np.array(linkage, dtype=float)


PEERS = {
    "lime, 5,000 samples (its default)": weights_of_lime(5000),
    "lime, 150 samples": weights_of_lime(150),
    "shap, partition": weights_of_shap,
}


def theirs(weights, model, sheet):
    """Both answers that the weights of another tool give."""
    label = int(model.predict_proba([sheet.text])[0].argmax())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, queries = weights(model, sheet, label)
    order = sorted(sheet.words, key=lambda word: -found.get(word, 0.0))
    says = lambda text: model.predict_proba([text])[0].argmax()  # noqa: E731
    part = fewest(order, lambda some: says(sheet.only(some)) == label)
    change = fewest(order, lambda some: says(sheet.without(set(some))) != label)
    return {"part": part, "change": change, "queries": queries}


def quartiles(values):
    if not values:
        return ""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return f"{middle:.0f} ({low:.0f}, {high:.0f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=200, help="texts of each set")
    parser.add_argument("--sets", default="arrays or tables;four packages")
    parser.add_argument("--ours", action="store_true", help="gradless alone")
    parser.add_argument("--journal", default=str(page.ROOT / "target/strangers-texts.jsonl"))
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks/texts.md")
    options = parser.parse_args()
    path = pathlib.Path(options.journal)
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {(r["problem"], r["tool"], r["text"]) for r in records}

    def note(record):
        records.append(record)
        with path.open("a") as out:
            out.write(json.dumps(record) + "\n")

    for problem, model, asked in problems(options.sets.split(";"), options.texts):
        for i, text in enumerate(asked):
            sheet = Sheet(text)
            if (problem, "gradless", i) not in known:
                began = time.perf_counter()
                both = {question: ours(model, sheet, question) for question in ("part", "change")}
                note({"problem": problem, "tool": "gradless", "text": i, "seconds": time.perf_counter() - began, **both})
            for name, weights in {} if options.ours else PEERS.items():
                if (problem, name, i) not in known:
                    began = time.perf_counter()
                    told = theirs(weights, model, sheet)
                    note({"problem": problem, "tool": name, "text": i, "seconds": time.perf_counter() - began, **told})
        print(problem, "done", file=sys.stderr, flush=True)
    lines = []
    own = [r for r in records if r["tool"] == "gradless"]
    for question in ("part", "change"):
        said = [r[question] for r in own]
        valid = sum(s["valid"] for s in said)
        minimal = sum(s["minimal"] for s in said)
        lines.append([f"**gradless**, {question}", f"{valid} of {len(said)}", f"{minimal} of {len(said)}", quartiles([s["words"] for s in said]), quartiles([s["queries"] for s in said])])
        for name in PEERS:
            others = [r for r in records if r["tool"] == name]
            if others:
                found = [r[question] for r in others if r[question] is not None]
                lines.append([f"{name}, {question}", f"{len(found)} of {len(others)}", "", quartiles(found), quartiles([r["queries"] for r in others])])
    table = page.table(["", "valid", "1-minimal", "words", "texts asked"], lines)
    print(table)
    if options.write:
        made = f"(commit {page.commit()}, seed 0, `bench/strangers/texts/run --write`)"
        page.put("docs/benchmarks/texts.md", "texts", f"{table}\n\n{made}\n")


if __name__ == "__main__":
    main()

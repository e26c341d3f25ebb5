"""Parts of photographs beside those of ReX, lime, shap, RISE and occlusion: how small, how sure, for how many queries.

Everything that is measured lies in the journal, one file for every tool and photograph: the command goes on where it was stopped.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import numpy as np
from scipy.ndimage import label as connected

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import page  # noqa: E402
from peers import PEERS  # noqa: E402
from photographs import SIDE, Network, Photograph, by_boxes, prepare, read  # noqa: E402

CLASS_ALONE = ["--confidence", "0", "--stability", "off"]
OURS = {
    "gradless, the class alone": CLASS_ALONE,
    "gradless, by default": [],
    "gradless, three answers": [*CLASS_ALONE, "--count", "3"],
}
# Steps of insertion and deletion curves.
CURVE = 25
# By default answers keep half of the original's probability, where the network is surer than this.
SURE = 0.5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--foolbox", type=pathlib.Path, required=True, help="foolbox 3.3.4, unpacked")
    parser.add_argument("--gradless", default="target/release/gradless")
    parser.add_argument("--rex-python", help="the Python that has rex-xai; its rows are left out without")
    parser.add_argument("--journal", type=pathlib.Path, default=page.ROOT / "target" / "photographs")
    parser.add_argument("--queries", type=int, default=800, help="of tools that take a limit; about what ours takes in the median")
    parser.add_argument("--only", nargs="*", help="tools that are measured now; all of them otherwise")
    parser.add_argument("--write", action="store_true", help="write the table into docs/benchmarks/photographs.md")
    return parser.parse_args()


def measured_peer(peer, photograph, queries, target):
    began, before = time.perf_counter(), photograph.network.queries
    worth, mask = peer(photograph, queries)
    keep(target, mask, worth, photograph.network.queries - before, time.perf_counter() - began)


def keep(target, mask, worth, queries, seconds, **more):
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(".tmp.npz")
    np.savez_compressed(temporary, mask=mask, worth=worth, queries=queries, seconds=seconds, **more)
    temporary.rename(target)


def measured_ours(asked, flags, photograph, target):
    """Runs the command as a user would, and reads what it wrote."""
    out = target.with_suffix("")
    began = time.perf_counter()
    command = [asked.gradless, "explain", "--model", str(asked.model), "--engine", "ort", "--input", str(photograph.path),
               "--question", "part", "--threads", "1", "--out", str(out), "--force", "--format", "json", *flags]  # fmt: skip
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)}\n{said.stderr}")
    seconds = time.perf_counter() - began
    answers = json.loads(said.stdout)
    answers = answers if isinstance(answers, list) else [answers]
    regions = np.load(out / "regions.npy").reshape(SIDE, SIDE)
    masks = [np.isin(regions, answer["used"]) for answer in answers]
    first = answers[0]
    heat = np.load(out / "heat.npy").reshape(SIDE, SIDE) if (out / "heat.npy").exists() else masks[0].astype(float)
    survival = first.get("stability") or {}
    keep(target, masks[0], heat, sum(answer["queries"] for answer in answers), seconds, regions=regions, masks=np.array(masks),
         valid=[answer["valid"] for answer in answers], shown=read_answer(out), first=first["first_valid"] or -1,
         held=survival.get("held", -1) / max(survival.get("draws", 1), 1))  # fmt: skip


def read_answer(out):
    """What the command says the network should be shown."""
    image = out / "image.png"
    return read(image) if image.exists() else np.zeros((3, SIDE, SIDE), np.float32)


def curves(photograph, worth):
    """Areas under the insertion and the deletion curve of the probability of the class (Petsiuk, Das and Saenko 2018)."""
    order = np.argsort(-worth.reshape(-1), kind="stable")
    rank = np.empty(SIDE * SIDE)
    rank[order] = np.arange(SIDE * SIDE)
    steps = np.linspace(0, SIDE * SIDE, CURVE + 1)
    masks = (rank[None] < steps[:, None]).reshape(-1, SIDE, SIDE)
    return [float(np.trapezoid(photograph.probability(some), dx=1 / CURVE)) for some in (masks, ~masks)]


def judged(photograph, found, is_ours):
    """What onnxruntime says of an answer: nothing of what a tool says of itself is believed."""
    mask = found["mask"]
    # Of ours it is shown the very file that the command wrote, of others the photograph over the background.
    shown = found["shown"] if is_ours else photograph.shown(mask[None])[0]
    said = photograph.network(shown[None])[0]
    insertion, deletion = curves(photograph, found["worth"])
    numbers = {
        "valid": bool(said.argmax() == photograph.label), "own": photograph.own, "confidence": float(said[photograph.label]),
        "area": float(mask.mean()), "pieces": int(connected(mask, np.ones((3, 3)))[1]), "queries": int(found["queries"]),
        "seconds": float(found["seconds"]), "insertion": insertion, "deletion": deletion,
    }  # fmt: skip
    if is_ours:
        regions = found["regions"]
        without = [mask & (regions != region) for region in np.unique(regions[mask])]
        background = by_boxes(photograph.picture)
        # The file holds the mask over the background, to the byte.
        apart = np.abs(photograph.shown(mask[None], background)[0] - shown).max()
        assert apart < 1.5 / 255, (photograph.name, apart)
        said = photograph.ask(without, background).argmax(1) if without else np.array([])
        numbers |= {"minimal": bool((said != photograph.label).all()), "first": int(found["first"]), "held": float(found["held"])}
        said = photograph.ask(found["masks"], background).argmax(1)
        are_apart = found["masks"].sum(0).max() <= 1
        numbers["answers"] = int((said == photograph.label).sum()) if are_apart else 0
    return numbers


def spread(numbers, form):
    low, middle, high = np.percentile(numbers, [25, 50, 75])
    return f"{form(middle)} ({form(low)}, {form(high)})"


def percent(number):
    return f"{100 * number:.1f} %"


def row(name, numbers):
    column = lambda key: np.array([one[key] for one in numbers])  # noqa: E731
    whole, count = "{:.0f}".format, len(numbers)
    bold = f"**{name}**" if name.startswith("gradless") else name
    return [
        bold, count, int(column("valid").sum()), spread(column("area"), percent), spread(column("confidence"), "{:.2f}".format),
        spread(column("pieces"), whole), spread(column("queries"), whole), spread(column("seconds"), whole),
        f"{column('insertion').mean():.3f}", f"{column('deletion').mean():.3f}",
    ]  # fmt: skip


HEADER = ["", "photographs", "valid", "area", "probability", "pieces", "queries", "seconds", "insertion", "deletion"]


def aims(results):
    """What was aimed at, and what came of it, over photographs that both have."""
    ours, rex = results.get("gradless, the class alone", {}), results.get("ReX", {})
    both = sorted(ours.keys() & rex.keys())
    lines = []
    if both:
        share = lambda key: np.array([ours[name][key] / rex[name][key] for name in both])  # noqa: E731
        lines.append(
            f"Beside ReX, photograph by photograph ({len(both)}): {np.median(share('area')):.2f} of its area and "
            f"{np.median(share('queries')):.2f} of its queries in the median (aim: 0.5 and 0.5)."
        )
    if ours:
        first = [one["first"] for one in ours.values()]
        lines.append(
            f"The class alone: {sum(one['minimal'] for one in ours.values())} of {len(ours)} are 1-minimal by regions, as onnxruntime has it; "
            f"the first answer is found after {np.median(first):.0f} queries in the median, {max(first)} at most."
        )
    default = results.get("gradless, by default", {})
    if default:
        sure = [one for one in default.values() if one["own"] > SURE]
        kept = sum(one["confidence"] >= 0.5 * one["own"] for one in sure)
        first = [one["first"] for one in default.values()]
        held = [one["held"] for one in default.values() if one["held"] >= 0]
        lines.append(
            f"By default: {kept} of {len(sure)} keep half of the original's probability where that is above {SURE}; "
            f"{np.median(held):.0%} of disturbed copies hold in the median; ".replace("%", " %")
            + f"the first answer after {np.median(first):.0f} queries in the median, {max(first)} at most, "
            f"and {max(one['queries'] for one in default.values())} queries at most."
        )
    three = results.get("gradless, three answers", {})
    if three:
        lines.append(f"Three disjoint answers on {sum(one['answers'] >= 3 for one in three.values())} of {len(three)} (aim: 80 %).")
    common = sorted(set.intersection(*(set(found) for found in results.values()))) if results else []
    if common:
        means = {tool: np.mean([found[name]["insertion"] for name in common]) for tool, found in results.items()}
        told = ", ".join(f"{tool} {mean:.3f}" for tool, mean in sorted(means.items(), key=lambda pair: -pair[1]))
        lines.append(f"Insertion on the {len(common)} photographs that all have seen: {told}.")
    return "\n\n".join(lines)


def main():
    asked = arguments()
    network = Network(asked.model)
    inputs = asked.journal / "inputs"
    names = prepare(inputs, asked.foolbox)
    wanted = asked.only if asked.only is not None else [*OURS, "ReX", *PEERS]
    if "ReX" in wanted and asked.rex_python:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run([*shlex.split(asked.rex_python), str(HERE / "rex.py"), str(asked.model), str(inputs), str(asked.journal / "ReX")],
                       check=True, env=environment)  # fmt: skip
    photographs = [Photograph(network, inputs, name) for name in names]
    # Photograph by photograph: whenever it is stopped, all tools have seen the same ones.
    for photograph in photographs:
        for tool in [tool for tool in [*OURS, *PEERS] if tool in wanted]:
            target = asked.journal / tool / f"{photograph.name}.npz"
            if not target.exists():
                print(tool, photograph.name, time.strftime("%X"), flush=True)
                target.parent.mkdir(parents=True, exist_ok=True)
                if tool in OURS:
                    measured_ours(asked, OURS[tool], photograph, target)
                else:
                    measured_peer(PEERS[tool], photograph, asked.queries, target)
    results = {}
    for tool in [*OURS, "ReX", *PEERS]:
        for photograph in photographs:
            source = asked.journal / tool / f"{photograph.name}.npz"
            judgement = source.with_suffix(".json")
            if source.exists() and not (judgement.exists() and judgement.stat().st_mtime > source.stat().st_mtime):
                judgement.write_text(json.dumps(judged(photograph, np.load(source), tool in OURS)))
            if source.exists():
                results.setdefault(tool, {})[photograph.name] = json.loads(judgement.read_text())
    rows = [row(tool, list(found.values())) for tool, found in results.items()]
    text = f"{page.table(HEADER, rows)}\n\n{aims(results)}\n\n(judged at commit {page.commit()}, seed 0, `bench/strangers/photographs/run`)\n"
    print(text)
    if asked.write:
        page.put("docs/benchmarks/photographs.md", "photographs", text)


if __name__ == "__main__":
    main()

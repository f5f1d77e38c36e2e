"""Steps that others have measured, beside ours: python benchmarks/steps.py table5

table5: Korthikanti et al., "Reducing activation recomputation in large transformer models"
(arXiv 2205.05198), table 5: A100, eight in a server, full recomputation, and selective with
sequence parallelism. --only names models: the two large ones take minutes.

vtrain FOLDER: steps on up to 512 A100 that were measured for vTrain (MIT licence,
github.com/VIA-Research/vTrain). FOLDER is its folder `data` with ground_truth_multi.csv. Constants
of the chip and the network are fitted on 30 steps, drawn by --seed, and held against the others;
--fit 0 fits nothing.

csv FILE: your own measurements, a line each, with a heading of these names: model, hidden, layers,
heads, seq, vocab, tp, pp, dp, batch, micro, recompute, sequence, interleave, seconds.

The constants of a chip stand in src/hopscape/workloads/chips; there is none for a single point.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from hopscape import Network
from hopscape.core.channels import ChannelClass
from hopscape.workloads import Chip, LanguageModel, ModelJob, Overlap, Split, load_chip, step

COSTS = {"alpha": 10.0, "beta": 1e6 / 229e9, "gamma": 0.0, "delta": 0.5}
"""NCCL on NVSwitch: 229 GB/s and 10 µs, as measured; nothing is fitted."""
TABLE5 = (
    ("22B", 6144, 48, 64, 1, 1, 4, 4, 1.42, 1.10),
    ("175B", 12288, 96, 96, 8, 3, 64, 1, 18.13, 13.75),
    ("530B", 20480, 105, 128, 35, 3, 280, 1, 49.05, 37.83),
    ("1T", 25600, 128, 160, 64, 1, 512, 1, 94.42, 71.49),
)
"""Model, hidden, layers, heads, pp, interleave, batch, micro, seconds: full, selective."""


@dataclass(frozen=True)
class Measured:
    """A step that somebody has measured."""

    name: str
    job: ModelJob
    seconds: float


def table5(chip: Chip, only: set[str]) -> Iterator[Measured]:
    for name, hidden, layers, heads, pp, interleave, batch, micro, full, selective in TABLE5:
        if only and name not in only:
            continue
        model = LanguageModel(hidden, layers, heads, 2048, 51200, flash=False, name=name)
        parts = interleave if layers % (pp * interleave) == 0 else 1
        split = Split(batch, tp=8, pp=pp, micro=micro, interleave=parts, recompute="full")
        if parts > 1:
            split = Split(
                batch, tp=8, pp=pp, micro=micro, interleave=parts, schedule="interleaved",
                recompute="full",
            )  # fmt: skip
        yield Measured(f"{name} full", ModelJob(model, split, chip), full)
        lean = {**split.__dict__, "recompute": "selective", "sequence": True}
        yield Measured(f"{name} selective", ModelJob(model, Split(**lean), chip), selective)


def from_csv(path: str, chip: Chip) -> Iterator[Measured]:
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            sizes = [int(row[name]) for name in ("hidden", "layers", "heads", "seq", "vocab")]
            model = LanguageModel(*sizes, flash=False, name=row["model"])
            parts = int(row.get("interleave") or 1)
            split = Split(
                int(row["batch"]),
                tp=int(row["tp"]),
                pp=int(row["pp"]),
                dp=int(row["dp"]),
                micro=int(row["micro"]),
                interleave=parts,
                schedule="interleaved" if parts > 1 else "1f1b",
                recompute=row.get("recompute") or "none",
                sequence=row.get("sequence") in ("1", "true"),
            )
            yield Measured(row["model"], ModelJob(model, split, chip), float(row["seconds"]))


# -- vTrain ------------------------------------------------------------------------------------

START = {
    "efficiency": 0.75,
    "streams": 0.75,
    "overhead": 10.0,
    "nvlink": 229.0,
    "nics": 100.0,
    "alpha": 10.0,
}
"""Constants before the fit: of the chip as in its file; GB/s of a GPU to the others of its server
(as NCCL measures) and of a server to the others (an assumption), µs of a message."""
RATES = {"efficiency", "streams", "nvlink", "nics"}
"""Their reciprocals are fitted: the time of a step is nearly linear in these."""
STEP = 0.05
"""Relative step of the differences."""


def vtrain(folder: str, only: set[str]) -> Iterator[Measured]:
    path = Path(folder) / "ground_truth_multi.csv"
    with open(path, newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            name = row["Parameters (billion)"]
            if only and name not in only:
                continue
            sizes = ("hidden size", "# layers", "attention heads", "sequence length")
            model = LanguageModel(*(int(row[k]) for k in sizes), 51200, flash=False, name=name)
            split = Split(
                int(row["global batch"]),
                tp=int(row["tensor parallelism"]),
                pp=int(row["pipeline parallelism"]),
                dp=int(row["data parallelism"]),
                micro=int(row["micro batch"]),
                recompute="full",
            )
            job = ModelJob(model, split, load_chip("a100"), Overlap(dp=False))
            yield Measured(
                f"{name}B {split.tp}x{split.dp}x{split.pp}, {split.micro}",
                job,
                float(row["iteration time (ms)"]) / 1e3,
            )


def servers_of_eight(ranks: int, nvlink: float, nics: float) -> Network:
    """Servers with a switch each, joined by one switch without a bottleneck of its own."""
    servers = -(-ranks // 8)
    gpus, top = 8 * servers, 9 * servers
    heads = [gpus + i // 8 for i in range(gpus)] + [top] * servers
    kinds = (ChannelClass("nvlink", speed=nvlink), ChannelClass("nics", speed=nics))
    return Network.from_links(
        top + 1,
        list(range(top)),
        heads,
        switches=list(range(gpus, top + 1)),
        classes=kinds,
        kinds=[0] * gpus + [1] * servers,
    )


def predicted(one: Measured, constants: Mapping[str, float]) -> float:
    """Seconds of a step by ours."""
    chip = replace(one.job.chip, **{k: constants[k] for k in ("efficiency", "streams", "overhead")})
    network = servers_of_eight(one.job.split.ranks, constants["nvlink"], constants["nics"])
    costs = {"alpha": constants["alpha"], "beta": 1e-3, "gamma": 0.0, "delta": 0.5}
    return step(replace(one.job, chip=chip), network, costs=costs).seconds or 0.0


def fitted(points: Sequence[Measured]) -> dict[str, float]:
    """Constants of least squared relative errors; time is taken as linear in them."""
    base = np.array([predicted(one, START) for one in points])
    columns = []
    for name, value in START.items():
        raised = {**START, name: value / (1 + STEP) if name in RATES else value * (1 + STEP)}
        changed = np.array([predicted(one, raised) for one in points])
        columns.append((changed - base) / STEP)  # seconds that this constant is worth
        print(f"  {name} is worth {100 * np.mean(columns[-1] / base):.1f} % of a step", flush=True)
    measured = np.array([one.seconds for one in points])
    worth = np.stack(columns, axis=1)
    rest = base - worth.sum(axis=1)
    scale, _ = nnls(worth / measured[:, None], (measured - rest) / measured)
    made = {}
    for (name, value), factor in zip(START.items(), scale, strict=True):
        factor = min(max(float(factor), 0.1), 10.0)  # what hardly matters is not driven far away
        made[name] = value / factor if name in RATES else value * factor
    return made


def against_vtrain(points: list[Measured], fit: int, seed: int) -> None:
    """Fit on some, test on the others, and look which parallelism would have been chosen."""
    drawn = set(random.Random(seed).sample(range(len(points)), min(fit, len(points) - 1)))
    constants = fitted([points[i] for i in sorted(drawn)]) if drawn else START
    print(", ".join(f"{name} {value:.3g}" for name, value in constants.items()))
    ours = [predicted(one, constants) for one in points]
    errors = []
    for i, (one, seconds) in enumerate(zip(points, ours, strict=True)):
        error = seconds / one.seconds - 1
        mark = "fitted" if i in drawn else ""
        print(f"{one.name:18} {one.seconds:9.2f} {seconds:9.2f} {100 * error:+6.1f} % {mark}")
        if i not in drawn:
            errors.append(abs(error))
    print(
        f"{len(errors)} not fitted: mean error {100 * np.mean(errors):.1f} %,"
        f" median {100 * np.median(errors):.1f} %, largest {100 * max(errors):.1f} %"
    )
    for model in dict.fromkeys(one.job.name for one in points):
        here = [i for i, one in enumerate(points) if one.job.name == model]
        chosen = min(here, key=lambda i: ours[i])
        best = min(points[i].seconds for i in here)
        loss = points[chosen].seconds / best - 1
        print(
            f"{model}B: {points[chosen].name} is chosen, {100 * loss:.1f} % above the best measured"
        )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("what", choices=["table5", "csv", "vtrain"])
    asked.add_argument("file", nargs="?", help="for csv, or the folder of vtrain")
    asked.add_argument("--only", default="", help="models, separated by commas")
    asked.add_argument("--chip", default="a100")
    asked.add_argument("--fit", type=int, default=30, help="points of vtrain to fit on")
    asked.add_argument("--seed", type=int, default=1, help="which ones")
    given = asked.parse_args()
    chip = load_chip(given.chip)
    only = set(filter(None, given.only.split(",")))
    if given.what == "vtrain":
        against_vtrain(list(vtrain(given.file, only)), given.fit, given.seed)
        return
    rows = table5(chip, only) if given.what == "table5" else from_csv(given.file, chip)
    errors = []
    print(f"{'step':18} {'measured':>9} {'ours':>9} {'error':>7}")
    for one in rows:
        servers = max(one.job.split.ranks // 8, 2)
        found = step(one.job, f"xgft([8, {servers}], [1, 8])", costs=COSTS).seconds or 0.0
        errors.append(found / one.seconds - 1)
        print(
            f"{one.name:18} {one.seconds:9.2f} {found:9.2f} {100 * errors[-1]:+6.1f} %", flush=True
        )
    mean = sum(map(abs, errors)) / len(errors)
    print(f"mean error {100 * mean:.1f} %, largest {100 * max(map(abs, errors)):.1f} %")


if __name__ == "__main__":
    main()

"""Steps that others have measured, beside ours: python benchmarks/steps.py table5

table5: Korthikanti et al., "Reducing activation recomputation in large transformer models"
(arXiv 2205.05198), table 5: A100, eight in a server, full recomputation, and selective with
sequence parallelism. --only names models: the two large ones take minutes.

csv FILE: your own measurements, a line each, with a heading of these names: model, hidden, layers,
heads, seq, vocab, tp, pp, dp, batch, micro, recompute, sequence, interleave, seconds.

The constants of a chip stand in src/hopscape/workloads/chips; there is none for a single point.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass

from hopscape.workloads import Chip, LanguageModel, ModelJob, Split, load_chip, step

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


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("what", choices=["table5", "csv"])
    asked.add_argument("file", nargs="?", help="for csv")
    asked.add_argument("--only", default="", help="models, separated by commas")
    asked.add_argument("--chip", default="a100")
    given = asked.parse_args()
    chip = load_chip(given.chip)
    only = set(filter(None, given.only.split(",")))
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

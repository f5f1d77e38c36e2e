"""Steps that others have measured, beside ours.

python benchmarks/steps.py vtrain

vtrain: 109 steps on 64 to 512 A100 (measured for vTrain, MIT licence). one-server: 1,440 steps on
up to eight A100 of one server (the same). b200: steps on eight B200 (SimuMax, Apache-2.0): Llama-3
with tensors, sequences or the batch cut; the attention of its mixtures of experts is none of ours.
Sources and licences stand in benchmarks/measured/README.md.

Constants of the chip and the network are fitted on --fit steps, drawn by --seed, and held against
the others; --fit 0 fits nothing. --points draws some of the steps. For steps on many servers a
closed form is fitted first, which costs next to nothing, and all-reduces go round rings, as NCCL
does it; --turns fits executed steps from there. Errors are those of executed steps; --closed: of
the closed form.

table5: Korthikanti et al., "Reducing activation recomputation in large transformer models"
(arXiv 2205.05198), table 5: A100, eight in a server, full recomputation, and selective with
sequence parallelism; nothing is fitted. --only names models.

csv FILE: your own measurements, a line each, with a heading of these names: model, hidden, layers,
heads, seq, vocab, tp, pp, dp, batch, micro, recompute, sequence, interleave, seconds.

The constants of a chip stand in src/hopscape/workloads/chips; there is none for a single point.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

from hopscape import Network
from hopscape.core.channels import ChannelClass
from hopscape.workloads import Chip, LanguageModel, ModelJob, Overlap, Split, load_chip, step
from hopscape.workloads.transformer import stage_program

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
    algorithms: Mapping[str, str] = field(default_factory=dict)


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
    "overhead": 600.0,
    "nvlink": 229.0,
    "nics": 100.0,
    "alpha": 10.0,
}
"""Constants before the fit: of the chip as in its file; GB/s of a GPU to the others of its server
(as NCCL measures) and of a server to the others (an assumption), µs of a message."""
B200 = {"efficiency": 0.44, "streams": 0.75, "overhead": 300.0, "nvlink": 650.0, "alpha": 10.0}
"""The same for B200; 900 GB/s of NVLink, of which NCCL reaches about 650."""
RATES = {"efficiency", "streams", "nvlink", "nics"}
"""Their reciprocals are fitted: the time of a step is nearly linear in these."""
STEP = 0.05
"""Relative step of the differences."""
LEAST, MOST = 0.5, 3.0
"""By which a constant may change: what hardly matters is not driven far away."""
SOFT = 0.03
"""Relative error from which on points count less: about the scatter of steps that were repeated."""
PARTIAL = (1.0, 0.5, 0.25, 0.125)
"""Parts of a step of the fit that are tried."""
RINGS = {"all-reduce": "ring-one-way", "all-gather": "ring", "reduce-scatter": "ring"}
"""What NCCL does with much data."""
SERVER = 8
"""GPUs of a server."""
PARTS = 50_000
"""Of the largest piece of a step that is executed; all layers and micro-batches are alike."""
FOLDER = Path(__file__).parent / "measured"


def vtrain(only: set[str]) -> Iterator[Measured]:
    """Steps on many servers: all activations are computed again, gradients wait for the end."""
    for row in rows_of("vtrain_multi.csv"):
        name = row["Parameters (billion)"]
        if only and name not in only:
            continue
        yield replace(from_vtrain(row, f"{name}B", "full"), algorithms=RINGS)


def one_server(only: set[str]) -> Iterator[Measured]:
    """Steps of small models on one server; nothing is computed again."""
    for row in rows_of("vtrain_single.csv"):
        name = f"{row['hidden size']}x{row['# layers']}"
        if not only or name in only:
            yield from_vtrain(row, name, "none")


def rows_of(name: str) -> Iterator[dict[str, str]]:
    with open(FOLDER / name, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def from_vtrain(row: dict[str, str], name: str, recompute: str) -> Measured:
    sizes = ("hidden size", "# layers", "attention heads", "sequence length")
    model = LanguageModel(*(int(row[k]) for k in sizes), 51200, flash=False, name=name)
    split = Split(
        int(row["global batch"]),
        tp=int(row["tensor parallelism"]),
        pp=int(row["pipeline parallelism"]),
        dp=int(row["data parallelism"]),
        micro=int(row["micro batch"]),
        recompute=recompute,
    )
    job = ModelJob(model, split, load_chip("a100"), Overlap(dp=False))
    seconds = float(row["iteration time (ms)"]) / 1e3
    return Measured(f"{name} {split.tp}x{split.dp}x{split.pp}, {split.micro}", job, seconds)


LATENT = {"heads": 128, "head": 128, "q_latent": 1536, "kv_latent": 512, "rope": 64, "dense": 1}
MODELS = {
    "llama3_70b": {"hidden": 8192, "heads": 64, "kv": 8, "ffn": 28672, "vocab": 128256},
    "llama3_405b": {"hidden": 16384, "heads": 128, "kv": 16, "ffn": 53248, "vocab": 128256},
    "deepseekv2": LATENT
    | {"hidden": 5120, "ffn": 1536, "experts": 160, "top": 6, "shared": 2}
    | {"dense_ffn": 12288, "vocab": 102400},
    "deepseekv3": LATENT
    | {"hidden": 7168, "ffn": 2048, "experts": 256, "top": 8, "shared": 1}
    | {"dense_ffn": 18432, "vocab": 129280},
}
"""Of the steps on B200, as their model files say; of the mixtures of experts one layer is dense."""


def b200(only: set[str]) -> Iterator[Measured]:
    """A few layers: the optimizer is shared out, activations are kept, nothing overlaps."""
    for row in rows_of("simumax_b200.csv"):
        name = row["model"]
        if only and name not in only:
            continue
        tp, pp, dp, cp, ep = (int(row[k]) for k in ("tp", "pp", "dp", "cp", "ep"))
        layers, micro = int(row["layers"]), int(row["micro batches"])
        sizes = {"layers": layers, "seq": int(row["seq"]), **MODELS[name]}
        model = LanguageModel(gated=True, name=name, **sizes)
        cut = {"tp": tp, "pp": pp, "dp": dp, "cp": cp, "ep": ep}
        split = Split(dp * micro, **cut, sequence=True, shard="optimizer")
        job = ModelJob(model, split, load_chip("b200"), Overlap(dp=False, pp=False))
        seconds = float(row["iteration time (ms)"]) / 1e3
        name = f"{name} {tp}x{cp}x{dp}x{pp}/{ep}, {micro}, {row['seq']}"
        yield Measured(name, job, seconds)


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
    nics = constants.get("nics", 1.0)
    network = servers_of_eight(one.job.split.ranks, constants["nvlink"], nics)
    costs = {"alpha": constants["alpha"], "beta": 1e-3, "gamma": 0.0, "delta": 0.5}
    job = replace(one.job, chip=chip)
    few = alike(job.split)
    found = step(
        job,
        network,
        costs=costs,
        most_parts=PARTS,
        prove=False,
        replicas=few,
        algorithms=one.algorithms,
    )
    return found.seconds or 0.0


def estimated(one: Measured, constants: Mapping[str, float]) -> float:
    """Seconds of a step without executing it: slots of the pipeline, rings, and what comes last.

    A slot is one micro-batch forwards and backwards, as long as what the rank does or what its host
    launches; messages between stages count while the pipeline fills and empties.
    """
    chip = replace(one.job.chip, **{k: constants[k] for k in ("efficiency", "streams", "overhead")})
    split = one.job.split
    alone = replace(one.job, chip=chip, split=replace(split, batch=split.dp * split.micro))
    slots, rest, crossing = [], 0.0, 0.0
    for stage in (0, split.pp - 1):
        spent = {"slot": 0.0, "launch": 0.0, "end": 0.0}
        program = stage_program(alone, stage)
        for (_, seconds, _, _, label), key in zip(program.rows, program.keys, strict=True):
            kind = label if label == "launch" else "end" if label in ENDS else "slot"
            if key is None:
                spent[kind] += seconds
            elif key[0] == "collective":
                spent[kind] += ring_seconds(split, key[1], key[2], key[3], constants)
            else:
                crossing = key[2] * SERVER / (1e9 * constants.get("nics", np.inf))
        slots.append(max(spent["slot"], spent["launch"]))
        rest = max(rest, spent["end"])
    fill = (split.pp - 1) * (slots[0] + 2 * crossing)
    return fill + split.micro_batches * slots[-1] + rest


ENDS = ("dp", "optimizer")
"""Labels of what a rank does after its last micro-batch."""


def ring_seconds(
    split: Split, goal: str, over: str, size: float, constants: Mapping[str, float]
) -> float:
    """A collective as a ring: inside a server, or over the lines of servers that rings share."""
    inner = {"tp": 1, "cp": split.tp, "ep": split.tp * split.cp, "edp": split.tp * split.ep}
    apart = inner.get(over, split.tp)  # ranks between two members
    members = {"tp": split.tp, "cp": split.cp, "ep": split.ep, "edp": split.dp // split.ep}
    count = members.get(over, split.dp * split.cp)
    steps = (count - 1) * (2 if goal == "all-reduce" else 1)
    moved = steps / count * size
    if apart * count <= SERVER:
        return 1e-6 * constants["alpha"] * steps + moved / (1e9 * constants["nvlink"])
    return moved * min(apart, SERVER) / (1e9 * constants["nics"])


def alike(split: Split) -> int | None:
    """Replicas that fill whole servers in every stage: until gradients move, others do the same."""
    full = [d for d in range(1, split.dp) if split.dp % d == 0 and d * split.tp % 8 == 0]
    return full[0] if full else None


def fitted_roughly(points: Sequence[Measured], start: Mapping[str, float]) -> dict[str, float]:
    """Constants by which the closed form has the least relative errors (soft L1)."""
    measured = np.array([one.seconds for one in points])

    def constants(logs: np.ndarray) -> dict[str, float]:
        factors = np.exp(logs).tolist()
        return {
            name: start[name] / factor if name in RATES else start[name] * factor
            for name, factor in zip(start, factors, strict=True)
        }

    def errors(logs: np.ndarray) -> np.ndarray:
        tried = constants(logs)
        return np.array([estimated(one, tried) for one in points]) / measured - 1

    bounds = (np.log(LEAST), np.log(MOST))
    zero = np.zeros(len(start))
    return constants(least_squares(errors, zero, bounds=bounds, loss="soft_l1", f_scale=SOFT).x)


def fitted(
    points: Sequence[Measured], start: Mapping[str, float], turns: int, pool: Executor
) -> dict[str, float]:
    """Constants of least relative errors (soft L1), by Gauss and Newton.

    Beyond `SOFT` an error counts by itself and not by its square: some of the measured steps take
    twice as long as others of the same model, which no constant of a chip explains, and squares of
    these would decide the fit. A step is taken by half, or by half of that, where the whole of it
    makes the fit worse: what hides behind computing shows only where it does not.
    """
    constants = dict(start)
    measured = np.array([one.seconds for one in points])
    base = seconds_of(points, [constants], pool)[:, 0]
    for turn in range(turns + 1):
        error = 100 * np.mean(np.abs(base / measured - 1))
        print(f"  {turn} fits: mean error {error:.1f} % of those fitted", flush=True)
        if turn == turns:
            break
        factors = newton_factors(points, constants, base, start, pool)
        for part in PARTIAL:
            tried = {
                name: value * factors[name] ** (-part if name in RATES else part)
                for name, value in constants.items()
            }
            after = seconds_of(points, [tried], pool)[:, 0]
            if soft_loss(after / measured - 1) < soft_loss(base / measured - 1):
                constants, base = tried, after
                break
        else:
            break
    return constants


def seconds_of(
    points: Sequence[Measured], tried: Sequence[Mapping[str, float]], pool: Executor
) -> np.ndarray:
    """Seconds of each point (rows) by each set of constants (columns)."""
    asked = [(one, constants) for one in points for constants in tried]
    return np.array(list(pool.map(predicted, *zip(*asked, strict=True)))).reshape(len(points), -1)


def soft_loss(errors: np.ndarray) -> float:
    """What the fit makes small."""
    return float(np.sum(np.sqrt(1 + (errors / SOFT) ** 2) - 1))


def newton_factors(
    points: Sequence[Measured],
    constants: Mapping[str, float],
    base: np.ndarray,
    start: Mapping[str, float],
    pool: Executor,
) -> dict[str, float]:
    """By how much each constant should take more time, were all seconds linear in them."""
    measured = np.array([one.seconds for one in points])
    changed = []
    for name, value in constants.items():
        more = value / (1 + STEP) if name in RATES else value * (1 + STEP)
        changed.append({**constants, name: more})
    columns = (seconds_of(points, changed, pool) - base[:, None]) / STEP
    worth = columns / measured[:, None]  # what a constant is worth
    low = [LEAST / scale(constants, start, name) for name in start]
    high = [MOST / scale(constants, start, name) for name in start]
    wanted = (measured - base) / measured + worth.sum(axis=1)
    factors = least_squares(
        lambda x: worth @ x - wanted,
        np.clip(np.ones(len(start)), low, high),
        bounds=(low, high),
        loss="soft_l1",
        f_scale=SOFT,
    ).x
    return dict(zip(start, factors.tolist(), strict=True))


def scale(constants: Mapping[str, float], start: Mapping[str, float], name: str) -> float:
    """How much more time a constant takes than at the start."""
    ratio = constants[name] / start[name]
    return 1 / ratio if name in RATES else ratio


def against(points: list[Measured], start: Mapping[str, float], given: argparse.Namespace) -> None:
    """Fit on some, test on the others, and look which parallelism would have been chosen."""
    fit = min(given.fit, len(points) - 1)
    drawn = set(random.Random(given.seed).sample(range(len(points)), fit))
    with ProcessPoolExecutor(given.workers) as pool:
        few = [points[i] for i in sorted(drawn)]
        constants = fitted_roughly(few, start) if drawn and few[0].algorithms else start
        if drawn and given.turns:
            constants = fitted(few, constants, given.turns, pool)
        print(", ".join(f"{name} {value:.3g}" for name, value in constants.items()), flush=True)
        judged = estimated if given.closed else predicted
        ours = list(pool.map(judged, points, [constants] * len(points)))
    errors = []
    for i, (one, seconds) in enumerate(zip(points, ours, strict=True)):
        error = seconds / one.seconds - 1
        mark = "fitted" if i in drawn else ""
        print(f"{one.name:30} {one.seconds:9.3f} {seconds:9.3f} {100 * error:+6.1f} % {mark}")
        if i not in drawn:
            errors.append(abs(error))
    print(
        f"{len(errors)} not fitted: mean error {100 * np.mean(errors):.1f} %,"
        f" median {100 * np.median(errors):.1f} %, largest {100 * max(errors):.1f} %"
    )
    for model in dict.fromkeys(one.job.name for one in points):
        here = [i for i, one in enumerate(points) if one.job.name == model]
        if len({(points[i].job.split.ranks, points[i].job.split.batch) for i in here}) > 1:
            continue  # other machines or other work: there is nothing to choose
        chosen = min(here, key=lambda i: ours[i])
        best = min(points[i].seconds for i in here)
        loss = points[chosen].seconds / best - 1
        print(
            f"{model}: {points[chosen].name} is chosen, {100 * loss:.1f} % above the best measured"
        )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("what", choices=["vtrain", "one-server", "b200", "table5", "csv"])
    asked.add_argument("file", nargs="?", help="for csv")
    asked.add_argument("--only", default="", help="models, separated by commas")
    asked.add_argument("--chip", default="a100")
    asked.add_argument("--fit", type=int, default=30, help="steps to fit on")
    asked.add_argument("--points", type=int, default=10_000, help="steps to look at, drawn")
    asked.add_argument("--turns", type=int, default=0, help="fits of executed steps")
    asked.add_argument("--closed", action="store_true", help="errors of the closed form")
    asked.add_argument("--workers", type=int, default=1, help="processes")
    asked.add_argument("--seed", type=int, default=1, help="which ones")
    given = asked.parse_args()
    chip = load_chip(given.chip)
    only = set(filter(None, given.only.split(",")))
    sources = {"vtrain": (vtrain, START), "one-server": (one_server, START), "b200": (b200, B200)}
    if given.what in sources:
        source, start = sources[given.what]
        points = list(source(only))
        if given.points < len(points):
            points = random.Random(given.seed).sample(points, given.points)
        against(points, start, given)
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

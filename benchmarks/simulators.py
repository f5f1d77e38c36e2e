"""Networks handed over, in the simulators of others that are installed, beside ours.

python benchmarks/simulators.py ["SPEC" ...]

For each network: BookSim's latency of uniform traffic at a low load and at a higher one beside that
of `hopscape simulate --booksim` on the same file; the schedules of the folder in SimGrid, round by
round by their own paths, beside our price; the same as custom collectives in ASTRA-sim's analytical
back end, where it has the network, beside our events. Ratios are theirs to ours. Programs that are
missing are left out. `docs/simulation-tools.md` shows what this prints.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

from hopscape.core.errors import HopscapeError
from hopscape.design.handover import hand_over
from hopscape.formats.astra_check import check_astra, missing_astra
from hopscape.formats.booksim import booksim, read_booksim
from hopscape.formats.programs import which_all
from hopscape.formats.simgrid_check import check_simgrid, missing_simgrid

NETWORKS = (
    "torus(4, 4)",
    "mesh(4, 4)",
    "hypercube(4)",
    "ring(8)",
    "complete(6)",
    "circulant(16, 1, 6)",
    "petersen",
    "polarfly(3)",
    "slim_fly(5)",
    "heawood(3)",
    "kneser(6, 2)",
    "ccc(3)",
    "debruijn(2, 4)",
    "hyperx([4, 4], p=4)",
    "kary_ntree(2, 3)",
    "kary_ntree(4, 2)",
    "dragonfly(4, 2, p=2)",
    "leaf_spine(4, 2, 4)",
    "fat_tree(4)",
    "xgft([8], [1])",
)
LOW, HIGH = 0.01, 0.2
SHOWN = ("all-to-all", "all-reduce-sliced")


def theirs(folder: Path, load: float) -> float | None:
    """BookSim's mean latency of packets; None where it does not converge."""
    words = ["booksim", "network.cfg", f"injection_rate={load}", f"sample_period={period(load)}"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    overall = done.stdout.partition("====== Overall Traffic Statistics ======")[2]
    found = re.search(r"^Packet latency average = ([\d.]+)", overall, re.MULTILINE)
    return None if found is None else float(found[1])


def period(load: float) -> int:
    """Cycles of a sample: as many packets at a low load as at a high one."""
    return round(2000 / load**0.5)


def ours(folder: Path, load: float) -> float | None:
    changes = [f"injection_rate={load}", f"sample_period={period(load)}"]
    found = booksim(read_booksim(folder / "network.cfg", changes))
    return None if found["unstable"] else float(found["latency"])


def ratio(a: float | None, b: float | None) -> str:
    return "–" if a is None or b is None else f"{a / b:.4f}"


def row(spec: str, absent: set[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "network"
        hand_over(spec, folder)
        cells = []
        wired = (folder / "booksim" / "network.cfg").is_file() and "booksim" not in absent
        for load in (LOW, HIGH):
            both = (
                [run(folder / "booksim", load) for run in (theirs, ours)] if wired else [None] * 2
            )
            cells.append(ratio(*both))
        times = {} if "simgrid" in absent else check_simgrid(folder, pairs=4).details
        for goal in SHOWN:
            cells.append(
                ratio(
                    times.get("schedules", {}).get(goal),
                    times.get("schedules_ours", {}).get(goal),
                )
            )
        known = (folder / "astra" / "times.json").is_file() and "astra" not in absent
        times = check_astra(folder).details if known else {}
        for goal in SHOWN:
            cells.append(
                ratio(times.get("nanoseconds", {}).get(goal), times.get("ours", {}).get(goal))
            )
        return cells


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("specs", nargs="*", default=NETWORKS)
    given = asked.parse_args()
    absent = {name for name, gone in (("booksim", which_all(("booksim",))),
              ("simgrid", missing_simgrid()), ("astra", missing_astra())) if gone}  # fmt: skip
    heads = [f"BookSim, load {load:g}" for load in (LOW, HIGH)]
    heads += [f"{program}, {goal}" for program in ("SimGrid", "ASTRA-sim") for goal in SHOWN]
    print("| network | " + " | ".join(heads) + " |")
    print("|---" * (1 + len(heads)) + "|", flush=True)
    for spec in given.specs:
        try:
            cells = row(spec, absent)
        except HopscapeError as error:
            cells = [str(error)]
        print(f"| `{spec}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

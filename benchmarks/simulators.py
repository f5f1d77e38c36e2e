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
from hopscape.registry import build

NETWORKS = (
    "torus(4, 4)",
    "torus(3, 5)",
    "mesh(4, 4)",
    "mesh(2, 3, 2)",
    "hypercube(4)",
    "ring(8)",
    "complete(6)",
    "circulant(16, 1, 6)",
    "circulant(13, 1, 5)",
    "petersen",
    "concentrated(petersen, 2)",
    "ccc(3)",
    "hyperx([3, 3], p=4)",
    "kary_ntree(2, 3)",
    "kary_ntree(4, 2)",
    "dragonfly(2, 1, p=1)",
    "leaf_spine(4, 2, 4)",
    "fat_tree(4)",
    "xgft([8], [1])",
    "polarfly(3)",
)
LOW, HIGH = 0.01, 0.2
PACKETS = 10_000
SHOWN = ("all-to-all", "all-reduce-sliced")


def theirs(folder: Path, load: float, cycles: int) -> float | None:
    """BookSim's mean latency of packets; None where it does not converge."""
    words = ["booksim", "network.cfg", f"injection_rate={load}", f"sample_period={cycles}"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    overall = done.stdout.partition("====== Overall Traffic Statistics ======")[2]
    found = re.search(r"^Packet latency average = ([\d.]+)", overall, re.MULTILINE)
    return None if found is None else float(found[1])


def period(load: float, endpoints: int) -> int:
    """Cycles of a sample of so many packets: their mean is known to half a percent."""
    return max(1000, round(PACKETS / load / endpoints))


def ours(folder: Path, load: float, cycles: int) -> float | None:
    changes = [f"injection_rate={load}", f"sample_period={cycles}"]
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
        for load in (LOW, HIGH) if wired else ():
            cycles = period(load, build(spec).endpoint_count)
            place = folder / "booksim"
            both = theirs(place, load, cycles), ours(place, load, cycles)
            cells.append(ratio(*both))
        cells = cells or ["–", "–"]
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

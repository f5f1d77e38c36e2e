"""CPU seconds of the designer for switched machines, and how many machines it looked at.

    python benchmarks/design.py
    python benchmarks/design.py 256x32 1024x64

Families with switches of their own answer first; the column "first" says when that answer is there.
Kernels are compiled beforehand, by a small question.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from hopscape.design import SwitchedRequirements, design
from hopscape.design.candidates import Candidate

SIZES = ("256x32", "1024x64", "4096x64", "16384x64")


def measure(endpoints: int, radix: int) -> str:
    """One row: CPU seconds of the first and the whole answer, machines, the best and its cost."""
    first = 0.0

    def report(stage: int, ranked: Sequence[Candidate]) -> None:
        nonlocal first
        first = time.process_time() - begun

    begun = time.process_time()
    found = design(SwitchedRequirements(endpoints, radix), on_stage=report)
    whole = time.process_time() - begun
    looked = sum(int(one["looked"]) for one in found.examined)
    computed = sum(int(one["computed"]) for one in found.examined)
    return (
        f"{endpoints:>7,} x {radix:<4} {first:>8.1f} {whole:>8.1f} {looked:>8,} {computed:>9,}"
        f" {found.best.value('money'):>14,.0f}  {found.best.name}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", default=SIZES, help="endpoints x radix")
    given = parser.parse_args()
    design(SwitchedRequirements(40, 12))
    print("  endpoints     first s  whole s   looked  computed           cost  best", flush=True)
    for size in given.sizes:
        endpoints, radix = (int(part) for part in size.split("x"))
        print(measure(endpoints, radix), flush=True)


if __name__ == "__main__":
    main()

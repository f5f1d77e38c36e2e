"""Look for larger circulants in every cell of the table that is not proved, smallest cells first.

    python benchmarks/largest.py --time-limit 20 --seed 1
    python benchmarks/largest.py --time-limit 20 --degree 13 14 --write

With --write the package's table of the best found is written anew. A set for one degree less, with
one more generator, counts as well.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import hopscape.papers.circulant
from hopscape.families.circulant.figures import ball_sizes
from hopscape.papers.circulant.atlas import best_found, largest_table
from hopscape.papers.circulant.orbit_search import improve_largest

FILE = Path(hopscape.papers.circulant.__file__).parent / "atlas_data" / "best_found.json"


def widen(row: dict[str, Any], degree: int) -> dict[str, Any] | None:
    """A set of one degree less with one more generator, if its diameter stays."""
    nodes, held = row["nodes"], row["generators"]
    if degree % 2 and nodes % 2:
        return None
    more = [nodes // 2] if degree % 2 else range(2, nodes // 2)
    for s in more:
        generators = sorted({*held, s} - ({nodes // 2} if degree % 2 == 0 else set()))
        if len(generators) != (degree + 1) // 2:
            continue
        if len(ball_sizes(nodes, generators, nodes)) - 1 == row["diameter"]:
            return row | {"degree": degree, "generators": generators}
    return None


def write(found: dict[tuple[int, int], tuple[int, list[int]]]) -> None:
    """The table's file, a cell on a line."""
    lines = [json.dumps([*cell, *entry]) for cell, entry in sorted(found.items())]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=20, help="processor seconds for a cell")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--degree", type=int, nargs="*", help="only these degrees")
    parser.add_argument("--most", type=int, default=2_000_000, help="only cells up to this order")
    parser.add_argument("--write", action="store_true", help="write the package's table anew")
    given = parser.parse_args()
    found = {(degree, d): (nodes, steps) for degree, d, nodes, steps in best_found()}
    table = [row for row in largest_table() if row["nodes"] <= given.most]
    rows = {(row["degree"], row["diameter"]): row for row in table}
    for cell in sorted(rows, key=lambda cell: rows[cell]["nodes"]):
        degree, d = cell
        if rows[cell]["known"] == "proved" or (given.degree and degree not in given.degree):
            continue
        best = improve_largest(degree, d, effort=given.time_limit, seed=given.seed).to_dict()
        narrower = rows.get((degree - 1, d))
        if narrower is not None and narrower["nodes"] > best["nodes"]:
            best = widen(narrower, degree) or best
        print(f"{degree:>3} {d:>3} {rows[cell]['nodes']:>8} {best['nodes']:>8}", flush=True)
        if best["nodes"] > rows[cell]["nodes"]:
            rows[cell] |= best
            found[cell] = best["nodes"], best["generators"]
            if given.write:
                write(found)


if __name__ == "__main__":
    main()

"""Search base blocks for shared crossbars and keep those that beat the constructions.

Writes ``src/hopscape/papers/blockdesign/shared_covers.json``. Results of the search itself go to
``--resume``, so that it can be stopped and goes on.

    python benchmarks/shared_covers.py --write --resume cells.jsonl
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hopscape.papers.blockdesign.shared_covers import KEPT, kept_covers
from hopscape.papers.blockdesign.shared_search import cell_rows
from hopscape.store import Store


def main() -> None:
    """Search all cells, or some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--radix", type=int, nargs=2, default=(2, 44))
    parser.add_argument("--crossbars", type=int, default=4)
    parser.add_argument("--ways", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--resume", type=Path, default=None)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kept = dict(kept_covers())
    low, high = options.radix
    with Store(options.resume) as store:
        rows = cell_rows(
            range(low, high + 1), range(1, options.crossbars + 1), range(1, options.ways + 1),
            steps=options.steps, seed=options.seed, resume=store, workers=options.workers,
        )  # fmt: skip
        for row in rows:
            if row["bases"] is None:
                continue
            key = row["radix"], row["crossbars"], row["ways"]
            print(*key, row["supernodes"], "of", row["at_most"])
            kept[key] = tuple(row["group"]), tuple(map(tuple, row["bases"]))
    if options.write:
        names = ("radix", "crossbars", "ways")
        lines = [
            json.dumps(dict(zip(names, key, strict=True)) | {"group": group, "bases": bases})
            for key, (group, bases) in sorted(kept.items())
        ]
        KEPT.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()

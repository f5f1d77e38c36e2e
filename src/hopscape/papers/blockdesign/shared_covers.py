"""Base blocks of shared crossbars, found by search and kept in ``shared_covers.json``.

``python benchmarks/shared_covers.py --write`` searches again.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

__all__ = ["KEPT", "kept_covers"]

KEPT = Path(__file__).with_name("shared_covers.json")

Bases = tuple[tuple[int, ...], ...]


@cache
def kept_covers() -> dict[tuple[int, int, int], tuple[tuple[int, ...], Bases]]:
    """Group and base blocks by M, c and w.

    Examples:
        >>> moduli, bases = kept_covers()[4, 2, 1]
        >>> moduli, len(bases)
        ((5, 5), 2)
    """
    if not KEPT.exists():
        return {}
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    return {
        (row["radix"], row["crossbars"], row["ways"]): (
            tuple(row["group"]),
            tuple(tuple(base) for base in row["bases"]),
        )
        for row in rows
    }

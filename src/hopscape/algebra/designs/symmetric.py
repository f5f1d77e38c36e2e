"""Symmetric designs B(N, m, σ): built, verified, and read from files."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from hopscape.algebra.designs.constructions import (
    Construction,
    Design,
    check_parameters,
    constructions,
)
from hopscape.algebra.designs.existence import existence
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.memory import require_memory
from hopscape.core.reading import TextFile, load_json
from hopscape.core.verdict import Verdict

__all__ = [
    "Construction",
    "Design",
    "check_design",
    "check_parameters",
    "constructions",
    "make_design",
    "read_blocks",
]


def check_design(blocks: IntArray, points: int | None = None, sigma: int | None = None) -> Verdict:
    """Are these the blocks of a symmetric design (of any σ, unless one is wanted)?

    Args:
        blocks: int array (N, m)
        points: Number of elements, when it is not the number of blocks.

    Returns:
        Verdict: `details` has N, m, sigma; `where` the first block, element or pair that is wrong.

    Examples:
        >>> from hopscape.algebra.designs.difference import singer
        >>> print(check_design(singer(2).blocks()))
        holds: 7 blocks of 3 of 7 elements, every pair in 1
    """
    table = np.asarray(blocks)
    if table.ndim != 2 or table.size == 0 or table.dtype.kind not in "iu":
        return Verdict(False, "blocks must be lists of integers of one length")
    count, size = table.shape
    total = count if points is None else points
    if total != count:
        return Verdict(False, f"{count} blocks but {total} elements", {"blocks": count})
    if table.min() < 0 or table.max() >= total:
        b = int(np.argmax(((table < 0) | (table >= total)).any(axis=1)))
        return Verdict(False, f"block {b} has an element beyond 0..{total - 1}", {"block": b})
    ordered = np.sort(table, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        b = int(twice.argmax())
        return Verdict(False, f"block {b} holds an element twice", {"block": b})
    often = np.bincount(ordered.ravel(), minlength=total)
    if (often != size).any():
        x = int(np.argmax(often != size))
        text = f"element {x} is in {int(often[x])} blocks, not {size}"
        return Verdict(False, text, {"element": x})
    return _check_pairs(ordered, sigma)


def _check_pairs(ordered: IntArray, sigma: int | None) -> Verdict:
    """Count, for every element, how often it meets each other."""
    count, size = ordered.shape
    by_element = np.argsort(ordered.ravel(), kind="stable") // size
    block_of = by_element.reshape(count, size)
    wanted = sigma
    if wanted is None:
        row = np.bincount(ordered[block_of[0]].ravel(), minlength=count)
        wanted = int(row[1]) if count > 1 else size
    for x in range(count):
        row = np.bincount(ordered[block_of[x]].ravel(), minlength=count)
        row[x] = wanted
        if (row != wanted).any():
            y = int(np.argmax(row != wanted))
            text = f"elements {x} and {y} are together in {int(row[y])} blocks, not {wanted}"
            return Verdict(False, text, {"pair": [x, y], "times": int(row[y])})
    return Verdict(
        True,
        f"{count} blocks of {size} of {count} elements, every pair in {wanted}",
        details={"N": count, "m": size, "sigma": wanted},
    )


@lru_cache(maxsize=16)
def make_design(n: int, m: int, sigma: int) -> Design:
    """Build B(N, m, σ) and check it.

    A developed difference set is checked by its differences, which is a proof; other designs pair
    by pair.

    Raises:
        ArgumentError: When the parameters are wrong, the design is impossible (with the reason), or
            none is known.

    Examples:
        >>> make_design(7, 4, 2).how
        'complement of: Singer, projective plane of order 2'
    """
    check_parameters(n, m, sigma)
    require_memory(32 * n * m, f"B({n}, {m}, {sigma})")
    for construction in constructions(n, m, sigma):
        design = construction.build()
        verdict = (
            design.base.check(sigma)
            if design.base is not None
            else check_design(design.blocks, n, sigma)
        )
        if not verdict:  # a bug of this module, never of the caller
            raise AssertionError(f"B({n}, {m}, {sigma}) by {construction.how}: {verdict.reason}")
        return design
    found = existence(n, m, sigma)
    words = "does not exist" if found.status == "impossible" else "is not known to exist"
    raise ArgumentError(f"B({n}, {m}, {sigma}) {words}: {found.reason}")


def read_blocks(path: str | Path) -> tuple[list[list[int]], int]:
    """Blocks from a text file: a line per block, or a square matrix of 0 and 1.

    Returns:
        blocks: list of lists, counting from 0
        first (int): The number that the file gives to the first element (0 or 1).
    """
    if Path(path).suffix == ".json":
        rows = _json_blocks(path)
    else:
        lines = TextFile(path).lines("#")
        bare = (replace(line, text=line.text.split("#")[0]) for line in lines)
        rows = [[w.integer("an element", 0, 2**31) for w in line.words()] for line in bare]
    if not rows:
        raise FileFormatError(f"{path} holds no blocks")
    if all(len(row) == len(rows) and set(row) <= {0, 1} for row in rows) and len(rows) > 2:
        return [[j for j, x in enumerate(row) if x] for row in rows], 0
    least = min((min(row) for row in rows if row), default=0)
    most = max((max(row) for row in rows if row), default=0)
    first = 1 if least == 1 and most == len(rows) else 0
    return [[x - first for x in row] for row in rows], first


def _json_blocks(path: str | Path) -> list[list[int]]:
    data = load_json(path)
    rows = data.get("blocks") if isinstance(data, dict) else data
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise FileFormatError(f"{path} does not hold blocks: it needs a list of lists of integers")
    for row in rows:
        for x in row:
            if type(x) is not int or not 0 <= x <= 2**31:
                raise FileFormatError(
                    f"{path}: an element of a block is {x!r:.40}; it must be an integer from 0"
                )
    return rows

"""Search for base blocks: more supernodes for M, c and w than the constructions join.

Annealing in the cyclic group of every order between what is built and the bound, the largest
first; where planes leave ports over, with the difference set of a plane in every block, which
needs the rest of the elements only for the second and third way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Unpack

import numpy as np

from hopscape.algebra.fields import prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.papers.blockdesign.covers import abelian_groups, difference_cover
from hopscape.papers.blockdesign.difference_sets import AbelianGroup, singer
from hopscape.papers.blockdesign.sharing import BlockCell, cell, check_sharing, develop
from hopscape.store import Task, Work, run_tasks

__all__ = ["cell_rows", "improve_cell"]

_HOT, _COLD = 1.2, 0.12
_MOST_PLAIN = 12, 400
"""Elements of a block and points up to which all elements are looked for: beyond, annealing finds
less than transversal designs give."""
_FEW = 160, 1_500_000
"""Points up to which a perfect sharing is also searched for exhaustively in every group, and the
steps of that: some tenths of a second."""


def _anneal(
    order: int, start: IntArray, free: IntArray, ways: int, steps: int, seed: Sequence[int]
) -> list[list[int]] | None:
    """Base blocks of the cyclic group with every difference often enough, or None."""
    from hopscape.papers.blockdesign.shared_kernels import anneal_blocks

    every = np.arange(order)
    table = AbelianGroup((order,)).subtract(every[:, None], every[None, :]).astype(np.int32)
    generator = np.random.default_rng(list(seed))
    blocks = start.copy()
    for b in range(len(blocks)):
        places = free[free[:, 0] == b, 1]
        fixed = np.delete(blocks[b], places)
        blocks[b, places] = generator.choice(np.setdiff1d(every, fixed), len(places), replace=False)
    moves = generator.integers(0, 1 << 30, size=(steps, 3))
    luck = generator.random(steps)
    short = anneal_blocks(blocks, free, table, ways, moves, luck, np.array([_HOT, _COLD]))
    return None if short else np.sort(blocks, axis=1).tolist()


def _plain(order: int, radix: int, crossbars: int, ways: int, *more: Any) -> Any:
    """All elements of all blocks but one each are free."""
    start = np.zeros((crossbars, radix), dtype=np.int64)
    free = np.array([(b, i) for b in range(crossbars) for i in range(1, radix)])
    return _anneal(order, start, free, ways, *more)


def _planes(q: int, radix: int, crossbars: int, ways: int, *more: Any) -> Any:
    """Every block holds the difference set of a plane; the others are free."""
    start = np.zeros((crossbars, radix), dtype=np.int64)
    start[:, : q + 1] = singer(q).elements
    free = np.array([(b, i) for b in range(crossbars) for i in range(q + 1, radix)])
    return _anneal(q * q + q + 1, start, free, ways, *more)


def improve_cell(
    radix: int, crossbars: int, ways: int, built: int, most: int, steps: int, seed: int
) -> dict[str, Any]:
    """More points than `built` for one M, c and w, in plain values.

    Args:
        built, most: What is known: so many points, and no more.
        steps: Of each annealing run; there are about a dozen.

    Returns:
        dict: ``points``, ``moduli`` and ``bases``; the bases are None where nothing was found.
    """
    best: tuple[int, tuple[int, ...], Any] = (built, (), None)
    if most > built and most <= _FEW[0] and most > radix:
        for moduli in abelian_groups(most):
            cover = difference_cover(
                most, radix, blocks=crossbars, ways=ways, moduli=moduli, budget=_FEW[1]
            )
            if cover.elements is not None:
                return _found(most, moduli, [list(block) for block in cover.blocks])
    if ways > crossbars:
        for q in range(radix - 2, 1, -1):
            points = q * q + q + 1
            if prime_power(q) is None or points > most:
                continue
            if points <= best[0]:
                break
            bases = _planes(q, radix, crossbars, ways, steps, (seed, radix, crossbars, ways, q))
            if bases is not None:
                best = points, (points,), bases
    if radix <= _MOST_PLAIN[0]:
        low, high = max(best[0], radix), min(most, _MOST_PLAIN[1]) + 1
        while high - low > 1:  # what is found falls with the order, about
            middle = (low + high) // 2
            more = (steps, (seed, radix, crossbars, ways, middle))
            bases = _plain(middle, radix, crossbars, ways, *more)
            if bases is None:
                high = middle
            else:
                low, best = middle, (middle, (middle,), bases)
    return _found(*best)


def _found(points: int, moduli: tuple[int, ...], bases: Any) -> dict[str, Any]:
    return {"points": points, "moduli": list(moduli), "bases": bases}


def cell_rows(
    radices: Sequence[int],
    crossbars: Sequence[int],
    ways: Sequence[int],
    *,
    steps: int = 0,
    seed: int = 0,
    **work: Unpack[Work],
) -> Iterator[dict[str, Any]]:
    """What is known of every M, c and w, and with `steps` what a search finds beyond it.

    Args:
        radices, crossbars, ways: All combinations of these.
        steps: Annealing steps of each run; 0: no search.
        **work: ``resume``, ``workers``, ``dask``: where results are kept, and who searches.

    Examples:
        >>> [row] = cell_rows([8], [1], [1])
        >>> row["supernodes"], row["at_most"], row["status"]
        (57, 57, 'built')
    """
    cells = [cell(m, c, w) for m in radices for c in crossbars for w in ways]
    if not steps:
        yield from (_row(known, known.built, known.how, None) for known in cells)
        return
    tasks = [
        Task.of(
            improve_cell,
            (known.radix, known.crossbars, known.ways, known.built, known.most, steps, seed),
            12 * steps * 1e-6 * known.radix if known.built < known.most else 0.0,
            f"crossbars of {known.radix}, {known.crossbars} each, {known.ways} ways",
        )
        for known in cells
    ]
    done = run_tasks(
        tasks, improve_cell, work.get("resume"), processes=work.get("workers"),
        dask=work.get("dask"), text="searching base blocks",
    )  # fmt: skip
    for known, (_, result) in zip(cells, done, strict=True):
        bases = result["bases"]
        if bases is None:
            yield _row(known, known.built, known.how, None)
            continue
        group = AbelianGroup(result["moduli"])
        how = f"{len(bases)} base blocks of {known.radix} elements of {group}, found by this search"
        blocks = develop(tuple(result["moduli"]), bases)
        sizes = known.radix, known.crossbars, known.ways
        verdict = check_sharing(blocks, result["points"], *sizes)
        if not verdict:
            raise ArgumentError(f"a result that was kept is wrong: {verdict.reason}")
        yield _row(known, result["points"], how, result)


def _row(known: BlockCell, points: int, how: str, found: dict[str, Any] | None) -> dict[str, Any]:
    status = known.status if points == known.built else "bounded"
    if points == known.most:
        status = "built" if known.why.startswith("counting:") else "refuted"
    return {
        "radix": known.radix,
        "crossbars": known.crossbars,
        "ways": known.ways,
        "supernodes": points,
        "at_most": known.most,
        "share": points / known.most,
        "status": status,
        "how": how,
        "why": known.why,
        "group": None if found is None else found["moduli"],
        "bases": None if found is None else found["bases"],
    }

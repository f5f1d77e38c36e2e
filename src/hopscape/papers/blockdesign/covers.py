"""Difference covers: blocks of an abelian group whose differences are the whole group.

A cover develops into a partial switch: every two endpoints share at least one crossbar. Several
blocks are several crossbars for every endpoint; with `ways`, every two endpoints share so many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from hopscape.algebra.fields import prime_factors
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.processes import require_memory
from hopscape.papers.blockdesign.cover_search import search_cover
from hopscape.papers.blockdesign.designs import constructions, existence
from hopscape.papers.blockdesign.difference_sets import AbelianGroup, DifferenceSet

__all__ = [
    "BUDGET",
    "Cover",
    "abelian_groups",
    "difference_cover",
    "find_cover",
    "largest_cover",
    "wichmann_ruler",
]

BUDGET = 300_000_000
"""Steps of a search, about a minute."""

_QUICK = 2000  # steps in plain Python: some milliseconds, where the kernel must be imported first
_TO_BUILD = 20_000_000  # steps of the kernel, for all groups together, before a network is given up


@dataclass(frozen=True)
class Cover:
    """What a search for a difference cover found.

    Attributes:
        moduli: The group.
        size: Elements of a block.
        elements: The elements of all blocks, one after the other; None when there is no cover.
        proved: Found, or excluded: by counting, by a theorem or by exhaustion.
        steps: Steps of the search.
    """

    moduli: tuple[int, ...]
    size: int
    elements: tuple[int, ...] | None
    proved: bool
    reason: str
    steps: int = 0

    @property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The blocks."""
        assert self.elements is not None
        starts = range(0, len(self.elements), self.size)
        return tuple(self.elements[i : i + self.size] for i in starts)

    def difference_set(self) -> DifferenceSet:
        """The elements of the only block with their differences."""
        (block,) = self.blocks
        how = f"difference cover of {AbelianGroup(self.moduli)} by {self.size} elements"
        return DifferenceSet(self.moduli, block, how)

    @property
    def multiplicities(self) -> dict[int, int]:
        """How often each element other than 0 is a difference of two elements of a block."""
        parts = [DifferenceSet(self.moduli, block).multiplicities for block in self.blocks]
        total = np.sum(parts, axis=0)
        return {d: int(total[d]) for d in range(1, len(total))}


def difference_cover(
    order: int,
    size: int,
    *,
    blocks: int = 1,
    ways: int = 1,
    moduli: tuple[int, ...] | None = None,
    budget: int = BUDGET,
) -> Cover:
    """Search for a difference cover, to the end where the budget allows.

    Args:
        order: Number of elements of the group.
        size: Number of elements of a block, at most `order`.
        blocks: Number of blocks.
        ways: How often each element other than 0 must be a difference, at least.
        moduli: The group as a product of cyclic ones; Z_order when left out.
        budget: Most steps of the search.

    Examples:
        >>> cover = difference_cover(39, 7)
        >>> len(cover.elements), cover.difference_set().doubled
        (7, (1, 2, 37, 38))
        >>> difference_cover(42, 7).reason
        'exhausted: no 7 elements of Z42 have all differences'
        >>> difference_cover(25, 4, blocks=2).reason
        'exhausted: no 2 blocks of 4 elements of Z25 have all differences'
        >>> difference_cover(37, 4, blocks=3).blocks
        ((0, 1, 3, 24), (0, 4, 9, 15), (0, 7, 17, 25))
    """
    group = moduli if moduli is not None else (order,)
    for name, value in (("N", order), ("m", size), ("blocks", blocks), ("ways", ways)):
        if value < 1:
            raise ArgumentError(f"{name} is {value}; it must be at least 1")
    if size > order:
        raise ArgumentError(f"m is {size}; {order} elements have no subset of that size")
    if budget < 1:
        raise ArgumentError(f"budget is {budget}; it must be at least 1")
    if min(group) < 1 or prod(group) != order:
        text = " × ".join(f"Z{x}" for x in group)
        raise ArgumentError(f"the group {text} does not have {order} elements")
    most = blocks * size * (size - 1)
    if ways * (order - 1) > most:
        text = f"{_noun(size, blocks)} have at most {most} differences, {ways * (order - 1)} are"
        return Cover(group, size, None, True, f"{text} needed")
    if order == most + 1 and (blocks, ways) == (1, 1) and size > 1:
        known = existence(order, size, 1)
        if known.status == "impossible":
            return Cover(group, size, None, True, known.reason)
    require_memory(12 * order * order, f"the differences of {order} elements")
    every = np.arange(order)
    table = AbelianGroup(group).subtract(every[:, None], every[None, :]).astype(np.int32)
    elements_found, steps = _search(table, size, blocks, ways, len(group) == 1, budget)
    if elements_found[0] >= 0:
        elements = tuple(int(x) for x in elements_found)
        if blocks == 1:
            elements = _best_form(group, elements)
        return Cover(group, size, elements, True, "found", steps)
    if steps > budget:
        return Cover(group, size, None, False, f"not found in {budget} steps", steps)
    often = "" if ways == 1 else f" {ways} times"
    text = f"no {_noun(size, blocks)} of {AbelianGroup(group)} have all differences{often}"
    return Cover(group, size, None, True, f"exhausted: {text}", steps)


def _noun(size: int, blocks: int) -> str:
    return f"{size} elements" if blocks == 1 else f"{blocks} blocks of {size} elements"


def _search(
    table: IntArray,
    size: int,
    blocks: int,
    multiplicity: int,
    gaps: bool,
    budget: int,
) -> tuple[IntArray, int]:
    """Short searches in plain Python, which spares loading the compiler; long ones compiled."""
    elements, steps = search_cover(table, size, blocks, multiplicity, gaps, min(_QUICK, budget))
    if steps <= _QUICK or budget <= _QUICK:
        return elements, int(steps)
    from hopscape.papers.blockdesign import cover_kernels

    elements, steps = cover_kernels.search_cover(table, size, blocks, multiplicity, gaps, budget)
    return elements, int(steps)


def _best_form(moduli: tuple[int, ...], elements: tuple[int, ...]) -> tuple[int, ...]:
    """Multiply by the unit that makes the doubled differences of a cyclic cover least."""
    base = DifferenceSet(moduli, elements)
    if len(moduli) > 1 or not base.doubled:
        return elements
    order = moduli[0]
    forms = []
    for unit in range(1, order):
        if np.gcd(unit, order) == 1:
            moved = tuple(sorted(unit * x % order for x in elements))
            forms.append((DifferenceSet(moduli, moved).doubled, moved))
    doubled, _ = min(forms)
    return min(
        tuple(sorted((x - shift) % order for x in moved))
        for twice, moved in forms
        if twice == doubled
        for shift in moved
    )


def wichmann_ruler(marks: int) -> tuple[int, ...]:
    """The longest ruler of Wichmann with so many marks: it measures every length up to its own.

    B. Wichmann, A note on restricted difference bases, J. London Math. Soc. 38 (1963) 465: gaps
    1^r, r+1, (2r+1)^r, (4r+3)^s, (2r+2)^(r+1), 1^r; the length grows as a third of the square of
    the marks. With up to seven marks a longer one, found by search.

    Examples:
        >>> wichmann_ruler(8), wichmann_ruler(4)
        ((0, 1, 3, 6, 13, 17, 21, 22), (0, 1, 4, 6))
    """
    small = {
        1: (0,),
        2: (0, 1),
        3: (0, 1, 3),
        4: (0, 1, 4, 6),
        5: (0, 1, 2, 6, 9),
        6: (0, 1, 2, 6, 10, 13),
        7: (0, 1, 2, 3, 8, 13, 17),
    }
    if marks in small:
        return small[marks]
    best: tuple[int, ...] = ()
    for r in range(marks // 4 + 1):
        s = marks - 4 * r - 3
        if s >= 0:
            gaps = [1] * r + [r + 1] + [2 * r + 1] * r + [4 * r + 3] * s
            gaps += [2 * r + 2] * (r + 1) + [1] * r
            best = max(best, (0, *np.cumsum(gaps).tolist()), key=lambda ruler: ruler[-1:])
    return best


@lru_cache(maxsize=64)
def find_cover(order: int, size: int) -> Cover:
    """A cover of any abelian group of this order, found soon or not at all.

    A plane's difference set; what a short search finds; a ruler that measures all lengths up to
    half the order; or a search of some seconds.
    """
    if order == size * (size - 1) + 1:
        for construction in constructions(order, size, 1):
            base = construction.build().base
            if base is not None:
                return Cover(base.moduli, size, base.elements, True, base.how)
    first = difference_cover(order, size, budget=_QUICK)
    if first.elements is not None:
        return first
    ruler = wichmann_ruler(size)
    if 2 * ruler[-1] + 1 >= order:
        return Cover((order,), size, _on_circle(ruler, order), True, "Wichmann's ruler")
    last = first
    groups = list(abelian_groups(order))
    for moduli in groups:
        last = difference_cover(order, size, moduli=moduli, budget=_TO_BUILD // len(groups))
        if last.elements is not None or last.steps == 0:
            return last
    return last


def _on_circle(ruler: tuple[int, ...], order: int) -> tuple[int, ...]:
    """The marks modulo the order; where two fall together, the next free numbers instead."""
    marks = sorted({x % order for x in ruler})
    free = (x for x in range(order) if x not in set(marks))
    return tuple(sorted(marks + [next(free) for _ in range(len(ruler) - len(marks))]))


def abelian_groups(order: int) -> Iterator[tuple[int, ...]]:
    """All abelian groups of an order, up to isomorphism, the cyclic one first.

    Examples:
        >>> list(abelian_groups(12)), len(list(abelian_groups(16)))
        ([(12,), (2, 6)], 5)
    """
    choices = [
        [[p**e for e in part] for part in _partitions(exponent)]
        for p, exponent in prime_factors(order).items()
    ]
    if not choices:
        yield (order,)
        return
    for combination in product(*choices):
        width = max(len(powers) for powers in combination)
        factors = [1] * width
        for powers in combination:
            for i, power in enumerate(sorted(powers, reverse=True)):
                factors[i] *= power
        yield tuple(sorted(factors))


def _partitions(n: int, most: int | None = None) -> Iterator[list[int]]:
    if n == 0:
        yield []
        return
    for part in range(min(n, most or n), 0, -1):
        for rest in _partitions(n - part, part):
            yield [part, *rest]


def largest_cover(
    size: int, *, blocks: int = 1, ways: int = 1, budget: int = BUDGET
) -> tuple[Cover, list[Cover]]:
    """The largest group with a cover of this size, and what was excluded above it.

    Where an exclusion is not proved, the search was cut short by the budget.

    Examples:
        >>> best, excluded = largest_cover(5)
        >>> best.moduli, best.elements, excluded
        ((21,), (0, 1, 4, 14, 16), [])
    """
    if size < 2:
        raise ArgumentError(f"m is {size}; it must be at least 2")
    if blocks < 1 or ways < 1:
        raise ArgumentError(f"blocks is {blocks} and ways is {ways}; both must be at least 1")
    excluded: list[Cover] = []
    top = blocks * size * (size - 1) // ways + 1
    require_memory(12 * top * top, f"the differences of {top} elements")
    for order in range(top, size - 1, -1):
        if (blocks, ways) == (1, 1) and order == top:
            cover = find_cover(order, size)
            if cover.elements is not None:
                return cover, excluded
            excluded.append(cover)
            continue
        for moduli in abelian_groups(order):
            cover = difference_cover(
                order, size, blocks=blocks, ways=ways, moduli=moduli, budget=budget
            )
            if cover.elements is not None:
                return cover, excluded
            excluded.append(cover)
    raise ArgumentError(
        f"no group is covered {ways} times by {_noun(size, blocks)}: ways is too large"
    )

"""Difference covers: m elements of an abelian group whose differences are the whole group.

A cover develops into a partial switch: every two endpoints share at least one crossbar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.fields import prime_factors
from hopscape.families.blockdesign.designs import constructions
from hopscape.families.blockdesign.difference import AbelianGroup, DifferenceSet
from hopscape.families.blockdesign.existence import existence

__all__ = ["Cover", "abelian_groups", "difference_cover", "find_cover", "largest_cover"]

_BUDGET = 2_000_000_000


@dataclass(frozen=True)
class Cover:
    """What a search for a difference cover found.

    Attributes
    ----------
    moduli : tuple of int
        The group.
    size : int
    elements : tuple of int or None
        None when there is none.
    proved : bool
        Found, or excluded: by counting, by a theorem or by exhaustion.
    reason : str
    steps : int
        Steps of the search.
    """

    moduli: tuple[int, ...]
    size: int
    elements: tuple[int, ...] | None
    proved: bool
    reason: str
    steps: int = 0

    def difference_set(self) -> DifferenceSet:
        """The elements with their differences."""
        assert self.elements is not None
        how = f"difference cover of {AbelianGroup(self.moduli)} by {self.size} elements"
        return DifferenceSet(self.moduli, self.elements, how)


def difference_cover(
    order: int, size: int, *, moduli: tuple[int, ...] | None = None, budget: int = _BUDGET
) -> Cover:
    """Search for a difference cover, to the end where the budget allows.

    Parameters
    ----------
    order : int
        Number of elements of the group.
    size : int
        Number of elements of the cover.
    moduli : tuple of int, optional
        The group as a product of cyclic ones; Z_order when left out.
    budget : int
        Most steps of the search.

    Examples
    --------
    >>> cover = difference_cover(39, 7)
    >>> len(cover.elements), cover.difference_set().doubled
    (7, (1, 2, 37, 38))
    >>> difference_cover(42, 7).reason
    'exhausted: no 7 elements of Z42 have all differences'
    """
    group = moduli if moduli is not None else (order,)
    if AbelianGroup(group).order != order:
        raise ArgumentError(f"the group {AbelianGroup(group)} does not have {order} elements")
    if size < 1 or order < 1:
        raise ArgumentError(f"size {size} and order {order} must be at least 1")
    most = size * (size - 1) + 1
    if order > most:
        text = f"{size} elements have at most {most - 1} differences, {order - 1} are needed"
        return Cover(group, size, None, True, text)
    if order == most and size > 1 and existence(order, size, 1).status == "impossible":
        return Cover(group, size, None, True, existence(order, size, 1).reason)
    from hopscape.families.blockdesign.cover_kernels import search_cover

    every = np.arange(order)
    table = AbelianGroup(group).subtract(every[:, None], every[None, :]).astype(np.int32)
    size = min(size, order)
    found, steps = search_cover(table, size, budget)
    name = str(AbelianGroup(group))
    if found[0] >= 0:
        elements = _best_form(group, tuple(int(x) for x in found))
        return Cover(group, size, elements, True, "found", int(steps))
    if steps > budget:
        return Cover(group, size, None, False, f"not found in {budget} steps", int(steps))
    text = f"exhausted: no {size} elements of {name} have all differences"
    return Cover(group, size, None, True, text, int(steps))


def _best_form(moduli: tuple[int, ...], elements: tuple[int, ...]) -> tuple[int, ...]:
    """Multiply by the unit that makes the doubled differences of a cyclic cover least."""
    base = DifferenceSet(moduli, elements)
    if len(moduli) > 1 or not base.doubled or base.multiplicities[1:].max() == 1:
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


@lru_cache(maxsize=64)
def find_cover(order: int, size: int) -> Cover:
    """A cover of any abelian group of this order: a plane's difference set, or searched."""
    if order == size * (size - 1) + 1:
        for way in constructions(order, size, 1):
            base = way.build().base
            if base is not None:
                return Cover(base.moduli, size, base.elements, True, base.how)
    last: Cover | None = None
    for moduli in abelian_groups(order):
        last = difference_cover(order, size, moduli=moduli)
        if last.elements is not None:
            return last
    assert last is not None
    return last


def abelian_groups(order: int) -> Iterator[tuple[int, ...]]:
    """All abelian groups of an order, up to isomorphism, the cyclic one first.

    Examples
    --------
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


def largest_cover(size: int, *, budget: int = _BUDGET) -> tuple[Cover, list[Cover]]:
    """The largest group with a cover of this size, and what was excluded above it.

    Examples
    --------
    >>> best, excluded = largest_cover(5)
    >>> best.moduli, best.elements, excluded
    ((21,), (0, 1, 4, 14, 16), [])
    """
    if size < 2:
        raise ArgumentError(f"size is {size}; it must be at least 2")
    excluded: list[Cover] = []
    for order in range(size * (size - 1) + 1, 1, -1):
        if order == size * (size - 1) + 1:
            found = find_cover(order, size)
            if found.elements is not None:
                return found, excluded
            excluded.append(found)
            continue
        for moduli in abelian_groups(order):
            found = difference_cover(order, size, moduli=moduli, budget=budget)
            if found.elements is not None:
                return found, excluded
            excluded.append(found)
    raise AssertionError("every size covers a group of two elements")

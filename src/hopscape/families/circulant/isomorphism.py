"""Circulants that are the same up to a multiplier: v -> u·v mod N for a unit u."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hopscape.core.errors import ArgumentError, TooLargeError

__all__ = ["canonical", "find_multiplier", "fold"]

_MOST_UNITS = 10**6


def fold(nodes: int, generators: Sequence[int]) -> tuple[int, ...]:
    """The generators between 1 and N/2, sorted: s and N - s are the same links.

    Examples:
        >>> fold(21, (1, 13, 3))
        (1, 3, 8)
    """
    folded = sorted(min(s % nodes, -s % nodes) for s in generators)
    if folded and folded[0] == 0:
        raise ArgumentError(f"a generator of {tuple(generators)} is 0 mod N = {nodes}")
    return tuple(folded)


def find_multiplier(nodes: int, generators: Sequence[int], others: Sequence[int]) -> int | None:
    """The least unit u with u·(±S) = ±S' mod N, or None when there is none.

    Without a common multiplier two circulants can still be isomorphic for some orders, so None does
    not prove that they differ.

    Examples:
        >>> find_multiplier(21, (1, 4, 6), (1, 5, 9))
        5
        >>> find_multiplier(21, (1, 3, 8), (1, 2, 3)) is None
        True
    """
    mine, theirs = fold(nodes, generators), fold(nodes, others)
    if len(mine) != len(theirs):
        return None
    if sorted(math.gcd(s, nodes) for s in mine) != sorted(math.gcd(s, nodes) for s in theirs):
        return None
    if not mine:
        return 1
    pivot = min(mine, key=lambda s: math.gcd(s, nodes))
    found = (
        min(u, nodes - u)
        for target in set(theirs)
        for u in _units(nodes, pivot, target)
        if fold(nodes, [u * s for s in mine]) == theirs
    )
    return min(found, default=None)


def canonical(nodes: int, generators: Sequence[int]) -> tuple[int, ...]:
    """The first, in lexicographic order, of all folded generator sets up to multipliers.

    Examples:
        >>> canonical(21, (5, 8, 2)), canonical(12, (2, 3))
        ((1, 2, 5), (2, 3))
    """
    folded = fold(nodes, generators)
    if not folded:
        return ()
    least = min(math.gcd(s, nodes) for s in folded)
    return min(
        fold(nodes, [u * s for s in folded])
        for s in set(folded)
        if math.gcd(s, nodes) == least
        for u in _units(nodes, s, least % nodes)
    )


def _units(nodes: int, source: int, target: int) -> Iterator[int]:
    """All units u with u·source ≡ target mod N; u and -u give the same set."""
    g = math.gcd(source, nodes)
    if g != math.gcd(target, nodes):
        return
    if g > _MOST_UNITS:
        raise TooLargeError(
            f"comparing generators of {nodes} nodes needs {g} multipliers;"
            f" at most {_MOST_UNITS} are tried"
        )
    step = nodes // g
    first = (target // g) * pow(source // g, -1, step) % step if step > 1 else 0
    for u in range(first, nodes, step) if step > 1 else range(nodes):
        if math.gcd(u, nodes) == 1:
            yield u

"""The order/radix problem: terminals and the ports of a switch are given, switches are not."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Unpack

from hopscape.core.errors import ArgumentError
from hopscape.metrics.cost import moore_mean_distance
from hopscape.search.graph.problem import Problem
from hopscape.search.graph.result import GraphResult
from hopscape.search.graph.rounds import Options, best_graph

__all__ = ["best_switches", "switch_counts", "switched"]

_TRIED = 4
_FIRST = 0.4


def switched(terminals: int, radix: int, switches: int) -> Problem:
    """So many terminals spread evenly over so many switches.

    Examples:
        >>> switched(10, 6, 4).terminals
        (3, 3, 2, 2)
    """
    if terminals < 1 or switches < 1:
        raise ArgumentError(
            f"terminals is {terminals} and switches is {switches}; both must be at least 1"
        )
    each, more = divmod(terminals, switches)
    if each + (more > 0) > radix - (switches > 1):
        raise ArgumentError(
            f"{terminals} terminals do not fit at {switches} switches of {radix} ports"
        )
    spread = (each + 1,) * more + (each,) * (switches - more)
    return Problem(switches, radix, terminals=spread)


def switch_counts(terminals: int, radix: int) -> list[int]:
    """Numbers of switches worth a look: those with the least bound on the mean distance.

    Examples:
        >>> switch_counts(128, 24)
        [8, 9, 10, 11]
    """
    bounds: list[tuple[Fraction, int]] = []
    for count in range(1, terminals + 1):
        each = -(-terminals // count)
        degree = radix - each
        if count == 1 and terminals <= radix:
            return [1]
        if degree < 1 or (degree == 1 and count > 2):
            continue
        mean = moore_mean_distance(count, min(degree, count - 1))
        if mean is None:
            continue
        pairs = Fraction(terminals - Fraction(terminals, count), terminals - 1)
        bounds.append((2 + mean * pairs, count))
        if len(bounds) > _TRIED and mean > min(bounds)[0]:
            break
    if not bounds:
        raise ArgumentError(f"switches of {radix} ports cannot connect {terminals} terminals")
    return sorted(count for _, count in sorted(bounds)[:_TRIED])


def best_switches(
    terminals: int,
    radix: int,
    switches: int | None = None,
    *,
    effort: float,
    seconds: float | None = None,
    **options: Unpack[Options],
) -> GraphResult:
    """The network of least diameter, then least mean distance, between terminals.

    Args:
        terminals, radix: Terminals, and ports of each switch.
        switches: When left out, a few numbers are tried for a while and the best one for the rest.
        effort, seconds, **options: As for :func:`best_graph`.

    Examples:
        >>> found = best_switches(6, 4, 3, effort=0.2)
        >>> found.diameter, found.mean
        (3, Fraction(14, 5))
    """
    counts = [switches] if switches is not None else switch_counts(terminals, radix)
    problems = [switched(terminals, radix, count) for count in counts]
    search = partial(best_graph, **options)
    if len(problems) == 1:
        return search(problems[0], effort=effort, seconds=seconds)
    share = _FIRST * effort / len(problems)
    first: list[GraphResult] = []
    for problem in problems:
        first.append(search(problem, effort=share))
        if first[-1].interrupted:
            break
    best = min(first, key=lambda found: (found.diameter, found.mean))
    left = None if seconds is None else seconds - sum(found.seconds for found in first)
    if first[-1].interrupted or (left is not None and left <= 0):
        return best
    last = search(best.problem, effort=(1 - _FIRST) * effort, seconds=left)
    return min(best, last, key=lambda found: (found.diameter, found.mean))

"""Simulated annealing: the one loop of all searches that walk by small moves.

A search makes a move, measures how much worse it is, and takes it back if that is more than luck
allows at this temperature::

    for heat in geometric(hot, cold, steps):
        ...  # make a move
        if worse > 0 and worse > allowance(heat, luck):
            ...  # take it back

Temperatures, acceptance and pieces stand here; the moves, what they cost and the random numbers
belong to the search. Work is counted in moves, never in seconds, so a seed has one answer. Python
runs these functions as they are, kernels compile the same ones
(:mod:`hopscape.core.annealing_kernels`).

N. Metropolis et al., "Equation of state calculations by fast computing machines", 1953;
S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", 1983.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

__all__ = ["allowance", "geometric", "linear", "pieces"]

_LEAST_LUCK = 1e-300
"""Stands for a luck of 0, which some generators draw: its logarithm is finite."""


def geometric(hot: float, cold: float, steps: int) -> Iterator[float]:
    """A temperature for each step, falling by the same factor from one to the next.

    The last one is just above `cold`, so that the next piece of the search may begin there.

    Examples:
        >>> [round(heat, 3) for heat in geometric(8.0, 1.0, 3)]
        [8.0, 4.0, 2.0]
    """
    heat, fall = hot, (cold / hot) ** (1.0 / max(steps, 1))
    for _ in range(steps):
        yield heat
        heat *= fall


def linear(hot: float, cold: float, steps: int) -> Iterator[float]:
    """A temperature for each step, falling by the same amount; `cold` may be 0.

    Examples:
        >>> list(linear(4.0, 0.0, 4))
        [4.0, 3.0, 2.0, 1.0]
    """
    for step in range(steps):
        yield (hot - cold) * (1 - step / steps) + cold


def allowance(heat: float, luck: float) -> float:
    """How much worse a move may be.

    The rule of Metropolis, a move that is worse by w is taken with probability exp(-w / heat), told
    from the other end: what it may be worse by is known before it is measured, and measuring can
    stop there.

    Args:
        luck: A random number from 0 to 1.

    Examples:
        >>> round(allowance(2.0, 0.5), 3), allowance(0.0, 0.5) == 0
        (1.386, True)
    """
    return -heat * math.log(max(luck, _LEAST_LUCK))


def pieces(steps: int, most: int, hot: float, cold: float) -> Iterator[tuple[int, float, float]]:
    """A geometric schedule in pieces of at most `most` steps, between which a user may interrupt.

    Yields:
        steps, hot, cold: Of each piece.

    Examples:
        >>> list(pieces(25, 10, 8.0, 1.0))
        [(10, 8.0, 4.0), (10, 4.0, 2.0), (5, 2.0, 1.0)]
    """
    count = -(-steps // most)
    fall = (cold / hot) ** (1 / max(count, 1))
    for i in range(count):
        warm = hot * fall**i
        yield min(most, steps - i * most), warm, warm * fall

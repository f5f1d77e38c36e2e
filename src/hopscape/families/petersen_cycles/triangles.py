"""Packets that change places on a triangle: the fewest rounds, detours allowed."""

from __future__ import annotations

from functools import cache
from itertools import product

__all__ = ["triangle_plan"]

Demand = tuple[int, ...]
Move = tuple[int, int, int]
"""From, to, and where the packet finally goes."""

_PAIRS = ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
_INDEX = {pair: i for i, pair in enumerate(_PAIRS)}


def triangle_plan(demand: Demand, half: bool) -> tuple[tuple[Move, ...], ...]:
    """The shortest plan, one datum per message.

    Args:
        demand (tuple of 6 ints): Packets for the ordered pairs 01, 02, 10, 12, 20, 21.
        half: A link carries one packet per round; else one in each direction.

    Returns:
        tuple of rounds, each a tuple of moves (from, to, final)

    Examples:
        >>> [len(triangle_plan((3, 0, 3, 0, 0, 0), half)) for half in (True, False)]
        [3, 2]
    """
    rounds = 0
    while True:
        found = _plan(demand, rounds, half)
        if found is not None:
            return found
        rounds += 1


@cache
def _plan(demand: Demand, rounds: int, half: bool) -> tuple[tuple[Move, ...], ...] | None:
    """A plan of at most so many rounds, or None."""
    total = sum(demand)
    if total == 0:
        return ()
    if rounds == 0 or total > (3 if half else 6) * rounds:
        return None
    for x in range(3):
        out = sum(demand[_INDEX[x, y]] for y in range(3) if y != x)
        into = sum(demand[_INDEX[y, x]] for y in range(3) if y != x)
        if (out + into if half else max(out, into)) > 2 * rounds:
            return None
    for moves in _choices(demand, half):
        left = list(demand)
        for a, b, final in moves:
            left[_INDEX[a, final]] -= 1
            if b != final:
                left[_INDEX[b, final]] += 1
        rest = _plan(tuple(left), rounds - 1, half)
        if rest is not None:
            return (moves, *rest)
    return None


def _choices(demand: Demand, half: bool) -> list[tuple[Move, ...]]:
    """All sets of moves for one round, straight ones first."""
    lanes: list[list[Move | None]] = []
    directed: dict[tuple[int, int], list[Move | None]] = {}
    for a, b in _PAIRS:
        third = 3 - a - b
        moves: list[Move | None] = []
        if demand[_INDEX[a, b]]:
            moves.append((a, b, b))
        if demand[_INDEX[a, third]]:
            moves.append((a, b, third))
        directed[a, b] = moves
    if half:
        lanes = [[*directed[a, b], *directed[b, a], None] for a, b in ((0, 1), (0, 2), (1, 2))]
    else:
        lanes = [[*directed[pair], None] for pair in _PAIRS]
    found = []
    for choice in product(*lanes):
        moves_made = tuple(move for move in choice if move is not None)
        used: dict[tuple[int, int], int] = {}
        for a, _, final in moves_made:
            used[a, final] = used.get((a, final), 0) + 1
        if all(demand[_INDEX[pair]] >= count for pair, count in used.items()):
            found.append(moves_made)
    return found

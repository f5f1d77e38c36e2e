"""Few rounds for paths that are held as a whole and follow each other in waves.

Paths take the first round in which all their channels have room, in some order; then all are pushed
as late as they go, and as early again, time after time, which shortens plans of work that share
scarce machines (forward-backward improvement, Li and Willis 1992). Begun from orders by waves and
by what still follows, and from one wave whose paths are dealt out to the rounds of a period, which
is as short as its busiest channel allows if a search finds such a deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.progress import check_time

__all__ = ["HeldPaths", "pushed_rounds"]

_PASSES = 30
"""Times to and fro: five gain most, 30 now and then a round more, on seven machines."""
_WORK = 200_000_000
"""Channels of all paths times passes: two or three seconds."""
_DEALS, _MOVES = 3, 50_000
"""Lengths of a period that are tried, and moves of paths of each: one found is found at once."""
_SPACE = 50_000_000
"""Channels times rounds at most."""


class HeldPaths(NamedTuple):
    """Paths of channels that are held as a whole.

    Attributes:
        start (int64[paths + 1]): Path p holds ``channel[start[p]:start[p + 1]]``.
        channel: int64[...]
        before (int64[paths]): The path that must be held in an earlier round, or -1.
        room (int64[channels]): How many paths each channel takes in a round.
    """

    start: IntArray
    channel: IntArray
    before: IntArray
    room: IntArray


def pushed_rounds(held: HeldPaths, waves: int, tries: int = 0) -> IntArray | None:
    """A round for every path of so many waves, no channel beyond its room; None: too much work.

    Args:
        tries: Orders at random beside the others, as far as they are not too much work.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.forest_schedules import forest_plan
        >>> net = hopscape.build("dcell(3, 1)")
        >>> plan = forest_plan(net, 2).in_pieces(12)
        >>> held = HeldPaths(plan.start, plan.channel, plan.before, net.room())
        >>> int(pushed_rounds(held, 12).max()) < 139  # 12 · 11, and filling
        True
    """
    from hopscape.collectives.plan_kernels import heights, push_paths

    taken, channel = np.unique(held.channel, return_inverse=True)
    held = held._replace(channel=channel.astype(np.int64), room=held.room[taken])
    _, channel, before, room = held
    carried = -(-np.bincount(channel, minlength=len(room)) // room)
    least = max(int(carried.max()), int(heights(before).max()) + 1)
    total = 3 * least
    passes = min(_PASSES, _WORK // (4 * len(channel)))
    if passes < 2 or total * len(room) > _SPACE:
        return None
    best: IntArray | None = None
    generator = np.random.default_rng(0)
    tries = min(tries, _WORK // (4 * len(channel) * passes))
    for first in chain(_first_orders(held, waves), _random_orders(held.before, tries)):
        if best is not None and int(best.max()) + 1 <= least:
            break
        check_time("giving rounds to the paths")
        rounds = push_paths(*held, first, total, False)
        for _ in range(passes):
            if not len(rounds) or int(rounds.max()) + 1 <= least:
                break
            noise = generator.random(len(rounds))
            order = np.lexsort((noise, -rounds))
            rounds = push_paths(*held, order, int(rounds.max()) + 1, True)
            rounds = push_paths(*held, np.lexsort((noise, rounds)), total, False)
        if len(rounds) and (best is None or rounds.max() < best.max()):
            best = rounds
    return best


def _random_orders(before: IntArray, tries: int) -> Iterator[IntArray]:
    """Orders by what still follows, with noise; every path after the one before it."""
    from hopscape.collectives.plan_kernels import heights

    height, generator = heights(before), np.random.default_rng(1)
    for _ in range(tries):
        noise = generator.random(len(height)) * (height.max() + 1)
        late = height + noise  # whatever comes before a path is at least as urgent
        for p in np.argsort(height, kind="stable").tolist():
            if before[p] >= 0:
                late[before[p]] = max(late[before[p]], late[p])
        yield np.lexsort((-height, -late))


def _first_orders(held: HeldPaths, waves: int) -> Iterator[IntArray]:
    """Orders of all paths, each after the one before it."""
    from hopscape.collectives.plan_kernels import heights, settle_paths

    height, paths, room = heights(held.before), len(held.before) // waves, held.room
    wave = np.arange(len(height)) // paths
    yield np.lexsort((wave, -height))
    yield np.lexsort((-height, wave))
    before, start = held.before[:paths], held.start[: paths + 1]
    channel = held.channel[: start[-1]]
    least = int((-(-np.bincount(channel, minlength=len(room)) // room)).max())
    for period in range(least, least + _DEALS):
        slots = np.random.default_rng(period).integers(period, size=paths)
        if settle_paths(start, channel, room, slots, period, _MOVES, period):
            continue
        rounds = np.zeros(paths, dtype=np.int64)
        for p, prior in enumerate(before.tolist()):
            ready = rounds[prior] + 1 if prior >= 0 else 0
            rounds[p] = ready + (slots[p] - ready) % period
        yield np.argsort(np.tile(rounds, waves) + period * wave, kind="stable")
        return

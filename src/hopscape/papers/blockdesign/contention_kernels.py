"""Do packets want the same port? (numba)"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import kernel


@kernel
def count_conflicts(
    sources: IntArray,
    targets: IntArray,
    round_start: IntArray,
    options: IntArray,
    ports: int,
    half: bool,
    spread: bool,
) -> tuple[int, int, int, int]:
    """Send packets round by round, in order; a packet whose ports are taken is a conflict.

    Args:
        sources, targets: int64[packets]
        round_start (int64[rounds + 1]): All ports are free again at the start of a round.
        options (int32[rows, N, ways, 2]): See ``Ports.options``.
        half: A link carries one packet per round, either way; else one each way.
        spread: Try all ways of a pair; else the first only.

    Returns:
        conflicts, moving, first, other (int): Packets refused, packets that use the network at all,
            the first one refused and the one that holds its port (-1 when there is none).
    """
    order = options.shape[1]
    single = options.shape[0] == 1
    tried = options.shape[2] if spread else 1
    lanes = order * ports
    taken = np.full(lanes if half else 2 * lanes, -1, np.int64)
    shift = 0 if half else lanes
    conflicts, moving, first, other = 0, 0, -1, -1
    for r in range(len(round_start) - 1):
        low = round_start[r]
        for k in range(low, round_start[r + 1]):
            a, b = sources[k], targets[k]
            if a == b:
                continue
            moving += 1
            if single:
                row, column = 0, b - a
                if column < 0:
                    column += order
            else:
                row, column = a, b
            holder = -1
            done = False
            for w in range(tried):
                leave = options[row, column, w, 0]
                if leave < 0:
                    break
                out = a * ports + leave
                into = b * ports + options[row, column, w, 1] + shift
                if taken[out] >= low:
                    holder = taken[out]
                elif taken[into] >= low:
                    holder = taken[into]
                else:
                    taken[out] = k
                    taken[into] = k
                    done = True
                    break
            if not done:
                conflicts += 1
                if first < 0:
                    first, other = k, holder
    return conflicts, moving, first, other


@kernel
def count_blocked(
    starts: IntArray, lanes: IntArray, round_start: IntArray, count: int
) -> tuple[int, int, int, int]:
    """Send whole routes round by round, in order; one that meets a taken lane is a conflict.

    Args:
        starts (int64[packets + 1]): Where the lanes of each packet begin.
        lanes: int64[hops]
        round_start (int64[rounds + 1]): All lanes are free again at the start of a round.
        count: Number of lanes.

    Returns:
        conflicts, moving, first, other (int): As :func:`count_conflicts`.
    """
    taken = np.full(count, -1, np.int64)
    conflicts, moving, first, other = 0, 0, -1, -1
    for r in range(len(round_start) - 1):
        low = round_start[r]
        for k in range(low, round_start[r + 1]):
            if starts[k] == starts[k + 1]:
                continue
            moving += 1
            holder = -1
            for i in range(starts[k], starts[k + 1]):
                if taken[lanes[i]] >= low:
                    holder = taken[lanes[i]]
                    break
            if holder >= 0:
                conflicts += 1
                if first < 0:
                    first, other = k, holder
                continue
            for i in range(starts[k], starts[k + 1]):
                taken[lanes[i]] = k
    return conflicts, moving, first, other

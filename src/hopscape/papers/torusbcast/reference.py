"""Circuits, tiles and expansions by hand: slow, obvious, and without the code that they judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.schedule import Schedule

__all__ = [
    "Walked",
    "boxes",
    "ends_of",
    "lasting_cells",
    "matrix_power",
    "places_of",
    "star",
    "strangers",
    "sums",
    "tile_corners",
    "torus_distance",
    "walk_broadcast",
]

_AXES = "xyzwvtsr"


def star(dimension: int) -> IntArray:
    """The digits 0, ±e_i."""
    unit = np.eye(dimension, dtype=np.int64)
    return np.concatenate([unit[:1] * 0, unit, -unit])


def matrix_power(matrix: Sequence[Sequence[int]], power: int) -> IntArray:
    """B^k in integers."""
    out = np.eye(len(matrix), dtype=np.int64)
    for _ in range(power):
        out = out @ np.array(matrix, dtype=np.int64)
    return out


def sums(matrix: Sequence[Sequence[int]], digits: IntArray, places: Sequence[int]) -> IntArray:
    """All sums of B^k a_k with one digit for each of these places k."""
    out = np.zeros((1, len(matrix)), dtype=np.int64)
    for k in places:
        out = (out[:, None] + (digits @ matrix_power(matrix, k).T)[None]).reshape(-1, len(matrix))
    return out


def places_of(word: str, dimension: int, unit: int = 1) -> IntArray:
    """Where a path is, step by step; each letter is `unit` steps, small letters go down."""
    at = np.zeros(dimension, dtype=np.int64)
    out = [at.copy()]
    for letter in word:
        for _ in range(unit):
            at[_AXES.index(letter.lower())] += 1 if letter.isupper() else -1
            out.append(at.copy())
    return np.array(out)


def ends_of(words: Sequence[str], dimension: int, unit: int = 1) -> IntArray:
    """Where paths lead."""
    return np.array([places_of(word, dimension, unit)[-1] for word in words])


def tile_corners(matrix: Sequence[Sequence[int]], m: int, level: int) -> IntArray:
    """The corner c of the tile c + T(level) that each vertex lies in (-1: in none)."""
    d = len(matrix)
    shape = ((2 * d + 1) ** m,) * d
    low = sums(matrix, star(d), range(level + 1))
    high = sums(matrix, star(d), range(level + 1, d * m))
    out = np.full(shape[0] ** d, -1, dtype=np.int64)
    corners = np.ravel_multi_index((high % shape[0]).T, shape)
    if len(high) < len(low):
        for corner, name in zip(high, corners, strict=True):
            out[np.ravel_multi_index(((low + corner) % shape[0]).T, shape)] = name
    else:
        for inside in low:
            out[np.ravel_multi_index(((high + inside) % shape[0]).T, shape)] = corners
    return out


def torus_distance(side: int, dimension: int) -> IntArray:
    """Distance of every vertex from the origin, in the order of node numbers."""
    hops = np.minimum(np.arange(side), side - np.arange(side))
    out = np.zeros((side,) * dimension, dtype=np.int64)
    for axis in range(dimension):
        out += hops.reshape([-1 if a == axis else 1 for a in range(dimension)])
    return out.ravel()


@dataclass(frozen=True)
class Walked:
    """A broadcast walked call by call.

    Attributes:
        faults: How it breaks the definition, the first of each kind.
        informed: How many know after each round.
        lengths: The longest call of each round.
        chain (int64[order]): Hops of the calls that bring the message to each vertex (-1: it does
            not come).
        calls (int64[order]): How many calls these are.
        when (int64[order]): In which round each vertex is informed, from 1; 0 for the origin.
        followed: How many calls were walked.
    """

    faults: list[str]
    rounds: int
    informed: list[int]
    lengths: list[int]
    chain: IntArray
    calls: IntArray
    when: IntArray
    followed: int

    @property
    def longest(self) -> int:
        """The longest chain."""
        return int(self.chain.max())


def walk_broadcast(
    schedule: Schedule, side: int, dimension: int, disjoint: str = "vertex"
) -> Walked:
    """Follow all circuits of a schedule by coordinates, and hold them against definition 1."""
    tails, heads, start, call = _hops(schedule)
    when = np.asarray(schedule.round, dtype=np.int64) + 1
    order = side**dimension
    faults = list(_broken_paths(tails, heads, call, side, dimension))
    source, target = tails[start[:-1]], heads[start[1:] - 1]
    received = np.bincount(target, minlength=order)
    received[0] += 1
    if (received != 1).any():
        v = int(np.flatnonzero(received != 1)[0])
        faults.append(f"vertex {v} is informed {int(received[v])} times")
    informed = np.full(order, schedule.rounds + 1, dtype=np.int64)
    informed[target], informed[0] = when, 0
    early = np.flatnonzero(informed[source] >= when)
    if len(early):
        faults.append(f"vertex {int(source[early[0]])} sends before it knows")
    sent = np.bincount(when * order + source)
    if sent.max(initial=0) > 2 * dimension:
        faults.append(f"vertex {int(sent.argmax()) % order} makes {int(sent.max())} calls at once")
    faults += _meetings(tails, heads, source, call, when, order, disjoint)
    chain, calls = np.full(order, -1, dtype=np.int64), np.full(order, -1, dtype=np.int64)
    chain[0] = calls[0] = 0
    length, followed = np.diff(start), 0
    for r in range(1, schedule.rounds + 1):
        now = when == r
        chain[target[now]] = chain[source[now]] + length[now]
        calls[target[now]] = calls[source[now]] + 1
        followed += int(now.sum())
    rounds = range(1, schedule.rounds + 1)
    counts = [int((informed <= r).sum()) for r in rounds]
    longest = [int(length[when == r].max(initial=0)) for r in rounds]
    return Walked(faults, schedule.rounds, counts, longest, chain, calls, informed, followed)


def _hops(schedule: Schedule) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    start = np.asarray(schedule.path_start, dtype=np.int64)
    call = np.repeat(np.arange(len(start) - 1), np.diff(start))
    tails = schedule.network.tails[schedule.channels].astype(np.int64)
    heads = schedule.network.heads[schedule.channels].astype(np.int64)
    return tails, heads, start, call


def _broken_paths(
    tails: IntArray, heads: IntArray, call: IntArray, side: int, dimension: int
) -> Iterator[str]:
    """Hops that are no edges of the torus, and paths with gaps."""
    shape = (side,) * dimension
    move = np.array(np.unravel_index(heads, shape)) - np.array(np.unravel_index(tails, shape))
    away = np.minimum(move % side, -move % side).sum(axis=0)
    for i in np.flatnonzero(away != 1)[:1]:
        yield f"vertices {int(tails[i])} and {int(heads[i])} are no neighbours"
    for i in np.flatnonzero((call[1:] == call[:-1]) & (tails[1:] != heads[:-1]))[:1]:
        yield f"a path ends at vertex {int(heads[i])} and goes on at {int(tails[i + 1])}"


def _meetings(
    tails: IntArray,
    heads: IntArray,
    source: IntArray,
    call: IntArray,
    when: IntArray,
    order: int,
    disjoint: str,
) -> list[str]:
    """Two circuits of a round that share a vertex (but a common start), a link or an arc."""
    r = when[call]
    if disjoint == "vertex":
        starts = np.unique(np.stack([when, source]), axis=1)
        used = np.concatenate([r * order + heads, starts[0] * order + starts[1]])
    else:
        a, b = (tails, heads) if disjoint == "arc" else np.sort(np.stack([tails, heads]), axis=0)
        used = (r * order + a) * order + b
    values, counts = np.unique(used, return_counts=True)
    twice = values[counts > 1]
    if not len(twice):
        return []
    one = int(twice[0])
    if disjoint == "vertex":
        return [f"in round {one // order} two circuits meet at vertex {one % order}"]
    return [
        f"in round {one // order**2} two circuits share the {disjoint} from vertex"
        f" {one // order % order} to {one % order}"
    ]


def boxes(side: int, dimension: int) -> IntArray:
    """All vertices, the last coordinate fastest."""
    return np.stack(np.unravel_index(np.arange(side**dimension), (side,) * dimension), axis=1)


def strangers(
    schedule: Schedule,
    matrix: Sequence[Sequence[int]],
    m: int,
    *,
    calls: bool = False,
) -> tuple[list[str], int]:
    """Calls that enter a tile that is not theirs, and how many were looked at.

    A call of round r may use the tile T(dm - r) of its sender; when `calls`, only the next smaller
    tiles of its sender and of its receiver.
    """
    tails, heads, start, call = _hops(schedule)
    source, target = tails[start[:-1]], heads[start[1:] - 1]
    when = np.asarray(schedule.round)[call] + 1
    total, out, seen = len(matrix) * m, [], 0
    for r in range(1, total + 1):
        corner = tile_corners(matrix, m, total - r - calls)
        now = np.flatnonzero(when == r)
        at, of = corner[heads[now]], call[now]
        own = at == source[of]
        if calls:
            own |= at == target[of]
        odd = np.flatnonzero(~own)
        late, first = np.unique(of[odd], return_index=True)
        for one, i in zip(late.tolist(), odd[first].tolist(), strict=True):
            out.append(
                f"in round {r} the call from vertex {int(source[one])} to {int(target[one])} runs"
                f" through vertex {int(heads[now[i]])}, in the tile of vertex {int(at[i])}"
            )
        seen += len(np.unique(of))
    return out, seen


def lasting_cells(matrix: Sequence[Sequence[int]]) -> tuple[list[str], int]:
    """Unit edges that, b times as long, meet other coarse cells than those of their two ends.

    And how many were looked at.

    When there is none, an edge of any length b^k meets the two cells of its ends only: what keeps
    inside its tile at scale 1 does so at every scale.
    """
    d = len(matrix)
    base, scale = 2 * d + 1, int(matrix_power(matrix, d)[0, 0])
    home = {tuple((p % base).tolist()): p for p in sums(matrix, star(d), range(d))}
    out, seen = [], 0
    for edge in star(d)[1:]:
        ends = [0 * edge, edge]
        cells = set()
        for j in range(base):
            for end in ends:
                at = j * edge + end
                cell = (at - home[tuple((at % base).tolist())]) // scale
                cells.add(tuple(cell.tolist()))
        sign = {tuple((0 * edge).tolist()), tuple((edge * (1 if scale > 0 else -1)).tolist())}
        if not cells <= sign:
            out.append(f"the edge {edge.tolist()} meets the cells {sorted(cells)}")
        seen += 1
    return out, seen

"""Collective schedules replayed flit by flit, alone or beside other traffic.

Every transfer becomes one packet that follows the channels of its path. It starts as soon as its
source has received, in earlier rounds, everything that the schedule sends it of the same chunk; so
rounds overlap as far as the data allow. With `barrier` it waits for all transfers of the round
before.

A node has as many lines into its router and out of it as the setup has endpoints there: the
messages of a round that leave by different channels take different lines. :func:`lines_of` says how
many a schedule needs to run as its model says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.schedule import Schedule
from hopscape.core.verify import require_right
from hopscape.simulate import layout
from hopscape.simulate.fabric import Setup
from hopscape.simulate.measurement import blank_counters, make_source, start
from hopscape.simulate.run import is_deadlocked
from hopscape.simulate.traffic import Traffic, make_traffic

__all__ = ["Replay", "lines_of", "replay"]

_STEP = 1000
_PATIENCE = 20_000


@dataclass(frozen=True)
class Replay:
    """How a schedule went.

    Attributes:
        cycles: From the start to the arrival of the last transfer; -1 when it never came.
        finished (int32[transfers]): Cycle in which each transfer arrived.
    """

    cycles: int
    rounds: int
    transfers: int
    flit_hops: int
    finished: IntArray
    deadlocked: bool


def replay(
    setup: Setup,
    schedule: Schedule,
    *,
    flits: int = 1,
    barrier: bool = False,
    background: float = 0.0,
    traffic: Traffic | None = None,
    seed: int = 0,
    most: int = 1_000_000,
) -> Replay:
    """Replay a schedule at flit level.

    Args:
        setup: Its network must be that of the schedule. Several endpoints at a node
            (`concentration`) are the lines of that node.
        flits: Flits per transfer.
        barrier: Rounds wait for each other.
        background: Load of other traffic, in flits per endpoint and cycle.
        traffic: Whom the background is for; uniform when left out.
        most: Give up after so many cycles.

    Raises:
        CheckFailedError: For a schedule that does not hold: how long it takes says nothing.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> from hopscape.simulate import Settings, build_setup
        >>> net = hopscape.build("ring(6)")
        >>> done = replay(build_setup(net, Settings(vcs=2)), broadcast(net, 0))
        >>> done.rounds, done.cycles > 0
        (3, True)
    """
    from hopscape.simulate.engine_kernels import advance
    from hopscape.simulate.source_kernels import put_ready

    network = setup.network
    if schedule.network.spec != network.spec:
        raise ArgumentError(
            f"the schedule is for {schedule.network.spec}; the simulated network is {network.spec}"
        )
    require_right(schedule, "replayed")
    if flits < 1:
        raise ArgumentError(f"flits is {flits}; it must be at least 1")
    moves = _transfers(setup, schedule, flits, barrier)
    pattern = traffic if traffic is not None else make_traffic("uniform", setup.endpoints)
    source = make_source(pattern, setup.settings, background, moves)
    state = start(setup, pattern, source, seed)
    table = source.transfers
    for i in np.nonzero(table[:, layout.T_WAITS] == 0)[0]:
        put_ready(state.ends, table, i)
    counters = blank_counters(setup, 1)
    still = False
    while int(state.scalars[layout.NOW]) < most and (table[:, layout.T_DONE] < 0).any():
        until = int(state.scalars[layout.NOW]) + _STEP
        if advance(setup.fabric, state, source, counters, until, _PATIENCE):
            still = True
            break
    whole = not (table[:, layout.T_DONE] < 0).any()
    return Replay(
        cycles=int(table[:, layout.T_DONE].max(initial=0)) if whole else -1,
        rounds=schedule.rounds,
        transfers=schedule.transfers,
        flit_hops=int(state.scalars[layout.FLIT_HOPS]),
        finished=table[:, layout.T_DONE].copy(),
        deadlocked=still or (not whole and is_deadlocked(setup, state)),
    )


def lines_of(schedule: Schedule) -> int:
    """Lines that a node needs to send and receive in a round what the model allows.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> lines_of(broadcast(hopscape.build("torus(4, 4)"), 0))
        4
    """
    most = max(schedule.network.ports, 1)
    return most if schedule.model.ports is None else min(schedule.model.ports, most)


def _transfers(
    setup: Setup, schedule: Schedule, flits: int, barrier: bool
) -> tuple[Any, IntArray, IntArray]:
    count = schedule.transfers
    table = np.full((count, layout.T_FIELDS), -1, dtype=np.int32)
    first = schedule.channels[schedule.path_start[:-1]] if count else schedule.source
    last = schedule.channels[schedule.path_start[1:] - 1] if count else schedule.target
    table[:, layout.T_SOURCE] = _endpoints(setup, schedule.round, schedule.source, first)
    table[:, layout.T_TARGET] = _endpoints(setup, schedule.round, schedule.target, last)
    table[:, layout.T_SIZE] = flits
    table[:, layout.T_PATH] = schedule.path_start[:-1]
    table[:, layout.T_PATH_END] = schedule.path_start[1:]
    before, after = _barriers(schedule) if barrier else _needs(schedule)
    by_first = np.argsort(before, kind="stable")
    before, after = before[by_first], after[by_first]
    table[:, layout.T_WAITS] = np.bincount(after, minlength=count) if len(after) else 0
    table[:, layout.T_WAKE] = np.searchsorted(before, np.arange(count))
    table[:, layout.T_WAKE_END] = np.searchsorted(before, np.arange(count), side="right")
    return table, after.astype(np.int32), schedule.channels.astype(np.int32)


def _endpoints(setup: Setup, rounds: IntArray, nodes: IntArray, channels: IntArray) -> IntArray:
    """The endpoint of each message: another line of the node for each channel used in a round."""
    first = np.full(setup.network.order, -1, dtype=np.int64)
    first[setup.home[::-1]] = np.arange(len(setup.home))[::-1]
    if len(nodes) and first[nodes].min() < 0:
        node = int(nodes[np.argmax(first[nodes] < 0)])
        raise ArgumentError(
            f"the schedule sends from or to node {node}, a switch of {setup.network.spec}; a replay"
            " needs schedules that start and end at endpoints"
        )
    order = np.lexsort((channels, nodes, rounds))
    apart = np.ones(len(order), dtype=np.bool_)
    apart[1:] = (np.diff(rounds[order]) != 0) | (np.diff(nodes[order]) != 0)
    another = apart.copy()
    another[1:] |= np.diff(channels[order]) != 0
    count = np.cumsum(another)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = count - np.maximum.accumulate(np.where(apart, count, 0))
    return first[nodes] + rank % setup.settings.concentration


def _needs(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """Pairs of transfers: the first brings what the second sends on."""
    came: dict[tuple[int, int], list[int]] = {}
    pairs: list[tuple[int, int]] = []
    when = schedule.round
    for i in range(schedule.transfers):
        for j in came.get((int(schedule.source[i]), int(schedule.chunk[i])), ()):
            if when[j] < when[i]:
                pairs.append((j, i))
        came.setdefault((int(schedule.target[i]), int(schedule.chunk[i])), []).append(i)
    both = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _barriers(schedule: Schedule) -> tuple[IntArray, IntArray]:
    starts = schedule.round_start
    first, second = [], []
    last = range(0)
    for r in range(schedule.rounds):
        mine = range(int(starts[r]), int(starts[r + 1]))
        if not len(mine):
            continue
        first += [j for j in last for _ in mine]
        second += [i for _ in last for i in mine]
        last = mine
    return np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)

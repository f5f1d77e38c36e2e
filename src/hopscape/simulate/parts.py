"""One network on several processors: it is cut into parts, each advanced by a thread.

A part is a range of routers with their endpoints and about as many lines as every other part has;
a leaf goes with its switch. Each is written by its own thread only, and what goes from one to
another goes by wheels, so that the results are the same for any number of parts
(``engine_kernels.py``).
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.simulate import layout
from hopscape.simulate.layout import Counters, FabricArrays, Fold, Source, State

__all__ = ["Cut", "advance_parts", "cut_into_parts", "packets_under_way"]

_SUMMED = (
    layout.WAITERS, layout.SENDERS, layout.FREE, layout.FRESH, layout.IN_FLIGHT, layout.FLIT_HOPS,
    layout.LOST, layout.REROUTED, layout.DELIVERED, layout.CREATED, layout.DELIVERED_FLITS,
    layout.MEASURED, layout.LOST_MEASURED,
)  # fmt: skip


class Cut(NamedTuple):
    """Who belongs to which part.

    Attributes:
        pair (int64[units]): parts * the part that a unit leaves + the one that it leads to.
        own (int32[endpoints]): Those of the first part, then of the next.
        ends (int64[parts + 1]): Where those of each part begin in `own`.
    """

    pair: IntArray
    own: IntArray
    ends: IntArray


def cut_into_parts(
    network: Network, fold: Fold, lines: IntArray, home: IntArray, parts: int
) -> Cut:
    """Ranges of routers with about as many lines each.

    Args:
        fold: How the tables are folded: leaves go with their switches.
        lines: Channels, injection lines, ejection lines.
        home: Router of each endpoint.
    """
    order, channels = network.order, len(network.heads)
    with_switch = np.arange(order)
    if fold.kind[0] == layout.LEAVES:
        switch = fold.switch
        switches = np.nonzero(switch >= 0)[0]
        with_switch = switches[np.where(switch >= 0, switch, -1 - switch)]
    leads = lines[:, layout.U_TO].astype(np.int64)
    weight = np.bincount(with_switch[leads], minlength=order)
    middle = np.cumsum(weight) - weight / 2
    part_of = np.minimum(middle * parts // max(1, weight.sum()), parts - 1).astype(np.int64)
    part_of = part_of[with_switch]
    leaves = leads.copy()  # lines of endpoints begin and end at the same router
    leaves[:channels] = network.tails
    at = part_of[home]
    return Cut(
        pair=part_of[leaves] * parts + part_of[leads],
        own=np.argsort(at, kind="stable").astype(np.int32),
        ends=np.concatenate([[0], np.cumsum(np.bincount(at, minlength=parts))]),
    )


def advance_parts(
    fabric: FabricArrays,
    state: State,
    source: Source,
    counters: Counters,
    until: int,
    patience: int,
) -> bool:
    """Run a network to cycle `until`, each part in a thread; True when nothing moves any more."""
    from hopscape.simulate.engine_kernels import advance

    parts = len(state.each)
    if parts == 1:
        return bool(advance(fabric, state, source, counters, until, patience))
    spans = [layout.BEGIN, layout.END]
    state.each[:, spans] = state.scalars[spans]
    windows, histograms = counters.windows, counters.histogram
    books = [counters] + [
        counters._replace(windows=np.zeros_like(windows), histogram=np.zeros_like(histograms))
        for _ in range(parts - 1)
    ]
    ends = [0] * parts

    def run(part: int) -> None:
        try:
            mine = _part_of(state, part)
            ends[part] = advance(fabric, mine, source, books[part], until, patience)
        except BaseException:
            state.gates[parts, layout.G_TURN] = 1  # nobody waits for this one
            raise

    threads = [threading.Thread(target=run, args=(part,)) for part in range(1, parts)]
    try:
        for thread in threads:
            thread.start()
        run(0)
    except BaseException:
        state.gates[parts, layout.G_TURN] = 1
        raise
    finally:
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    for book in books[1:]:
        windows += book.windows
        histograms += book.histogram
    each, scalars = state.each, state.scalars
    scalars[list(_SUMMED)] = each[:, _SUMMED].sum(axis=0)
    scalars[layout.NOW], scalars[layout.LAST_MOVE] = (
        each[0, layout.NOW],
        each[:, layout.LAST_MOVE].max(),
    )
    return ends[0] == 1


def _part_of(state: State, part: int) -> State:
    """The state as the kernels of one part see it."""
    parts = len(state.each)
    lists, wheel = len(state.lists) // parts, len(state.ejections) // parts
    return state._replace(
        scalars=state.each[part],
        lists=state.lists[part * lists : (part + 1) * lists],
        ejections=state.ejections[part * wheel : (part + 1) * wheel],
    )


def packets_under_way(state: State) -> IntArray:
    """Rows of the packets that have left their queues and have not arrived."""
    rows = []
    for first, fresh, free in state.each[:, [layout.FIRST_PACKET, layout.FRESH, layout.FREE]]:
        packets = state.packets[first : first + fresh]
        under_way = np.ones(fresh, dtype=np.bool_)
        under_way[packets[:free, layout.SPARE] - first] = False
        rows.append(first + np.nonzero(under_way)[0])
    return np.concatenate(rows)

"""When each packet of a list arrives: the flit simulator asked packet by packet."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.simulate import layout
from hopscape.simulate.fabric import Setup
from hopscape.simulate.measurement import blank_counters, make_source, start
from hopscape.simulate.run import PATIENCE
from hopscape.simulate.traffic import traced

__all__ = ["arrivals"]


def arrivals(setup: Setup, packets: IntArray, *, seed: int = 0) -> IntArray:
    """The cycle in which the last flit of each packet arrives.

    Args:
        packets (int[packets, 4]): Cycle of birth, source, target (endpoints), flits. No two of one
            source are born in the same cycle.
        seed: For the ties of routes.

    Raises:
        HopscapeError: When nothing moves any more.

    Examples:
        >>> import hopscape
        >>> from hopscape.simulate import Settings, build_setup
        >>> setup = build_setup(hopscape.build("mesh(4, 4)"), Settings(vcs=1))
        >>> arrivals(setup, np.array([[5, 0, 3, 1], [9, 1, 1, 2]])).tolist()
        [27, 17]
    """
    from hopscape.simulate.engine_kernels import advance

    born = packets[:, 1].astype(np.int64) << 32 | packets[:, 0]
    number = {key: i for i, key in enumerate(born.tolist())}
    if len(number) < len(packets):
        raise ArgumentError("two packets of one endpoint are born in the same cycle")
    traffic = traced(packets, setup.endpoints)
    source = make_source(traffic, setup.settings, 1.0)
    state = start(setup, traffic, source, seed)
    counters = blank_counters(setup, 1)
    came = np.full(len(packets), -1, dtype=np.int64)
    left, slots = len(packets), len(state.ejections)
    while left:
        now = int(state.scalars[layout.NOW])
        line = state.ejections[now & (slots - 1)]
        for flit in line[2 : int(line[0]) + 1 : 2].tolist():
            if flit & layout.LAST:
                who = state.packets[flit >> 2]
                key = int(who[layout.SRC]) << 32 | int(who[layout.BORN])
                came[number[key]] = now
                left -= 1
        if advance(setup.fabric, state, source, counters, now + 1, PATIENCE):
            raise HopscapeError(f"{left} packets have not arrived, and nothing moves any more")
    return came

"""Total exchange: every node has a datum of its own for every other."""

from __future__ import annotations

import numpy as np

from hopscape.core.goal import Goal
from hopscape.core.memory import require_memory
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.phases import Phases, rules_of, stack_of

__all__ = ["split_exchange"]


def split_exchange(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """Shortest paths; where both ways round the ring are shortest, half go each way.

    The rings come first; where they are the bottleneck (k > 12), half of the packets go through
    their slice first, so that no ring stands idle in the end.
    """
    family = stack_of(network)
    size, k = family.slice.size, family.loops[0].size
    order = network.order
    require_memory(
        60 * order * order * (network.facts.diameter or 1), f"all-to-all of {order} nodes"
    )
    promise = goal.on(network)
    chunks = np.nonzero(promise.origins != promise.destinations)[0]
    at, to = promise.origins[chunks].copy(), promise.destinations[chunks]
    ring_first = (k <= 12) | ((at // size + at % size + to // size + to % size // 2) % 2 == 0)
    gap = (to // size - at // size) % k
    up = (2 * gap < k) | ((2 * gap == k) & ((at // size + at % size + to % size) % 2 == 0))
    if k <= 2:
        up[:] = True
    far = family.slice.distances[at % size, to % size].astype(np.int64)
    hops = far + np.minimum(gap, k - gap)
    starts = np.concatenate([[0], np.cumsum(hops)])
    ways = np.empty(starts[-1], dtype=np.int64)
    sign, port = np.where(up, 1, -1), np.where(up, family.slice.ports, family.slice.ports + 1)
    for hop in range(int(hops.max(initial=0))):
        going = np.nonzero(hops > hop)[0]
        here, there = at[going], to[going]
        ring = (here // size != there // size) & ((here % size == there % size) | ring_first[going])
        step = family.slice.canonical[here % size, there % size].astype(np.int64)
        ports = np.where(ring, port[going], step)
        ways[starts[going] + hop] = network.channel_at(here, ports)
        after_ring = (here // size + sign[going]) % k * size + here % size
        inner = family.slice.rows[here % size, np.maximum(step, 0)]
        at[going] = np.where(ring, after_ring, here - here % size + inner)
    phases = Phases(network, rules_of(model), goal)
    phases.walk(starts, ways, chunks)
    return phases.schedule("split")

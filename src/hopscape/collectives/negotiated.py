"""Packets in few rounds, on any network and under any rule of ports: routes and rounds together.

All packets take the cheapest way through a given number of rounds, and those that meet are routed
anew until none do (:mod:`hopscape.collectives.rounds_kernels`). The first number of rounds that is
tried is the lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.checked import verified
from hopscape.collectives.rarest import (
    Paths,
    paths_cost,
    schedule_of_hops,
    search_steps,
    ways_of,
)
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = ["ALL_TO_ALL", "PERMUTATION", "negotiated_schedule"]

_WORK = 30_000_000
"""Steps of one number of rounds; 70 of 75 networks come within 1.05 of the linear program so."""
_WORK_EACH = 40_000
"""Steps for each endpoint and node at most: of 70 small cases none became shorter by more."""
_STEPS = 2.5
"""Elementary steps (10 ns) of one of its steps."""
_RISES = (1.0, 1.02, 1.05, 1.1, 1.2, 1.4)
"""Numbers of rounds that are tried, in lower bounds; then twice as many each time."""
_PAIR_BYTES = 24
"""Of a pair: its distance as a float, where there is none, and as a whole number."""
_SWEEPS = 8
"""Sweeps over all packets that a number of rounds takes, about, where there is room."""


@verified
def negotiated_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """From everybody to everybody (or by a permutation), several groups at once.

    Examples:
        >>> import hopscape
        >>> negotiated_schedule(hopscape.build("ring(8)"), Goal.all_to_all()).rounds  # n² / 8
        8
        >>> net = hopscape.build("petersen")
        >>> negotiated_schedule(net, Goal.all_to_all(), Model(ports=1)).rounds
        15
    """
    from hopscape.collectives.rounds_kernels import Packets, negotiate

    if model.switching != "store-and-forward" and not network.has_switches:
        raise ArgumentError(f"it goes hop by hop on {network.spec}, which has no switches")
    promise = goal.on(network)
    moving = np.nonzero(promise.origins != promise.destinations)[0]
    source, target = promise.origins[moving], promise.destinations[moving]
    paths = ways_of(network, model, every=True)
    apart = _hops(network, paths)
    far = apart[source, target]
    if len(far) and int(far.min()) < 0:
        p = int(far.argmin())
        raise DisconnectedError(
            f"node {target[p]} cannot be reached from node {source[p]} in {network.spec}"
        )
    slack = 1 if model.switching == "store-and-forward" else 0
    most = int(far.max(initial=0)) + slack
    table = np.zeros((2, len(moving), most), dtype=np.int64)
    packets = Packets(
        source.astype(np.int64), target.astype(np.int64), np.zeros(len(moving), np.int64), *table
    )
    work = search_steps(network.endpoint_count, network.order, _WORK_EACH, _WORK)
    for rounds in _numbers(network, goal, model, int(far.max(initial=0))):
        check_time(f"routes and rounds on {network.spec}")
        require_memory(
            16 * rounds * (len(paths.ways.room) + network.order), f"rounds on {network.spec}"
        )
        met, _ = negotiate(paths.ways, apart, packets, rounds, slack, work, rounds)
        if not met:
            break
    taken = np.arange(most) < packets.hops[:, None]
    hops = packets.when[taken], packets.way[taken], np.repeat(moving, packets.hops)
    return schedule_of_hops(network, goal, model, paths, hops, "negotiated")


def _numbers(network: Network, goal: Goal, model: Model, least: int) -> Iterator[int]:
    """Numbers of rounds to be tried, without end."""
    bounds = lower_bounds(network, goal, model)
    first = max(bounds[0].rounds if bounds else 1, least, 1)
    tried = sorted({int(np.ceil(first * rise - 1e-9)) for rise in _RISES})
    yield from tried
    while True:
        tried.append(2 * tried[-1])
        yield tried[-1]


def _hops(network: Network, paths: Paths) -> IntArray:
    """int64[nodes, nodes]: how many ways lead from node to node, -1: none do."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    routes = paths.ways
    require_memory(_PAIR_BYTES * network.order**2, f"the distances of all pairs of {network.spec}")
    ends = np.repeat(np.arange(network.order), np.diff(routes.into))
    ones = np.ones(len(ends))
    matrix = csr_array((ones, (routes.source, ends)), shape=(network.order,) * 2)
    apart = shortest_path(matrix, unweighted=True)
    return np.where(np.isinf(apart), -1, apart).astype(np.int64)


def negotiated_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the distances of all pairs and of three numbers of rounds, about."""
    ends = network.endpoint_count
    packets = ends * (1 if goal.kind == "permutation" else ends) * goal.chunks
    width = max(1, int(network.degrees[network.endpoints].min(initial=1)))
    hops = 1
    if model.switching == "store-and-forward":
        hops = 1 + int(distances_from(network, int(network.endpoints[0])).max(initial=0)) // 2
    rounds = max(1, packets // ends) * hops / min(width, model.ports or width)
    work = search_steps(ends, network.order, _WORK_EACH, _WORK)
    pairs = network.order * (network.order + len(network.heads))
    search = _STEPS * (pairs + 3 * work + _SWEEPS * packets * rounds * 3 * hops)
    return search + paths_cost(network, model, every=True)


_WHAT = "routes and rounds together, conflicts negotiated away, for any network and ports"
ALL_TO_ALL = Collective(
    "negotiated",
    "all-to-all",
    _WHAT,
    negotiated_schedule,
    Served(switching=("store-and-forward", "cut-through"), packing=("unit",)),
    groups=True,
    cost=negotiated_cost,
)
PERMUTATION = Collective(
    "negotiated",
    "permutation",
    _WHAT,
    negotiated_schedule,
    ALL_TO_ALL.serves,
    groups=True,
    cost=negotiated_cost,
)

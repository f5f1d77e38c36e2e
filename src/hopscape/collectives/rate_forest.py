"""All-gather with few ports or in half duplex: packed trees whose channels keep to the best rates.

A linear program over the rates of the channels says how many rounds the ports and links need, at
least. Rounded up, the rates have room for a spanning tree of every node; room that no cut needs is
taken away until every port and link has time for what is left. The trees that are packed into it
(Edmonds 1973) then ask no more of any port than the bound does, and their hops get rounds.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs, Thinning, has_room, pack_trees
from hopscape.collectives.forest_schedules import packing_cost, paths_of_trees, shallow
from hopscape.collectives.pushed import HeldPaths, pushed_rounds
from hopscape.collectives.rarest import with_lanes
from hopscape.collectives.rates import gather_rates
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = ["ALL_GATHER", "rate_forest"]

_FLOWS_EACH = 4
"""Flows for each channel before one more round is allowed: where rates can be rounded at all, two
or three were enough on expanded networks of 9 to 100 nodes."""
_ROUNDED = 1.005
"""Times the rates, which are right to a thousandth of a chunk."""
_TRIES = 40
"""Orders at random in which hops get rounds."""
_FLOW_STEPS = 4.0
"""Steps of a flow for each channel, about."""


@verified
def rate_forest(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Everybody's data down trees in which no port and no link is busy beyond the bound.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("expanded(complete(4), 1)")
        >>> made = rate_forest(net, Goal.all_gather(), Model(ports=1))
        >>> made.rounds, hopscape.verify(made).holds
        (28, True)
    """
    if model.ports is None and model.duplex == "full":
        raise ArgumentError("with all ports in full duplex its trees are those of forest")
    if network.endpoint_count < network.order or network.order < 2:
        raise ArgumentError(f"all nodes of {network.spec} must have data")
    require_memory(400 * goal.chunks * network.order**2, f"{goal.kind} on {network.spec}")
    graph = _room(network, goal.chunks, model)
    bundles = shallow(graph, pack_trees(graph, goal.chunks, network.spec))
    channels = np.nonzero(network.tails != network.heads)[0]
    plan = paths_of_trees(graph, [(c,) for c in channels.tolist()], bundles, goal.chunks)
    ways = with_lanes(network, model, plan.start, plan.channel).ways
    rounds = pushed_rounds(HeldPaths(ways.start, ways.lane, plan.before, ways.room), 1, _TRIES)
    if rounds is None:
        raise TooLargeError(f"giving rounds to {len(plan.before):,} hops would take long")
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=rounds,
        channels=plan.channel,
        chunk=plan.chunk,
        name="rate-forest",
    )


def _room(network: Network, pieces: int, model: Model) -> Arcs:
    """Room for the trees that ports and links have time for, in as few rounds as are found."""
    found = gather_rates(network, model)
    if found is None:
        raise TooLargeError(f"no rates of the channels of {network.spec} are looked for")
    least, rates = found
    plain, real = Arcs.of(network), np.nonzero(network.tails != network.heads)[0]
    lanes, room = _lanes(network, model, real)
    taken = np.zeros(len(room), dtype=np.int64)
    if model.ports is not None and model.duplex == "half":
        taken[len(network.heads) :] = pieces * (network.order - 1)  # what comes takes ports, too
    rounds = ceil(pieces * least - 1e-6)
    trees = np.full(network.order, pieces, dtype=np.int64)
    for more in (1.0, _ROUNDED):
        capacity = np.ceil(more * pieces * rates[real] - 1e-3).astype(np.int64)
        graph = Arcs(plain.nodes, plain.tails, plain.heads, capacity)
        if has_room(graph, trees):
            break
    work = Thinning(graph, trees, lanes, rounds * room - taken)
    while True:
        check_time(f"room for trees of {network.spec}")
        work.run(work.flows + _FLOWS_EACH * len(real))
        if not work.excess():
            return work.thinned()
        rounds += 1
        work.most = rounds * room - taken


def _lanes(network: Network, model: Model, channels: IntArray) -> tuple[IntArray, IntArray]:
    """The link and the sending port of each channel, and the room of all lanes.

    Whatever the trees are, a node takes in as many chunks as there are.
    """
    ways = with_lanes(network, model, np.arange(len(channels) + 1), channels).ways
    lanes = np.full((len(channels), 2), -1, dtype=np.int64)
    lanes[:, 0] = ways.lane[ways.start[:-1]]
    if model.ports is not None:
        lanes[:, 1] = ways.lane[ways.start[:-1] + 1]
    return lanes, ways.room


def _cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of the flows that thin out the room, and of packing."""
    flows = _FLOWS_EACH * _FLOW_STEPS * len(network.heads) ** 2
    return flows + packing_cost(network)


ALL_GATHER = Collective(
    "rate-forest",
    "all-gather",
    "packed spanning trees that ask no more of ports and links than the bound",
    rate_forest,
    Served(switching=("store-and-forward",), packing=("unit",)),
    cost=_cost,
)

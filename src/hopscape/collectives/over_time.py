"""Scatter and gather in the fewest rounds: one flow over time.

Every chunk of a scatter goes to one node, and chunks do not care which of them goes where first, so
that all of them are one flow from the root: a channel in round t is an arc from its tail at time
t - 1 to its head at time t, and who has a chunk may keep it (Ford and Fulkerson 1958). Rounds
suffice if and only if a chunk for everybody comes through this network; the paths of the flow are
the schedule. A gather is a scatter backwards.
"""

from __future__ import annotations

from math import ceil

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.forest import Arcs
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.schedule import Schedule

__all__ = ["SCATTER", "least_rounds", "scatter_over_time"]

_MOST_ARCS = 20_000_000
_STEPS = 60.0
"""Steps per arc of the network over time, as measured on 64 to 1,000 nodes."""


@verified
def scatter_over_time(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """A scatter in the fewest rounds that there are (all ports, hop by hop).

    Examples:
        >>> import hopscape
        >>> made = scatter_over_time(hopscape.build("heawood"), Goal.scatter(0))
        >>> made.rounds, hopscape.verify(made).holds
        (5, True)
    """
    if goal.kind != "scatter" or goal.root is None:
        raise ArgumentError(f"flows over time serve scatter and gather, not {goal.describe()}")
    if not ALL_PORT_ONLY.allows(model):
        raise ArgumentError(f"flows over time serve {ALL_PORT_ONLY.describe()}")
    rounds = least_rounds(network, goal.root)
    while True:
        flow = _Flow(network, goal.root, rounds)
        if flow.fits:
            break
        rounds += 1
    when, channels, chunk = flow.hops()
    return Schedule.from_columns(
        network, model, goal, round=when, channels=channels, chunk=chunk, name="flow"
    )


def least_rounds(network: Network, root: int) -> int:
    """Rounds that a scatter needs by what leaves the root, and by who is how far away.

    Of the nodes at distance d or more, as many arrive in a round as channels lead to that distance
    (or leave the root), and none before round d.
    """
    away = distances_from(network, root)
    ends = np.setdiff1d(network.endpoints.astype(np.int64), [root])
    if (away[ends] < 0).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot be reached from node {root}")
    room = network.room()
    least = 0
    for far in range(1, int(away[ends].max(initial=0)) + 1):
        into = (away[network.tails] == far - 1) & (away[network.heads] == far)
        width = int(room[into].sum())
        least = max(least, far - 1 + ceil(int((away[ends] >= far).sum()) / width))
    return least


class _Flow:
    """The flow of a scatter over so many rounds."""

    def __init__(self, network: Network, root: int, rounds: int) -> None:
        from hopscape.metrics.flow_kernels import largest_flow

        self.network, self.root, self.rounds = network, root, rounds
        away = distances_from(network, root).astype(np.int64)
        ends = network.endpoints.astype(np.int64)
        self.ends = ends[ends != root]
        real = np.nonzero(network.tails != network.heads)[0]
        if len(real) * rounds > _MOST_ARCS:
            raise TooLargeError(
                f"a flow over {rounds} rounds of {len(real)} channels is too large to be sought"
            )
        require_memory(250 * len(real) * rounds, f"a scatter on {network.spec}")
        check_time(f"a scatter on {network.spec}")
        order = network.order
        time = np.repeat(np.arange(rounds), len(real))  # hops that begin at this time
        channel = np.tile(real, rounds)
        early = away[network.tails[channel]]
        keep = (early >= 0) & (early <= time) & (network.heads[channel] != root)
        self.time, self.channel = time[keep], channel[keep]
        stay_time = np.repeat(np.arange(rounds), order)
        stay = np.tile(np.arange(order), rounds)
        keep = (away[stay] >= 0) & (away[stay] <= stay_time)
        stay, stay_time = stay[keep], stay_time[keep]
        sink = order * (rounds + 1)
        many = len(self.ends)
        tails = [
            self.time * order + network.tails[self.channel],
            stay_time * order + stay,
            rounds * order + self.ends,
        ]
        heads = [
            (self.time + 1) * order + network.heads[self.channel],
            (stay_time + 1) * order + stay,
            np.full(many, sink),
        ]
        room = [network.room()[self.channel], np.full(len(stay), many), np.ones(many, np.int64)]
        columns = [np.concatenate(part).astype(np.int64) for part in (tails, heads, room)]
        self.graph = Arcs(sink + 1, columns[0], columns[1], columns[2])
        indptr, arcs, ends_of, left = self.graph.csr()
        self.fits = largest_flow(indptr, arcs, ends_of, left, root, sink, many) == many
        self.used = left[1::2]  # what flows over each arc

    def hops(self) -> tuple[IntArray, IntArray, IntArray]:
        """Rounds, channels and chunks of the paths that the flow is made of."""
        from hopscape.collectives.plan_kernels import flow_paths

        order = np.argsort(self.graph.tails, kind="stable")
        first = np.searchsorted(self.graph.tails[order], np.arange(self.graph.nodes + 1))
        hops = len(self.channel)
        arcs, node = flow_paths(
            first.astype(np.int64), order.astype(np.int64), self.graph.heads, self.used.copy(),
            self.root, len(self.ends), hops, self.rounds,
        )  # fmt: skip
        ends = self.network.endpoints.astype(np.int64)
        place = np.searchsorted(ends, node % self.network.order)
        for row in arcs:
            self._cut_loops(row)
        lengths = (arcs >= 0).sum(axis=1)
        chosen = arcs[arcs >= 0]
        return self.time[chosen], self.channel[chosen], np.repeat(place, lengths)

    def _cut_loops(self, row: IntArray) -> None:
        """A chunk that comes back to a node had better wait there."""
        seen = {self.root: 0}
        for i, arc in enumerate(row[row >= 0].tolist()):
            v = int(self.network.heads[self.channel[arc]])
            if v in seen:
                row[seen[v] : i + 1] = -1
                seen = {node: at for node, at in seen.items() if at <= seen[v]}
            else:
                seen[v] = i + 1


def flow_cost(network: Network, goal: Goal, model: Model) -> float:
    """Steps of a flow over time, about."""
    width = max(int(network.degrees.min(initial=1)), 1)
    rounds = network.endpoint_count / width + 10
    return _STEPS * len(network.heads) * rounds


SCATTER = Collective(
    "flow", "scatter", "one flow over time: the fewest rounds", scatter_over_time, ALL_PORT_ONLY,
    cost=flow_cost,
)  # fmt: skip

"""Wheels: a hub wired to every node of a ring; and one of everything else that can be added.

Each object below is named by one line of ``pyproject.toml``; nothing in hopscape knows of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import IO, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Facts, Family, Parameter
from hopscape.core.goal import Goal
from hopscape.core.measured import Measured
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule
from hopscape.formats.graphs import Exporter
from hopscape.ledger import Claim, Outcome, Paper, Tally, judge
from hopscape.metrics.evaluation import Column, Evaluation

# -- a family -------------------------------------------------------------------------------------


class Wheel(Family):
    """Node 0 is the hub; port 0 of a rim node leads to it, ports 1 and 2 round the rim."""

    name = "wheel"
    summary = "wheel: a hub wired to every node of a ring"
    parameters = (Parameter("n", "int", "nodes of the rim", low=3),)
    example = "wheel(8)"

    def __init__(self, n: int) -> None:
        self.n = n

    @property
    def order(self) -> int:
        return self.n + 1

    @property
    def ports(self) -> int:
        return self.n

    def neighbours(self, nodes: IntArray) -> IntArray:
        rows = np.full((len(nodes), self.n), -1, dtype=nodes.dtype)
        rows[nodes == 0] = np.arange(1, self.n + 1)
        rim = nodes[nodes > 0] - 1
        rows[nodes > 0, :3] = np.stack(
            [np.zeros_like(rim), (rim + 1) % self.n + 1, (rim - 1) % self.n + 1], axis=1
        )
        return rows

    def facts(self) -> Facts:
        n = self.n
        pairs = n * (n + 1)
        return Facts(
            degree_min=3,
            degree_max=n,
            links=2 * n,
            channels=4 * n,
            connected=True,
            diameter=1 if n == 3 else 2,
            radius=1,
            mean_distance=2 - Fraction(4 * n, pairs),
            girth=3,
            node_connectivity=3,
            edge_connectivity=3,
        )


# -- a routing ------------------------------------------------------------------------------------


class HubRouter(Router):
    """Everything goes by the hub, between neighbours on the rim too."""

    name = "by the hub"
    exact = False

    def __init__(self, network: Network) -> None:
        if not isinstance(network.family, Wheel):
            raise ArgumentError(f"{network.spec} is not a wheel; the router by-hub needs one")
        super().__init__(network)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        hops: IntArray = np.where(at == to, 0, np.where((at == 0) | (to == 0), 1, 2))
        return hops

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        ports: IntArray = np.where(at == to, -1, np.where(at == 0, to - 1, 0))
        return ports


# -- a column -------------------------------------------------------------------------------------


def _spread(evaluation: Evaluation) -> Measured[Any]:
    most, least = evaluation.figure("degree"), evaluation.figure("degree_min")
    if most.value is None or least.value is None:
        return Measured(None, "unknown", most.note or least.note)
    surer = most if least.exact else least
    return Measured(most.value - least.value, surer.how, surer.note)


SPREAD = Column(
    "degree_spread", "spread", "largest degree less the smallest", _spread, better="less", stage=1
)


# -- a traffic pattern ----------------------------------------------------------------------------


def opposite(endpoints: int, sides: tuple[int, ...] | None) -> IntArray:
    """Half way round the numbers."""
    return (np.arange(endpoints) + endpoints // 2) % endpoints


# -- a collective algorithm -----------------------------------------------------------------------


def _star(network: Network, goal: Goal, model: Model) -> Schedule:
    root = goal.root if goal.root is not None else 0
    channels = np.arange(network.indptr[root], network.indptr[root + 1])
    if len(set(network.heads[channels].tolist()) - {root}) < network.order - 1:
        raise ArgumentError(f"node {root} of {network.spec} is not wired to all; star needs that")
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=np.zeros_like(channels),
        channels=channels,
        name="star",
    )


STAR = Collective(
    "star", "broadcast", "one round, from a node wired to all", _star, Served(ports=(None,))
)


# -- a format -------------------------------------------------------------------------------------


def _write_adjacency(network: Network, out: IO[bytes]) -> None:
    for node in range(network.order):
        heads = network.heads[network.indptr[node] : network.indptr[node + 1]].tolist()
        out.write(f"{node}: {' '.join(map(str, heads))}\n".encode())


ADJACENCY = Exporter((".adj",), "one node per line, with its neighbours", _write_adjacency)


# -- a claim for the ledger -----------------------------------------------------------------------


def _diameters() -> Outcome:
    wrong, tally = [], Tally()
    for n in tally.each("wheels", range(4, 20), 16):
        network = Network.of(Wheel(n))
        if int(distance_rows(network, np.arange(network.order)).max()) != 2:
            wrong.append(f"n = {n}")
    return judge(wrong, "rims of 4 to 19 nodes", searched=tally)


PAPER = Paper(
    key="wheel",
    title="A textbook on graphs",
    families=("wheel",),
    claims=(
        Claim(
            "wheel-diameter",
            "wheel",
            "chapter 1",
            "a wheel with a rim of four nodes or more has diameter 2",
            "breadth-first search, n from 4 to 19",
            _diameters,
        ),
    ),
)

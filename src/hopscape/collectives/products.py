"""Collectives of Cartesian products, from those of their factors.

Axis after axis: a broadcast in which every holder goes on along the next axis, and permutations by
rows and columns. A network that is no product counts as one with a single factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.colouring import colour_edges
from hopscape.collectives.generic import broadcast, permutation
from hopscape.collectives.symmetric_translations import CARRIED, by_translations
from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import ALL_PORT_ONLY, Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["broadcast_by_axes", "permute_by_rows", "product_collectives"]


def product_collectives(factors: Sequence[Network]) -> tuple[Collective, ...]:
    """The named algorithms of a product of these factors."""
    parts = tuple(factors)

    def by_axes(network: Network, goal: Goal, model: Model) -> Schedule:
        return broadcast_by_axes(network, parts, goal.root or 0, model)

    def by_rows(network: Network, goal: Goal, model: Model) -> Schedule:
        return permute_by_rows(network, parts, goal.targets, model)

    algorithms = [
        Collective("axes", "broadcast", "every holder broadcasts along the next axis", by_axes),
        Collective(
            "rows",
            "permutation",
            "row, column, row by edge colouring, all-port",
            by_rows,
            ALL_PORT_ONLY,
        ),
    ]
    if all(p.family is not None and p.family.translations() is not None for p in parts):
        algorithms += [by_translations(kind, parts) for kind in CARRIED]
    return tuple(algorithms)


def broadcast_by_axes(
    network: Network,
    factors: Sequence[Network],
    root: int,
    model: Model = Model(),
    *,
    source_only: bool = False,
) -> Schedule:
    """Broadcast along the first axis, then from every holder along the second, and so on.

    Time and memory are those of a tree: one transfer per node, after a broadcast in each factor.

    Args:
        network: The product of `factors`.
        model: Each axis is served by the generic broadcast of its factor under this model.
        source_only: Only the root goes on along the next axis, as one paper prints it; most nodes
            are then never reached. For the ledger.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("folded(petersen, 2)")
        >>> hopscape.verify(broadcast_by_axes(net, net.family.factors, 0)).reason
        'broadcast from node 0: 100 of 100 nodes reached in 4 rounds, 99 messages, 0 duplicates'
    """
    box = MixedRadix([factor.order for factor in factors])
    start = box.tuples(np.asarray([network.node(root)]))[0].astype(np.int64)
    rounds: list[IntArray] = []
    channels: list[IntArray] = []
    first_round, first_port, stride = 0, 0, network.order
    holders = np.asarray([root], dtype=np.int64)
    for axis, factor in enumerate(factors):
        stride //= factor.order
        part = broadcast(factor, int(start[axis]), model)
        shift = (part.source.astype(np.int64) - start[axis]) * stride
        ports = first_port + factor.port_of(part.channels)
        senders = (holders[:, None] + shift[None, :]).ravel()
        channels.append(network.channel_at(senders, np.tile(ports, len(holders))))
        rounds.append(np.tile(part.round.astype(np.int64), len(holders)) + first_round)
        first_round += part.rounds
        first_port += factor.ports
        if not source_only:
            places = (np.arange(factor.order) - start[axis]) * stride
            holders = (holders[:, None] + places[None, :]).ravel()
    return Schedule.from_columns(
        network,
        model,
        Goal.broadcast(root),
        round=np.concatenate(rounds),
        channels=np.concatenate(channels),
        name="axes-printed" if source_only else "axes",
    )


# -- permutations ------------------------------------------------------------------------------


@verified
def permute_by_rows(
    network: Network,
    factors: Sequence[Network],
    targets: Sequence[int],
    model: Model = Model(),
) -> Schedule:
    """Route a permutation of a product: along the first axis, along the others, along the first.

    The packets are first spread along the first axis so that each copy of the rest gets exactly one
    packet for each of its nodes: a colouring of a regular bipartite graph. Then each copy routes a
    permutation of its own, and a last move along the first axis ends it. With n equal factors in
    which any permutation takes p rounds, that is p (2n - 1) rounds.

    Such colourings exist since regular bipartite graphs have perfect matchings (Kőnig, 1916). Time
    is one colouring of all nodes per axis, memory all hops.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("folded(heawood, 2)")
        >>> targets = np.random.default_rng(0).permutation(net.order).tolist()
        >>> plan = permute_by_rows(net, net.family.factors, targets)
        >>> plan.rounds, hopscape.verify(plan).holds
        (9, True)
    """
    if model.ports is not None or model.duplex == "half" or model.switching == "circuit":
        raise ArgumentError("routing by rows is for all ports, full duplex, store-and-forward")
    goal = Goal.permutation(targets)
    moves = _Moves(goal.on(network).destinations)
    total = moves.route(list(factors), 0, 0, np.arange(network.order), 0)
    table = np.asarray(moves.rows, dtype=np.int64).reshape(-1, 4)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=table[:, 0],
        channels=network.channel_at(table[:, 1], table[:, 2]),
        chunk=table[:, 3],
        rounds=total if len(table) else 0,
        name="rows",
    )


@dataclass
class _Moves:
    """Hops collected on the way.

    Attributes:
        targets: Where each packet goes.
        rows: Round, node, port and packet.
    """

    targets: IntArray
    rows: list[tuple[int, int, int, int]] = field(default_factory=list)

    def route(
        self, factors: list[Network], corner: int, first_port: int, packets: IntArray, now: int
    ) -> int:
        """Route one permutation of a block of nodes from round `now` on; returns the round after.

        The block is `corner` + 0..len(packets)-1; packet ``packets[v]`` stands at v. Where it goes
        in the block are the last coordinates of its target.
        """
        factor, size, width = factors[0], len(packets), len(packets) // factors[0].order
        aim, nodes = self.targets[packets] % size, np.arange(size)
        if len(factors) == 1:
            return self.line(factor, corner + nodes, first_port, aim, packets, now)
        columns = [nodes[c::width] for c in range(width)]
        colour, _ = colour_edges(nodes % width, aim % width)
        later = now
        spread, rest = np.empty_like(packets), np.empty_like(packets)
        for c, mine in enumerate(columns):
            end = self.line(factor, corner + mine, first_port, colour[mine], packets[mine], now)
            later = max(later, end)
            spread[colour[mine] * width + c] = packets[mine]
        now = later
        for first in range(0, size, width):
            row = spread[first : first + width]
            port = first_port + factor.ports
            later = max(later, self.route(factors[1:], corner + first, port, row, now))
            rest[first + self.targets[row] % width] = row
        now, aim = later, self.targets[rest] % size // width
        for mine in columns:
            end = self.line(factor, corner + mine, first_port, aim[mine], rest[mine], now)
            later = max(later, end)
        return later

    def line(
        self,
        factor: Network,
        nodes: IntArray,
        first_port: int,
        aim: IntArray,
        packets: IntArray,
        now: int,
    ) -> int:
        """Route one permutation of a copy of a factor; returns the round after it."""
        hops, rounds = _small_permutation(factor, tuple(aim.tolist()))
        for when, node, port, packet in hops:
            self.rows.append(
                (now + when, int(nodes[node]), first_port + port, int(packets[packet]))
            )
        return now + rounds


Hops = list[tuple[int, int, int, int]]


def _small_permutation(factor: Network, aim: tuple[int, ...]) -> tuple[Hops, int]:
    """Hops (round, node, port, packet) of one permutation, and the number of rounds.

    With diameter 3 a packet makes its first hop in the first round (one packet per source), its
    last hop in the third (one per target), and those at distance 3 are matched with middle links.
    Diameter 2 needs no matching. Where that fails, packets go greedily.
    """
    distance = distance_rows(factor, np.arange(factor.order)).astype(int)
    rounds = int(distance.max())
    middle = _match_middles(factor, distance, aim) if rounds <= 3 else None
    if middle is None:
        return _greedy_permutation(factor, aim)
    hops: Hops = []
    for packet, target in enumerate(aim):
        far = int(distance[packet, target])
        path = middle.get(packet) or _shortest(factor, distance, packet, target)
        whens = {0: [], 1: [0], 2: [0, rounds - 1], 3: [0, 1, 2]}[far]
        for when, here, there in zip(whens, path[:-1], path[1:], strict=True):
            hops.append((when, here, factor.neighbours(here).index(there), packet))
    return hops, rounds


def _shortest(factor: Network, distance: IntArray, here: int, target: int) -> list[int]:
    path = [here]
    while path[-1] != target:
        left = distance[path[-1], target] - 1
        path.append(next(v for v in factor.neighbours(path[-1]) if distance[v, target] == left))
    return path


def _match_middles(
    factor: Network, distance: IntArray, aim: tuple[int, ...]
) -> dict[int, list[int]] | None:
    """Give each packet at distance 3 a middle link of its own; None when there are not enough."""
    paths: dict[int, list[list[int]]] = {}
    for packet, target in enumerate(aim):
        if distance[packet, target] == 3:
            paths[packet] = [
                [packet, u, v, target]
                for u in factor.neighbours(packet)
                if distance[u, target] == 2
                for v in factor.neighbours(u)
                if distance[v, target] == 1
            ]
    owner: dict[tuple[int, int], int] = {}
    chosen: dict[int, list[int]] = {}

    def claim(packet: int, seen: set[tuple[int, int]]) -> bool:
        for path in paths[packet]:
            link = (path[1], path[2])
            if link in seen:
                continue
            seen.add(link)
            if link not in owner or claim(owner[link], seen):
                owner[link], chosen[packet] = packet, path
                return True
        return False

    return chosen if all(claim(packet, set()) for packet in paths) else None


def _greedy_permutation(factor: Network, aim: tuple[int, ...]) -> tuple[Hops, int]:
    plan = permutation(factor, aim, Model())
    ports = factor.port_of(plan.channels)
    columns = (plan.round, plan.source, ports, plan.chunk)
    hops = list(zip(*(column.tolist() for column in columns), strict=True))
    return hops, plan.rounds

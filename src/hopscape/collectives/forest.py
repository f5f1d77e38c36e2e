"""A network with whole capacities as arcs for flows.

The cut that decides how fast everybody's data can reach everybody.

Spanning trees packed into a graph: so many of every root, no arc beyond its room.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import DisconnectedError, ScheduleError
from hopscape.core.network import Network
from hopscape.core.progress import check_time, track

__all__ = [
    "Arcs",
    "Bottleneck",
    "Bundle",
    "Thinning",
    "bottleneck",
    "cut_effort",
    "even_sends",
    "has_room",
    "most_sent",
    "pack_rooted",
    "pack_trees",
    "root_cut",
]


@dataclass(frozen=True)
class Arcs:
    """A directed graph with whole capacities; arc 2e is edge e, arc 2e + 1 goes back.

    Examples:
        >>> import hopscape
        >>> arcs = Arcs.of(hopscape.build("ring(3)"))
        >>> arcs.nodes, len(arcs.tails), arcs.csr()[0]
        (3, 6, array([ 0,  4,  8, 12]))
    """

    nodes: int
    tails: IntArray
    heads: IntArray
    capacity: IntArray

    @classmethod
    def of(cls, network: Network) -> Arcs:
        """The channels of a network, without loops, with what they carry in a round."""
        real = network.tails != network.heads
        ends = network.tails[real].astype(np.int64), network.heads[real].astype(np.int64)
        return cls(network.order, *ends, network.room()[real])

    def csr(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """`indptr`, `arcs`, `heads` and capacities by arc, as the kernels take them."""
        ends = np.stack([self.heads, self.tails], axis=1).ravel().astype(np.int64)
        starts = np.stack([self.tails, self.heads], axis=1).ravel()
        left = np.zeros(len(ends), dtype=np.int64)
        left[::2] = self.capacity
        by_start = np.argsort(starts, kind="stable")
        counts = np.bincount(starts, minlength=self.nodes)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return indptr, by_start.astype(np.int64), ends, left

    def with_top(self, roots: IntArray) -> Arcs:
        """The same with one more node, the last, and an arc of capacity 0 from it to each root."""
        top = np.full(len(roots), self.nodes, dtype=np.int64)
        return Arcs(
            self.nodes + 1,
            np.concatenate([self.tails, top]),
            np.concatenate([self.heads, roots]),
            np.concatenate([self.capacity, np.zeros(len(roots), np.int64)]),
        )


@dataclass(frozen=True)
class Bottleneck:
    """A set of nodes whose data leave it slowest.

    Attributes:
        inside: Endpoints in the set.
        leaving: Chunks that the channels out of it carry in a round.
        side (bool[order]): The set.
    """

    inside: int
    leaving: int
    side: IntArray

    @property
    def rounds(self) -> Fraction:
        """Rounds per chunk of every endpoint in a long all-gather: no schedule takes fewer."""
        return Fraction(self.inside, self.leaving)

    def describe(self) -> str:
        """The proof in words, naming the smaller side of the cut."""
        nodes, others = np.nonzero(self.side)[0], np.nonzero(~self.side)[0]
        part, verb = (nodes, "leave") if len(nodes) <= len(others) else (others, "enter")
        named = ", ".join(map(str, part[:4].tolist())) + ", ..." * (len(part) > 4)
        noun = f"node{'s' * (len(part) > 1)}"
        lanes = f"{self.leaving} in a round"
        return f"{self.inside} chunks must {verb} {noun} {named}, at most {lanes}"


def cut_effort(network: Network) -> int:
    """About how many steps :func:`bottleneck` takes: sinks times channels."""
    return len(_sinks(network)) * len(network.heads)


def _evenly_connected(network: Network) -> bool:
    """Is the network connected, and is its every node like every other, with links alike?"""
    like = network.symmetry is not None and network.symmetry.transitive
    if not like or not network.one_speed or not network.duplex or network.has_switches:
        return False
    return bool((distances_from(network, 0) >= 0).all())


def _sinks(network: Network) -> IntArray:
    """Endpoints of which one of each kind is enough."""
    ends = network.endpoints.astype(np.int64)
    if network.symmetry is not None and network.one_speed:
        some = np.intersect1d(np.asarray(network.symmetry.representatives), ends)
        return some if len(some) else ends
    return ends


def bottleneck(network: Network) -> Bottleneck:
    """The cut with most endpoints inside for the capacity that leaves it.

    An all-gather cannot take fewer rounds than the endpoints of any set, not of all endpoints,
    over what its channels carry in a round; packing spanning trees reaches the worst of them
    (Edmonds 1973; with switches: Zhao et al., ForestColl, 2024). Found by flows from all endpoints
    to each, the rate lowered to the worst cut until all arrive (Dinkelbach 1967). In connected
    vertex-transitive graphs no cut has fewer links than a node has (Mader 1971), so that the cut
    round one node is the worst.

    Examples:
        >>> import hopscape
        >>> found = bottleneck(hopscape.build("torus(8, 8)"))
        >>> found.rounds, found.describe()
        (Fraction(63, 4), '63 chunks must enter node 0, at most 4 in a round')
    """
    ends = network.endpoints.astype(np.int64)
    plain = Arcs.of(network)
    if len(ends) < 2:
        return Bottleneck(0, 1, np.zeros(network.order, dtype=bool))
    search = _Search(plain, ends)
    into = np.bincount(plain.heads, weights=plain.capacity, minlength=network.order)[ends]
    first = int(ends[into.argmin()])
    if not into.min():
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    side = np.ones(network.order, dtype=bool)
    side[first] = False
    best = Bottleneck(len(ends) - 1, int(into.min()), side)
    sinks = _sinks(network)
    if _evenly_connected(network):
        return best
    for v in track(sinks.tolist(), f"cuts of {network.spec}", len(sinks)):
        check_time(f"the cuts of {network.spec}")
        best = search.lowered(best, v)
        if not best.leaving:
            raise DisconnectedError(
                f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
            )
    return best


class _Search:
    """Flows from all endpoints at once, at the rate of a cut."""

    def __init__(self, plain: Arcs, ends: IntArray) -> None:
        self.plain, self.ends = plain, ends
        self.indptr, self.arcs, self.heads, self.whole = plain.with_top(ends).csr()

    def lowered(self, best: Bottleneck, sink: int) -> Bottleneck:
        """The worst cut before this sink, if it is worse than the one that is known."""
        from hopscape.metrics.flow_kernels import largest_flow, source_side

        top = self.plain.nodes
        while best.leaving:
            rate = 1 / best.rounds
            left = self.whole * rate.denominator
            left[2 * len(self.plain.tails) :: 2] = rate.numerator
            wanted = len(self.ends) * rate.numerator
            flow = largest_flow(self.indptr, self.arcs, self.heads, left, top, sink, wanted)
            if flow == wanted:
                break
            side = source_side(self.indptr, self.arcs, self.heads, left, top)[:top]
            crossing = side[self.plain.tails] & ~side[self.plain.heads]
            leaving = int(self.plain.capacity[crossing].sum())
            best = Bottleneck(int(side[self.ends].sum()), leaving, side)
        return best


def root_cut(network: Network, root: int, *, inward: bool = False) -> int:
    """The narrowest cut between a root and any endpoint, in chunks per round (`network.room`).

    Examples:
        >>> import hopscape
        >>> root_cut(hopscape.build("torus(4, 4)"), 0), root_cut(hopscape.build("mesh(3, 3)"), 4)
        (4, 2)
    """
    from hopscape.metrics.flow_kernels import least_flow_to

    plain = Arcs.of(network)
    if inward:
        plain = Arcs(plain.nodes, plain.heads, plain.tails, plain.capacity)
    sinks = np.setdiff1d(network.endpoints.astype(np.int64), [root])
    if not len(sinks):
        return 1
    into = np.bincount(plain.heads, weights=plain.capacity, minlength=plain.nodes)[sinks]
    out = int(plain.capacity[plain.tails == root].sum())
    most = min(int(into.min()), out)
    like = network.symmetry is not None and network.symmetry.transitive
    if like and network.one_speed and network.duplex and not network.has_switches:
        return most  # no cut is narrower than the links of a node (Mader 1971)
    least = int(least_flow_to(*plain.csr(), root, sinks[np.argsort(into)], most, 1))
    if not least:
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    return least


def even_sends(graph: Arcs, trees: IntArray, most: int) -> Arcs:
    """The graph without room of nodes that could send more than `most`, where it is not needed.

    Every cut keeps the room that the trees of all roots want. To send at most once down one tree is
    a Hamiltonian path, so this is a search (:class:`Thinning`). A node that holds parts of the
    graph together keeps more than `most`.

    Args:
        trees (int64[nodes]): Spanning trees with each node as root; there must be room for them.

    Examples:
        >>> import hopscape
        >>> mesh = Arcs.of(hopscape.build("mesh(3, 3)"))
        >>> even = even_sends(mesh, 2 * np.eye(9, dtype=np.int64)[0], 2)
        >>> np.bincount(even.tails, even.capacity).astype(int).tolist()
        [2, 2, 2, 2, 2, 2, 2, 2, 2]
    """
    work = Thinning(graph, trees, graph.tails[:, None], np.full(graph.nodes, most))
    work.run(min(_FLOWS_EACH * len(graph.tails), _FLOWS))
    return work.thinned()


def has_room(graph: Arcs, trees: IntArray, ends: int | None = None) -> bool:
    """Is there room for so many spanning trees with each node as root, all together?

    Args:
        ends: The trees need to span the first so many nodes only.

    Examples:
        >>> import hopscape
        >>> ring = Arcs.of(hopscape.build("ring(5)"))
        >>> has_room(ring, np.array([1, 0, 1, 0, 0])), has_room(ring, np.array([1, 0, 1, 0, 1]))
        (True, False)
    """
    from hopscape.metrics.flow_kernels import least_flow_to

    nodes = np.arange(graph.nodes)
    whole = graph.with_top(nodes)
    whole.capacity[-len(nodes) :] = trees
    wanted = int(trees.sum())
    return int(least_flow_to(*whole.csr(), graph.nodes, nodes[:ends], wanted, 0)) >= wanted


def most_sent(graph: Arcs) -> int:
    """The most that a node can send."""
    return int(np.bincount(graph.tails, weights=graph.capacity).max(initial=0))


class Thinning:
    """A search for room that no cut needs, where more is held than is allowed.

    Room is taken wherever a flow shows that no cut needs it; then some is given back at random and
    taken elsewhere as long as no more is held in excess for it.

    Args:
        trees (int64[nodes]): Spanning trees with each node as root; there must be room for them.
        lanes (int64[arcs, ...]): What each arc holds as often as it has room, -1: nothing.
        most (int64[lanes]): How much may be held of each lane.
    """

    def __init__(self, graph: Arcs, trees: IntArray, lanes: IntArray, most: IntArray) -> None:
        self.graph, self.most = graph, most
        all_nodes = np.arange(graph.nodes)
        self.indptr, self.arcs, self.heads, self.left = graph.with_top(all_nodes).csr()
        self.own = 2 * len(graph.tails)
        self.left[self.own :: 2] = trees
        self.wanted = int(trees.sum())
        self.lanes = [row[row >= 0] for row in lanes]
        self.held = np.zeros(len(most), dtype=np.int64)
        self.on: list[list[int]] = [[] for _ in range(len(most))]
        for arc, (row, room) in enumerate(zip(self.lanes, graph.capacity.tolist(), strict=True)):
            self.held[row] += room
            for lane in row.tolist():
                self.on[lane].append(arc)
        self.generator = np.random.default_rng(0)
        self.flows = 0

    def room(self) -> IntArray:
        """int64[arcs]: what is left."""
        return self.left[: self.own : 2].copy()

    def thinned(self) -> Arcs:
        """The graph with what is left."""
        return Arcs(self.graph.nodes, self.graph.tails, self.graph.heads, self.room())

    def run(self, budget: int) -> None:
        """Until nothing is held in excess, or after so many flows."""
        self.take(self.generator.permutation(len(self.graph.tails)))
        excess = self.excess()
        while excess and self.flows < budget:
            check_time("taking room that no cut needs")
            before = self.left.copy(), self.held.copy()
            self.give_back()
            now = self.excess()
            if now > excess:
                self.left, self.held = before
            excess = min(excess, now)

    def excess(self) -> int:
        """What is held beyond what is allowed, of all lanes."""
        return int(np.maximum(self.held - self.most, 0).sum())

    def give_back(self) -> None:
        """Give one arc some room, and take it from others on lanes that are held too much then."""
        gone = np.nonzero(self.room() < self.graph.capacity)[0]
        if not len(gone):
            self.flows += 1  # nothing to try
            return
        arc = int(self.generator.choice(gone))
        self.left[2 * arc] += 1
        self.held[self.lanes[arc]] += 1
        for lane in self.generator.permutation(np.nonzero(self.held > self.most)[0]).tolist():
            others = np.asarray([other for other in self.on[lane] if other != arc], dtype=np.int64)
            self.take(self.generator.permutation(others))

    def take(self, arcs: IntArray) -> None:
        """Take from arcs, in this order, what no cut needs and their lanes can do without."""
        from hopscape.metrics.flow_kernels import MUCH, largest_flow

        for arc in arcs.tolist():
            v, w = int(self.graph.tails[arc]), int(self.graph.heads[arc])
            room, mine = int(self.left[2 * arc]), self.lanes[arc]
            beyond = int((self.held[mine] - self.most[mine]).max(initial=0))
            if beyond <= 0 or not room:
                continue
            left = self.left.copy()
            left[self.own + 2 * v] = MUCH  # cuts with v on the side of the roots
            ask = self.indptr, self.arcs, self.heads, left, self.graph.nodes, w
            over = largest_flow(*ask, self.wanted + room) - self.wanted
            less = max(0, min(over, room, beyond))
            self.flows += 1
            self.left[2 * arc] -= less
            self.held[mine] -= less


_STAGES = 8
_ROOM = 64
_FLOWS_EACH, _FLOWS = 100, 50_000
"""Flows of evening out for every arc, and at most: meshes of 100 nodes take 50 for every arc."""


@dataclass(frozen=True)
class Bundle:
    """The trees of one root.

    Attributes:
        arc (int64[kinds, nodes]): The arc by which each node hangs, in each kind of tree; -1 at the
            root.
        copies (int64[kinds]): How many trees are of each kind.
    """

    root: int
    arc: IntArray
    copies: IntArray


def pack_trees(graph: Arcs, trees: int, what: str) -> list[Bundle]:
    """Pack `trees` spanning trees of every node into a graph that has room for them.

    There is room if and only if every set of nodes, not all, has at least `trees` times its nodes
    of room on the arcs that leave it (Edmonds 1973). Trees grow arc by arc; an arc is taken as
    often as a flow shows that all trees still to be grown find their room (Lovász 1976; with
    several trees at once: Bérczi and Frank 2009).

    Args:
        graph: With nodes 0..n-1, all of which are roots.
        what: For messages.

    Examples:
        >>> import hopscape
        >>> ring = Arcs.of(hopscape.build("ring(3)"))
        >>> [bundle.copies.tolist() for bundle in pack_trees(ring, 1, "a ring")]
        [[1], [1], [1]]
    """
    asks = np.full(graph.nodes, trees, dtype=np.int64)
    packer = _Packer(graph)
    out = []
    for root in track(range(graph.nodes), f"trees of {what}", graph.nodes):
        check_time(f"packing the trees of {what}")
        asks[root] = 0
        out.append(packer.grow(root, trees, asks))
    return out


def pack_rooted(graph: Arcs, root: int, trees: int, what: str) -> Bundle:
    """Pack `trees` spanning trees of one root; no cut away from it may be narrower.

    Examples:
        >>> import hopscape
        >>> ring = Arcs.of(hopscape.build("ring(5)"))
        >>> pack_rooted(ring, 0, 2, "a ring").copies.tolist()
        [1, 1]
    """
    check_time(f"packing the trees of {what}")
    return _Packer(graph).grow(root, trees, np.zeros(graph.nodes, dtype=np.int64))


class _Packer:
    """A graph with the helpers that :func:`grow_trees` wants, and what is left of its room."""

    def __init__(self, graph: Arcs) -> None:
        self.graph = graph
        self.stages, self.kinds = _STAGES, _ROOM
        self.free = np.zeros(2 * len(graph.tails), dtype=np.int64)
        self.free[::2] = graph.capacity
        self.prepare()

    def prepare(self) -> None:
        """Add rivals after the nodes and the top after them, with arcs from each to all nodes."""
        graph, stages = self.graph, self.stages
        nodes, rivals = np.arange(graph.nodes), graph.nodes + np.arange(stages)
        top = graph.nodes + stages
        tails = [graph.tails, np.full(graph.nodes + stages, top), np.repeat(rivals, graph.nodes)]
        heads = [graph.heads, nodes, rivals, np.tile(nodes, stages)]
        extra = np.zeros(graph.nodes + stages + stages * graph.nodes, dtype=np.int64)
        room = np.concatenate([graph.capacity, extra])
        whole = Arcs(top + 1, np.concatenate(tails), np.concatenate(heads), room)
        self.indptr, self.arcs, self.heads, _ = whole.csr()

    def grow(self, root: int, trees: int, asks: IntArray) -> Bundle:
        """The trees of one root; room and stages are doubled where they do not suffice."""
        from hopscape.collectives.forest_kernels import grow_trees

        while True:
            arc = np.full((self.kinds, self.graph.nodes), -1, dtype=np.int64)
            copies = np.zeros(self.kinds, dtype=np.int64)
            copies[0] = trees
            free = self.free.copy()
            many = grow_trees(
                self.indptr, self.arcs, self.heads, free, asks, root, self.stages, arc, copies
            )
            if many > 0:
                self.free = free
                parents = arc[:many]
                return Bundle(root, np.where(parents < 0, -1, parents // 2), copies[:many])
            if many == -2:
                raise ScheduleError(f"no room for the trees of node {root}")
            self.stages, self.kinds = 2 * self.stages, 2 * self.kinds
            self.prepare()

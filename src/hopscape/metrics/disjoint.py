"""Ways between two nodes that share no node in between, or no channel: one front for any size.

Where the arrays of the network exist or are small, least-cost flows find the ways of least total
length. Where not, augmenting paths are searched for along the router's distances (A*), so that
only nodes near a shortest path are looked at, whatever the size of the network.

What is left of a network after random links have failed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from hopscape.core.detours import DetourRouter, RouterGuide
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.network import Network, NodeLike

__all__ = ["FaultReport", "disjoint_paths", "most_disjoint", "random_faults"]

_BUILT = 100_000  # nodes up to which arrays are built for flows, which find the least total length
_MOST_STEPS = 20_000  # nodes that a search for one more path looks at, besides those of long paths

Channel = tuple[int, int]
"""A node and the port by which it is left."""
State = tuple[int, bool]
"""A node, and whether it lies on an old way that was not left yet."""


def disjoint_paths(
    network: Network,
    source: NodeLike,
    target: NodeLike,
    *,
    count: int | None = None,
    edges: bool = False,
    dead_nodes: Iterable[NodeLike] = (),
    dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
) -> list[list[int]]:
    """Ways from source to target that share no node in between (or no channel).

    Args:
        network: Of any size.
        source, target: node
        count: How many; as many as there are when left out.
        edges: Share no channel, instead of no node.
        dead_nodes, dead_links: No way leads over them. Networks of more than 100,000 nodes are not
            built without them: of the ways of the whole network those are left that avoid them, and
            there may be others.

    Returns:
        list of list of int: The nodes of each path, the shortest first. Their total length is the
            least possible in networks of up to 100,000 nodes and wherever the arrays exist already.
            Beyond, the ways are short but their total need not be least, and a search for a further
            one gives up after 20,000 nodes (more for long ways). There are no more than
            :func:`most_disjoint` says.

    Examples:
        >>> import hopscape
        >>> [len(path) - 1 for path in disjoint_paths(hopscape.build("heawood"), 0, 1)]
        [1, 5, 5]
        >>> net = hopscape.build("expanded(heawood, 14)")
        >>> len(disjoint_paths(net, 0, 100)), net.order
        (6, 155568095557812224)
        >>> disjoint_paths(hopscape.build("ring(6)"), 0, 2, dead_nodes=[1])
        [[0, 5, 4, 3, 2]]
    """
    if count is not None and count < 1:
        raise ArgumentError(f"count is {count}; it must be at least 1")
    start, end = network.node(source), network.node(target)
    if start == end:
        return []
    faults = Faults.of(network, dead_nodes, dead_links)
    dead, cut = faults.nodes, faults.links
    if faults:
        left = network
        if network.order <= _BUILT:
            left = DetourRouter(network, dead, faults.pairs()).left
        paths = [
            path
            for path in disjoint_paths(left, start, end, edges=edges)
            if not dead & set(path) and not cut & {frozenset(hop) for hop in pairwise(path)}
        ]
        return paths[:count]
    if network.order <= _BUILT or network.materialised or not _routed(network):
        return _least_cost(network, start, end, count, edges)
    most = most_disjoint(network, start, end)
    return _augmented(network, start, end, most if count is None else min(count, most), edges)


def most_disjoint(network: Network, source: NodeLike, target: NodeLike) -> int:
    """No more disjoint paths than this can leave one node and enter the other."""
    ends = (source, target) if network.duplex else (source,)
    return min(sum(v >= 0 for v in network.neighbours(network.node(end))) for end in ends)


def _routed(network: Network) -> bool:
    return network.family is not None and network.family.router(network) is not None


def _least_cost(
    network: Network, start: int, end: int, count: int | None, edges: bool
) -> list[list[int]]:
    from hopscape.metrics import flow_kernels as flows

    wanted = count if count is not None else int(network.degrees[start])
    found, channels, offsets = flows.disjoint_paths(
        network.indptr, network.heads, start, end, not edges, wanted
    )
    paths = [channels[offsets[i] : offsets[i + 1]] for i in range(found)]
    return [[start, *network.heads[path].tolist()] for path in paths]


# -- without arrays ----------------------------------------------------------------------------


@dataclass
class _Flow:
    """The ways found so far, as a flow of one unit each.

    Attributes:
        used: Channels in use, with the node that they lead to.
        into: The channels in use that lead to each node (the end is left out).
    """

    start: int
    end: int
    edges: bool
    used: dict[Channel, int] = field(default_factory=dict)
    into: dict[int, list[Channel]] = field(default_factory=dict)

    def add(self, channel: Channel, head: int) -> None:
        self.used[channel] = head
        if head != self.end:
            self.into.setdefault(head, []).append(channel)

    def take_back(self, channel: Channel) -> None:
        head = self.used.pop(channel)
        self.into[head].remove(channel)
        if not self.into[head]:
            del self.into[head]

    def paths(self) -> list[list[int]]:
        """The ways, the shortest first; without the circles that rerouting may have left."""
        after: dict[int, list[int]] = {}
        for (tail, _), head in sorted(self.used.items()):
            after.setdefault(tail, []).append(head)
        paths = []
        while after.get(self.start):
            path = [self.start]
            while path[-1] != self.end:
                path.append(after[path[-1]].pop())
                if path[-1] in path[:-1]:
                    del path[path.index(path[-1]) + 1 :]
            paths.append(path)
        return sorted(paths, key=len)


def _augmented(network: Network, start: int, end: int, most: int, edges: bool) -> list[list[int]]:
    """Ways added one by one; each new one may reroute the old ones (Ford and Fulkerson 1956)."""
    guide = RouterGuide(network, end)
    flow = _Flow(start, end, edges)
    for _ in range(most):
        steps = _search(guide, flow)
        if steps is None:
            break
        for channel, head, forward in steps:
            if forward:
                flow.add(channel, head)
            else:
                flow.take_back(channel)
    return flow.paths()


Step = tuple[Channel, int, bool]


def _search(guide: RouterGuide, flow: _Flow) -> list[Step] | None:
    """Steps of an augmenting path, or None.

    On arrival at a node of an old way one may only go back along that way, unless only channels
    must not be shared. Distances count twice, so that the search runs to the target rather than
    looking around.
    """
    origin: State = (flow.start, False)
    came: dict[State, tuple[State, Step]] = {}
    seen = {origin}
    queue = [(0, 0, 0, origin)]
    for _ in range(_MOST_STEPS + 4 * guide.distance(flow.start)):
        if not queue:
            return None
        _, minus, _, state = heapq.heappop(queue)
        if state[0] == flow.end:
            return _unwind(came, origin, state)
        hops = 1 - minus
        for following, left, step in _options(guide, flow, state):
            if following not in seen:
                seen.add(following)
                came[following] = (state, step)
                heapq.heappush(queue, (hops + 2 * left, -hops, len(seen), following))
    return None


def _options(guide: RouterGuide, flow: _Flow, state: State) -> list[tuple[State, int, Step]]:
    """Where one can go from a state: (state, distance left, step)."""
    node, inside = state
    edges: list[tuple[State, int, Step]] = []
    for channel in flow.into.get(node, ()):
        if channel[0] != flow.start:
            edges.append(((channel[0], False), 0, (channel, node, False)))
    if inside:
        return edges
    for port, there, left, _ in guide.exits(node):
        if left >= 0 and there != flow.start and (node, port) not in flow.used:
            stops = there in flow.into and not flow.edges
            edges.append(((there, stops), left, ((node, port), there, True)))
    return edges


def _unwind(came: dict[State, tuple[State, Step]], origin: State, state: State) -> list[Step]:
    out: list[Step] = []
    while state != origin:
        state, step = came[state]
        out.append(step)
    return out[::-1]


_SOURCES = 16  # endpoints from which what is left after failures is looked at


@dataclass(frozen=True)
class FaultReport:
    """Averages over seeded trials.

    Attributes:
        pairs: Share of ordered pairs of endpoints that are still joined.
        whole: Share of trials in which all endpoints are.
        stretch: Mean distance from some sources over that before, of the pairs still joined.
    """

    faults: int
    trials: int
    pairs: float
    whole: float
    stretch: float | None


def random_faults(network: Network, faults: int, *, trials: int = 10, seed: int = 0) -> FaultReport:
    """Take random links away (both directions of a duplex link) and look what is left.

    Args:
        faults: Links that fail in every trial.

    Examples:
        >>> import hopscape
        >>> random_faults(hopscape.build("ring(10)"), 1).pairs
        1.0
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, dijkstra

    from hopscape.formats.graphs.libraries import link_ends

    tails, heads, _ = link_ends(network)
    if not 0 <= faults <= len(tails):
        raise ArgumentError(f"faults is {faults}; {network.spec} has {len(tails)} links")
    if trials < 1:
        raise ArgumentError(f"trials is {trials}; it must be at least 1")
    order, ends = network.order, network.endpoints
    generator = np.random.default_rng(seed)
    sources = ends[:: max(1, len(ends) // _SOURCES)][:_SOURCES]
    kind: Literal["strong", "weak"] = "weak" if network.duplex else "strong"

    def matrix(keep: Any) -> Any:
        ones = np.ones(int(keep.sum()))
        half = csr_array((ones, (tails[keep], heads[keep])), shape=(order, order))
        return csr_array(half + half.T) if network.duplex else half

    def reach(of: Any) -> Any:
        return dijkstra(of, unweighted=True, indices=sources)[:, ends]

    before = reach(matrix(np.ones(len(tails), dtype=bool)))
    joined, whole, stretches = 0.0, 0, []
    for _ in range(trials):
        keep = np.ones(len(tails), dtype=bool)
        keep[generator.choice(len(tails), size=faults, replace=False)] = False
        left = matrix(keep)
        _, labels = connected_components(left, connection=kind)
        sizes = np.bincount(labels[ends]).astype(np.int64)
        pairs = len(ends) * (len(ends) - 1)
        share = float((sizes * (sizes - 1)).sum()) / pairs if pairs else 1.0
        joined += share
        whole += int((sizes > 0).sum() == 1)
        after = reach(left)
        both = np.isfinite(before) & np.isfinite(after) & (before > 0)
        if both.any():
            stretches.append(float(after[both].sum() / before[both].sum()))
    mean = float(np.mean(stretches)) if stretches else None
    return FaultReport(faults, trials, joined / trials, whole / trials, mean)

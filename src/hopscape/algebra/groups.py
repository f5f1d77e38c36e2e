"""The automorphism group of any network: generators, order and orbits.

Individualisation and refinement, as in B. D. McKay and A. Piperno, "Practical graph isomorphism,
II", Journal of Symbolic Computation 60 (2014), without their pruning by canonical leaves: nodes are
singled out one by one until colours tell all of them apart, and for every other node that one of
them might be moved to, an automorphism is searched for that keeps those singled out before. The
order is the product of the lengths of these orbits (the stabiliser chain).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.core.processes import require_at_most
from hopscape.core.progress import check_time

__all__ = ["AutomorphismGroup", "automorphism_group", "coloured_group", "is_isomorphic", "orbits"]

_MOST_NODES = 5000  # distances of all pairs tell nodes apart first: 25 million
_MOST_CHANNELS = 2_000_000  # a refinement sorts them all
_MOST_WORK = 300_000_000
"""Colours of channels that may be looked at before it is given up: about half a minute."""
_OVERHEAD = 5000
"""What a pass costs besides its channels, in the same unit."""


@dataclass(frozen=True)
class AutomorphismGroup:
    """All permutations of the nodes that keep every channel.

    Attributes:
        generators: ``g[v]`` is the image of node v.
        order: How many automorphisms there are.
    """

    nodes: int
    generators: tuple[IntArray, ...]
    order: int

    def orbits(self) -> list[list[int]]:
        """Classes of nodes that automorphisms move into each other, by their least node."""
        return _classes(_merged(self.nodes, _moves(self.generators)))

    def moves_to(self, target: int) -> dict[int, IntArray]:
        """For every node of the target's orbit an automorphism that moves it there.

        A walk over the orbit (Schreier's tree): O(orbit · generators · nodes).

        Examples:
            >>> import hopscape
            >>> moves = automorphism_group(hopscape.build("ring(5)")).moves_to(2)
            >>> [int(moves[v][v]) for v in range(5)]
            [2, 2, 2, 2, 2]
        """
        moves = {target: np.arange(self.nodes)}
        frontier = [target]
        inverses = [np.argsort(g) for g in self.generators]
        while frontier:
            v = frontier.pop()
            for g, back in zip(self.generators, inverses, strict=True):
                for there, step in ((int(back[v]), g), (int(g[v]), back)):  # step moves it to v
                    if there not in moves:
                        moves[there] = moves[v][step]
                        frontier.append(there)
        return moves

    def pair_orbits(self, tails: IntArray, heads: IntArray, *, ordered: bool = True) -> int:
        """Into how many classes the automorphisms divide these pairs of nodes."""
        return len(set(self.pair_classes(tails, heads, ordered=ordered).tolist()))

    def pair_classes(self, tails: IntArray, heads: IntArray, *, ordered: bool = True) -> IntArray:
        """The class of each of these pairs of nodes, which automorphisms map to each other.

        Examples:
            >>> import hopscape
            >>> net = hopscape.build("path(3)")
            >>> automorphism_group(net).pair_classes(net.tails, net.heads).tolist()
            [0, 1, 1, 0]
        """
        first, second = tails.astype(np.int64), heads.astype(np.int64)
        if not ordered:
            first, second = np.minimum(first, second), np.maximum(first, second)
        pairs, where = np.unique(first * self.nodes + second, return_inverse=True)
        first, second = np.divmod(pairs, self.nodes)
        moves = []
        for g in self.generators:
            moving = g != np.arange(self.nodes)
            places = np.nonzero(moving[first] | moving[second])[0]
            a, b = g[first[places]], g[second[places]]
            if not ordered:
                a, b = np.minimum(a, b), np.maximum(a, b)
            moves.append((places, np.searchsorted(pairs, a * self.nodes + b)))
        return np.asarray(_merged(len(pairs), moves), dtype=np.int64)[where]

    def __repr__(self) -> str:
        return (
            f"<AutomorphismGroup of order {self.order}: {len(self.generators)} generators,"
            f" {len(self.orbits())} orbits of {self.nodes} nodes>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Generators, order and orbits as JSON knows them."""
        return {
            "nodes": self.nodes,
            "order": self.order,
            "generators": [g.tolist() for g in self.generators],
            "orbits": self.orbits(),
        }


def coloured_group(
    name: str, tails: IntArray, heads: IntArray, colours: IntArray, work: int | None = None
) -> AutomorphismGroup:
    """The automorphisms of a directed multigraph that keep the colours of its nodes.

    Args:
        name: For errors.
        work: Colours of channels that may be looked at; a search of half a minute when left out.

    Raises:
        TooLargeError: When that does not suffice.
    """
    generators, order = _group(
        name, tails.astype(np.int64), heads.astype(np.int64), colours, work or _MOST_WORK
    )
    return AutomorphismGroup(len(colours), tuple(generators), order)


def automorphism_group(network: Network, *, kinds: bool = True) -> AutomorphismGroup:
    """The automorphism group of a network of up to 5000 nodes, directed or not.

    Parallel channels and loops count; ports, addresses and kinds of channels do not.

    Args:
        kinds: Endpoints go to endpoints and switches to switches, as in the machine; without it
            the network is a graph, whose nodes are all of one kind.

    A refinement takes at most as many rounds as nodes, each O(channels + nodes log nodes). The
    search is exponential at worst and counts its work; memory is some arrays of the channels.

    Raises:
        TooLargeError: Beyond 5000 nodes or two million channels, or when the search takes too long
            (graphs that are regular in a nasty way).

    Examples:
        >>> import hopscape
        >>> group = automorphism_group(hopscape.build("petersen"))
        >>> group.order, len(group.orbits())
        (120, 1)
        >>> automorphism_group(hopscape.build("path(3)")).orbits()
        [[0, 2], [1]]
        >>> switched = hopscape.build("bcube(2, 1)")
        >>> [automorphism_group(switched, kinds=kinds).order for kinds in (True, False)]
        [8, 16]
    """
    spec, limit = network.spec, "automorphisms are found"
    require_at_most(network.order, _MOST_NODES, spec, limit)
    require_at_most(network.channels, _MOST_CHANNELS, spec, limit, "channels")
    colours = _distance_colours(network, kinds=kinds)
    return coloured_group(network.spec, network.tails, network.heads, colours)


def orbits(network: Network, colours: Sequence[int] | None = None) -> list[list[int]]:
    """Classes of nodes that automorphisms (keeping kinds and colours) move into each other.

    Nodes are only ever put together when an automorphism was found: where the search takes too
    long, every node is a class of its own.

    Examples:
        >>> import hopscape
        >>> orbits(hopscape.build("path(5)"))
        [[0, 4], [1, 3], [2]]
    """
    views = _distance_colours(network)
    if colours is not None:
        views = views + len(views) * np.asarray(colours, dtype=np.int64)
    _, together = np.unique(views, return_inverse=True)
    try:
        group = coloured_group(
            network.spec, network.tails, network.heads, together.ravel().astype(np.int64)
        )
    except TooLargeError:
        return [[v] for v in range(network.order)]
    return group.orbits()


def is_isomorphic(a: Network, b: Network) -> bool:
    """Is one network the other with its nodes renumbered?

    Endpoints go to endpoints and switches to switches; parallel channels, loops and directions
    count, ports, addresses and capacities do not. Both stand side by side, each under a node of its
    own that reaches all of it: they are isomorphic if an automorphism exchanges these two.

    Raises:
        TooLargeError: As for :func:`automorphism_group`, for both together.

    Examples:
        >>> import hopscape
        >>> is_isomorphic(hopscape.build("torus(4, 4)"), hopscape.build("hypercube(4)"))
        True
    """
    if (a.order, a.channels, a.endpoint_count) != (b.order, b.channels, b.endpoint_count):
        return False
    both = f"{a.spec} and {b.spec}"
    require_at_most(2 * a.order, _MOST_NODES, both, "isomorphism is decided")
    require_at_most(2 * a.channels, _MOST_CHANNELS, both, "isomorphism is decided", "channels")
    views = [_distance_rows(network) for network in (a, b)]
    if views[0].shape != views[1].shape:
        return False
    colours = np.unique(np.concatenate(views), axis=0, return_inverse=True)[1].ravel()
    n = a.order
    if not np.array_equal(np.sort(colours[:n]), np.sort(colours[n:])):
        return False
    apexes = np.repeat([2 * n, 2 * n + 1], n)
    group = coloured_group(
        both,
        np.concatenate([a.tails, b.tails + n, apexes]),
        np.concatenate([a.heads, b.heads + n, np.arange(2 * n)]),
        np.concatenate([colours, [2 * n, 2 * n]]).astype(np.int64),
    )
    return any(int(g[2 * n]) == 2 * n + 1 for g in group.generators)


def _distance_rows(network: Network) -> IntArray:
    """For each node: is it a switch, and how many others are at each distance."""
    switch = np.ones((network.order, 1), dtype=np.int64)
    switch[network.endpoints] = 0
    return np.concatenate([switch, _distance_counts(network)], axis=1)


def _distance_colours(network: Network, *, kinds: bool = True) -> IntArray:
    """Nodes told apart by how many others they have at each distance, and by their kind."""
    rows = _distance_rows(network) if kinds else _distance_counts(network)
    _, colours = np.unique(rows, axis=0, return_inverse=True)
    return colours.ravel().astype(np.int64)


def _distance_counts(network: Network) -> IntArray:
    """For each node how many others cannot be reached, and are at distance 0, 1, 2, ..."""
    counts = []
    for begin in range(0, network.order, 500):
        nodes = np.arange(begin, min(begin + 500, network.order))
        rows = np.clip(distance_rows(network, nodes).astype(np.int64), -1, network.order) + 1
        offsets = np.arange(len(nodes))[:, None] * (network.order + 2)
        flat = np.bincount((rows + offsets).ravel(), minlength=len(nodes) * (network.order + 2))
        counts.append(flat.reshape(len(nodes), -1)[:, : int(rows.max()) + 1])
    width = max(part.shape[1] for part in counts)
    table = np.zeros((network.order, width), dtype=np.int64)
    for i, part in enumerate(counts):
        table[500 * i : 500 * i + len(part), : part.shape[1]] = part
    return table


def _group(
    spec: str, tails: IntArray, heads: IntArray, colours: IntArray, work: int
) -> tuple[list[IntArray], int]:
    """Generators and order, with twins (endpoints of one switch, say) put together first."""
    size = len(colours)
    classes = _twins(tails, heads, colours)
    if len(classes) == size:
        return _Search(spec, tails, heads, colours, work).group()
    first = np.asarray([members[0] for members in classes])
    number = np.full(size, -1)
    number[first] = np.arange(len(classes))
    inner_channels = (number[tails] >= 0) & (number[heads] >= 0)
    looks = [(int(colours[m[0]]), len(m), _joined(tails, heads, m)) for m in classes]
    shades = {shade_key: i for i, shade_key in enumerate(sorted(set(looks)))}
    inner, order = _group(
        spec,
        number[tails[inner_channels]],
        number[heads[inner_channels]],
        np.asarray([shades[shade_key] for shade_key in looks]),
        work,
    )
    generators = [_lifted(g, classes, size) for g in inner]
    for members in classes:
        order *= math.factorial(len(members))
        for a, b in pairwise(members):
            swap = np.arange(size)
            swap[[a, b]] = b, a
            generators.append(swap)
    return generators, order


def _joined(tails: IntArray, heads: IntArray, members: list[int]) -> int:
    """Channels from the first twin to the second: told apart from twins without."""
    if len(members) < 2:
        return 0
    return int(np.count_nonzero((tails == members[0]) & (heads == members[1])))


def _lifted(g: IntArray, classes: list[list[int]], size: int) -> IntArray:
    image = np.empty(size, dtype=np.int64)
    for c, members in enumerate(classes):
        image[members] = classes[int(g[c])]
    return image


def _twins(tails: IntArray, heads: IntArray, colours: IntArray) -> list[list[int]]:
    """Classes of nodes with the same neighbours, all apart or all joined, by their least node."""
    size = len(colours)
    out: list[list[int]] = [[] for _ in range(size)]
    into: list[list[int]] = [[] for _ in range(size)]
    for a, b in zip(tails.tolist(), heads.tolist()):
        out[a].append(b)
        into[b].append(a)
    classes: dict[Any, list[int]] = {}
    for v in range(size):
        key = (int(colours[v]), tuple(sorted(out[v])), tuple(sorted(into[v])))
        classes.setdefault(key, []).append(v)
    joined: dict[Any, list[int]] = {}
    for members in classes.values():
        v = members[0]
        whole: Any = (int(colours[v]), tuple(sorted([*out[v], v])), tuple(sorted([*into[v], v])))
        joined.setdefault(whole if len(members) == 1 else ("apart", v), []).extend(members)
    return sorted(joined.values())


class _Search:
    """Colourings of one graph, and maps between them."""

    def __init__(
        self, spec: str, tails: IntArray, heads: IntArray, colours: IntArray, most: int
    ) -> None:
        self.spec, self.size, self.colours = spec, len(colours), colours
        self.tails, self.heads = tails, heads
        self.pairs = np.sort(tails * self.size + heads)
        self.sides = [_by_node(tails, heads, self.size)]
        if not np.array_equal(np.sort(heads * self.size + tails), self.pairs):
            self.sides.append(_by_node(heads, tails, self.size))
        self.work, self.most = 0, most

    def group(self) -> tuple[list[IntArray], int]:
        """Generators and order."""
        base, levels = self._base()
        generators: list[IntArray] = []
        order = 1
        for depth in range(len(base) - 1, -1, -1):
            order *= self._orbit(depth, base, levels, generators)
        return generators, order

    def _base(self) -> tuple[list[int], list[IntArray]]:
        """Nodes to be singled out, and the colours before each of them and after the last."""
        shade = self.refined(self.colours)
        base: list[int] = []
        levels = [shade]
        while (cell := _smallest_cell(shade)) is not None:
            base.append(int(cell[0]))
            shade = self.single_out(shade, base[-1])
            levels.append(shade)
        return base, levels

    def single_out(self, shade: IntArray, node: int) -> IntArray:
        """The colours after a node has got one of its own."""
        alone = 2 * shade
        alone[node] += 1
        return self.refined(alone)

    def refined(self, shade: IntArray) -> IntArray:
        """Colours split until nodes of one colour have neighbours of the same colours.

        Colours are numbered by sums of hashed colours, which depend on the structure alone; two
        sums that meet by chance leave colours coarser, never wrong.
        """
        _, shade = np.unique(shade, return_inverse=True)
        count = int(shade.max()) + 1
        while count < self.size:
            self._spend(len(self.heads) + self.size)
            view = _mixed(shade)
            for side, (starts, others) in enumerate(self.sides):
                seen = np.concatenate([_ZERO, _mixed(shade + (side + 1) * self.size)[others]])
                total = np.cumsum(seen, dtype=np.uint64)
                view = view * _ODD + (total[starts[1:]] - total[starts[:-1]])
            _, finer = np.unique(view, return_inverse=True)
            now = int(finer.max()) + 1
            if now <= count:
                break
            shade, count = finer.ravel(), now
        return shade.astype(np.int64)

    def _spend(self, work: int) -> None:
        self.work += work + _OVERHEAD
        check_time(f"the automorphisms of {self.spec}")
        if self.work > self.most:
            raise TooLargeError(f"the automorphisms of {self.spec} take too long to find")

    def _orbit(
        self, depth: int, base: list[int], levels: list[IntArray], generators: list[IntArray]
    ) -> int:
        """Length of the orbit of a base node when those before it stay; adds generators."""
        shade, node = levels[depth], base[depth]
        cell = np.nonzero(shade == shade[node])[0].tolist()
        root = _merged(self.size, _moves(generators))
        barren: set[int] = set()
        for other in cell:
            if root[other] == root[node] or root[other] in barren:
                continue
            after = self.single_out(shade, other)
            image = self._map(depth + 1, base, levels, after)
            if image is None:
                barren.add(root[other])
                continue
            generators.append(image)
            dead = {v for v in cell if root[v] in barren}
            root = _merged(self.size, _moves(generators))
            barren = {root[v] for v in dead}
        return sum(root[v] == root[node] for v in cell)

    def _map(
        self, depth: int, base: list[int], levels: list[IntArray], shade: IntArray
    ) -> IntArray | None:
        """An automorphism that moves the colours of a level to these ones."""
        own = levels[depth]
        if not np.array_equal(np.bincount(own), np.bincount(shade)):
            return None
        image = self._matched(own, shade)
        if image is not None or depth == len(base):
            return image
        for other in np.nonzero(shade == own[base[depth]])[0].tolist():
            image = self._map(depth + 1, base, levels, self.single_out(shade, other))
            if image is not None:
                return image
        return None

    def _matched(self, own: IntArray, shade: IntArray) -> IntArray | None:
        """Nodes of one colouring to those of another: as many as can stay do, the rest in order.

        The only map there is when all colours differ. Before, it often exchanges two equal parts
        (two pods of a fat tree), which saves singling out the nodes of all others.
        """
        self._spend(len(self.heads))
        image = np.arange(self.size)
        moved = np.nonzero(own != shade)[0]
        to = moved[np.argsort(shade[moved], kind="stable")]
        image[moved[np.argsort(own[moved], kind="stable")]] = to
        pairs = np.sort(image[self.tails] * self.size + image[self.heads])
        return image if np.array_equal(pairs, self.pairs) else None


_ZERO = np.zeros(1, dtype=np.uint64)
_ODD = np.uint64(0xD6E8FEB86659FD93)


def _by_node(tails: IntArray, heads: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Where the channels of each node begin, and where they lead."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=size))])
    return starts, heads[np.argsort(tails, kind="stable")]


def _mixed(colours: IntArray) -> Any:
    """64 well mixed bits for each colour (splitmix64)."""
    with np.errstate(over="ignore"):
        z = (colours.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _smallest_cell(shade: IntArray) -> IntArray | None:
    """The nodes of the rarest colour that several have; None when all differ."""
    sizes = np.bincount(shade)
    many = np.nonzero(sizes > 1)[0]
    if not len(many):
        return None
    cell: IntArray = np.nonzero(shade == many[np.argmin(sizes[many])])[0]
    return cell


def _moves(generators: Sequence[IntArray]) -> list[tuple[IntArray, IntArray]]:
    """What permutations move, and where to."""
    places = [np.nonzero(g != np.arange(len(g)))[0] for g in generators]
    return [(moved, g[moved]) for moved, g in zip(places, generators, strict=True)]


def _merged(size: int, moves: Sequence[tuple[IntArray, IntArray]]) -> list[int]:
    """For each place the least of its orbit under permutations, given as what they move."""
    if not len(moves):
        return list(range(size))
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components

    places, images = (np.concatenate(side) for side in zip(*moves, strict=True))
    ones = np.ones(len(places), dtype=np.int8)
    graph = scipy.sparse.coo_array((ones, (places, images)), shape=(size, size))
    _, part = connected_components(graph, directed=False)
    _, first = np.unique(part, return_index=True)
    return first[part].tolist()


def _classes(roots: list[int]) -> list[list[int]]:
    out: dict[int, list[int]] = {}
    for v, root in enumerate(roots):
        out.setdefault(root, []).append(v)
    return list(out.values())

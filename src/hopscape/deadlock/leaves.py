"""Classes of virtual channels where endpoints are leaves: found over the switches.

An endpoint with one line to one switch is a source and a sink of the channel dependency graph. So
routes and classes are those of the switches, and the routing table has rows for these, with columns
for what tells goals apart (:meth:`~hopscape.core.router.Router.goal_keys`). What
:func:`~hopscape.deadlock.classes.find_classes` finds in one class or in rising classes is found
here in O(switches · goals that differ).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router
from hopscape.deadlock.classes import Certificate, Classes, few_goals, single_class
from hopscape.deadlock.layout import LeafTable
from hopscape.deadlock.routes import RouteColumns
from hopscape.metrics.routes import downward, node_rankings

__all__ = ["LeafRoutes", "classes_by_leaves", "has_leaves", "leaf_bytes"]

_ALIKE = np.zeros((1, 1), dtype=np.uint8)
_PAIRS = 1 << 20  # asked for together
_MOST_CLASSES = 31
_STRIP = 64  # rows


def has_leaves(network: Network, router: Router | None) -> bool:
    """Have all endpoints one line to a switch, and does the router say what tells them apart?"""
    if router is None or not router.chained or not network.has_switches:
        return False
    ends = network.endpoints
    if not len(ends) or (network.degrees[ends] != 1).any() or not network.duplex:
        return False
    marks = np.zeros(network.order, dtype=bool)
    marks[ends] = True
    return not marks[network.heads[network.indptr[ends]]].any() and router.goal_keys() is not None


def leaf_bytes(network: Network, router: Router) -> int:
    """Bytes that routes and classes take at most while they are found."""
    table = _blank(network, router)
    pairs = table.port.shape[0] * table.port.shape[1]
    width = int(network.degrees.max()) * 4
    homes = len(np.unique(network.heads[network.indptr[network.endpoints]]))
    return 2 * pairs + 6 * len(table.nodes) * homes + 2 * len(network.heads) * width


@dataclass(frozen=True)
class LeafRoutes:
    """The routes of a network whose endpoints are leaves.

    Attributes:
        columns: The whole table, goal by goal.
        table: Over the switches.
        classes, certificate: As of :func:`~hopscape.deadlock.classes.find_classes`; `layers` of the
            classes has rows and columns as `sort` says.
        sort (int32[2, order]): Row of a node as a source, column of a leaf as a goal.
        followed: Leaves to which routes were followed: one of each sort.
    """

    columns: RouteColumns
    table: LeafTable
    classes: Classes
    certificate: Certificate
    sort: IntArray
    followed: int


def classes_by_leaves(
    network: Network, router: Router, *, anywhere: bool = False, spread: bool = False
) -> LeafRoutes | None:
    """One class, or else rising classes; None where neither will do.

    Args:
        router: One for which the network :func:`has_leaves`.
        anywhere, spread: As of :func:`~hopscape.deadlock.classes.find_classes`.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("dragonfly(4, 2, p=2)")
        >>> found = classes_by_leaves(net, net.router())
        >>> found.classes.method, found.classes.count, found.certificate.dependencies
        ('rising', 2, 1501)
    """

    columns = RouteColumns(network, router)
    if columns.rings is not None or columns.parallel:
        return None
    table = _filled(columns, _blank(network, router), router)
    flat = np.zeros(len(network.heads), dtype=np.uint8)
    flat_table, goals = _counted(network, table, flat)
    few = few_goals(network)
    sample = goals.first(few) if few is not None else goals
    waits: int | None = None
    for some in (sample, goals):
        waits = _graph(network, flat_table, some, flat, 1, _ALIKE, anywhere)
        if waits is None:
            break
    if waits is not None:
        ends = _lines(flat_table, goals, flat, network, 1, False)
        proof = Certificate(True, 1, "single", columns.router, waits + ends)
        sort = np.zeros((2, 0), dtype=np.int32)
        return LeafRoutes(columns, flat_table, single_class(columns), proof, sort, len(goals.nodes))
    count, ranks, falls = _best_ranks(network, table, few, anywhere, spread)
    if count > _MOST_CLASSES:
        return None
    down = downward(network, ranks)
    ranked, goals = _counted(network, table, down)
    rings = down.astype(np.int32)
    classes = Classes("rising", count, rings, _ALIKE, _ALIKE, _ALIKE, ranks=ranks)
    starts = _ALIKE
    if spread:
        starts = np.subtract(count - 1, falls, out=falls, casting="unsafe")
        sets = tuple((2 << last) - 1 for last in range(count))
        classes = replace(classes, layers=_transposed(starts), sets=sets)
    waits = _graph(network, ranked, goals, down, count, starts, anywhere)
    if waits is None:
        return None
    ends = _lines(ranked, goals, down, network, count, spread)
    proof = Certificate(True, count, "rising", columns.router, waits + ends, at_least=2)
    sort = _sorts(network, ranked, goals, down)
    return LeafRoutes(columns, ranked, classes, proof, sort, len(goals.nodes))


def _transposed(array: IntArray) -> IntArray:
    """The transpose in memory of its own; strips of a cache line take a quarter of the time."""
    out = np.empty(array.shape[::-1], dtype=array.dtype)
    for low in range(0, len(array), _STRIP):
        out[:, low : low + _STRIP] = array[low : low + _STRIP].T
    return out


def _best_ranks(
    network: Network, table: LeafTable, few: IntArray | None, anywhere: bool, spread: bool
) -> tuple[int, IntArray, IntArray]:
    """The first node ranks of those with the fewest rising classes, and how many these are.

    What a few goals need is a lower bound: most ranks are rejected by it.

    Args:
        spread: How often each route falls is returned too.
    """
    from hopscape.deadlock.leaf_kernels import leaf_falls

    def classes(ranks: IntArray, some: IntArray | None) -> tuple[int, IntArray]:
        down = downward(network, ranks)
        ranked, goals = _counted(network, table, down)
        each = _ALIKE[:0]
        if some is not None:
            goals = goals.first(some)
        elif spread:
            rows = (3 if anywhere else 2) * len(table.nodes)
            require_memory(2 * rows * len(goals.nodes), f"the classes of {network.spec}")
            each = np.zeros((len(goals.nodes), rows), dtype=np.uint8)
        most = leaf_falls(network.indptr, ranked, goals.nodes, down, anywhere, each)
        if most < 0:
            raise ArgumentError(f"some routes of {network.spec} do not arrive")
        return int(most) + 1, each

    tried = list(node_rankings(network))
    bounds = [
        (classes(ranks, few)[0] if few is not None else 1, i) for i, ranks in enumerate(tried)
    ]
    best: tuple[tuple[int, int], IntArray] | None = None
    for bound in sorted(bounds):
        if best is not None and bound > best[0]:
            break
        count, each = classes(tried[bound[1]], None)
        if best is None or (count, bound[1]) < best[0]:
            best = (count, bound[1]), each
    assert best is not None
    return best[0][0], tried[best[0][1]], best[1]


@dataclass(frozen=True)
class _Goals:
    """Leaves that differ as goals: one of each sort, how many there are, and the sort of each."""

    nodes: IntArray
    alike: IntArray
    sort: IntArray

    def first(self, few: IntArray) -> _Goals:
        """Only those sorts that some leaves are of."""
        some = np.unique(self.sort[few])
        return _Goals(self.nodes[some], self.alike[some], self.sort)


def _blank(network: Network, router: Router) -> LeafTable:
    """A table without ports."""
    keys = router.goal_keys()
    assert keys is not None
    aside, apart = keys
    ends = network.endpoints
    marks = np.ones(network.order, dtype=bool)
    marks[ends] = False
    nodes = np.flatnonzero(marks)
    number = np.zeros(network.order, dtype=np.int32)
    number[nodes] = np.arange(len(nodes))
    entry = network.indptr[ends]
    home = network.heads[entry]
    number[ends] = -1 - number[home]
    back = network.reverse[entry]
    leads_out = np.zeros(network.order, dtype=np.uint16)
    leads_out[ends] = back - network.indptr[home]
    column, width = np.zeros((2, network.order), dtype=np.int32), 1
    for kind in range(2):
        names, column[kind, ends] = np.unique(apart[kind][ends], return_inverse=True)
        width = max(width, len(names) if (aside[nodes] == kind).any() else 0)
    require_memory(4 * len(nodes) * width, f"the routing table of {network.spec}")
    port = np.full((len(nodes), width), NO_PORT, dtype=np.uint16, order="F")
    sources = np.zeros((len(nodes), 2), dtype=np.int32)
    base, then = network.indptr[nodes].astype(np.int64), number[network.heads]
    return LeafTable(nodes, base, then, number, port, column, aside[nodes], leads_out, sources)


def _filled(columns: RouteColumns, table: LeafTable, router: Router) -> LeafTable:
    """The table with the ports that a router gives for one goal of each sort at another switch."""
    ends = columns.network.endpoints
    home = -1 - table.number[ends]
    for kind in range(2):
        rows = np.flatnonzero(table.aside == kind)
        if not len(rows):
            continue
        if router.turn:
            rows = rows[: router.turn]
        by_column = np.lexsort((home, table.column[kind, ends]))
        keys = table.column[kind, ends][by_column]
        low = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        high = np.concatenate([low[1:], [len(keys)]]) - 1
        first, last = ends[by_column[low]], ends[by_column[high]]
        step = max(1, _PAIRS // len(rows))
        at = table.nodes[rows]
        for start in range(0, len(first), step):
            some = slice(start, start + step)
            own = (-1 - table.number[first[some]])[:, None] == rows[None, :]
            to = np.where(own, last[some][:, None], first[some][:, None])
            here = np.broadcast_to(at, to.shape).ravel().astype(np.int64)
            ports = router.next_ports(here, to.ravel().astype(np.int64))
            found = columns.offsets[here, ports].reshape(to.shape)
            found[(-1 - table.number[to]) == rows[None, :]] = NO_PORT
            table.port[rows, start : start + len(found)] = found.T
    turn = router.turn or len(table.nodes)
    for first_row in range(turn, len(table.nodes), turn):
        turned = np.roll(table.port[:turn], first_row, axis=1)
        table.port[first_row : first_row + turn] = turned
    return table


def _counted(network: Network, table: LeafTable, down: IntArray) -> tuple[LeafTable, _Goals]:
    """The table with its sources, and the goals, where channels go down or not."""
    ends = network.endpoints
    entry = network.indptr[ends]
    home = (-1 - table.number[ends]).astype(np.int64)
    sources = np.zeros_like(table.sources)
    np.add.at(sources, (home, down[entry]), 1)
    width = int(table.column.max(initial=0)) + 1
    names = (home * width + table.column[0, ends]) * width + table.column[1, ends]
    names = 4 * names + 2 * down[network.reverse[entry]] + down[entry]
    _, first, inverse, alike = np.unique(
        names, return_index=True, return_inverse=True, return_counts=True
    )
    sort = np.full(network.order, -1, dtype=np.int32)
    sort[ends] = inverse
    return table._replace(sources=sources), _Goals(
        ends[first].astype(np.int64), alike.astype(np.int32), sort
    )


def _graph(
    network: Network,
    table: LeafTable,
    goals: _Goals,
    down: IntArray,
    classes: int,
    first: IntArray,
    anywhere: bool,
) -> int | None:
    """Dependencies but for those of leaves of one switch; None where they close a cycle."""
    from hopscape.deadlock.dependency_kernels import cyclic_part
    from hopscape.deadlock.leaf_kernels import leaf_waits

    size, width = len(network.heads) * classes, int(network.degrees.max()) * classes
    require_memory(2 * size * width, f"the channel dependency graph of {network.spec}")
    graph = np.zeros((size, width), dtype=np.uint8)
    bits = np.uint8 if classes <= 8 else np.uint32
    seen = np.zeros((len(network.heads), int(network.degrees.max())), dtype=bits)
    waits = leaf_waits(
        network.indptr,
        table,
        np.stack([goals.nodes, goals.alike]),
        down,
        first,
        anywhere,
        seen,
        graph,
    )
    if waits < 0:
        raise ArgumentError(f"some routes of {network.spec} do not arrive")
    closed = cyclic_part(network.indptr, network.heads, graph, classes).any()
    return None if closed else int(waits)


def _lines(
    table: LeafTable, goals: _Goals, down: IntArray, network: Network, classes: int, spread: bool
) -> int:
    """Dependencies of leaves of one switch: the line of one on the line to each other one.

    One for each class in which a packet starts: all, less one where it rises at the switch.
    """
    ends = network.endpoints
    entry = network.indptr[ends]
    home = -1 - table.number[ends]
    falls, rises = down[entry] == 1, down[network.reverse[entry]] == 0

    def many(marks: IntArray) -> IntArray:
        return np.bincount(home[marks], minlength=len(table.nodes)).astype(np.int64)

    leaves = many(np.ones(len(ends), dtype=bool))
    pairs = int((leaves * (leaves - 1)).sum())
    turned = int((many(falls) * many(rises) - many(falls & rises)).sum())
    return pairs * classes - turned if spread else pairs


def _sorts(network: Network, table: LeafTable, goals: _Goals, down: IntArray) -> IntArray:
    """Rows of sources and columns of goals in the table of last classes to start in."""
    switches, ends = len(table.nodes), network.endpoints
    rows = 2 * switches + table.number
    rows[ends] = down[network.indptr[ends]].astype(np.int64) * switches - 1 - table.number[ends]
    return np.stack([rows, goals.sort]).astype(np.int32)

"""Schedules for any network and any goal.

Broadcast and reduce follow one tree of shortest paths; all-gather sends every chunk down a tree of
its own; scatter, gather, permutation and all-to-all move packets along shortest paths, the farthest
first. Each takes a :class:`Model` and keeps its port and duplex rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.plan import cut_in_pieces
from hopscape.collectives.survivors import among_groups, gathered_backwards
from hopscape.collectives.trees import Tree, serve_tree, shortest_path_tree
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import check_time
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "broadcast",
    "gather",
    "make_schedule",
    "one_to_many",
    "permutation",
    "reduce",
    "route_packets",
    "scatter",
]

_MATCHED = 10**8  # rounds times channels up to which matchings are tried


@verified
def broadcast(
    network: Network, root: int, model: Model = Model(), sources: Sequence[int] = ()
) -> Schedule:
    """One chunk from the root to every endpoint, down a tree of breadth-first search.

    With all ports it takes as many rounds as the root's eccentricity, which is best. With k ports a
    matching of informed with uninformed nodes is tried in every round as well, unless the network
    is large and long, and the shorter of the two schedules is returned.

    Examples:
        >>> import hopscape
        >>> broadcast(hopscape.build("hypercube(4)"), 0).rounds
        4
        >>> broadcast(hopscape.build("complete(16)"), 0, Model(ports=1)).rounds
        4
    """
    root = network.node(root)
    goal = Goal.broadcast(root, sources=sources)
    tree = shortest_path_tree(network, root, sources=goal.sources)
    best = _tree_schedule(network, tree, model, goal)
    little = best.rounds * len(network.heads) <= _MATCHED
    if model.ports is not None and not network.has_switches and best.rounds > 1 and little:
        other = _matching_broadcast(network, goal, model, limit=best.rounds)
        if other is not None:
            return other
    return best


@verified
def one_to_many(
    network: Network,
    root: int,
    targets: Sequence[int],
    model: Model = Model(),
    sources: Sequence[int] = (),
) -> Schedule:
    """One chunk from the root to some nodes: the tree of breadth-first search, pruned."""
    goal = replace(Goal.one_to_many(network.node(root), targets), sources=tuple(sources))
    wanted = goal.on(network).wanted
    tree = shortest_path_tree(network, network.node(root), only_to=wanted, sources=goal.sources)
    return _tree_schedule(network, tree, model, goal)


@verified
def reduce(network: Network, root: int, model: Model = Model()) -> Schedule:
    """Everybody's share added up at the root: a broadcast backwards.

    Circuits that may not share nodes cannot end at the same node, so that under this rule a node
    receives once per round.
    """
    root = network.node(root)
    goal = Goal.reduce(root)
    ports = model.converging().ports
    if network.duplex:
        forth = broadcast(network, root, model.converging())
        return forth.reversed(goal, name=f"{forth.name}, reversed").under(model)
    turned = _turned(network)
    tree = shortest_path_tree(turned, root)
    when = serve_tree(turned, tree, ports)
    origin = network.incoming().channels  # channel of `turned` → channel of network
    nodes = tree.nodes[1:]
    last = int(when.max(initial=-1))
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=last - when[nodes],
        channels=origin[tree.channel[nodes]],
        name="tree",
    )


def _turned(network: Network) -> Network:
    """The network with every (simplex) channel turned round; row order as in reversed_csr."""
    by_head = network.incoming().channels
    return Network.from_links(
        network.order,
        network.heads[by_head],
        network.tails[by_head],
        duplex=False,
        spec=f"{network.spec} turned round",
        classes=network.classes,
        kinds=network.class_of(by_head),
        switches=np.setdiff1d(np.arange(network.order), network.endpoints),
    )


def _tree_schedule(network: Network, tree: Tree, rules: Model, goal: Goal) -> Schedule:
    when = serve_tree(network, tree, rules.ports)
    nodes = tree.below
    return Schedule.from_columns(
        network, rules, goal, round=when[nodes], channels=tree.channel[nodes], name="tree"
    )


def _matching_broadcast(network: Network, goal: Goal, rules: Model, limit: int) -> Schedule | None:
    """Match informed with uninformed nodes in every round; None when not below `limit` rounds."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    assert rules.ports is not None
    informed = np.zeros(network.order, dtype=bool)
    informed[goal.root] = True
    informed[list(goal.sources)] = True
    rounds: list[IntArray] = []
    channels: list[IntArray] = []
    tails, heads = network.tails, network.heads
    while not informed.all():
        if len(rounds) >= limit - 1:
            return None
        used = np.zeros(network.order, dtype=bool)
        chosen: list[IntArray] = []
        for _ in range(rules.ports):
            open_ = np.nonzero(informed[tails] & ~informed[heads] & ~used[heads])[0]
            if not len(open_):
                break
            ones = np.ones(len(open_), dtype=np.int8)
            matrix = csr_array((ones, (tails[open_], heads[open_])), shape=(network.order,) * 2)
            mate = maximum_bipartite_matching(matrix, perm_type="column")
            senders = np.nonzero(mate >= 0)[0]
            used[mate[senders]] = True
            chosen.append(_channel_between(network, senders, mate[senders]))
        if not chosen:
            return None
        taken = np.concatenate(chosen)
        informed[heads[taken]] = True
        rounds.append(np.full(len(taken), len(rounds)))
        channels.append(taken)
    return Schedule.from_columns(
        network,
        rules,
        goal,
        round=np.concatenate(rounds),
        channels=np.concatenate(channels),
        name="matching",
    )


def _channel_between(network: Network, tails: IntArray, heads: IntArray) -> IntArray:
    """The first channel from each tail to its head."""
    out = np.empty(len(tails), dtype=np.int64)
    for i, (u, v) in enumerate(zip(tails.tolist(), heads.tolist(), strict=True)):
        row = network.heads[network.indptr[u] : network.indptr[u + 1]]
        out[i] = network.indptr[u] + int(np.argmax(row == v))
    return out


@verified
def route_packets(
    network: Network,
    goal: Goal,
    sources: IntArray,
    targets: IntArray,
    chunks: IntArray,
    model: Model = Model(),
    router: Router | None = None,
) -> Schedule:
    """Move packets along a router's paths, the farthest to go first on every channel.

    Args:
        goal: What the schedule is for.
        sources, targets, chunks (arrays of int): Where each packet starts, where it goes, which
            chunk it is.
        router: The network's own when left out.
    """
    from hopscape.collectives.greedy_kernels import Rules
    from hopscape.collectives.greedy_kernels import route_packets as kernel

    half = _one_direction(model)
    routing = router if router is not None else network.router()
    moving = sources != targets
    nodes, ports = routing.walk(sources[moving], targets[moving])
    taken = ports >= 0
    flat = network.channel_at(nodes[:, :-1][taken], ports[taken])
    starts = np.concatenate([[0], np.cumsum(taken.sum(axis=1))]).astype(np.int64)
    rules = Rules.of(network, model.ports, half, model.packing == "packed")
    rounds, used, packet = kernel(starts, flat.astype(np.int64), rules)
    return Schedule.from_columns(
        network,
        model,
        goal,
        round=rounds,
        channels=used,
        chunk=chunks[moving][packet],
        name=f"farthest first, {routing.name} routes",
    )


def _one_direction(model: Model) -> bool:
    """Does a link carry one direction only, where packets move one hop per round?

    A hop is a circuit of length 1: circuits that share no channel or no link can be had so.
    """
    circuit = model.switching == "circuit"
    if circuit and model.shares == "vertex":
        raise ArgumentError(
            "packets that move hop by hop meet at nodes; vertex-disjoint circuits are not for them"
        )
    return model.duplex == "half" or (circuit and model.shares == "edge")


def _packets(network: Network, goal: Goal, model: Model, router: Router | None) -> Schedule:
    promise = goal.on(network)
    chunks = np.arange(len(promise.origins))
    return route_packets(
        network, goal, promise.origins, promise.destinations, chunks, model, router
    )


@verified
def scatter(network: Network, root: int, model: Model = Model()) -> Schedule:
    """From the root to each endpoint its own chunk."""
    return _packets(network, Goal.scatter(network.node(root)), model, None)


@verified
def gather(network: Network, root: int, model: Model = Model()) -> Schedule:
    """From each endpoint its own chunk to the root."""
    return _packets(network, Goal.gather(network.node(root)), model, None)


@verified
def permutation(
    network: Network,
    targets: Sequence[int],
    model: Model = Model(),
    router: Router | None = None,
) -> Schedule:
    """The datum of the j-th endpoint to node ``targets[j]``."""
    return _packets(network, Goal.permutation(targets), model, router)


@verified
def all_to_all(network: Network, model: Model = Model(), router: Router | None = None) -> Schedule:
    """From each endpoint to each its own chunk."""
    count = network.endpoint_count
    require_memory(200 * count * count, f"all-to-all among {count} endpoints")
    return _packets(network, Goal.all_to_all(), model, router)


@verified
def all_gather(network: Network, model: Model = Model()) -> Schedule:
    """Everybody's chunk to everybody, each down its own tree, channels shared evenly.

    Time and memory grow with nodes squared: trees hang from distances (50 bytes per pair of nodes),
    and every hop of every tree gets its round once.

    Raises:
        DisconnectedError: When some node cannot be reached.
    """
    from hopscape.collectives.greedy_kernels import Rules, balanced_trees, flow_trees, prune_trees

    half = _one_direction(model)
    order = network.order
    require_memory(50 * order * order, f"all-gather among {order} nodes")
    check_time(f"an all-gather among {order} nodes")
    distance = distance_rows(network, np.arange(order))
    ends = network.endpoints
    lost = unreached(distance[np.ix_(ends, ends)])
    if lost.any():
        s, v = (int(ends[x]) for x in np.unravel_index(int(lost.argmax()), lost.shape))
        raise DisconnectedError(f"node {v} cannot be reached from node {s} in {network.spec}")
    parent = np.empty((order, order), dtype=np.int32)
    height = np.empty((order, order), dtype=np.int32)
    balanced_trees(network.indptr, network.heads, distance, parent, height)
    if network.has_switches:
        is_end = np.zeros(order, dtype=np.bool_)
        is_end[ends] = True
        prune_trees(network.tails, is_end, distance, parent)
    rules = Rules.of(network, model.ports, half, model.packing == "packed")
    rounds, used, chunk = flow_trees(network.indptr, parent, height, rules)
    return Schedule.from_columns(
        network,
        model,
        Goal.all_gather(),
        round=rounds,
        channels=used,
        chunk=np.searchsorted(ends, chunk) if network.has_switches else chunk,
        name="a tree per source",
    )


@verified
def all_reduce(network: Network, model: Model = Model(), sliced: bool = False) -> Schedule:
    """Everybody's share added up everywhere.

    Args:
        sliced: False: one chunk, reduced to a central node and broadcast from it: few rounds. True:
            as many chunks as endpoints; chunk j is reduced to the j-th endpoint, then all are
            gathered everywhere: few chunks per link, for long messages. Needs duplex links.
    """
    if sliced and not network.duplex:
        raise ArgumentError(
            f"{network.spec} has simplex channels; a sliced all-reduce needs duplex links"
        )
    if sliced:
        gathered = all_gather(network, model)
        goal = Goal.all_reduce(chunks=network.endpoint_count)
        scattered = gathered.reversed(goal)
        return scattered.then(gathered, goal, name="reduce-scatter, then all-gather")
    centre = _centre(network)
    goal = Goal.all_reduce()
    up = reduce(network, centre, model)
    down = broadcast(network, centre, model)
    return up.then(down, goal, name=f"reduce to node {centre}, then broadcast")


def _centre(network: Network) -> int:
    """A node whose farthest node is near, if the network is small enough to look."""
    if network.symmetry is not None and network.symmetry.transitive:
        return 0
    if network.order > 4000 or network.has_switches:
        return int(network.endpoints[0])
    return int(distance_rows(network, np.arange(network.order)).max(axis=1).argmin())


def _reduce_scatter(network: Network, goal: Goal, model: Model) -> Schedule:
    """The all-gather backwards; where links are simplex, that of the network turned round."""
    if network.duplex:
        return gathered_backwards(network, goal, model, make_schedule)
    aim = replace(goal, kind="all-gather")
    forth = make_schedule(_turned(network), aim, model)
    origin = network.incoming().channels
    return Schedule.from_columns(
        network,
        forth.model,
        goal,
        round=forth.rounds - 1 - forth.round,
        channels=origin[forth.channels],
        chunk=forth.chunk,
        name=forth.name,
    )


@verified
def make_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The generic schedule for a goal.

    Raises:
        ArgumentError: For circuits and cut-through past switches, which only forward: it moves hop
            by hop.
    """
    hop_by_hop = model.switching == "store-and-forward" or model.in_network
    if network.has_switches and not hop_by_hop:
        raise ArgumentError(
            f"the generic schedule moves hop by hop, and the switches of {network.spec} only"
            f" forward; take an algorithm for {model.switching}, or let switches copy (in_network)"
        )
    if model.switching == "cut-through" and model.duplex == "half" and not network.duplex:
        raise ArgumentError(
            f"{network.spec} has simplex channels, of which a node would use more at once than"
            " half duplex allows in cut-through; take store-and-forward"
        )
    if goal.groups:
        return among_groups(network, goal, model, make_schedule)
    if goal.kind == "reduce-scatter":
        return _reduce_scatter(network, goal, model)
    pieces = goal.chunks if goal.kind in ("all-gather", "all-to-all") else 1
    if pieces > 1:
        whole = make_schedule(network, replace(goal, chunks=1), model)
        return cut_in_pieces(whole, goal)
    root = goal.root if goal.root is not None else 0
    sliced = goal.kind == "all-reduce" and goal.chunks == network.endpoint_count
    if goal.chunks > 1 and not sliced:
        raise ArgumentError(f"there is no generic schedule for {goal.describe()}")
    makers = {
        "broadcast": lambda: broadcast(network, root, model, goal.sources),
        "reduce": lambda: reduce(network, root, model),
        "scatter": lambda: scatter(network, root, model),
        "gather": lambda: gather(network, root, model),
        "one-to-many": lambda: one_to_many(network, root, goal.targets, model, goal.sources),
        "all-gather": lambda: all_gather(network, model),
        "all-reduce": lambda: all_reduce(network, model, sliced=goal.chunks > 1),
        "all-to-all": lambda: all_to_all(network, model),
        "permutation": lambda: permutation(network, goal.targets, model),
    }
    return makers[goal.kind]()

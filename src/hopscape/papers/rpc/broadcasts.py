"""Broadcast: two strategies that take as long as the diameter, and the parts of a slice."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from hopscape.collectives.trees import Tree, serve_tree
from hopscape.core.arrays import IntArray
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.papers.rpc.phases import Phases, rules_of, stack_of
from hopscape.papers.rpc.slices import Slice
from hopscape.papers.rpc.wiring import Loop

__all__ = ["slice_first_broadcast", "slice_parents", "thirds", "tree_broadcast", "turn_round"]

_MOST_TREES = 4096


def slice_trees(part: Slice, root: int) -> list[IntArray]:
    """All trees of shortest paths from a node of a slice, as arrays of parents (-1 at the root)."""
    hops = part.distances[root]
    choices = []
    for v in range(part.size):
        near = [int(u) for u in part.rows[v] if hops[u] + 1 == hops[v]]
        choices.append(near or [-1])
    return [np.asarray(parents) for parents in product(*choices)]


def branch_sizes(part: Slice, root: int, parents: IntArray) -> list[int]:
    """How many nodes hang below each neighbour of the root, that neighbour included; ascending."""
    top = _branches(part, root, parents)
    return sorted(int((top == n).sum()) for n in part.rows[root])


def _branches(part: Slice, root: int, parents: IntArray) -> IntArray:
    """The neighbour of the root that each node hangs below; the root itself for the root."""
    top = np.full(part.size, root)
    for v in np.argsort(part.distances[root], kind="stable").tolist():
        if v != root:
            top[v] = v if parents[v] == root else top[parents[v]]
    return top


@cache
def slice_parents(part: Slice, root: int) -> IntArray:
    """A tree of shortest paths with branches as equal as can be (or nearly, where many are)."""
    hops = part.distances[root]
    near = (hops[part.rows] + 1 == hops[:, None]).sum(axis=1)
    if np.prod(np.maximum(near, 1), dtype=float) <= _MOST_TREES:
        trees = slice_trees(part, root)
        return min(trees, key=lambda parents: branch_sizes(part, root, parents)[::-1])
    parents, top = np.full(part.size, -1), np.full(part.size, root)
    for v in np.argsort(hops, kind="stable").tolist():
        if v != root:
            ways = [int(u) for u in part.rows[v] if hops[u] + 1 == hops[v]]
            parents[v] = min(ways, key=lambda u: int((top == top[u]).sum()))
            top[v] = v if parents[v] == root else top[parents[v]]
    return parents


def thirds(network: Network, node: int) -> list[IntArray]:
    """Definition 7: the slice of a node in parts, one behind each of its links in the slice.

    Returns:
        list of arrays of node numbers, the largest parts first; `node` itself is in none.

    Examples:
        >>> import hopscape
        >>> [len(part) for part in thirds(hopscape.build("pc"), 0)]
        [10, 10, 9]
    """
    part = stack_of(network).slice
    base, root = node - node % part.size, node % part.size
    top = _branches(part, root, slice_parents(part, root))
    found = [base + np.nonzero(top == n)[0] for n in part.rows[root]]
    return sorted(found, key=len, reverse=True)


def _tree(network: Network, root: int, rings_first: bool) -> Tree:
    """A tree of shortest paths: the root's rings and all slices, or its slice and all rings."""
    family = stack_of(network)
    part = family.slice
    place, parents = root % part.size, slice_parents(part, root % part.size)
    nodes = np.arange(network.order)
    here = nodes % part.size
    depth = part.distances[place][here].astype(np.int64)
    parent = nodes - here + np.where(here == place, here, parents[here])
    stride = network.order
    for loop in family.loops:  # the last ring that differs is the one by which a node is reached
        stride //= loop.size
        at = nodes // stride % loop.size
        gap = (at - root // stride) % loop.size
        depth += loop.distances(gap)
        use = (gap != 0) & (here == place) if rings_first else gap != 0
        back = nodes + ((at - _last_steps(loop)[gap]) % loop.size - at) * stride
        parent = np.where(use, back, parent)
    channel = np.full(network.order, -1, dtype=np.int64)
    others = nodes[nodes != root]
    phases = Phases(network, Model(), Goal.broadcast(root))
    channel[others] = phases.channels_between(parent[others], others)
    return Tree(root, channel, depth, np.argsort(depth, kind="stable"))


def _last_steps(loop: Loop) -> IntArray:
    """The last step on a shortest path over each gap."""
    if loop.plain:
        return np.where(2 * np.arange(loop.size) <= loop.size, 1, -1)
    return np.asarray([0] + [loop.walk(gap)[-1][1] for gap in range(1, loop.size)])


def _serve(network: Network, goal: Goal, model: Model, tree: Tree, name: str) -> Schedule:
    rules = rules_of(model)
    when = serve_tree(network, tree, rules.ports)
    nodes = tree.nodes[1:]
    return Schedule.from_columns(
        network, rules, goal, round=when[nodes], channels=tree.channel[nodes], name=name
    )


def tree_broadcast(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """First strategy: a tree of shortest paths of the whole network, the root's rings first."""
    root = goal.root or 0
    return _serve(network, goal, model, _tree(network, root, rings_first=True), "tree")


def slice_first_broadcast(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Second strategy: the root's slice, then all rings both ways.

    With all ports both strategies take as many rounds as the diameter, ⌊k/2⌋ + 5 on RPC(k), and
    each link is used at most once.
    """
    root = goal.root or 0
    return _serve(network, goal, model, _tree(network, root, rings_first=False), "slice-first")


def turn_round(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Reduce: the slice-first broadcast backwards."""
    forth = slice_first_broadcast(network, Goal.broadcast(goal.root or 0), model)
    return forth.reversed(goal, name="slice-first, reversed")

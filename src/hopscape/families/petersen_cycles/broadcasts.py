"""Broadcast: two strategies that take as long as the diameter, and the three parts of a slice."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from hopscape.collectives.trees import Tree, serve_tree
from hopscape.core.addresses import IntArray
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.petersen_cycles.phases import Phases, rules_of, stack_of
from hopscape.families.petersen_cycles.slices import Slice

__all__ = ["slice_first_broadcast", "slice_parents", "thirds", "tree_broadcast", "turn_round"]

_SIZE = 30


def slice_trees(part: Slice, root: int) -> list[IntArray]:
    """All trees of shortest paths from a node of a slice, as arrays of parents (-1 at the root)."""
    far = part.distances[root]
    choices = []
    for v in range(part.size):
        near = [int(u) for u in part.rows[v] if far[u] + 1 == far[v]]
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
    """The first tree of shortest paths whose branches are as equal as they can be."""
    trees = slice_trees(part, root)
    return min(trees, key=lambda parents: branch_sizes(part, root, parents)[::-1])


def thirds(network: Network, node: int) -> list[IntArray]:
    """Definition 7: the slice of a node in three parts, one behind each of its links in the slice.

    Returns
    -------
    list of three arrays of node numbers, the largest parts first; `node` itself is in none.

    Examples
    --------
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
    """A tree of shortest paths: the ring of the root and the slices, or the slice and all rings."""
    family = stack_of(network)
    part, k = family.slice, family.loops[0].size
    place, at = root % part.size, root // part.size
    parents = slice_parents(part, place)
    nodes = np.arange(network.order)
    here, level = nodes % part.size, nodes // part.size
    gap = (level - at) % k
    back = np.where(2 * gap <= k, -1, 1)
    along_ring = (level + back) % k * part.size + here
    along_slice = level * part.size + parents[here]
    at_ring, at_slice = gap != 0, here != place
    use_ring = at_ring & (~at_slice if rings_first else np.ones_like(at_ring))
    parent = np.where(use_ring, along_ring, along_slice)
    parent[root] = root
    depth = part.distances[place][here].astype(np.int64) + np.minimum(gap, k - gap)
    channel = np.full(network.order, -1, dtype=np.int64)
    others = nodes[nodes != root]
    phases = Phases(network, Model(), Goal.broadcast(root))
    channel[others] = phases.channels_between(parent[others], others)
    return Tree(root, channel, depth, np.argsort(depth, kind="stable"))


def _serve(network: Network, goal: Goal, model: Model | None, tree: Tree, name: str) -> Schedule:
    rules = rules_of(model)
    when = serve_tree(network, tree, rules.ports)
    nodes = tree.nodes[1:]
    return Schedule.from_columns(
        network, rules, goal, round=when[nodes], channels=tree.channel[nodes], name=name
    )


def tree_broadcast(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """First strategy: a tree of shortest paths of the whole network, the root's ring first."""
    root = goal.root or 0
    return _serve(network, goal, model, _tree(network, root, rings_first=True), "tree")


def slice_first_broadcast(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """Second strategy: the root's slice, then all 30 rings both ways.

    With all ports both strategies take ⌊k/2⌋ + 5 rounds, and each link is used at most once.
    """
    root = goal.root or 0
    return _serve(network, goal, model, _tree(network, root, rings_first=False), "slice-first")


def turn_round(network: Network, goal: Goal, model: Model | None = None) -> Schedule:
    """Reduce: the slice-first broadcast backwards."""
    forth = slice_first_broadcast(network, Goal.broadcast(goal.root or 0), model)
    return forth.reversed(goal, name="slice-first, reversed")

"""One to all and all to all: broadcasts that take as long as the diameter, and all-gathers.

Broadcast: along a tree of shortest paths, or the slice first and then all rings both ways; and the
parts of a slice behind the links of a node. All-gather: the paper's, slices first, and the packed
one in few rounds.

With packed messages and half-duplex links an all-gather is nothing but a choice of direction for
every link in every round. Such choices are searched for among those that the turns of the slices
leave alone.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import product

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.trees import Tree, serve_tree
from hopscape.core.annealing import allowance
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule
from hopscape.papers.rpc.phases import Phases, rules_of, stack_of
from hopscape.papers.rpc.slices import Slice
from hopscape.papers.rpc.wiring import Cycles, Loop, Stack

__all__ = [
    "half_duplex_rounds",
    "link_orbits",
    "missing",
    "oriented_rounds",
    "packed_all_gather",
    "paper_all_gather",
    "paper_stages",
    "ring_rounds",
    "slice_first_broadcast",
    "slice_first_stages",
    "slice_parents",
    "slices_first_all_gather",
    "thirds",
    "tree_broadcast",
    "turn_round",
]


@verified
def paper_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """The paper's: five steps in every slice, then k - 1 steps clockwise round the rings.

    Round every cycle, across, round the cycles with what came, across with that, and so on, as
    often as the base graph is wide (twice for the Petersen graph).
    """
    return _in_stages(network, goal, model, paper_stages(stack_of(network)), "paper")


def paper_stages(family: Stack) -> list[tuple[int, ...]]:
    """Ports of a slice by which all nodes send in each stage of Slice-All-to-All.

    Raises:
        ArgumentError: When the slices are not made of cycles.
    """
    if not isinstance(family, Cycles):
        raise ArgumentError(f"algorithm 'paper' needs slices made of cycles, not {family.spec}")
    stages: list[tuple[int, ...]] = [(0,)] * (family.cycle - 1)
    for _ in range(int(family.base_distances.max())):
        stages += [(2,), *[(0,)] * (family.cycle - 1)]
    return stages


@verified
def slices_first_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Every slice floods all its links, then k - 1 steps clockwise round every ring in turn."""
    return _in_stages(network, goal, model, slice_first_stages(stack_of(network)), "slice-first")


def slice_first_stages(family: Stack) -> list[tuple[int, ...]]:
    """All ports of a slice in every stage, as often as a slice is wide."""
    return [tuple(range(family.slice.ports))] * family.slice.diameter


def _in_stages(
    network: Network, goal: Goal, model: Model, stages: list[tuple[int, ...]], name: str
) -> Schedule:
    """By the given ports of the slice in each stage, then clockwise: all that the others lack.

    A stage lasts as long as its busiest link; nothing that arrives in it goes on before its end.
    """
    family = stack_of(network)
    require_memory(60 * network.order**2, f"all-gather among {network.order} nodes")
    if not all(loop.plain for loop in family.loops):
        raise ArgumentError(f"algorithm {name!r} needs ordinary rings, not those of {network.spec}")
    phases = Phases(network, rules_of(model), goal)
    first = family.slice.ports
    for loop in family.loops:
        stages = stages + [(first,)] * (loop.size - 1)
        first += 2
    held = np.eye(network.order, dtype=bool)
    rows = network.rows(np.arange(network.order))
    for ports in stages:
        after = held.copy()
        tails, heads, data = [], [], []
        for port in ports:
            sent = held & ~after[rows[:, port]]
            tail, chunk = np.nonzero(sent)
            after[rows[tail, port], chunk] = True
            tails.append(tail)
            heads.append(rows[tail, port])
            data.append(chunk)
        phases.hop(np.concatenate(tails), np.concatenate(heads), np.concatenate(data))
        held = after
    return phases.schedule(name)


@verified
def packed_all_gather(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Packed messages in few rounds: the diameter in full duplex, on RPC(k) ⌈k/2⌉ + 8 in half."""
    rules = rules_of(model)
    if rules.packing != "packed" or rules.ports is not None:
        raise ArgumentError(
            f"algorithm 'packed' needs packed messages on all ports, not {rules.describe()}"
        )
    require_memory(40 * network.order**2, f"all-gather among {network.order} nodes")
    if rules.duplex == "full":
        rounds = [np.arange(network.channels)] * int(network.diameter)
    else:
        rounds = half_duplex_rounds(network)
    return _flood(network, rules, goal, rounds, "packed")


def half_duplex_rounds(network: Network) -> list[IntArray]:
    """The channels that carry in each round: the slices first, then ring after ring.

    Directions for all links of a slice are searched for; two slices on one ring are searched as a
    whole, since their ring is a single link.
    """
    family = stack_of(network)
    size = family.slice.size
    phases = Phases(network, Model(), Goal.all_gather())
    if [loop.size for loop in family.loops if loop.size > 1] == [2]:
        whole = oriented_rounds(family.few_slices(2), family.packed_rounds)
        return [phases.channels_between(row[:, 0], row[:, 1]) for row in whole]
    rounds = []
    corners = size * np.arange(family.positions)[:, None]
    for row in oriented_rounds(family.few_slices(1), family.packed_rounds):
        tails, heads = (row[:, 0] + corners).ravel(), (row[:, 1] + corners).ravel()
        rounds.append(phases.channels_between(tails, heads))
    nodes, stride = np.arange(network.order), network.order
    for loop in family.loops:
        stride //= loop.size
        at = nodes // stride % loop.size
        for pairs in ring_rounds(loop.size) if loop.plain else _turns(loop):
            pair, here = np.nonzero(pairs[:, :1] == at)
            there = here + (pairs[pair, 1] - pairs[pair, 0]) * stride
            rounds.append(phases.channels_between(here, there))
    return rounds


def ring_rounds(k: int) -> list[IntArray]:
    """Half-duplex packed all-gather on a ring: for each round the (from, to) of all senders.

    Colours send in turn, ⌈k/2⌉ + 1 rounds for k >= 4. On an odd ring one link joins two nodes of
    the same colour; it carries one way in their rounds and the other way in between. Three nodes
    send round the ring twice.
    """
    if k == 1:
        return []
    if k == 2:
        return [np.asarray([[0, 1]]), np.asarray([[1, 0]])]
    at = np.arange(k)
    if k == 3:
        return [np.stack([at, (at + 1) % 3], axis=1)] * 2
    rounds = []
    for r in range(-(-k // 2) + 1):
        pairs = []
        for u in at.tolist():
            v = (u + 1) % k
            if k % 2 and v == 0:
                pairs.append((u, v) if r % 2 == 0 else (v, u))
            else:
                pairs.append((u, v) if u % 2 == r % 2 else (v, u))
        rounds.append(np.asarray(pairs))
    return rounds


def _turns(loop: Loop) -> list[IntArray]:
    """On a double loop: all links one way, then all the other way, as often as it is wide."""
    up = [
        (v, (v + step) % loop.size)
        for step, wired, _ in loop.wired
        if wired
        for v in range(loop.size if 2 * step != loop.size else step)
    ]
    pairs = np.asarray(up, dtype=np.int64).reshape(-1, 2)
    return [pairs, pairs[:, ::-1]] * loop.diameter


def _flood(
    network: Network, rules: Model, goal: Goal, rounds: list[IntArray], name: str
) -> Schedule:
    """In every round the given channels carry all that their heads have not got yet."""
    held = np.eye(network.order, dtype=bool)
    when, channel_parts, what = [], [], []
    for r, channels in enumerate(rounds):
        after = held.copy()
        for channel in channels.tolist():
            tail, head = network.tails[channel], network.heads[channel]
            new = np.nonzero(held[tail] & ~after[head])[0]
            after[head, new] = True
            when.append(np.full(len(new), r))
            channel_parts.append(np.full(len(new), channel))
            what.append(new)
        held = after
    empty = [np.empty(0, dtype=np.int64)]
    return Schedule.from_columns(
        network,
        rules,
        goal,
        round=np.concatenate(when or empty),
        channels=np.concatenate(channel_parts or empty),
        chunk=np.concatenate(what or empty),
        name=name,
    )


Link = tuple[int, int]
Directed = tuple[tuple[Link, ...], ...]
_SEEDS = range(8, 48)
_FEW_SEEDS = range(6)
_MOVES = 3000  # of a local search for a schedule with one round less
_WORK = 3_000_000  # links times rounds times moves of a search; large networks get fewer moves


def link_orbits(network: Network) -> list[list[Link]]:
    """The links, sorted into orbits of the turns of all slices, each with a common direction.

    An orbit that holds a link in both directions has none; its links are left one by one.
    """
    moves = stack_of(network).slice_turns()
    seen: set[Link] = set()
    orbits = []
    for u, v in zip(network.tails.tolist(), network.heads.tolist(), strict=True):
        if (u, v) in seen or (v, u) in seen:
            continue
        orbit = list(dict.fromkeys(zip(moves[:, u].tolist(), moves[:, v].tolist(), strict=True)))
        seen.update(orbit)
        if (v, u) in orbit:
            orbits += [[(a, b)] for a, b in orbit if a < b]
        else:
            orbits.append(orbit)
    return orbits


def missing(order: int, orbits: list[list[Link]], choice: list[list[bool]]) -> int:
    """Pairs (node, datum) not served when every link carries all it can in these directions."""
    held = [1 << v for v in range(order)]
    for row in choice:
        after = held[:]
        for forward, orbit in zip(row, orbits, strict=True):
            if forward:
                for u, v in orbit:
                    after[v] |= held[u]
            else:
                for u, v in orbit:
                    after[u] |= held[v]
        held = after
    return order * order - sum(x.bit_count() for x in held)


def _search(
    orbits: list[list[Link]], order: int, rounds: int, seeds: range, moves: int
) -> list[list[bool]] | None:
    """Directions for all links in so many rounds, by annealing from seeded starts.

    The temperature falls to a floor at its own pace, whatever the number of moves: the seeds that
    are known to lead to few rounds are those of this schedule.
    """
    for seed in seeds:
        rng = random.Random(seed)
        choice = [[rng.random() < 0.5 for _ in orbits] for _ in range(rounds)]
        cost, heat = missing(order, orbits, choice), 8.0
        for _ in range(moves):
            if cost == 0:
                return choice
            r, i = rng.randrange(rounds), rng.randrange(len(orbits))
            choice[r][i] = not choice[r][i]
            new = missing(order, orbits, choice)
            if new <= cost or new - cost <= allowance(heat, rng.random()):
                cost = new
            else:
                choice[r][i] = not choice[r][i]
            heat = max(0.4, heat * 0.998)
    return None


def _directed(orbits: list[list[Link]], choice: list[list[bool]]) -> Directed:
    return tuple(
        tuple(
            (u, v) if forward else (v, u)
            for forward, orbit in zip(row, orbits, strict=True)
            for u, v in orbit
        )
        for row in choice
    )


@cache
def _best(network: Network, known: int | None) -> Directed:
    """The fewest rounds that are found; twice the diameter always do, directions in turn."""
    orbits, order = link_orbits(network), network.order
    diameter = int(network.diameter)
    best = [[r % 2 == 0] * len(orbits) for r in range(2 * diameter)]
    if known is not None:
        return _directed(orbits, _search(orbits, order, known, _SEEDS, _MOVES) or best)
    while len(best) > max(diameter, 1):
        work = len(_FEW_SEEDS) * len(best) * network.links
        shorter = _search(orbits, order, len(best) - 1, _FEW_SEEDS, min(_MOVES, _WORK // work))
        if shorter is None:
            break
        best = shorter
    return _directed(orbits, best)


def oriented_rounds(network: Network, known: int | None = None) -> list[IntArray]:
    """For every round the directed links (tail, head) of an all-gather in few rounds.

    Args:
        network: A small stack of slices.
        known: The number of rounds that a search is known to find; fewer and fewer are tried when
            left out.
    """
    return [np.asarray(row, dtype=np.int64).reshape(-1, 2) for row in _best(network, known)]


_MOST_TREES = 4096  # all trees are compared up to here; beyond, branches are balanced greedily


def slice_trees(part: Slice, root: int) -> list[IntArray]:
    """All trees of shortest paths from a node of a slice, as arrays of parents (-1 at the root)."""
    hops = part.distances[root]
    choices = []
    for v in range(part.size):
        nearer = [int(u) for u in part.rows[v] if hops[u] + 1 == hops[v]]
        choices.append(nearer or [-1])
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
    choices = (hops[part.rows] + 1 == hops[:, None]).sum(axis=1)
    if np.prod(np.maximum(choices, 1), dtype=float) <= _MOST_TREES:
        trees = slice_trees(part, root)
        return min(trees, key=lambda parents: branch_sizes(part, root, parents)[::-1])
    parents, top = np.full(part.size, -1), np.full(part.size, root)
    for v in np.argsort(hops, kind="stable").tolist():
        if v != root:
            candidates = [int(u) for u in part.rows[v] if hops[u] + 1 == hops[v]]
            parents[v] = min(candidates, key=lambda u: int((top == top[u]).sum()))
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
    parts = [base + np.nonzero(top == n)[0] for n in part.rows[root]]
    return sorted(parts, key=len, reverse=True)


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


@verified
def tree_broadcast(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """First strategy: a tree of shortest paths of the whole network, the root's rings first."""
    root = goal.root or 0
    return _serve(network, goal, model, _tree(network, root, rings_first=True), "tree")


@verified
def slice_first_broadcast(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Second strategy: the root's slice, then all rings both ways.

    With all ports both strategies take as many rounds as the diameter, ⌊k/2⌋ + 5 on RPC(k), and
    each link is used at most once.
    """
    root = goal.root or 0
    return _serve(network, goal, model, _tree(network, root, rings_first=False), "slice-first")


@verified
def turn_round(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Reduce: the slice-first broadcast backwards."""
    forth = slice_first_broadcast(network, Goal.broadcast(goal.root or 0), model)
    return forth.reversed(goal, name="slice-first, reversed")

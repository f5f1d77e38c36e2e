"""Walks round a ring, and cube-connected cycles, against searches that know nothing of gaps."""

from __future__ import annotations

from collections import deque
from itertools import pairwise, product

import numpy as np
import pytest

import hopscape
from hopscape.core.addresses import node_dtype
from hopscape.core.distances import distance_rows
from hopscape.core.errors import TooLargeError
from hopscape.core.formula import evaluate, inputs
from hopscape.families.classic.ring_walks import (
    total_of_walks,
    walk_legs,
    walk_length,
    walk_lengths,
)
from hopscape.metrics import distance_profile


def searched_walks(size: int) -> dict[tuple[int, int], int]:
    """Hops by set of stops and goal, by breadth-first search over what was visited and where."""
    hops = {(1, 0): 0}
    queue = deque(hops)
    while queue:
        visited, here = queue.popleft()
        for beside in ((here + 1) % size, (here - 1) % size):
            state = visited | 1 << beside, beside
            if state not in hops:
                hops[state] = hops[visited, here] + 1
                queue.append(state)
    return {
        (stops, goal): min(
            h for (seen, end), h in hops.items() if end == goal and not stops & ~seen
        )
        for stops, goal in product(range(1 << size), range(size))
    }


@pytest.mark.parametrize("size", range(1, 9))
def test_walks_by_search(size):
    walks = searched_walks(size)
    sets, goals = np.asarray(list(walks)).T
    stops = (sets >> np.arange(size)[:, None] & 1).astype(bool)
    assert walk_lengths(stops, goals).tolist() == list(walks.values())
    for (visited, goal), hops in walks.items():
        positions = [i for i in range(size) if visited >> i & 1]
        assert walk_length(size, positions, goal) == hops
        legs = walk_legs(size, positions, goal)
        assert sum(map(abs, legs)) == hops
        assert sum(legs) % size == goal
        assert all(a * b < 0 for a, b in pairwise(legs))
        turns = np.cumsum([0, *legs])
        passed = {x % size for x in range(turns.min(), turns.max() + 1)}
        assert passed >= set(positions)
    assert total_of_walks(size, 1, 1) == sum(walks.values())
    weighted = sum(
        3 ** bits.bit_count() * 2 ** (size - bits.bit_count()) * h for (bits, _), h in walks.items()
    )
    assert total_of_walks(size, 3, 2) == weighted


def test_walks_in_blocks_are_walks_one_by_one():
    rng = np.random.default_rng(5)
    stops, goals = rng.random((700, 900)) < 0.02, rng.integers(0, 700, 900)
    one_by_one = [
        walk_length(700, np.flatnonzero(column).tolist(), int(goal))
        for column, goal in zip(stops.T, goals, strict=True)
    ]
    assert walk_lengths(stops, goals).tolist() == one_by_one


@pytest.mark.parametrize("d", range(1, 10))
def test_cube_connected_cycles_by_search(d):
    net = hopscape.build(f"ccc({d})")
    everybody = np.arange(net.order)
    router = net.router()
    assert router.table_bytes == 0
    for source in range(d):  # words differ by a symmetry of the cube
        row = distance_rows(net, np.asarray([source]))[0]
        assert (router.distances(np.full(net.order, source), everybody) == row).all()
    assert net.facts.diameter == distance_rows(net, np.asarray([0])).max()
    if net.order > 1:
        profile = distance_profile(net, exact=True)
        assert net.facts.mean_distance == profile.mean


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 12, 56, 57, 64, 150])
def test_routes_of_cube_connected_cycles(d):
    """One by one and as arrays the same routes, as long as they say, in small and huge ones."""
    net = hopscape.build(f"ccc({d})")
    router = net.router()
    rng = np.random.default_rng(d)
    words = [int.from_bytes(rng.bytes(600), "little") % net.order for _ in range(24)]
    at, to = (np.asarray(half, dtype=node_dtype(net.order)) for half in (words[::2], words[1::2]))
    nodes, ports = router.walk(at, to)
    for i, (a, b) in enumerate(zip(at.tolist(), to.tolist(), strict=True)):
        path, taken = router.trace(a, b)
        assert path == [v for v in nodes[i].tolist() if v >= 0]
        assert taken == [p for p in ports[i].tolist() if p >= 0]
        assert len(taken) == router.distance(a, b)
        steps = zip(pairwise(path), taken, strict=True)
        assert all(net.neighbours(v)[port] == w for (v, w), port in steps)
        assert path[-1] == b


def test_a_route_of_thousands_of_hops():
    """One route as a whole; arrays from some of its nodes, since one hop of theirs takes long."""
    net = hopscape.build("ccc(1100)")
    router = net.router()
    a, b = (
        int.from_bytes(np.random.default_rng(k).bytes(600), "little") % net.order for k in (1, 2)
    )
    path, taken = router.trace(a, b)
    assert len(taken) == router.distance(a, b) > 1000
    steps = zip(pairwise(path), taken, strict=True)
    assert all(net.neighbours(v)[port] == w for (v, w), port in steps)
    assert path[-1] == b
    at = np.asarray(path[:-1:50], dtype=object)
    to = np.asarray([b] * len(at), dtype=object)
    assert router.next_ports(at, to).tolist() == taken[::50]
    assert router.distances(at, to).tolist() == list(range(len(taken), 0, -50))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_formula_of_cube_connected_cycles(d):
    net = hopscape.build(f"ccc({d})")
    at, to = (x.ravel() for x in np.meshgrid(np.arange(net.order), np.arange(net.order)))
    ports = evaluate(net.router().formula(*inputs(net.order)), at, to)
    assert (ports == net.router().next_ports(at, to)).all()


def test_formulas_of_large_cycles_are_refused():
    with pytest.raises(TooLargeError, match="13² · 2\\^13"):
        hopscape.build("ccc(13)").router().formula(*inputs(13 << 13))

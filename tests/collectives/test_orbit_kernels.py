"""Gathers planned for one node of each orbit, played on all nodes; even paths, walked."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from conftest import connected_graph
from hopscape.collectives.symmetric_kernels import even_paths, symmetric_gather


def play(order, steps, taken):
    """Every node of a circulant receives what the plan says, moved to its place; who has what."""
    have = [{v} for v in range(order)]
    for t, row in enumerate(taken.tolist()):
        after = [set(some) for some in have]
        for v in range(order):
            for lane, chunk in enumerate(row[0]):
                if chunk >= 0:
                    what = (v + chunk) % order
                    assert what in have[(v + steps[lane]) % order], (t, v, lane)
                    assert what not in after[v], "received twice"
                    after[v].add(what)
        have = after
    return have


@given(st.integers(3, 14), st.data(), st.integers(1, 20), st.integers(0, 99))
def test_gathers_on_circulants_can_be_played(order, data, most, seed):
    jumps = data.draw(
        st.lists(st.integers(1, (order - 1) // 2), unique=True, min_size=1, max_size=3)
    )
    steps = [sign * jump for jump in jumps for sign in (1, -1)]
    lanes = len(steps)
    names = np.array([[(c - s) % order for c in range(order)] for s in steps], dtype=np.int32)
    used, taken = symmetric_gather(
        np.zeros((1, lanes), dtype=np.int64), np.array([lanes]), names[None], np.array([0]),
        np.array([lanes]), np.ones((1, lanes)), most, seed,
    )  # fmt: skip
    have = play(order, steps, taken)
    everywhere = all(len(some) == order for some in have)
    assert (used <= most) == everywhere
    if everywhere:
        assert (taken[used:] == -1).all()
        assert used >= -(-(order - 1) // lanes)


def hops_to(network, goal):
    far, queue = {goal: 0}, [goal]
    for v in queue:
        for u in np.unique(network.tails[network.heads == v]).tolist():
            if u not in far:
                far[u] = far[v] + 1
                queue.append(u)
    return far


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(0, 6), st.booleans(), st.data())
def test_even_paths_are_shortest_and_counted(seed, order, more, duplex, data):
    network = connected_graph(seed, order, more, duplex)
    rng = np.random.default_rng(seed)
    far = np.array([[hops_to(network, d)[v] for v in range(order)] for d in range(order)])
    pairs = rng.integers(0, order, size=(data.draw(st.integers(1, 9)), 2))
    start = np.cumsum([0, *(far[b, a] for a, b in pairs)])
    kind = rng.integers(0, 3, size=len(network.heads))
    load = np.full(3, 77, dtype=np.int64)
    ways = even_paths(
        network.indptr, network.heads, kind, far.astype(np.uint8), pairs[:, 0].copy(),
        pairs[:, 1].copy(), start, load, 2, data.draw(st.integers(1, 3)), seed,
    )  # fmt: skip
    for (at, goal), low, high in zip(pairs.tolist(), start[:-1], start[1:]):
        for channel in ways[low:high].tolist():
            assert network.tails[channel] == at
            at = int(network.heads[channel])
        assert at == goal
    counts = Counter(kind[ways].tolist())
    assert load.tolist() == [counts[k] for k in range(3)]

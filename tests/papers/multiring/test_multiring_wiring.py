"""Multirings as networks: wiring, refusals, routers, sparse rings and their tables."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, SpecError, TooLargeError
from hopscape.papers.multiring.families import Multiring, SparseMultiring, ring_lengths
from hopscape.papers.multiring.rings import ring_blocks
from promises import broken_promises
from refusals import refusals

SPECS = [
    "multiring(2, 1)",
    "multiring(3, 1)",
    "multiring(16, 1, 3)",
    "multiring(12, 1, 2, 3, 4)",
    "multiring(9, 1, copies=2)",
    "multiring(9, 1, 3, copies=3)",
    "multiring(12, 1, 5, -2)",
    "multiring(10, 1, -1, 5)",
    "multiring(8, 1, 3, simplex=true)",
    "sparse_multiring(2, 2)",
    "sparse_multiring(2, 9)",
    "sparse_multiring(3, 6)",
    "sparse_multiring(4, 4)",
    "sparse_multiring(2, 6, order=[0, 2, 1, 3, 5, 4])",
    "sparse_multiring(3, 6, sigma=2)",
    "sparse_multiring(4, 12, sigma=2)",
    "sparse_multiring(6, 12, sigma=2)",
    "sparse_multiring(3, 9, rings=5)",
    "sparse_multiring(4, 8, rings=12, order=[7, 1, 2, 3, 4, 5, 6, 0])",
    "sparse_multiring(3, 6, rings=3)",
    "sparse_multiring(11, 22, sigma=2)",
    "product(multiring(8, 1, 3), multiring(5, 1, 2), sparse_multiring(2, 4))",
]


@pytest.mark.parametrize("spec", SPECS)
def test_networks_keep_their_promises(spec):
    assert broken_promises(spec, ("degree_min", "degree_max", "links", "channels")) == []
    net = hopscape.build(spec)
    assert net.facts.degree_min == net.facts.degree_max
    assert net.symmetry is not None


def test_ports_and_pairs():
    net = hopscape.build("multiring(10, 1, 3, copies=2)")
    assert net.neighbours(0) == (1, 9, 3, 7, 1, 9, 3, 7)
    assert hopscape.build("multiring(10, 1, -3)").neighbours(0) == (1, 7)
    assert not hopscape.build("multiring(10, 1, -3)").duplex
    assert hopscape.build("multiring(10, 1, 3, -3, -1)").duplex
    assert hopscape.build("multiring(10, 9, 7)").neighbours(0) == (9, 1, 7, 3)


test_refusals = refusals(
    SpecError,
    ("multiring(16, 2, 6)", "leads from node 0 to nodes 1, 3, 5, 7, 9, 11, 13, 15;"),
    ("multiring(6, 2, -3)", "leads from node 0 to nodes 1, 5;"),
    ("multiring(16)", "at least one step"),
    ("multiring(16, 1, 0)", "step 0 is not from 1 to N - 1 = 15"),
    ("multiring(16, 1, 16)", "step 16 is not"),
    ("multiring(16, 1, 8)", "its own counter-ring"),
    ("multiring(16, 1, 15)", "same ring mod 16; identical rings are given by copies="),
    ("multiring(16, 1, 3, copies=0)", "'copies' of multiring is 0"),
    ("sparse_multiring(7, 14)", "does not exist"),
    ("sparse_multiring(4, 3)", "a ring needs at least m = 4 places"),
    ("sparse_multiring(2, 4, order=[0, 1, 1, 3])", r"each of 0\.\.3 once"),
    ("sparse_multiring(4, 8, sigma=4)", "1 <= sigma < m = 4"),
    ("sparse_multiring(4, 8, sigma=5)", "1 <= sigma < m = 4"),
    ("sparse_multiring(5, 10, sigma=3)", "must divide m"),
    ("sparse_multiring(4, 8, sigma=2, rings=9)", "a cover has no sigma"),
    ("sparse_multiring(4, 8, rings=14)", "from 4 to"),
    ("sparse_multiring(4, 8, rings=3)", "from 4 to"),
    ("sparse_multiring(7, 14, rings=42)", "is not possible"),
    ("sparse_multiring(4, 8, order=[1, 2])", "order must hold"),
    ("sparse_multiring(2, 99999999999999, order=[1, 2])", "order must hold"),
    ("sparse_multiring(18446744073709551617, 3)", "at least m = 18446744073709551617"),
)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 60), st.integers(-60, 60))
def test_ring_lengths_by_walking(n, step):
    step = step % n or 1
    lengths = ring_lengths(n, step)
    at, hops, want = step % n, 1, [0] * n
    while at != 0:
        want[at] = hops
        at, hops = (at + step) % n, hops + 1
    assert lengths.tolist() == want
    assert hops == n // math.gcd(step, n)


@pytest.mark.parametrize("spec", ["multiring(32, 1, 2, 3, 7)", "multiring(12, 1, 5, -2)"])
@pytest.mark.parametrize("model", [Model(), Model(ports=1)])
def test_collectives_on_one_ring(spec, model):
    net = hopscape.build(spec)
    found = {c.goal: c for c in net.family.collectives() if c.name == "one-ring"}
    for root in (0, 5):
        goal = Goal.broadcast(root)
        schedule = found["broadcast"].build(net, goal, model)
        assert verify(schedule, net, goal, model=model)
        if model.ports is None:
            eccentricity = net.router("one-ring").distance(root, list(range(net.order))).max()
            assert schedule.rounds == eccentricity >= distances_from(net, 0).max()
    goal = Goal.all_to_all()
    assert verify(found["all-to-all"].build(net, goal, model), net, goal, model=model)


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 17, 24])
def test_planar_difference_sets(m):
    n = m * (m - 1) + 1
    chosen = [int(-x % n) for x in ring_blocks(m).residue[0]]
    differences = sorted((x - y) % n for x in chosen for y in chosen if x != y)
    assert differences == list(range(1, n))
    assert chosen[0] == 0


@pytest.mark.parametrize(
    ("m", "K", "more"),
    [(2, 10, {}), (3, 12, {}), (4, 16, {}), (5, 10, {}), (3, 14, {}), (4, 9, {"sigma": 2}),
     (3, 6, {"sigma": 2}), (6, 12, {"sigma": 2}), (7, 14, {"sigma": 3}), (11, 22, {"sigma": 2}),
     (15, 30, {"sigma": 6}), (4, 8, {"rings": 12}), (4, 8, {"rings": 9}), (7, 14, {"rings": 39}),
     (3, 6, {"rings": 3}), (4, 8, {"rings": 13})],
)  # fmt: skip
def test_sparse_rings_join_every_pair(m, K, more):
    member = SparseMultiring(m, K, **more)
    count = more.get("rings", m * (m - 1) // more.get("sigma", 1) + 1)
    assert member.spare == K % m
    assert member.order == count * (K // m)
    table = member.table()
    assert table.shape == (count, K - K % m)
    shared = {}
    for ring in table.tolist():
        assert len(set(ring)) == len(ring)
        for a, b in combinations(sorted(ring), 2):
            shared[a, b] = shared.get((a, b), 0) + 1
    for a, b in combinations(range(member.order), 2):
        if a % count == b % count:
            assert shared[a, b] == m
        elif "rings" in more:
            assert shared[a, b] >= 1
        else:
            assert shared[a, b] == member.sigma
    for t in range(m):  # every node stands once in each place of its part
        assert sorted(member.blocks.residue[:, t].tolist()) == list(range(count))


def test_long_rings_are_addressed_without_being_built():
    net = hopscape.build("sparse_multiring(3, 18446744073709551616)")
    assert net.order == 7 * (2**64 // 3)
    last = net.order - 1
    for port, there in enumerate(net.neighbours(last)):
        assert last in net.neighbours(there)
        assert 0 <= there < net.order, port
    ring = hopscape.build("sparse_multiring(10, K=2147483647)").family
    assert ring.places == 2147483640
    assert len(ring.neighbours(np.asarray([5]))[0]) == 20


test_tables_beyond_memory = refusals(
    TooLargeError, ("sparse_multiring(1000003, 1000003)", "GB|TB|bytes")
)


def test_sparse_wiring_follows_the_table():
    for member in (SparseMultiring(4, 16), SparseMultiring(2, 8, [3, 0, 5, 1, 7, 2, 4, 6]),
                   SparseMultiring(11, 22, sigma=2), SparseMultiring(4, 12, rings=12)):  # fmt: skip
        links = []
        for ring in member.table().tolist():
            links += [tuple(sorted((ring[i - 1], ring[i]))) for i in range(len(ring))]
        rows = member.neighbours(np.arange(member.order))
        mine = [(v, u) for v, row in enumerate(rows.tolist()) for u in row if v < u]
        assert sorted(mine) == sorted(links)


def test_sparse_tables_as_printed():
    ring = (SparseMultiring(2, 10).table() + 1).tolist()
    assert ring[0] == [1, 3, 4, 6, 7, 9, 10, 12, 13, 15]
    assert ring[1] == [2, 1, 5, 4, 8, 7, 11, 10, 14, 13]
    omitted = (SparseMultiring(4, 16).table() + 1)[0, 10:14].tolist()
    assert omitted == [37, 31, 40, 52]


def test_sides_of_a_line_must_be_given():
    with pytest.raises(ArgumentError):
        Multiring(1, (1,))

"""Exact optima: equations, programs, sparse rings and dead parts, against brute force."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import hopscape
from hopscape.core.errors import ArgumentError, HopscapeError, TooLargeError
from hopscape.papers.multiring.exact_loads import LoadProgram, optimum, ring_program
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.faults import (
    RingFaults,
    damaged_capacity,
    healthy_capacity,
    read_faults,
    single_faults,
    worst_faults,
)
from hopscape.papers.multiring.reference import brute_rings, brute_ways
from hopscape.papers.multiring.rings import _arranged
from hopscape.papers.multiring.sparse_capacity import (
    sparse_capacity,
    sparse_closed_form,
    sparse_upper_bound,
)

# -- programs -------------------------------------------------------------------------------------


def float_optimum(ways, demands, carriers, weights=None):
    """The whole program in floating point; ways are (demand, carriers with repetition)."""
    cost = [0.0] * len(ways) + [1.0]
    upper = np.zeros((carriers, len(cost)))
    equal = np.zeros((demands, len(cost)))
    for i, (demand, arcs) in enumerate(ways):
        equal[demand, i] = 1
        for arc in arcs:
            upper[arc, i] += 1 if weights is None else weights[demand]
    upper[:, -1] = -1
    return linprog(cost, upper, np.zeros(carriers), equal, np.ones(demands)).fun


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_random_programs_are_optimal_and_proved(demands, carriers, seed):
    rng = np.random.default_rng(seed)
    ways = []
    for d in range(demands):
        for _ in range(int(rng.integers(1, 4))):
            ways.append((d, rng.integers(0, carriers, size=int(rng.integers(1, 6))).tolist()))
    weights = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 6, size=(demands, 2))]
    starts = np.cumsum([0] + [len(arcs) for _, arcs in ways])
    carrier = np.concatenate([arcs for _, arcs in ways])
    program = LoadProgram(
        carriers, np.asarray([d for d, _ in ways]), tuple(weights), starts, carrier,
        np.ones_like(carrier),
    )  # fmt: skip
    found = optimum(program)
    want = float_optimum(ways, demands, carriers, [float(w) for w in weights])
    assert found.proved
    assert math.isclose(found.load, want, rel_tol=1e-7)
    assert min(found.shares) >= 0
    for d in range(demands):
        assert sum(x for x, (e, _) in zip(found.shares, ways) if e == d) == 1
    loads = [Fraction(0)] * carriers
    for x, (d, arcs) in zip(found.shares, ways):
        for arc in arcs:
            loads[arc] += x * weights[d]
    assert tuple(loads) == found.loads
    assert sum(found.dual) == 1
    assert min(found.dual) >= 0
    bound = sum(
        w * min(sum(found.dual[a] for a in arcs) for e, arcs in ways if e == d)
        for d, w in enumerate(weights)
    )
    assert bound == found.bound == found.load


def test_ways_come_in_by_their_prices(monkeypatch):
    """A large program, solved in parts, has the optimum of the whole."""
    from hopscape.papers.multiring import exact_loads as exact

    net = hopscape.build("multiring(16, 1, 2, 5)")
    whole = damaged_capacity(net, read_faults(net, arcs=["0-1"]))
    monkeypatch.setattr(exact, "_FEW_ROUTES", 10)
    monkeypatch.setattr(exact, "_NEAR", 0.0)
    parts = damaged_capacity(net, read_faults(net, arcs=["0-1"]))
    assert parts.proved
    assert parts.capacity == whole.capacity


def test_a_wrong_price_proves_less():
    program = ring_program([[1, 2, 3], [3, 2, 1]], [Fraction(1)] * 3)
    assert optimum(program).load == 2
    assert program.bound([Fraction(9, 10), Fraction(1, 10)]) < 2


# -- sparse rings, all nodes and arcs of the whole network -----------------------------------------


def brute_capacity(rings, dead=lambda tail, head, ring: False):
    ways, arcs = brute_ways(rings, dead)
    pairs = sorted(ways)
    flat = [(d, way) for d, pair in enumerate(pairs) for way in ways[pair]]
    return len(pairs), len(pairs) / float_optimum(flat, len(pairs), arcs) if pairs else 0


@pytest.mark.parametrize(
    "member",
    [SparseMultiring(2, 6), SparseMultiring(3, 6), SparseMultiring(2, 8, [3, 0, 5, 1, 7, 2, 4, 6]),
     SparseMultiring(3, 6, sigma=2), SparseMultiring(4, 8, sigma=2), SparseMultiring(3, 9, sigma=2),
     SparseMultiring(3, 6, [5, 1, 3, 2, 4, 0], sigma=2), SparseMultiring(3, 6, rings=5),
     SparseMultiring(3, 6, rings=6), SparseMultiring(3, 6, [5, 1, 3, 2, 4, 0], rings=4),
     SparseMultiring(3, 6, rings=3), SparseMultiring(2, 2), SparseMultiring(4, 4, rings=9)],
    ids=lambda m: m.spec,
)  # fmt: skip
def test_sparse_capacity_is_that_of_the_whole_network(member):
    found = sparse_capacity(member)
    pairs, want = brute_capacity(brute_rings(member))
    assert pairs == member.order * (member.order - 1)
    assert found.balanced.proved
    assert math.isclose(found.balanced.capacity, want, rel_tol=1e-7)
    assert found.shortest.capacity <= found.balanced.capacity <= sparse_upper_bound(member)


@pytest.mark.parametrize("order", [(), (3, 7, 0, 5, 1, 2, 6, 4)])
def test_rings_that_no_group_turns(order):
    """Blocks without a difference set: every ring is told apart."""
    member = SparseMultiring(4, 8, order, sigma=2)
    member.blocks = _arranged(member.blocks.residue)
    for t in range(4):
        assert sorted(member.blocks.residue[:, t].tolist()) == list(range(7))
    found = sparse_capacity(member)
    _, want = brute_capacity(brute_rings(member))
    assert found.balanced.proved
    assert math.isclose(found.balanced.capacity, want, rel_tol=1e-7)
    assert len(found.balanced.loads) == 7 * 2 * 8
    net = hopscape.Network.of(member)
    faults = RingFaults(arcs=((int(member.table()[3, 2]), int(member.table()[3, 3]), "3+"),))
    _, want = brute_capacity(brute_rings(member), dead_rule(member, faults))
    assert math.isclose(damaged_capacity(net, faults).capacity, want, rel_tol=1e-7)


@settings(deadline=None, max_examples=15)
@given(st.permutations(range(8)))
def test_any_order_is_proved(order):
    for more in ({}, {"sigma": 3}, {"rings": 9}):
        member = SparseMultiring(4, 8, order, **more)
        found = sparse_capacity(member)
        assert found.balanced.proved
        assert found.balanced.capacity <= sparse_upper_bound(member)


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_closed_form_is_the_program(m):
    for parts in range(1, 8):
        member = SparseMultiring(m, m * parts)
        if member.order > 1:
            found = sparse_capacity(member).balanced
            assert found.capacity == sparse_closed_form(m, m * parts)
            assert found.proved
    huge = sparse_capacity(SparseMultiring(m, m * 10**12))
    assert huge.balanced.capacity == sparse_closed_form(m, m * 10**12)
    assert huge.to_dict()["balanced"]["arc_loads"] is None
    with pytest.raises(TooLargeError, match="ways"):
        sparse_capacity(SparseMultiring(4, 4 * 10**9, sigma=2))


# -- dead parts -----------------------------------------------------------------------------------


def dead_rule(member, faults):
    names = []
    if isinstance(member, SparseMultiring):
        names = [f"{i}{side}" for i in range(member.ring_count) for side in "+-"]
    else:
        for s in member.rings:
            signed = s if 2 * s <= member.n else s - member.n
            names += [str(signed)] * math.gcd(s, member.n)

    def dead(tail, head, ring):
        name = names[ring]
        return (
            tail in faults.nodes
            or head in faults.nodes
            or name in faults.rings
            or name.rstrip("+-") in faults.rings
            or any((a, b) == (tail, head) and n in ("", name) for a, b, n in faults.arcs)
            or any({a, b} == {tail, head} for a, b in faults.links)
        )

    return dead


@pytest.mark.parametrize(
    ("spec", "dead"),
    [
        ("multiring(10, 1, 3)", {"arcs": ["0-1"]}),
        ("multiring(10, 1, 3)", {"arcs": ["0-1", "4-7", "7-4"], "nodes": ["5"]}),
        ("multiring(12, 1, 2)", {"nodes": ["0", "1"], "rings": ["-2"]}),
        ("multiring(9, 1, 2, -4)", {"arcs": ["3-4:1"], "rings": ["2"]}),
        ("multiring(12, 1, 2)", {"rings": ["1", "-1"]}),
        ("multiring(7, 1, simplex=true)", {"arcs": ["2-3"]}),
        ("multiring(10, 1, 3)", {"links": ["0-3"]}),
        ("multiring(8, 1, 3, copies=2)", {"links": ["5-2"], "nodes": ["1"]}),
        ("multiring(9, 1, 2, -4)", {"links": ["5-0"], "arcs": ["3-4:1"]}),
        ("multiring(8, 1, -4)", {"links": ["0-4"]}),
        ("sparse_multiring(2, 6)", {"links": ["0-2"]}),
        ("sparse_multiring(2, 6)", {"arcs": ["0-2"]}),
        ("sparse_multiring(2, 6)", {"rings": ["1"], "nodes": ["8"]}),
        ("sparse_multiring(3, 6)", {"rings": ["2+"], "arcs": ["0-6"]}),
        ("sparse_multiring(3, 6, sigma=2)", {"rings": ["0"], "nodes": ["3"]}),
        ("sparse_multiring(2, 8, order=[3, 0, 5, 1, 7, 2, 4, 6])", {"nodes": ["4"]}),
    ],
)
def test_capacity_with_dead_parts(spec, dead):
    net = hopscape.build(spec)
    faults = read_faults(net, **dead)
    found = damaged_capacity(net, faults)
    pairs, want = brute_capacity(brute_rings(net.family), dead_rule(net.family, faults))
    live = net.order - len(faults.nodes)
    assert found.pairs == pairs
    assert found.stranded == live * (live - 1) - pairs
    assert found.proved
    assert math.isclose(found.capacity, want, rel_tol=1e-7)
    assert found.shortest >= found.balanced.load


@settings(deadline=None, max_examples=20)
@given(st.integers(3, 11), st.data())
def test_random_dead_parts(n, data):
    steps = data.draw(st.sets(st.integers(1, (n - 1) // 2), min_size=1, max_size=3)) | {1}
    net = hopscape.Network.of(Multiring(n, tuple(sorted(steps))))
    arcs = data.draw(st.sets(st.tuples(st.integers(0, n - 1), st.sampled_from(sorted(steps))),
                             max_size=3))  # fmt: skip
    nodes = data.draw(st.sets(st.integers(0, n - 1), max_size=2))
    faults = RingFaults(tuple((v, (v + s) % n, "") for v, s in sorted(arcs)), tuple(sorted(nodes)))
    found = damaged_capacity(net, faults)
    pairs, want = brute_capacity(brute_rings(net.family), dead_rule(net.family, faults))
    assert (found.pairs, found.proved) == (pairs, True)
    assert math.isclose(found.capacity, want, rel_tol=1e-7)
    assert found.capacity <= healthy_capacity(net)


@pytest.mark.parametrize(
    ("spec", "dead"),
    [("distributed_switch(7, 4, 2)", {"crossbars": ["7"]}),
     ("distributed_switch(7, 3, 1)", {"crossbars": ["8"], "nodes": ["2"]}),
     ("partial_switch(12, 4)", {"arcs": ["0-12"]}),
     ("quasicomplete_digraph(3)", {"nodes": ["4"]})],
)  # fmt: skip
def test_dead_crossbars(spec, dead):
    net = hopscape.build(spec)
    try:
        faults = read_faults(net, **dead)
        found = damaged_capacity(net, faults)
    except ArgumentError:  # the arc has another number in this build
        tail, head = int(net.tails[0]), int(net.heads[0])
        faults = RingFaults(arcs=((tail, head, ""),))
        found = damaged_capacity(net, faults)
    gone = set(faults.nodes) | set(faults.crossbars)
    cut = {(a, b) for a, b, _ in faults.arcs}
    ways = {}
    for one, (a, s) in enumerate(zip(net.tails.tolist(), net.heads.tolist())):
        for two, (t, b) in enumerate(zip(net.tails.tolist(), net.heads.tolist())):
            whole = not gone & {a, s, b} and not cut & {(a, s), (t, b)}
            if s == t and a != b and {a, b} <= set(net.endpoints.tolist()) and whole:
                ways.setdefault((a, b), []).append([one, two])
    flat = [(d, way) for d, pair in enumerate(sorted(ways)) for way in ways[pair]]
    want = len(ways) / float_optimum(flat, len(ways), len(net.heads))
    assert found.pairs == len(ways)
    assert found.proved
    assert math.isclose(found.capacity, want, rel_tol=1e-7)


@pytest.mark.parametrize(
    "spec", ["multiring(9, 1, 2)", "multiring(8, 1, 3)", "multiring(8, 1, 2, -3)",
             "multiring(9, 1, 2, -2)", "multiring(8, 1, -4)",
             "sparse_multiring(2, 6)", "sparse_multiring(2, 6, order=[0, 3, 1, 5, 2, 4])"],
)  # fmt: skip
def test_the_worst_fault_is_the_worst_of_all(spec):
    """Every single arc, link, node and ring by brute force, not one of those that look alike."""
    net = hopscape.build(spec)
    rows = worst_faults(net)
    rings = brute_rings(net.family)
    every = [RingFaults(nodes=(v,)) for v in range(net.order)]
    names = {c for _, _, f in single_faults(net) for c in f.rings}
    if isinstance(net.family, SparseMultiring):
        names = {str(i) for i in range(net.family.ring_count)}
        labels = [f"{i}{side}" for i in range(net.family.ring_count) for side in "+-"]
    else:
        names = {str(s if 2 * s <= net.order else s - net.order) for s in net.family.rings}
        labels = [str(s if 2 * s <= net.order else s - net.order) for s in net.family.rings
                  for _ in range(math.gcd(s, net.order))]  # fmt: skip
    every += [RingFaults(rings=(name,)) for name in names]
    every += [
        RingFaults(arcs=((a, b, label),))
        for ring, label in zip(rings, labels)
        for a, b in zip(ring, [*ring[1:], ring[0]])
    ]
    arcs = [one.arcs[0] for one in every if one.arcs]
    turned = {label: label[1:] if label[0] == "-" else f"-{label}" for label in labels}
    turned |= {label: label[:-1] + "+-"[label[-1] == "+"] for label in labels if label[-1] in "+-"}
    turned |= {label: label for label in labels if label == str(net.order // 2)}
    cables = {frozenset(((a, b, n), (b, a, turned[n]))) for a, b, n in arcs}
    every += [RingFaults(arcs=tuple(cable)) for cable in cables if cable <= set(arcs)]
    results = []
    for faults in every:
        pairs, capacity = brute_capacity(rings, dead_rule(net.family, faults))
        live = net.order - len(faults.nodes)
        results.append((pairs - live * (live - 1), round(capacity, 6)))
    worst = rows[0]
    assert (-worst["stranded_pairs"], round(worst["balanced"]["capacity_decimal"], 6)) == min(
        results
    )
    assert sum(row["alike"] for row in rows) == len(every)


@pytest.mark.parametrize(
    ("spec", "dead", "words"),
    [
        ("multiring(16, 1, 3)", {"arcs": ["3"]}, "must be A-B"),
        ("multiring(16, 1, 3)", {"arcs": ["0-7"]}, "no ring has an arc"),
        ("multiring(16, 1, 3)", {"arcs": ["0-1:3"]}, "ring '3' has no arc"),
        ("multiring(16, 1, 3)", {"links": ["0-7"]}, "dead link '0-7': .* no such link"),
        ("multiring(16, 1, 3)", {"nodes": ["16"]}, "out of range"),
        ("multiring(16, 1, 3)", {"rings": ["5"]}, "the rings are 1, 3, -1, -3"),
        ("multiring(16, 1, 3)", {"crossbars": ["5"]}, "has no crossbars"),
        ("sparse_multiring(2, 6)", {"rings": ["9"]}, "the rings are 0, 1, 2"),
        ("torus(4, 4)", {"nodes": ["1"]}, "is not a multiring"),
        ("fat_tree(4)", {"nodes": ["1"]}, "not made of endpoints"),
        ("distributed_switch(7, 4, 2)", {"nodes": ["8"]}, "--dead-crossbar"),
        ("distributed_switch(7, 4, 2)", {"crossbars": ["1"]}, "is an endpoint"),
        ("distributed_switch(7, 4, 2)", {"rings": ["1"]}, "has no rings"),
        ("distributed_switch(7, 4, 2)", {"arcs": ["0-1"]}, "no such channel"),
        ("multiring(2000, 1, 3)", {"arcs": ["0-1"]}, "arcs of ways"),
    ],
)
def test_faults_that_are_none(spec, dead, words):
    net = hopscape.build(spec)
    with pytest.raises(HopscapeError, match=words):
        damaged_capacity(net, read_faults(net, **dead))


def test_everything_dead():
    net = hopscape.build("multiring(2, 1)")
    found = damaged_capacity(net, RingFaults(nodes=(0,)))
    assert (found.pairs, found.stranded, found.capacity, found.proved) == (0, 0, 0, True)
    found = damaged_capacity(net, RingFaults(rings=("1", "1#1")))
    assert (found.pairs, found.stranded, found.capacity) == (0, 2, 0)
    assert found.to_dict()["balanced"]["load"] is None
    with pytest.raises(TooLargeError, match="not alike"):
        worst_faults(hopscape.build("sparse_multiring(11, 22, sigma=2)"))


@pytest.mark.parametrize(
    ("spec", "names"),
    [("multiring(16, 1, -8)", ["8", "-8", "+8", "24"]), ("multiring(16, 1, 3)", ["-3", "13"])],
)
def test_a_ring_has_one_name(spec, names):
    """Steps that are equal mod N are one ring: -N/2 is N/2."""
    net = hopscape.build(spec)
    wanted = read_faults(net, rings=[names[0]])
    for name in names:
        assert read_faults(net, rings=[name]) == wanted
        target = int(names[0]) % 16
        arc = read_faults(net, arcs=[f"0-{target}:{name}"])
        assert damaged_capacity(net, arc).capacity > 0
    assert damaged_capacity(net, wanted).capacity < damaged_capacity(net, read_faults(net)).capacity

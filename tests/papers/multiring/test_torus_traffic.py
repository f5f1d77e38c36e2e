"""Tori of rings under any traffic, with dead parts, and a search that is stopped."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import hopscape
from commands import ask, refused
from hopscape.core.errors import ArgumentError
from hopscape.papers.multiring import tables
from hopscape.papers.multiring.faults import RingFaults, damaged_capacity
from hopscape.papers.multiring.torus import design_torus, line_of, torus_capacity
from hopscape.papers.multiring.torus_traffic import torus_traffic

TORI = [
    "product(multiring(5, 1), multiring(7, 1, 3))",
    "product(multiring(4, 1), multiring(5, 1, 2), multiring(3, 1))",
    "product(multiring(8, 1, 3), multiring(3, 1))",
    "product(multiring(5, 1, copies=2), multiring(4, 1))",
]


def slow_load(net, traffic, dead=(), cut=()):
    """Route by route over wires and steps, all lines in one linear program: load, lost pairs."""
    sides = [factor.order for factor in net.family.factors]
    steps = [[*f.family.rings] for f in net.family.factors]
    cut = {frozenset(link) for link in cut}

    def number(address):
        return int(np.ravel_multi_index(address, sides))

    def ways(d, start, goal):
        """Arcs of every ring that leads from one address to another along a dimension."""
        out = []
        for ring, step in enumerate(steps[d]):
            arcs, here = [], list(start)
            for _ in range(sides[d] - 1):
                there = here.copy()
                there[d] = (here[d] + step) % sides[d]
                ends = number(here), number(there)
                if ends[1] in dead or ends[0] in dead or frozenset(ends) in cut:
                    break
                arcs.append((d, ring, ends[0]))
                here = there
                if here[d] == goal[d]:
                    out.append(arcs)
                    break
        return out

    demands, lost = {}, 0
    for a, b in itertools.permutations(range(net.order), 2):
        if a in dead or b in dead or not traffic[a, b]:
            continue
        there = np.unravel_index(b, sides)
        for order in itertools.permutations(range(len(sides))):
            here, legs = list(np.unravel_index(a, sides)), []
            for d in order:
                turn = here.copy()
                turn[d] = there[d]
                if turn != here:
                    legs.append((d, tuple(here), tuple(turn)))
                here = turn
            if all(ways(*leg) for leg in legs):
                for leg in legs:
                    demands[leg] = demands.get(leg, 0) + traffic[a, b]
                break
        else:
            lost += 1
    rows, arcs, cost = [], {}, []
    for leg, weight in demands.items():
        first = len(cost)
        for way in ways(*leg):
            cost.append((way, weight))
        rows.append((first, len(cost), weight))
    for way, _ in cost:
        for arc in way:
            arcs.setdefault(arc, len(arcs))
    upper = np.zeros((len(arcs), len(cost) + 1))
    upper[:, -1] = -1
    for i, (way, _) in enumerate(cost):
        for arc in way:
            upper[arcs[arc], i] += 1
    equal = np.zeros((len(rows), len(cost) + 1))
    for i, (low, high, _) in enumerate(rows):
        equal[i, low:high] = 1
    goal = np.zeros(len(cost) + 1)
    goal[-1] = 1
    found = linprog(goal, upper, np.zeros(len(arcs)), equal, [w for *_, w in rows])
    return found.fun, lost


@pytest.mark.parametrize("spec", TORI)
def test_whole_tori_under_uniform_traffic_have_the_closed_form(spec):
    net = hopscape.build(spec)
    found = torus_traffic(net)
    assert found.capacity == torus_capacity([line_of(factor) for factor in net.family.factors])
    assert found.proved
    assert (found.pairs, found.live) == (0, net.order)


@pytest.mark.parametrize("spec", TORI)
def test_any_traffic_with_dead_parts_against_one_program_over_wires(spec):
    net = hopscape.build(spec)
    generator = np.random.default_rng(net.order)
    permutation = np.zeros((net.order, net.order))
    permutation[np.arange(net.order), generator.permutation(net.order)] = 1
    few = generator.integers(0, 4, (net.order, net.order)) * (
        generator.random((net.order,) * 2) < 0.2
    )
    cases = [
        (permutation, (), ()),
        (few.astype(float), (), ()),
        (permutation, (3,), ()),
        (few.astype(float), (1, net.order - 2), ()),
        (few.astype(float), (), ((0, 1),)),
        (few.astype(float), (2,), ((0, 1),)),
    ]
    for traffic, dead, cut in cases:
        found = torus_traffic(net, traffic, RingFaults(nodes=dead, links=cut))
        load, lost = slow_load(net, traffic, dead, cut)
        assert found.pairs == lost
        assert float(found.load) == pytest.approx(load, rel=1e-7)
        assert found.proved


def test_one_ring_set_is_a_torus_of_one_dimension():
    net = hopscape.build("multiring(16, 1, 3)")
    for faults in (RingFaults(), RingFaults(nodes=(5,)), RingFaults(arcs=((0, 1, ""),))):
        assert torus_traffic(net, None, faults).capacity == damaged_capacity(net, faults).capacity


def test_a_torus_that_falls_apart_says_what_is_lost():
    net = hopscape.build("product(multiring(3, 1), multiring(3, 1))")
    cut = ((0, 1), (0, 2), (0, 3), (0, 6))
    found = torus_traffic(net, None, RingFaults(links=cut))
    assert found.pairs == 16
    assert found.stranded == 16
    assert found.packets == 56


def test_refusals():
    net = hopscape.build(TORI[0])
    for faults, words in (
        (RingFaults(links=((0, 8),)), "no common line"),
        (RingFaults(links=((0, 2),)), "no link between"),
        (RingFaults(rings=("1",)), "not rings or crossbars"),
    ):
        with pytest.raises(ArgumentError, match=words):
            torus_traffic(net, None, faults)
    with pytest.raises(ArgumentError, match="has shape"):
        torus_traffic(net, np.ones((3, 3)))
    with pytest.raises(ArgumentError, match="at least 0"):
        torus_traffic(net, -np.ones((35, 35)))
    with pytest.raises(ArgumentError, match="no torus of multirings"):
        torus_traffic(hopscape.build("torus(4, 4)"))
    assert "neither" in refused("multiring", "capacity", TORI[0], "--dead", "1", "--compare")


def test_commands(tmp_path):
    record = ask("multiring", "capacity", TORI[0], "--dead", "3", "--dead-link", "7-14")
    assert record["live_nodes"] == 34
    matrix = np.zeros((35, 35))
    matrix[np.arange(35), (np.arange(35) + 7) % 35] = 1
    path = tmp_path / "shift.csv"
    np.savetxt(path, matrix, fmt="%d", delimiter=",")
    record = ask("multiring", "capacity", TORI[0], "--traffic", str(path))
    assert record["capacity_decimal"] == 35.0 / float(Fraction(record["largest_load"]))


def test_more_dimensions_beat_three_in_rate_and_cable():
    lines = tables.full_lines([(n, p) for p in (2, 4) for n in range(5, 18)], workers=1)
    three = design_torus(lines, 12, 1000, dimensions=3, keep=1)[0]
    more = design_torus(lines, 12, 1000, keep=30)
    assert all(len(one.lines) <= 6 for one in more)
    assert any(len(one.lines) > 3 and one.cable_per_node < three.cable_per_node for one in more)
    best = design_torus(lines, 12, 1000, dimensions=6, keep=30)
    assert [one.spec for one in best] == [one.spec for one in more]


def test_a_stopped_search_shows_what_it_has(monkeypatch, capsys):
    whole = tables.run_tasks

    def stopped(tasks, *given, **more):
        for i, one in enumerate(whole(tasks, *given, **more)):
            if i == 9:
                raise KeyboardInterrupt
            yield one

    monkeypatch.setattr(tables, "run_tasks", stopped)
    designs, complete = tables.torus_front(
        8, 100, dimensions=None, longest=12, sparse=False, reorder=False, keep=5, workers=1
    )
    assert designs
    assert not complete
    with pytest.raises(KeyboardInterrupt):
        tables.search_torus(8, 10**9, longest=12, sparse=False, workers=1)

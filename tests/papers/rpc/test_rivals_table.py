"""The paper's comparison as one table: every figure against another way to get it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from hopscape.collectives import run_algorithm
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.verify import verify
from hopscape.papers.rpc import comparison
from hopscape.papers.rpc.comparison import (
    RIVALS,
    alternating_rounds,
    patterns,
    rival_crossovers,
    rival_specs,
    rival_table,
    rounds_to_know_all,
)
from hopscape.papers.rpc.groups import best_group, rpc_group
from hopscape.registry import build

PAPER = Model(duplex="half", packing="packed")


@pytest.fixture(scope="module")
def rows():
    return rival_table([1, 2, 3, 5])


def pick(rows, routing, network, kind):
    return {
        row["k"]: row["rounds"]
        for row in rows
        if (row["routing"], row["network"], row["kind"]) == (routing, network, kind)
    }


def test_every_routing_has_every_rival_and_nobody_is_below_the_bound(rows):
    assert {row["network"] for row in rows} == set(RIVALS)
    for k in (1, 2, 3, 5):
        told = {(r["routing"], r["network"]) for r in rows if r["k"] == k and r["kind"] == "best"}
        sizes = sum(size <= 30 * k for size in comparison.GROUP_SIZES)
        assert len(told) >= (4 + sizes) * len(RIVALS)  # hypercubes and CCC may be larger
    for row in rows:
        if row["kind"] == "best" or not row["routing"].startswith("group"):
            assert row["rounds"] >= row["lower_bound"], row


def test_diameters_are_those_of_networkx(rows):
    for row in rows:
        if row["routing"] in ("unicast", "broadcast") and row["k"] <= 3:
            network = build(row["spec"])
            graph = nx.Graph(zip(network.tails.tolist(), network.heads.tolist(), strict=True))
            assert row["rounds"] == nx.diameter(graph), row


def test_all_to_all_is_that_of_verified_schedules(rows):
    for network, name in (("rpc", "paper"), ("rp", "slice-first")):
        told = pick(rows, "all-to-all", network, "paper")
        for k in (1, 2, 3):
            net = build(rival_specs(k)[network])
            schedule = run_algorithm(net, Goal.all_gather(), name, PAPER)
            assert verify(schedule)
            assert schedule.rounds == told[k]
    for k, rounds in pick(rows, "all-to-all", "rpc", "best").items():
        net = build(f"rpc({k})")
        assert rounds <= run_algorithm(net, Goal.all_gather(), "packed", PAPER).rounds


@pytest.mark.parametrize("spec", ["hypercube(4)", "torus(4, 6)", "ccc(4)"])
def test_two_colours_need_one_round_more_than_the_diameter(spec):
    """Bipartite networks; executed again with sets, link by link."""
    network = build(spec)
    diameter = network.facts.diameter
    assert rounds_to_know_all(network, alternating_rounds(network)) == diameter + 1
    known = [{v} for v in range(network.order)]
    for _, (tails, heads) in zip(range(diameter + 1), alternating_rounds(network), strict=False):
        before = [set(one) for one in known]
        used = set()
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
            assert head in network.neighbours(tail)
            assert frozenset((tail, head)) not in used
            used.add(frozenset((tail, head)))
            known[head] |= before[tail]
    assert all(len(one) == network.order for one in known)


def test_bad_rounds_are_refused():
    network = build("ring(5)")
    at = np.arange(5)
    clockwise = (at, (at + 1) % 5)
    assert rounds_to_know_all(network, [clockwise] * 9) == 4
    with pytest.raises(ValueError, match="missing"):
        rounds_to_know_all(network, [clockwise] * 3)
    with pytest.raises(ValueError, match="twice"):
        rounds_to_know_all(network, [(np.array([0, 1]), np.array([1, 0]))])
    with pytest.raises(ValueError, match="no link"):
        rounds_to_know_all(network, [(np.array([0]), np.array([2]))])


def test_permutations_are_permutations():
    for order in (30, 60, 160):
        for targets in patterns(order).values():
            assert sorted(targets.tolist()) == list(range(order))


def test_groups(rows):
    for k in (2, 3, 5):
        for size in (12, 30, 60):
            told = pick(rows, f"group of {size}", "rpc", "best")[k]
            assert told == rpc_group(size, k) == best_group(build(f"rpc({k})"), size).diameter


def test_crossovers_sort_every_k(rows):
    told = rival_crossovers(rows)
    found = {(row["routing"], row["kind"], row["rival"]): row for row in told}
    assert found["unicast", "best", "rp"]["better"] == "5"
    assert found["unicast", "best", "rp"]["equal"] == "3"
    assert found["unicast", "best", "rp"]["worse"] == "1-2"
    assert found["all-to-all", "paper", "torus"]["equal"] == "5"

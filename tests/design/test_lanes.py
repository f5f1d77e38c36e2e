"""Classes of virtual channels against a slow twin: every pair walked, every dependency listed."""

from __future__ import annotations

import itertools
import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.deadlock.classes import find_classes
from hopscape.deadlock.layer_kernels import most_falls
from hopscape.deadlock.layout import Wiring
from hopscape.design.machine_columns import Lanes, find_lanes, virtual_channels
from hopscape.metrics.routes import Routes, all_routes, downward
from hopscape.registry import build

MANY = [
    "ring(9)",
    "torus(4, 5)",
    "mesh(3, 4)",
    "hypercube(4)",
    "circulant(30, 1, 7)",
    "random_regular(30, 3)",
    "kautz(2, 4, duplex=true)",
    "debruijn(2, 4)",
    "rpc(2)",
    "cayley(7, 6, 3, 9, 12)",
    "hyperx((2, 3), p=2)",
    "dragonfly(2, 1, p=2)",
    "multiring(20, 1, 3)",
]


def _ways(routes: Routes) -> list[list[int]]:
    net = routes.network
    out = []
    for s, t in itertools.permutations(net.endpoints.tolist(), 2):
        at, way = s, []
        while at != t:
            way.append(int(net.indptr[at] + routes.table[t, at]))
            at = int(net.heads[way[-1]])
        out.append(way)
    return out


def _classes(routes: Routes, lanes: Lanes, way: list[int]) -> list[int]:
    """The class on every channel of a way, read off the rule as it is handed over."""
    net, told = routes.network, json.loads(json.dumps(lanes.to_dict()))
    if told["method"] == "single":
        return [0] * len(way)
    if told["method"] == "layers":
        return [told["layers"][net.tails[way[0]]][net.heads[way[-1]]]] * len(way)
    if told["method"] == "rising":
        ranks = told["ranks"]
        at = [ranks[net.tails[c]] for c in way] + [ranks[net.heads[way[-1]]]]
        out = [0]
        for a, b, c in zip(at, at[1:], at[2:], strict=False):
            out.append(out[-1] + (b > a and c < b))
        return out
    rings, dates = lanes.rule.rings, set(told["datelines"])
    out = []
    for ring, run in itertools.groupby(way, key=lambda c: int(rings[c])):
        inside = list(run)
        out += [int(ring >= 0 and not dates.isdisjoint(inside))] * len(inside)
    return out


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", MANY)
def test_certificates_by_walking_every_pair(spec: str) -> None:
    routes = all_routes(build(spec))
    lanes = find_lanes(routes)
    assert lanes is not None
    graph = nx.DiGraph()
    used = set()
    for way in _ways(routes):
        steps = list(zip(way, _classes(routes, lanes, way), strict=True))
        graph.add_edges_from(itertools.pairwise(steps))
        used |= {k for _, k in steps}
    assert nx.is_directed_acyclic_graph(graph)
    if lanes.rule.method != "dateline":  # datelines are certified from and to switches as well
        assert graph.number_of_edges() == lanes.proof.dependencies
    assert max(used) + 1 == lanes.classes
    told = virtual_channels(routes)
    assert told.value == lanes.classes
    assert told.how == ("exact" if lanes.classes <= 2 else "bound")
    plain = nx.DiGraph(pair for way in _ways(routes) for pair in itertools.pairwise(way))
    assert (lanes.classes == 1) == nx.is_directed_acyclic_graph(plain)


@pytest.mark.parametrize("spec", [*MANY, "rpc(8)", "rpc(4)", "random_regular(100, 5)"])
def test_design_and_deadlock_give_one_answer(spec: str) -> None:
    network = build(spec)
    lanes = find_lanes(all_routes(network))
    assert lanes is not None
    _, classes, proof = find_classes(network)
    assert (lanes.classes, lanes.rule.method) == (classes.count, classes.method)
    assert (lanes.proof.at_least, lanes.proof.least) == (proof.at_least, proof.least)


def test_known_numbers_of_classes() -> None:
    for spec, classes in (
        ("hypercube(5)", 1),
        ("mesh(5, 5)", 1),
        ("torus(6, 6)", 2),
        ("optimal_circulant(4)", 2),
        ("circulant(64, 1, 14)", 2),
        ("random_regular(100, 5)", 3),
    ):
        assert virtual_channels(all_routes(build(spec))).value == classes, spec


@pytest.mark.interpreted
@settings(deadline=None, max_examples=20)
@given(st.integers(6, 20), st.integers(0, 99))
def test_falls_never_exceed_half_of_the_hops(half: int, seed: int) -> None:
    routes = all_routes(build(f"random_regular({2 * half}, 3, seed={seed})"))
    net = routes.network
    ranks = np.random.default_rng(seed).permutation(net.order)
    down = downward(net, ranks)
    slow = {
        (int(net.tails[way[0]]), int(net.heads[way[-1]])): sum(
            bool(down[a] and not down[b]) for a, b in itertools.pairwise(way)
        )
        for way in _ways(routes)
    }
    arrays = Wiring(net.indptr, net.heads), routes.table, routes.targets, routes.ends, down
    assert most_falls(*arrays, np.empty((0, 0), dtype=np.uint8)) == max(slow.values())
    each = np.full((net.order, net.order), 99, dtype=np.uint8)
    assert most_falls(*arrays, each) == max(slow.values()) <= routes.longest // 2
    assert {pair: each[pair] for pair in slow} == slow


def test_a_sample_of_routes_is_no_certificate() -> None:
    net = build("torus(9, 9)")
    some = all_routes(net, 12)
    found = virtual_channels(some, diameter=8)
    assert (found.value, found.how) == (5, "bound")
    assert virtual_channels(some).value is None
    mesh = virtual_channels(all_routes(build("mesh(9, 9)"), 12), diameter=16)
    assert (mesh.value, mesh.how) == (1, "sampled")
    assert "9 for certain" in mesh.note


def test_samples_tell_even_routers() -> None:
    assert all_routes(build("torus(9, 9)"), 12).even
    assert all_routes(build("cayley(7, 6, 3, 9, 12)"), 12).even
    assert not all_routes(build("mesh(9, 9)"), 12).even
    for spec in ("torus(9, 9)", "cayley(7, 6, 3, 9, 12)"):
        some, whole = all_routes(build(spec), 12), all_routes(build(spec))
        assert some.uniform_load() == pytest.approx(whole.uniform_load())
    some, whole = all_routes(build("mesh(9, 9)"), 40), all_routes(build("mesh(9, 9)"))
    assert some.uniform_load() < whole.uniform_load()

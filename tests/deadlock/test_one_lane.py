"""One lane: routes that close no cycle, arrive everywhere, and share the channels."""

from __future__ import annotations

import heapq
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network
from hopscape.deadlock import one_lane_kernels
from hopscape.deadlock.layout import Dependencies, Incoming, Wiring
from hopscape.deadlock.one_lane import cyclic_channels, one_lane_routes
from hopscape.deadlock.one_lane_kernels import grow_routes, shift_loads
from hopscape.metrics.routes import Routes, all_routes
from hopscape.registry import build


def dependency_graph(routes: Routes) -> nx.DiGraph:
    """Channels that follow each other on a route between endpoints, walked one by one."""
    net, graph = routes.network, nx.DiGraph()
    for row, to in enumerate(routes.targets.tolist()):
        for source in net.endpoints.tolist() if to in net.endpoints else ():
            at, last, hops = source, -1, 0
            while at != to:
                channel = int(net.indptr[at]) + int(routes.table[row, at])
                if last >= 0:
                    graph.add_edge(last, channel)
                at, last, hops = int(net.heads[channel]), channel, hops + 1
                assert hops <= net.order
    return graph


@pytest.mark.parametrize("few", [None, 3])
@pytest.mark.parametrize(
    "spec", ["ring(5)", "torus(3, 4)", "mesh(3, 3)", "bcube(3, 1)", "kautz(2, 2)"]
)
def test_cyclic_channels_are_those_in_or_behind_a_circle(spec: str, few: int | None) -> None:
    routes = all_routes(build(spec))
    graph = dependency_graph(routes if few is None else routes.first(few))
    stuck = {c for part in nx.strongly_connected_components(graph) if len(part) > 1 for c in part}
    behind = stuck.union(*(nx.descendants(graph, c) for c in stuck))
    assert cyclic_channels(routes if few is None else routes.first(few)) == len(behind)


def check(routes: Routes) -> None:
    """No cycle, and everybody arrives."""
    net = routes.network
    assert nx.is_directed_acyclic_graph(dependency_graph(routes))
    for to in range(net.order):
        for source in range(net.order):
            at, hops = source, 0
            while at != to:
                at = int(net.heads[int(net.indptr[at]) + int(routes.table[to, at])])
                hops += 1
                assert hops <= net.order


@pytest.mark.parametrize(
    "spec",
    [
        *("ring(2)", "ring(5)", "torus(5, 5)", "petersen", "circulant(20, 1, 6)"),
        *("slim_fly(3, p=1)", "fat_tree(4)", "distributed_switch(7, 3, 1)", "dragonfly(2, 1, p=1)"),
        *("folded(heawood, 1)", "complete(6)", "path(1)"),
        pytest.param("rpc(2)", marks=pytest.mark.compiled),
    ],
)
def test_no_cycle_and_everybody_arrives(spec: str) -> None:
    check(one_lane_routes(build(spec)))


def test_orders_that_cannot_be_grown_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = 0

    def short_of_one(*given: Any) -> int:
        nonlocal stuck
        growing = len(given[5]) == 0  # no order is given, so that one is grown
        stuck += growing
        return grow_routes(*given) - growing

    monkeypatch.setattr(one_lane_kernels, "grow_routes", short_of_one)
    check(one_lane_routes(build("torus(3, 4)")))
    assert stuck


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("spec", "factor"),
    [("torus(4, 4, 4)", 1.2), ("circulant(64, 1, 14)", 2.1)],
)
def test_the_busiest_channel_carries_at_most_about_twice_as_much(spec: str, factor: float) -> None:
    net = build(spec)
    shortest = all_routes(net)
    assert one_lane_routes(net, shortest).loads.max() <= factor * shortest.loads.max()


@pytest.mark.compiled
def test_shortest_routes_stay_where_they_have_no_cycle() -> None:
    net = build("mesh(3, 4)")
    shortest = all_routes(net)
    assert one_lane_routes(net, shortest) is shortest


@pytest.mark.compiled
def test_what_it_refuses() -> None:
    with pytest.raises(ArgumentError, match="simplex channels"):
        one_lane_routes(build("kautz(2, 2)"))
    with pytest.raises(DisconnectedError, match="not connected"):
        one_lane_routes(Network.from_links(4, [0, 2], [1, 3], spec="two"))


def slow_grow(
    net: Network, goal: int, price: list[float], place: list[int] | None, taken: nx.DiGraph
) -> list[int]:
    """The twin: candidates in a plain list, cycles by networkx; `taken` gets what is used."""
    out = [-1] * net.order
    heap = [(price[c], c) for c in range(len(net.heads)) if net.heads[c] == goal]
    heapq.heapify(heap)
    while heap:
        cost, c = heapq.heappop(heap)
        at, then = int(net.tails[c]), int(net.heads[c])
        if at == goal or out[at] >= 0:
            continue
        if then != goal:
            if place is not None and place[c] >= place[out[then]]:
                continue
            if place is None and nx.has_path(taken, out[then], c):
                continue
            taken.add_edge(c, out[then])
        out[at] = c
        for d in range(len(net.heads)):
            if net.heads[d] == at and out[int(net.tails[d])] < 0:
                heapq.heappush(heap, (cost + price[d], d))
    return out


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.sampled_from(["ring(6)", "petersen", "torus(3, 4)", "torus(4, 5)", "random_regular(12, 3)"]),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_growing_as_its_twin_does(spec: str, seed: int, fixed: bool) -> None:
    net, random = build(spec), np.random.default_rng(seed)
    indptr, heads, tails = (
        np.asarray(x, dtype=np.int64) for x in (net.indptr, net.heads, net.tails)
    )
    count = len(heads)
    price = random.random(count) + 0.5
    place = random.permutation(count) if fixed else np.empty(0, dtype=np.int64)
    into = np.argsort(heads, kind="stable")
    starts = np.searchsorted(heads[into], np.arange(net.order + 1))
    words = -(-count // 64)
    graph = np.zeros((count, net.ports), np.uint8)
    leads, comes = np.zeros((2, count, words), np.uint64)
    out = np.empty(net.order, np.int64)
    wiring, taken = Wiring(indptr, heads), Dependencies(graph, leads, comes)
    incoming, known = Incoming(tails, starts, into), nx.empty_graph(count, nx.DiGraph)
    places = place.tolist() if fixed else None
    for goal in random.permutation(net.order)[:4].tolist():
        served = grow_routes(wiring, incoming, goal, price, price, place, taken, out)
        assert out.tolist() == slow_grow(net, goal, price.tolist(), places, known)
        assert served == 1 + (out >= 0).sum()
        assert fixed or nx.is_directed_acyclic_graph(known)
        if served == net.order:
            load = np.zeros(count, np.int64)
            shift_loads(heads, out, goal, np.arange(net.order), 1, load)
            graph_of = nx.DiGraph([(v, int(heads[out[v]])) for v in range(net.order) if v != goal])
            hops = [nx.shortest_path_length(graph_of, v, goal) for v in range(net.order)]
            assert load.sum() == sum(hops)

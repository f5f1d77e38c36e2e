"""Routes on few lanes: what the search keeps beside its trees, and what it finds."""

from __future__ import annotations

import itertools
import runpy
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from hopscape.core.errors import CheckFailedError
from hopscape.deadlock import lane_search
from hopscape.deadlock.lane_search import (
    LaneSearch,
    annealed_one_lane,
    cyclic_layers,
    routes_on_lanes,
)
from hopscape.deadlock.lane_search_kernels import LaneState
from hopscape.deadlock.one_lane import UpDownRouter, cyclic_channels, one_lane_routes
from hopscape.metrics.routes import Routes, all_routes, routes_by
from hopscape.registry import build

pytestmark = pytest.mark.compiled

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "one_lane.py"
SPECS = [
    "petersen", "torus(3, 4)", "random_regular(12, 3)", "concentrated(petersen, 2)",
    "dragonfly(2, 1, p=1)", "leaf_spine(3, 2, 2)",
]  # fmt: skip


def slow_count(lanes: LaneState) -> tuple[np.ndarray, np.ndarray]:
    """The twin: turns of each layer and loads, every way walked one by one."""
    count, load = np.zeros_like(lanes.uses), np.zeros_like(lanes.load)
    for goal, home in enumerate(lanes.home.tolist()):
        for start in range(len(lanes.indptr) - 1):
            at, way, senders = start, [], lanes.first[start + 1] - lanes.first[start]
            while at != home:
                way.append(int(lanes.out[goal, at]))
                at = int(lanes.heads[way[-1]])
                assert len(way) < len(lanes.indptr)
            load[way] += senders
            layer = lanes.layer[start, home]
            for one, then in itertools.pairwise(way) if layer < len(count) else ():
                count[layer, one, then - lanes.indptr[lanes.heads[one]]] += 1
    return count, load


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("many", [1, 2, 3])
def test_turns_loads_and_orders_are_kept(spec: str, many: int) -> None:
    net = build(spec)
    routes = (
        routes_by(net, UpDownRouter(net), np.arange(net.order)) if many == 1 else all_routes(net)
    )
    search = LaneSearch(routes, many, first=int(net.endpoints[0]))
    lanes = search._lanes
    for moves in (0, 40, 300):
        if moves:
            search.run(moves, seed=moves)
        count, load = slow_count(lanes)
        assert (lanes.uses == count).all()
        assert (lanes.load == load).all()
        assert (lanes.layer == lanes.layer.T).all()
        assert not lanes.marked.any()
        for place, used in zip(lanes.place, lanes.uses, strict=True):
            assert sorted(place.tolist()) == list(range(len(place)))
            one, port = np.nonzero(used)
            assert (place[one] < place[lanes.indptr[lanes.heads[one]] + port]).all()


def test_routes_that_close_a_cycle_are_no_beginning_of_one_lane() -> None:
    with pytest.raises(CheckFailedError, match="close a cycle"):
        LaneSearch(all_routes(build("ring(5)")), 1)


def least_on_a_ring(order: int) -> int:
    """Brute force: the tree of a goal leaves out one link; some turn each way round is unused."""
    trees = []
    for goal in range(order):
        for cut in range(order):  # the link from `cut` to the node after it
            load, turns = np.zeros((2, order), dtype=int), np.zeros((2, order), dtype=bool)
            ahead, back = (cut - goal) % order, (goal - cut - 1) % order
            for k in range(ahead):  # senders goal + 1 .. cut go backwards
                load[1, (goal + 1 + k) % order] = ahead - k
                turns[1, (goal + 1 + k) % order] = k < ahead - 1
            for k in range(back):
                load[0, (goal - 1 - k) % order] = back - k
                turns[0, (goal - 1 - k) % order] = k < back - 1
            trees.append((goal, load, turns))
    options = [[t[1:] for t in trees if t[0] == goal] for goal in range(order)]
    least = order**2
    for chosen in itertools.product(*options):
        used = np.logical_or.reduce([turns for _, turns in chosen])
        if not used.all(axis=1).any():
            least = min(least, int(np.sum([load for load, _ in chosen], axis=0).max()))
    return least


@pytest.mark.parametrize("order", [4, 5])
def test_rings_on_one_lane_as_by_brute_force(order: int) -> None:
    routes = one_lane_routes(build(f"ring({order})"))
    least = least_on_a_ring(order)
    assert int(routes.loads.max()) == least
    assert runpy.run_path(str(BENCHMARK))["least_on_a_ring"](order) == least


def test_one_lane_is_no_busier_than_where_it_began() -> None:
    net = build("random_regular(20, 3, seed=2)")
    start = routes_by(net, UpDownRouter(net), np.arange(net.order))
    found = annealed_one_lane([start])
    assert cyclic_channels(found) == 0
    assert found.loads.max() < start.loads.max()
    assert annealed_one_lane([start]).table.tolist() == found.table.tolist()


def test_without_work_for_all_goals_routes_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_search, "_WORK", 100)
    net = build("petersen")
    start = routes_by(net, UpDownRouter(net), np.arange(net.order))
    assert annealed_one_lane([start]) is start
    assert routes_on_lanes(all_routes(net), 2) is None


def ways(routes: Routes) -> dict[tuple[int, int], list[int]]:
    """The channels from every endpoint to every other."""
    net, found = routes.network, {}
    for a, b in itertools.permutations(net.endpoints.tolist(), 2):
        at, way = a, []
        while at != b:
            way.append(int(net.indptr[at]) + int(routes.table[b, at]))
            at = int(net.heads[way[-1]])
        found[a, b] = way
    return found


@pytest.mark.parametrize("spec", SPECS[:5])
def test_layers_close_no_cycle(spec: str) -> None:
    net = build(spec)
    first = int(net.endpoints[-1])
    found = routes_on_lanes(all_routes(net), 2, first=first)
    assert found is not None
    routes, layers = found
    place = {int(v): i for i, v in enumerate(net.endpoints)}
    assert (layers == layers.T).all()
    assert not layers[place[first]].any()
    graphs = [nx.DiGraph(), nx.DiGraph()]
    for (a, b), way in ways(routes).items():
        graphs[layers[place[a], place[b]]].add_edges_from(itertools.pairwise(way))
    assert all(map(nx.is_directed_acyclic_graph, graphs))
    assert cyclic_layers(routes, layers) == 0


def test_cyclic_layers_are_found() -> None:
    net = build("ring(6)")
    alone = np.zeros((6, 6), dtype=np.uint8)
    assert cyclic_layers(all_routes(net), alone) == cyclic_channels(all_routes(net)) > 0


def test_a_layered_answer_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_search, "cyclic_layers", lambda routes, layers: 4)
    with pytest.raises(CheckFailedError, match="wait in a circle"):
        routes_on_lanes(all_routes(build("torus(4, 4)")), 2)


def test_spectralfly_within_eight_lanes_is_as_fast_as_its_shortest_routes() -> None:
    net = build("spectralfly(3, 5)")
    shortest = all_routes(net)
    found = routes_on_lanes(shortest, 8, first=int(net.endpoints[0]))
    assert found is not None
    assert found[0].loads.max() <= shortest.loads.max()
    assert found[0].mean <= 1.01 * shortest.mean

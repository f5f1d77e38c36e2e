"""Symmetric layers: both ways of a pair in one layer, no layer with a cycle."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from hopscape.deadlock.layers import symmetric_layers
from hopscape.metrics.routes import Routes, all_routes
from hopscape.registry import build

SPECS = ["ring(5)", "torus(4, 4)", "petersen", "circulant(20, 1, 6)", "rpc(2)", "slim_fly(3, p=1)"]


def _way(routes: Routes, source: int, to: int) -> list[int]:
    net, at, way = routes.network, source, []
    while at != to:
        way.append(int(net.indptr[at]) + int(routes.table[to, at]))
        at = int(net.heads[way[-1]])
    return way


def slow_layers(routes: Routes, pairs: list[tuple[int, int]]) -> list[int]:
    """The twin: the first layer whose dependencies, by networkx, stay without a cycle."""
    layers: list[nx.DiGraph] = []
    found = []
    for a, b in pairs:
        ways = [_way(routes, a, b), _way(routes, b, a)]
        new = [step for way in ways for step in itertools.pairwise(way)]
        for number in range(len(layers) + 1):
            if number == len(layers):
                layers.append(nx.DiGraph())
            trial = layers[number].copy()
            trial.add_edges_from(new)
            if nx.is_directed_acyclic_graph(trial):
                layers[number] = trial
                found.append(number)
                break
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_layers_close_no_cycle(spec: str) -> None:
    net = build(spec)
    routes = all_routes(net)
    first = int(net.endpoints[0])
    layers = symmetric_layers(routes, first=first)
    assert layers is not None
    assert (layers == layers.T).all()
    assert not layers[0].any()
    ends = net.endpoints.tolist()
    for layer in range(int(layers.max()) + 1):
        graph = nx.DiGraph()
        for i, j in np.argwhere(layers == layer).tolist():
            way = _way(routes, ends[i], ends[j])
            graph.add_edges_from(itertools.pairwise(way))
        assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("spec", ["ring(6)", "petersen", "torus(3, 4)", "circulant(16, 1, 6)"])
def test_filling_as_its_twin_does(spec: str) -> None:
    from hopscape.deadlock.layers import _fill

    net = build(spec)
    routes = all_routes(net)
    random = np.random.default_rng(1)
    one, two = np.triu_indices(net.order, 1)
    turn = random.permutation(len(one))
    pairs = list(zip(one[turn].tolist(), two[turn].tolist(), strict=True))
    held = _fill(routes, one[turn].astype(np.int64), two[turn].astype(np.int64), 8)
    assert held is not None
    assert held.tolist() == slow_layers(routes, pairs)


def test_too_few_layers_are_said_so() -> None:
    assert symmetric_layers(all_routes(build("ring(8)")), 1) is None
    assert symmetric_layers(all_routes(build("path(2)")), 1) is not None

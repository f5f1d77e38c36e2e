"""The best fixed split over paths: against cuts by worst permutations, and what is known."""

from __future__ import annotations

import csv
import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog

import hopscape
from hopscape.formats.tables import write_weighted_paths
from hopscape.metrics.oblivious import optimal_oblivious
from hopscape.metrics.throughput import switch_graph


def _by_cuts(graph):
    """The same by brute force: a variable for each pair and channel, permutations as cuts."""
    count, channels = graph.order, len(graph.heads)
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    size = len(pairs) * channels + 1
    equal, sent = [], []
    for p, (i, j) in enumerate(pairs):
        for v in range(count):
            if v == j:
                continue
            row = np.zeros(size)
            row[p * channels + np.flatnonzero(graph.tails == v)] += 1
            row[p * channels + np.flatnonzero(graph.heads == v)] -= 1
            equal.append(row)
            sent.append(float(v == i))
    cost = np.zeros(size)
    cost[-1] = 1
    cuts = [np.where(np.arange(size) == size - 1, -1.0, 0.0)]
    place = {pair: p for p, pair in enumerate(pairs)}
    while True:
        done = linprog(cost, np.stack(cuts), np.zeros(len(cuts)), np.stack(equal), sent)
        new = []
        for c in range(channels):
            shares = np.zeros((count, count))
            for (i, j), p in place.items():
                shares[i, j] = done.x[p * channels + c]
            rows, columns = linear_sum_assignment(shares, maximize=True)
            if shares[rows, columns].sum() * graph.ends[0] / graph.speeds[c] > done.fun + 1e-7:
                row = np.zeros(size)
                row[-1] = -graph.speeds[c]
                for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
                    if i != j:
                        row[place[i, j] * channels + c] = graph.ends[0]
                new.append(row)
        if not new:
            return min(1.0, 1 / done.fun)
        cuts += new


@pytest.mark.parametrize(
    "spec", ["concentrated(ring(5), 2)", "concentrated(path(4), 1)", "concentrated(complete(4), 3)"]
)
def test_the_program_over_orbits_is_the_program_with_cuts(spec):
    graph = switch_graph(hopscape.build(spec))
    found = optimal_oblivious(graph)
    assert found.share.value == pytest.approx(_by_cuts(graph), rel=1e-5)
    assert found.share.value >= graph.guaranteed().value - 1e-6


def test_a_graph_without_symmetry_and_uneven_switches():
    graph = switch_graph(hopscape.build("concentrated(random_regular(8, 3), 2)"))
    found = optimal_oblivious(graph)
    assert found.share.value >= graph.guaranteed().value - 1e-6
    uneven = type(graph)(
        graph.indptr, graph.heads, graph.speeds, np.array([2, 1, 2, 2, 1, 2, 2, 2])
    )
    assert optimal_oblivious(uneven).share.value >= found.share.value - 1e-6


def test_a_dragonfly_gets_more_than_valiant_gives_it():
    graph = switch_graph(hopscape.build("dragonfly(4, 2, p=2)"))
    assert optimal_oblivious(graph).share.value >= 0.54 > graph.valiant()


def test_weights_as_a_file_come_to_the_share(tmp_path):
    net = hopscape.build("concentrated(petersen, 3)")
    graph = switch_graph(net)
    routing = optimal_oblivious(graph)
    write_weighted_paths(routing, net, tmp_path / "w.csv")
    lines = [x for x in (tmp_path / "w.csv").read_text().splitlines() if not x.startswith("#")]
    first = int(min(set(range(net.order)) - set(net.endpoints.tolist())))
    shares = np.zeros((graph.order, graph.order, graph.order, graph.order))
    totals = np.zeros((graph.order, graph.order))
    for row in csv.DictReader(lines):
        nodes = [int(x) - first for x in row["path"].split()]
        totals[nodes[0], nodes[-1]] += float(row["weight"])
        for u, v in itertools.pairwise(nodes):
            shares[u, v, nodes[0], nodes[-1]] += float(row["weight"])
    assert np.allclose(totals + np.eye(10), 1, atol=1e-6)
    load = 0.0
    for u, v in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True):
        rows, columns = linear_sum_assignment(shares[u, v], maximize=True)
        load = max(load, 3 * shares[u, v][rows, columns].sum())
    assert 1 / load == pytest.approx(routing.share.value, rel=1e-4)

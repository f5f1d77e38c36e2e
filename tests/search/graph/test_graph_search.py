"""The search for the best graphs: kernels against slow twins, results against the metrics."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hopscape
from hopscape.cli.app import app
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.metrics.distances import distance_profile
from hopscape.search.graph import METHODS, Problem, best_graph, best_switches, switched
from hopscape.search.graph import climb as climb_module
from hopscape.search.graph import rounds as rounds_module
from hopscape.search.graph.arms import arms, run
from hopscape.search.graph.climb import Climb
from hopscape.search.graph.dense import anneal_lift, suits_orbits
from hopscape.search.graph.lifts import LiftShape, shapes
from hopscape.search.graph.measure_kernels import BITS, ROWS, SEARCH, measure
from hopscape.search.graph.starts import algebraic_starts, plan_start, solution_of
from hopscape.store import Store

SHAPES = [
    LiftShape("cyclic(1)", 12, 0, 3),
    LiftShape("cyclic(1)", 1, 0, 0),
    LiftShape("cyclic(1)", 2, 0, 1),
    LiftShape("cyclic(4)", 3, 0, 4),
    LiftShape("cyclic(3)", 5, 2, 4),
    LiftShape("cyclic(2)", 7, 3, 5),
    LiftShape("cyclic(7)", 2, 1, 8),
    LiftShape("dihedral(5)", 2, 0, 3),
    LiftShape("semidirect(7, 3, 2)", 1, 0, 4),
    LiftShape("alternating(4)", 2, 0, 5),
    LiftShape("cyclic(2, 2, 2)", 1, 0, 3),
    LiftShape("cyclic(2)", 80, 0, 4),
    LiftShape("cyclic(1)", 150, 0, 3),
    LiftShape("cyclic(4)", 6, 0, 3, True),
    LiftShape("cyclic(1)", 5, 0, 3, False, (3, 1, 0, 2, 2)),
]


def graph_of(near: Any) -> nx.Graph:
    """The slow twin of the wiring: a port that leads home is not wired."""
    graph = nx.Graph()
    graph.add_nodes_from(range(len(near)))
    graph.add_edges_from((v, int(u)) for v, row in enumerate(near) for u in row if u != v)
    return graph


def slow_total(graph: nx.Graph, weights: Any) -> tuple[int, int]:
    """Diameter and weighted sum of distances by breadth-first search; no path counts n steps."""
    n = len(graph)
    farthest = total = 0
    for v, found in nx.all_pairs_shortest_path_length(graph):
        for u in range(n):
            distance = found.get(u, n)
            if weights[u] * weights[v]:
                farthest = max(farthest, distance)
            total += distance * int(weights[u]) * int(weights[v])
    return farthest, total


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("local", ["anneal", "tabu"])
@pytest.mark.parametrize("kernel", [None, ROWS])
def test_wiring_and_measure_after_many_moves(
    shape: LiftShape, local: str, kernel: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wiring that moves leave behind is the wiring of the darts, and it is measured right."""
    if kernel is not None and shape.order <= 64:
        monkeypatch.setattr(climb_module, "_kernel", lambda *_: kernel)
    climb = Climb(shape, 5)
    for _ in range(2):
        climb.anneal(40, 8.0, 4.0) if local == "anneal" else climb.tabu(80)
        lift = climb.lift
        assert (lift.mate[lift.mate] == np.arange(shape.darts)).all()
        links = [(v, int(u)) for v, row in enumerate(lift.near.T) for u in row if u != v]
        assert len(links) == len(set(links))
        graph = graph_of(lift.near.T)
        diameter, total = slow_total(graph, np.ones(shape.order))
        assert climb.memory.score[0] == total
        degrees = [degree for _, degree in graph.degree]
        assert max(degrees) <= max(shape.degree, 0)
        if shape.bipartite:
            fold = shape.fold
            assert all((u // fold + v // fold) % 2 == 1 for u, v in graph.edges)
    again = Climb(shape, 5, climb.best)
    assert (again.diameter, again.total) == (climb.diameter, climb.total)
    assert (climb.diameter, climb.total) <= (diameter, total)


@given(
    n=st.integers(2, 40),
    degree=st.integers(1, 6),
    seed=st.integers(0, 10**6),
    data=st.data(),
)
@settings(max_examples=25, deadline=None)
def test_measure_with_weights_and_aims(n: int, degree: int, seed: int, data: Any) -> None:
    low = data.draw(st.integers(0, 3))
    weights = np.asarray(
        data.draw(st.lists(st.sampled_from([low, low + 1]), min_size=n, max_size=n))
    )
    if low == 0:
        weights[0] = 1
    aim = data.draw(st.none() | st.integers(1, 6))
    climb = Climb(LiftShape("cyclic(1)", n, 0, degree), seed, weights=weights, aim=aim)
    graph = graph_of(climb.lift.near.T)
    diameter, total = slow_total(graph, weights)
    assert (climb.diameter, climb.total) == (diameter, total) or diameter == n
    assert climb.total == total
    extra = 0
    for v, found in nx.all_pairs_shortest_path_length(graph):
        for u in range(n):
            beyond = max(found.get(u, n) - (n if aim is None else aim), 0)
            extra += 16 * beyond * int(weights[u] * weights[v])
    assert climb.memory.score[0] == total + extra


@pytest.mark.parametrize("kernel", [BITS, SEARCH, ROWS])
def test_measure_gives_up_only_above_its_limit(
    kernel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(climb_module, "_kernel", lambda *_: kernel)
    for shape in (shape for shape in SHAPES if shape.order <= 64):
        climb = Climb(shape, 3)
        cost = int(climb.memory.score[0])
        for limit in (0, cost // 2, cost - 1, cost, cost + 1, 2 * cost):
            found = measure(climb.lift, climb.task, limit, climb.memory.room)[0]
            assert found == (cost if cost <= limit else limit + 1)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.fold > 1 and not s.bipartite])
@pytest.mark.parametrize("reheat", [False, True])
def test_annealing_of_orbits_keeps_the_group_and_counts_far_pairs(
    shape: LiftShape, reheat: bool
) -> None:
    """Links are exchanged in whole orbits; no node gets more links; nothing gets worse."""
    begun = Climb(shape, 3)
    begun.anneal(200 * shape.darts, 2.0 * shape.fold, shape.fold)
    found = anneal_lift(shape, begun.best if reheat else None, 400, 3)
    old, new = Climb(shape, 1, begun.best), Climb(shape, 1, found)
    assert [len(v) for v in _ports(new)] == [len(v) for v in _ports(old)]
    assert _distant(new) <= _distant(old)


def _ports(climb: Climb) -> list[list[int]]:
    return [[u for u in row if u != v] for v, row in enumerate(climb.lift.near.T.tolist())]


def _distant(climb: Climb) -> int:
    """Ordered pairs farther apart than two links, one by one."""
    near = [{v, *row} for v, row in enumerate(climb.lift.near.T.tolist())]
    return sum(len(near) - len(set().union(*(near[u] for u in row))) for row in near)


def test_dense_lifts_are_annealed_by_orbits() -> None:
    """The graphs that it finds are those of its shape, and better than at the start."""
    problem, shape = Problem(64, 8), LiftShape("cyclic(3)", 20, 4, 8)
    assert suits_orbits(shape, problem)
    found = run(problem.to_dict(), astuple(shape), "", 1, 1, 20_000, None, "anneal")
    assert found is not None
    assert found["diameter"] == 3
    assert found["total"] / (64 * 63) < 1.99


def test_groups_of_a_lift_are_automorphisms() -> None:
    """Multiplying from the left moves every link onto a link."""
    from hopscape.families.cayley import group

    for shape in SHAPES:
        climb = Climb(shape, 1)
        climb.anneal(200, 20.0, 5.0)
        graph = graph_of(climb.lift.near.T)
        found, fold = group(shape.group), shape.fold
        for g in range(min(fold, 8)):
            moved = found.product(np.full(fold, g), np.arange(fold))
            image = [v // fold * fold + int(moved[v % fold]) for v in range(shape.base * fold)]
            image += range(shape.base * fold, shape.order)
            assert all(graph.has_edge(image[u], image[v]) for u, v in graph.edges)


def test_shapes_have_the_order_asked_for() -> None:
    for n, d in ((12, 3), (64, 8), (63, 4), (97, 6), (100, 3)):
        found = list(shapes(n, d, most_base=24))
        assert found
        assert all(s.order == n for s in found)
        assert len(set(found)) == len(found)
        assert all(s.bipartite for s in shapes(n, d, most_base=24, bipartite=True))


@pytest.mark.parametrize(
    ("n", "d"), [(50, 7), (57, 8), (64, 8), (32, 6), (18, 5), (21, 5), (30, 4)]
)
def test_algebraic_starts_are_simple_and_fit(n: int, d: int) -> None:
    shape = LiftShape("cyclic(1)", n, 0, d)
    for name, order, links in algebraic_starts(n, d):
        assert len(links) == len({tuple(link) for link in links.tolist()}), name
        assert (links[:, 0] < links[:, 1]).all()
        assert links.max() < order
        start = solution_of(shape, order, links, np.random.default_rng(0))
        graph = graph_of(Climb(shape, 0, start).lift.near.T)
        assert max(degree for _, degree in graph.degree) <= d
        assert graph.number_of_edges() >= 0.95 * n * d / 2


def test_known_optima() -> None:
    """Petersen, Heawood and Tutte-Coxeter; each meets the Moore bound on the mean."""
    for n, d, diameter in ((10, 3, 2), (14, 3, 3), (30, 3, 4)):
        found = best_graph(Problem(n, d), effort=4.0)
        assert (found.diameter, found.mean) == (diameter, found.problem.moore_mean)
        assert found.gap == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("local", ["anneal", "tabu", "none"])
def test_methods_compose_and_results_are_specs(method: str, local: str) -> None:
    found = best_graph(Problem(24, 4), effort=0.3, methods=[method], local=local)
    network = hopscape.build(found.spec) if found.spec else found.network()
    profile = distance_profile(network, exact=True)
    assert (profile.diameter, profile.mean) == (found.diameter, found.mean)
    assert network.order == 24
    assert int(network.degrees.max()) <= 4


def test_same_seed_same_graph_in_one_process_and_in_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds_module, "_ROUNDS", 3)  # processes are started for each
    problem, few = Problem(40, 3), ("random", "rotation")
    first = best_graph(problem, effort=0.2, seed=7, methods=few)
    second = best_graph(problem, effort=0.2, seed=7, methods=few, workers=2)
    assert first.solution == second.solution
    assert first.runs == second.runs
    with Store(tmp_path / "runs") as store:
        third = best_graph(problem, effort=0.2, seed=7, methods=few, resume=store)
        count = len(store)
    with Store(tmp_path / "runs") as store:  # nothing is done twice
        again = best_graph(problem, effort=0.2, seed=7, methods=few, resume=store)
        assert len(store) == count
    assert first.solution == third.solution == again.solution


def test_ctrl_c_hands_back_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return run(*arguments)

    monkeypatch.setattr(rounds_module, "run", interrupted)
    found = best_graph(Problem(50, 3), effort=0.5)
    assert not found.complete
    assert found.interrupted
    assert found.runs == 2  # one of the three calls compiled the kernels


def test_ctrl_c_ends_the_search_for_a_number_of_switches(monkeypatch: pytest.MonkeyPatch) -> None:
    """One is enough, however many numbers of switches were to be tried."""
    from hopscape.search.graph import rounds as radix

    asked = []

    def interrupted(problem: Problem, **options: Any) -> Any:
        asked.append(problem.nodes)
        return replace(best_graph(problem, effort=0.05), interrupted=True)

    monkeypatch.setattr(radix, "best_graph", interrupted)
    found = best_switches(40, 10, effort=1.0)
    assert found.interrupted
    assert asked == [found.problem.nodes]


def test_bipartite() -> None:
    found = best_graph(Problem(26, 4, bipartite=True), effort=1.0)
    graph = graph_of_network(found.network())
    assert nx.is_bipartite(graph)
    assert (found.diameter, max(d for _, d in graph.degree)) == (3, 4)  # the plane of order 3


def graph_of_network(network: Any) -> nx.Graph:
    return nx.Graph(zip(network.tails.tolist(), network.heads.tolist()))


@pytest.mark.parametrize(
    "limits",
    [
        {"longest": 3},
        {"budget": 90},
        {"long": (2, 5)},
        {"longest": 5, "budget": 100},
        {"budget": 35},
    ],
)
def test_floor_plans_keep_their_limits(limits: dict[str, Any]) -> None:
    problem = Problem(36, 4, grid=(6, 6), **limits)
    found = best_graph(problem, effort=0.5)
    ends = graph_of_network(found.network()).edges
    lengths = [abs(u // 6 - v // 6) + abs(u % 6 - v % 6) for u, v in ends]
    assert max(lengths) <= problem.longest if problem.longest else True
    assert sum(lengths) <= problem.budget if problem.budget else True
    if problem.long:
        assert sum(length > problem.long[0] for length in lengths) <= problem.long[1]


@given(
    n=st.integers(2, 24),
    columns=st.integers(1, 8),
    degree=st.integers(3, 4),
    longest=st.integers(1, 3),
)
@settings(max_examples=20, deadline=None)
def test_floor_plans_that_are_not_full_are_wired(
    n: int, columns: int, degree: int, longest: int
) -> None:
    """However short the last row is, links of length 1 alone connect all places."""
    if degree >= n or n * degree % 2:
        return
    problem = Problem(n, degree, grid=(-(-n // columns), columns), longest=longest, budget=2 * n)
    shape = LiftShape("cyclic(1)", n, 0, degree)
    climb = Climb(
        shape, 1, plan_start(problem, shape, np.random.default_rng(n)), limits=problem.limits()
    )
    assert climb.within_limits
    assert climb.diameter < n or n == 2


def test_more_cable_is_never_worse() -> None:
    means = [
        best_graph(Problem(36, 4, grid=(6, 6), longest=length), effort=1.0).mean
        for length in (1, 2, 4)
    ]
    assert all(a > b for a, b in pairwise(means))
    assert means[0] == distance_profile(hopscape.build("mesh(6, 6)")).mean


def test_rewiring_moves_at_most_so_many_links() -> None:
    network = hopscape.build("torus(5, 5)")
    before = {tuple(sorted(e)) for e in zip(network.tails.tolist(), network.heads.tolist())}
    means = []
    for moved in (0, 3, 8):
        problem = Problem(25, 4, links=tuple(sorted(before)), rewire=moved)
        found = best_graph(problem, effort=0.5)
        after = {tuple(sorted(e)) for e in graph_of_network(found.network()).edges}
        assert len(after - before) <= moved
        means.append(found.mean)
    assert means[0] == distance_profile(network).mean
    assert means[2] < means[1] < means[0]


def test_order_radix_by_brute_force() -> None:
    found = best_switches(11, 5, 4, effort=0.3)
    problem = found.problem
    assert problem.terminals == (3, 3, 3, 2)
    network = found.network()
    graph = graph_of_network(network)
    hosts = [s for s, count in enumerate(problem.terminals) for _ in range(count)]
    far = [
        2 + nx.shortest_path_length(graph, a, b)
        for i, a in enumerate(hosts)
        for b in hosts[i + 1 :]
    ]
    assert found.diameter == max(far)
    assert found.mean == pytest.approx(sum(far) / len(far))
    assert all(
        graph.degree(s) + count <= 5 for s, count in enumerate(problem.terminals) if s in graph
    )
    assert best_switches(8, 8, effort=0.1).diameter == 2  # one switch


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"nodes": 9, "degree": 3}, "odd"),
        ({"nodes": 4, "degree": 4}, "below 4"),
        ({"nodes": 0, "degree": 3}, "nodes is 0"),
        ({"nodes": 4, "degree": 0}, "degree is 0"),
        ({"nodes": 8, "degree": 1}, "degree is 1"),
        ({"nodes": 9, "degree": 4, "bipartite": True}, "even"),
        ({"nodes": 9, "degree": 4, "longest": 3}, "floor plan"),
        ({"nodes": 10, "degree": 3, "grid": (3, 3)}, "do not fit"),
        ({"nodes": 9, "degree": 4, "grid": (3, 3), "budget": 7}, "budget is 7"),
        ({"nodes": 9, "degree": 4, "grid": (3, 3), "longest": 0}, "longest is 0"),
        ({"nodes": 9, "degree": 4, "rewire": 2}, "together"),
    ],
)
def test_wrong_problems(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        Problem(**arguments)


def test_other_wrong_wishes() -> None:
    with pytest.raises(ArgumentError, match="method 'magic' is unknown"):
        arms(Problem(10, 3), ["magic"])
    with pytest.raises(ArgumentError, match="local search"):
        best_graph(Problem(10, 3), local="magic")
    with pytest.raises(ArgumentError, match="do not fit"):
        switched(100, 5, 3)
    with pytest.raises(ArgumentError, match="cannot connect"):
        best_switches(10, 2, effort=0.1)
    triangles = ((0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5))
    with pytest.raises(ArgumentError, match="no connected graph"):
        best_graph(Problem(6, 2, links=triangles, rewire=0), effort=0.1)
    assert best_graph(Problem(6, 2, links=triangles, rewire=2), effort=0.1).diameter == 3


@pytest.mark.parametrize(("n", "d"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 2), (6, 5)])
def test_smallest_graphs(n: int, d: int) -> None:
    found = best_graph(Problem(n, d), effort=0.1)
    assert found.diameter == (0 if n == 1 else 1 if d == n - 1 else n // 2)
    assert found.to_dict()["links"] == n * d // 2


def test_a_wrong_result_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def cheating(*arguments: Any) -> Any:
        result = run(*arguments)
        return result | {"total": result["total"] - 2} if result else None

    monkeypatch.setattr(rounds_module, "run", cheating)
    with pytest.raises(HopscapeError, match="the search says"):
        best_graph(Problem(12, 3), effort=0.1)


def test_command(tmp_path: Path) -> None:
    runner = CliRunner()
    saved = tmp_path / "best.edges"
    words = ["search", "graph", "--nodes", "14", "--degree", "3", "--time-limit", "0.5"]
    words += ["--workers", "1", "--save", str(saved), "--format", "json"]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    record = json.loads(result.output)
    assert (record["diameter"], record["moore_diameter"]) == (3, 3)
    assert distance_profile(hopscape.build(str(saved))).mean == pytest.approx(
        record["mean_distance"]
    )
    result = runner.invoke(
        app, ["search", "graph", "--terminals", "12", "--radix", "6", "--time-limit", "0.3"]
    )
    assert "12 terminals" in result.output


def far_pairs(n: int, links: Any) -> int:
    """The slow twin of the counters: pairs that breadth-first search puts beyond two links."""
    near = dict(nx.all_pairs_shortest_path_length(nx.Graph(links.tolist()), cutoff=2))
    return n * (n - 1) // 2 - sum(len(row) - 1 for row in near.values()) // 2


@given(n=st.integers(5, 30), degree=st.integers(2, 6), seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_dense_graphs_by_their_far_pairs(n: int, degree: int, seed: int) -> None:
    """Counted while ends are exchanged, far pairs are those that breadth-first search names."""
    from hopscape.search.graph.dense_kernels import Pairs, anneal_pairs, count_pairs

    if degree >= n or n * degree % 2:
        return
    start = nx.random_regular_graph(degree, n, seed=seed % 1000)
    links = np.asarray(start.edges, dtype=np.int32)
    pairs = Pairs(
        links.copy(),
        np.zeros((n, degree), np.int32),
        np.zeros(n, np.int32),
        np.zeros((n, n), np.int16),
        np.zeros(1, np.int64),
    )

    count_pairs(pairs)
    first = far_pairs(n, links)
    assert pairs.far[0] == first
    best, state = links.copy(), np.asarray([seed + 1], dtype=np.uint64)
    least = anneal_pairs(pairs, state, 300, 2.0, 0.5, best, first)
    assert pairs.far[0] == far_pairs(n, pairs.links)
    assert least == far_pairs(n, best) <= first
    for found in (pairs.links, best):
        ends = {(min(u, v), max(u, v)) for u, v in found.tolist()}
        assert len(ends) == len(links)
        assert all(u != v for u, v in ends)
        assert np.bincount(found.ravel(), minlength=n).tolist() == [degree] * n
    common = pairs.common.copy()
    count_pairs(pairs)
    assert (pairs.common == common).all()


def test_dense_graphs_are_annealed_by_their_far_pairs() -> None:
    """The Hoffman-Singleton graph is out of reach; what is found beats 60 random graphs."""
    from hopscape.search.graph.dense import suits_pairs

    problem = Problem(30, 5)
    plain = LiftShape("cyclic(1)", 30, 0, 5)
    assert not suits_pairs(plain, problem)
    problem, plain = Problem(26, 5), LiftShape("cyclic(1)", 26, 0, 5)
    assert suits_pairs(plain, problem)
    assert not suits_pairs(plain, Problem(26, 5, bipartite=True))
    assert not suits_pairs(plain, Problem(26, 5, grid=(2, 13)))
    random = [
        nx.average_shortest_path_length(nx.random_regular_graph(5, 26, seed=seed))
        for seed in range(60)
    ]
    found = best_graph(problem, effort=0.5, methods=["random"])
    assert found.mean < min(random)


def test_orbits_leave_nodes_fixed_that_use_all_ports() -> None:
    found = {(s.group, s.base, s.fixed) for s in shapes(64, 8, most_base=64)}
    assert {("cyclic(2, 2, 2)", 7, 8), ("cyclic(7)", 9, 1), ("cyclic(4)", 15, 4)} <= found
    assert {("cyclic(3)", 20, 4), ("cyclic(3)", 19, 7), ("cyclic(5)", 12, 4)} <= found
    assert ("cyclic(6)", 9, 10) not in found  # at most eight
    for shape in shapes(64, 8, most_base=64):
        if shape.fixed > 64 % shape.fold:  # an orbit was left out
            links = np.bincount(np.asarray(shape.inner(), dtype=np.int64).ravel())
            assert shape.spokes * shape.fold + int(links.max(initial=0)) == shape.degree
            assert len(set(links.tolist())) <= 1


def test_every_method_has_the_same_share_of_the_time() -> None:
    search = rounds_module._Search(
        Problem(64, 8),
        0,
        "anneal",
        [rounds_module._Standing(a, i) for i, a in enumerate(arms(Problem(64, 8)))],
    )
    shares: dict[str, float] = {}
    for standing, task in search.tasks(0, 10.0):
        shares[standing.arm.method] = shares.get(standing.arm.method, 0.0) + task.cost
    assert set(shares) == {"plain", "fixed", "one orbit", "orbits"}
    assert max(shares.values()) < 1.5 * min(shares.values())


def test_a_graph_without_symmetry_goes_on_from_a_better_symmetric_one() -> None:
    """Its start are the links of one of the best symmetric graphs, and it ends no worse."""
    problem = Problem(40, 6)
    pool = [rounds_module._Standing(arm, i) for i, arm in enumerate(arms(problem))]
    search = rounds_module._Search(problem, 1, "anneal", pool)
    plain = next(s for s in pool if s.arm.shape.fold == 1 and not s.arm.start)
    turned = next(s for s in pool if s.arm.shape.group == "cyclic(5)" and s.arm.shape.base == 8)
    for standing in (plain, turned):
        arguments = (problem.to_dict(), astuple(standing.arm.shape), "", 3, 1)
        search.take(standing, run(*arguments, 3000 if standing is turned else 1, None, "anneal"))
    assert turned.rank < plain.rank
    task = search._task(plain, 2, 1, 1, 2000)
    links = task.arguments[2]["links"]
    graph = nx.Graph(map(tuple, links))
    assert graph.number_of_nodes() == 40
    assert (
        sum(sum(row.values()) for _, row in nx.all_pairs_shortest_path_length(graph))
        == (turned.result["total"])
    )
    result = run(*task.arguments)
    assert result is not None
    assert (result["diameter"], result["total"]) <= (
        turned.result["diameter"],
        turned.result["total"],
    )
    assert search._freed(turned, 2) is None
    search.thin(5)
    assert plain in search.pool


@pytest.mark.parametrize(
    ("nodes", "shares"), [(64, [1 / 4, 1 / 2, 1, 1]), (96, [1] * 4), (512, [1] * 4)]
)
def test_first_rounds_of_dense_graphs_are_short(nodes: int, shares: list[float]) -> None:
    search = rounds_module._Search(Problem(nodes, 8), 1, "anneal", [])
    assert [8 * search.share(number) for number in range(4)] == shares

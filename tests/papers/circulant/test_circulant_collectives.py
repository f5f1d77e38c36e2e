"""Broadcasts, all-gather by translation, and faults, all judged by the verifier or by search."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hopscape
from hopscape import Goal, Model, verify
from hopscape.cli.app import app
from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.collectives.front import CollectiveRequest, ask
from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.network import Network
from hopscape.core.router_check import check_router
from hopscape.families.circulant.closed_forms import set_two_parameter
from hopscape.families.circulant.detours import FaultRouter, survey
from hopscape.families.circulant.routing import CirculantRouter
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.broadcast import node_local_broadcast
from hopscape.papers.circulant.memoryless import memoryless_tree, repaired_broadcast


def network_of(nodes: int, *generators: int) -> Network:
    return Network.of(Circulant(nodes, generators))


def faulty_distances(network: Network, dead: set[int], source: int) -> list[int]:
    """The slow twin: breadth-first search that avoids dead nodes."""
    far = [-1] * network.order
    far[source] = 0
    shell = [source]
    while shell:
        found = []
        for u in shell:
            for v in network.neighbours(u):
                if v >= 0 and v not in dead and far[v] < 0:
                    far[v] = far[u] + 1
                    found.append(v)
        shell = found
    return far


def test_printed_broadcast_has_the_duplicates_of_the_digest() -> None:
    for p in (2, 4, 6):
        network = hopscape.build(f"gamma_circulant({p})")
        printed = verify(node_local_broadcast(network, 0, printed=True))
        assert printed.holds
        assert printed.details["duplicates"] == (p - 1) ** 2 + 1
        assert printed.details["rounds"] == 3 * p // 2
        corrected = verify(node_local_broadcast(network, 5), model=Model())
        assert corrected.holds
        assert corrected.details["duplicates"] == 0
        assert corrected.details["messages"] == network.order - 1


def test_node_local_broadcast_is_perfect_up_to_p_equal_d() -> None:
    for d in range(2, 8):
        for p in range(1, d + 1):
            nodes, generators = set_two_parameter(d, p)
            verdict = verify(node_local_broadcast(network_of(nodes, *generators), 0))
            assert verdict.holds, (d, p)
            assert (verdict.details["duplicates"], verdict.details["rounds"]) == (0, d)


@settings(deadline=None, max_examples=25)
@given(st.integers(3, 120), st.data())
def test_memoryless_tree_on_any_circulant(nodes: int, data: st.DataObject) -> None:
    picks = st.lists(st.integers(1, nodes - 1), min_size=1, max_size=4)
    generators = data.draw(picks)
    if math.gcd(nodes, *generators) != 1:
        return
    network = network_of(nodes, *generators)
    root = data.draw(st.integers(0, nodes - 1))
    schedule = run_algorithm(network, Goal.broadcast(root), "memoryless")
    verdict = verify(schedule)
    assert verdict.holds
    assert verdict.details["duplicates"] == 0
    assert verdict.details["messages"] == nodes - 1
    far = distances_from(network, root)
    assert (schedule.round + 1 == far[schedule.target]).all()
    assert verify(run_algorithm(network, Goal.reduce(root), "memoryless")).holds


def test_tree_vectors_are_the_smallest() -> None:
    network = network_of(55, 1, 5, 21)
    tree = memoryless_tree(network)
    lattice = network.router().lattice
    for v in range(55):
        assert tuple(tree.vectors[v].tolist()) == lattice.smallest(v)


@pytest.mark.parametrize(
    "generators", [(55, 1, 5, 21), (50, 7, 8, 20), (20, 3, 10, 4), (30, 6, 10, 15), (41, 1, 9)]
)
def test_translated_all_gather_meets_the_bandwidth_bound(generators: tuple[int, ...]) -> None:
    network = network_of(*generators)
    schedule = run_algorithm(network, Goal.all_gather(), "translations")
    assert verify(schedule).holds
    assert schedule.rounds == lower_bounds(network, Goal.all_gather())[0].rounds
    sliced = Goal.all_reduce(chunks=network.order)
    assert verify(run_algorithm(network, sliced, "translations")).holds
    assert verify(run_algorithm(network, Goal.all_reduce(), "translations")).holds


def test_algorithms_refuse_other_models_and_networks() -> None:
    network = network_of(55, 1, 5, 21)
    with pytest.raises(ArgumentError, match="all ports"):
        run_algorithm(network, Goal.broadcast(0), "memoryless", Model(ports=1))
    with pytest.raises(ArgumentError, match=r"\(13\)-\(15\)"):
        node_local_broadcast(network_of(55, 1, 2, 3), 0)


def test_any_five_dead_nodes_leave_every_pair_delivered() -> None:
    network = hopscape.build("circulant(55, 1, 5, 21)")
    router = network.router()
    rng = np.random.default_rng(3)
    sets = [rng.choice(55, 5, replace=False).tolist() for _ in range(2)]
    sets.append(list(network.neighbours(20))[:5])
    for dead in sets:
        result = survey(router, dead)
        assert result.delivered == result.pairs
        faults = FaultRouter(router, dead)
        source = next(v for v in range(55) if v not in dead)
        truth = faulty_distances(network, set(dead), source)
        for target in range(55):
            if target in dead:
                continue
            known = faults.route(source, target, known=True)
            met = faults.route(source, target)
            assert known.hops == truth[target]
            assert met.hops >= truth[target]
            assert met.path[-1] == known.path[-1] == target
            assert not set(met.path) & set(dead)
            for path in (met.path, known.path):
                assert all(b in network.neighbours(a) for a, b in itertools.pairwise(path))


EXTREMAL = [
    'optimal_circulant(4, variant="17")',
    'optimal_circulant(5, variant="18")',
    'optimal_circulant(6, variant="5")',
    'optimal_circulant(6, variant="17")',
    'optimal_circulant(9, variant="5")',
]


def check_five_dead(spec: str, seed: int, rounds: int, pairs: int) -> None:
    """Five dead nodes, at random and round a target: delivered, and shortest where known."""
    network = hopscape.build(spec)
    router = network.router()
    assert isinstance(router, CirculantRouter)
    rng = np.random.default_rng(seed)
    for trial in range(rounds):
        target = int(rng.integers(network.order))
        around = rng.permutation(network.neighbours(target))[:5].tolist()
        free = [v for v in range(network.order) if v != target]
        dead = around if trial % 2 else rng.choice(free, 5, replace=False).tolist()
        truth = faulty_distances(network, set(dead), target)
        faults = FaultRouter(router, dead)
        alive = [v for v in free if v not in dead]
        for source in rng.choice(alive, min(pairs, len(alive)), replace=False).tolist():
            known, met = faults.route(source, target, known=True), faults.route(source, target)
            assert known.delivered
            assert known.hops == truth[source]
            assert met.delivered
            assert met.hops >= truth[source]
            for route in (known, met):
                assert (route.path[0], route.path[-1]) == (source, target)
                assert not set(route.path) & set(dead)
                for u, v, port in zip(route.path, route.path[1:], route.ports, strict=False):
                    assert network.neighbours(u)[port] == v


@pytest.mark.parametrize("spec", EXTREMAL)
def test_five_dead_nodes_on_extremal_graphs(spec: str) -> None:
    check_five_dead(spec, seed=7, rounds=4, pairs=25)


@pytest.mark.slow
@pytest.mark.parametrize("d", range(2, 13))
def test_five_dead_nodes_on_all_extremal_graphs(d: int) -> None:
    for variant in ("17",) if d % 3 == 1 else ("5", "17", "18"):
        check_five_dead(f'optimal_circulant({d}, variant="{variant}")', d, rounds=30, pairs=200)


def test_known_faults_cost_what_the_faulty_graph_costs_on_larger_orders() -> None:
    for spec in ("circulant(7525, 1, 300, 326)", "circulant(1815, 1, 15, 241)"):
        check_five_dead(spec, seed=1, rounds=2, pairs=15)


STRANGE = [
    "circulant(2, 1)",
    "circulant(2, 1, 1)",
    "circulant(3, 1)",
    "circulant(3, 1, 2)",
    "circulant(4, 2, 1, 3)",
    "circulant(10, 1, 5)",
    "circulant(10, 3, 3)",
    "circulant(12, 7, 11, 6)",
    "circulant(30, 29, 20, 15)",
    "circulant(60, 1, 2, 3, 4, 5, 6, 7, 30)",
    "circulant(41, 40, 35, 30, 25, 20, 15, 10)",
    "circulant(20, 3, 10, 4)",
    "circulant(30, 10, 15, 6)",
    "circulant(9, 8, 1, 3)",
    "double_loop(50)",
]


@pytest.mark.parametrize("spec", [*STRANGE, "circulant(24, 4, 6)"])
def test_routers_of_strange_circulants_pass_the_check(spec: str) -> None:
    network = hopscape.build(spec)
    many = len(network.family.generators) > 6  # too many for a closed form
    assert check_router(network.router("auto" if many else "closed"))


@pytest.mark.parametrize("spec", STRANGE)
def test_strange_circulants_broadcast(spec: str) -> None:
    network = hopscape.build(spec)
    for name in ("generic", "memoryless"):
        schedule = run_algorithm(network, Goal.broadcast(1), name)
        verdict = verify(schedule)
        assert verdict.holds, (spec, name)
        assert verdict.details["messages"] == network.order - 1


def test_strange_circulants_on_the_command_line() -> None:
    for spec in ("circulant(1)", *STRANGE):
        for words in (["show", spec], ["route", spec, "0", "0"], ["broadcast", spec]):
            result = CliRunner().invoke(app, words)
            assert result.exit_code == 0, (words, result.output)
    shown = CliRunner().invoke(app, ["show", "circulant(3, 1)"]).output
    assert "yes  (symmetry)" not in shown  # a diameter of 1 is a number
    assert "1  (closed form)" in shown


def test_five_of_six_neighbours_dead_costs_at_most_twenty_hops() -> None:
    network = hopscape.build("circulant(333, 1, 9, 73)")
    router = network.router()
    worst = 0
    for target in range(2, 333, 17):
        beside = list(network.neighbours(target))
        if 0 in beside:
            continue
        for keep in beside:
            faults = FaultRouter(router, [v for v in beside if v != keep])
            met, best = faults.route(0, target), faults.route(0, target, known=True)
            assert met.delivered
            worst = max(worst, met.hops - best.hops)
    assert worst <= 20


def test_no_faults_no_extra_hops_and_dead_links() -> None:
    network = hopscape.build("circulant(55, 1, 5, 21)")
    router = network.router()
    assert all(FaultRouter(router).route(0, v).hops == router.distance(0, v) for v in range(55))
    faults = FaultRouter(router, dead_links=[(0, 1), (0, 5)])
    for target in (1, 5, 6, 30):
        route = faults.route(0, target)
        assert route.delivered
        assert route.path[1] not in (1, 5)
        assert faults.route(0, target, known=True).hops <= route.hops


def test_cut_off_target_is_reported() -> None:
    network = hopscape.build("circulant(55, 1, 5, 21)")
    faults = FaultRouter(network.router(), network.neighbours(20))
    assert not faults.route(0, 20).delivered
    assert not faults.route(0, 20, known=True).delivered
    with pytest.raises(ArgumentError, match="dead"):
        faults.route(0, network.neighbours(20)[0])


def test_broadcast_repair_serves_all_live_nodes() -> None:
    network = hopscape.build("circulant(333, 1, 9, 73)")
    sound = repaired_broadcast(network, 0)
    assert (sound.asked, sound.schedule.transfers, sound.schedule.rounds) == (0, 332, 6)
    rng = np.random.default_rng(1)
    for _ in range(3):
        dead = rng.choice(np.arange(1, 333), 5, replace=False).tolist()
        repair = repaired_broadcast(network, 0, dead, dead_links=[(0, 9)])
        assert repair.lost == ()
        assert repair.schedule.transfers == 332 - 5
        assert not set(repair.schedule.target.tolist()) & set(dead)
        assert not set(repair.schedule.source.tolist()) & set(dead)
        assert verify(repair.schedule).holds
    alone = repaired_broadcast(network, 0, network.neighbours(20))
    assert alone.lost == (20,)


@pytest.mark.parametrize("kind", ["broadcast", "reduce"])
def test_the_repaired_broadcast_competes_where_parts_are_dead(kind):
    net = hopscape.build("circulant(55, 1, 5, 21)")
    parts = {"dead": [1, 7], "dead_links": [(2, 3)]}
    made = ask(net, CollectiveRequest(kind, 0, **parts), algorithm="memoryless")
    assert made.schedule.name == "memoryless"
    assert hopscape.verify(made.schedule)
    assert len(made.schedule.goal.members(net)) == 53
    assert not Faults.of(net, [1, 7], [(2, 3)]).channels(net)[made.schedule.channels].any()
    all_of_them = ask(net, CollectiveRequest(kind, 0, **parts))
    assert "memoryless" in {entry.algorithm for entry in all_of_them.contest.entries}
    with pytest.raises(ArgumentError, match="memoryless"):
        ask(hopscape.build("petersen"), CollectiveRequest(kind, dead=[1]), algorithm="memoryless")

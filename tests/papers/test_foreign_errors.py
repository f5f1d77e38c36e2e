"""Errors that no entry of the ledger noticed once: each must change a ruling or a pinned value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hopscape.ledger import load_claims, load_pins, run_claim


def forget() -> None:
    """Empty the caches of all functions, so that nothing right or wrong is remembered."""
    for module in [m for name, m in sys.modules.items() if name.split(".")[0] == "hopscape"]:
        for holder in (module, *(v for v in vars(module).values() if isinstance(v, type))):
            for value in list(vars(holder).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()


@pytest.fixture
def plant() -> Iterator[Callable[..., None]]:
    """Puts something else in the place of a function, wherever it is imported by name."""
    planted: list[tuple[Any, str, Any, Any]] = []

    def swap(this: Any, that: Any) -> None:
        for module in [m for n, m in sys.modules.items() if n.split(".")[0] == "hopscape"]:
            for known_as, value in list(vars(module).items()):
                if value is this:
                    setattr(module, known_as, that)

    def put(owner: Any, name: str, broken: Callable[[Any], Any]) -> None:
        right = vars(owner)[name]
        wrong = broken(right)
        planted.append((owner, name, right, wrong))
        swap(right, wrong)
        setattr(owner, name, wrong)

    yield put
    for owner, name, right, wrong in reversed(planted):
        setattr(owner, name, right)
        swap(wrong, right)  # modules that were loaded meanwhile have it, too
    forget()


def notices(key: str) -> bool:
    """Does the entry judge otherwise, or find other values, than what is pinned?

    That the pins are what is found without an error is seen to by test_claims.py.
    """
    forget()
    (claim,) = load_claims(key=key)
    now = run_claim(claim).pin()
    right = load_pins(claim.paper)[key]
    return any(now[name] != right[name] for name in ("verdict", "values"))


# -- circulants ---------------------------------------------------------------------------------


def test_copies_addressed_to_the_wrong_node(plant):
    from hopscape.papers.circulant.memoryless import ForwardingRule

    def broken(right):
        def forward(self, node, vector):
            return [replace(one, to=(one.to + 1) % self.network.order)
                    for one in right(self, node, vector)]  # fmt: skip

        return forward

    plant(ForwardingRule, "forward", broken)
    assert notices("circulant-memoryless")


def test_broadcasts_incomplete_from_most_roots(plant):
    from hopscape.papers.circulant import broadcast

    def broken(right):
        def build(network, root, *rest, **more):
            made = right(network, root, *rest, **more)
            if root in (0, 5, 7, 54):
                return made
            columns = {name: getattr(made, name)[:-1] for name in ("round", "channels", "chunk")}
            return type(made).from_columns(
                made.network, made.model, made.goal, name=made.name, **columns
            )

        return build

    plant(broadcast, "broadcast", broken)
    assert notices("circulant-memoryless")


def test_fault_routes_that_walk_there_and_back_first(plant):
    from hopscape.families.circulant.detours import FaultRouter

    def broken(right):
        def route(self, a, b, **more):
            found = right(self, a, b, **more)
            if len(found.path) < 2:
                return found
            return replace(found, path=(*found.path[:2] * 5, *found.path))

        return route

    plant(FaultRouter, "route", broken)
    assert notices("circulant-fault-routing")


def test_a_repaired_broadcast_fifty_rounds_late(plant):
    from hopscape.papers.circulant import memoryless

    def broken(right):
        def repair(*given, **more):
            found = right(*given, **more)
            made = found.schedule
            late = made.round + 50 * (made.round >= 3)
            columns = {"round": late, "channels": made.channels, "chunk": made.chunk}
            schedule = type(made).from_columns(
                made.network, made.model, made.goal, name=made.name, **columns
            )
            return replace(found, schedule=schedule)

        return repair

    plant(memoryless, "repaired_broadcast", broken)
    assert notices("circulant-fault-broadcast")


@pytest.mark.parametrize("key", ["circulant-theorem2", "circulant-odd"])
def test_the_search_asleep_for_large_orders(plant, key):
    from hopscape.papers.circulant import scanning

    def broken(right):
        def scan(nodes, count, d, *rest, **more):
            if nodes > (117 if count == 3 else 103):
                return {"total": -1, "sets": [], "tested": 0}
            return right(nodes, count, d, *rest, **more)

        return scan

    plant(scanning, "scan_slice", broken)
    assert notices(key)


@pytest.mark.parametrize("key", ["circulant-theorem1", "circulant-theorem2"])
def test_the_search_asleep_above_the_largest_orders(plant, key):
    from hopscape.families.circulant.closed_forms import max_order
    from hopscape.papers.circulant import scanning

    def broken(right):
        def scan(nodes, count, d, *rest, **more):
            if nodes > max_order(d, 3):  # where nothing is found anyway
                return {"total": -1, "sets": [], "tested": 0}
            return right(nodes, count, d, *rest, **more)

        return scan

    plant(scanning, "scan_slice", broken)
    assert notices(key)


@pytest.mark.parametrize("key", ["circulant-memoryless"])
@pytest.mark.parametrize("error", [{"port": 1}, {"vector": (9, 9)}, {"round": 1}, {"sender": 3}])
def test_a_rule_that_tells_a_wrong_arrival(plant, key, error):
    from hopscape.papers.circulant.memoryless import ForwardingRule

    def broken(right):
        def at(self, node, root=0):
            stop = right(self, node, root)
            if stop.sender is None or stop.node % 5:
                return stop
            wrong = {"vector": stop.vector[::-1]} if "vector" in error else error
            return replace(stop, **wrong)

        return at

    plant(ForwardingRule, "at", broken)
    assert notices(key)


def test_an_atlas_that_overlooks_a_larger_order(plant):
    from hopscape.papers.circulant import atlas

    def broken(right):
        def rows(degree):
            return {n: replace(row, diameter=12) if n == 2330 else row
                    for n, row in right(degree).items()}  # fmt: skip

        return rows

    plant(atlas, "_rows", broken)
    assert notices("circulant-theorem2")


def test_distances_wrong_while_vectors_are_right(plant):
    from hopscape.families.circulant.routing import CirculantRouter

    def broken(right):
        def distances(self, sources, targets):
            told = np.asarray(right(self, sources, targets)).copy()
            told[told > 3] += 1
            return told

        return distances

    plant(CirculantRouter, "distances", broken)
    assert notices("circulant-routing-17")


# -- Heawood ------------------------------------------------------------------------------------


def test_the_closed_form_of_the_diameter_off_by_one_at_some_levels(plant):
    from hopscape.papers.heawood.expanded import Expanded

    def broken(right):
        def facts(self):
            true = right(self)
            return replace(true, diameter=true.diameter + (self.n in (5, 7, 8, 10, 11, 13)))

        return facts

    plant(Expanded, "facts", broken)
    assert notices("heawood-expanded-diameter")


def test_broadcasts_by_axes_incomplete_from_other_roots(plant):
    from hopscape.collectives import products

    def broken(right):
        def build(network, factors, root, **more):
            made = right(network, factors, root, **more)
            if root == 0:
                return made
            columns = {name: getattr(made, name)[:-1] for name in ("round", "channels", "chunk")}
            return type(made).from_columns(
                made.network, made.model, made.goal, name=made.name, **columns
            )

        return build

    plant(products, "broadcast_by_axes", broken)
    assert notices("heawood-folded-broadcast")


def test_broadcasts_from_another_root_than_asked_for(plant):
    from hopscape.families.classic import heawood

    def broken(right):
        return lambda network, root, **more: right(network, min(root, 1), **more)

    plant(heawood, "basic_broadcast", broken)
    assert notices("heawood-basic-broadcast")


def test_closed_forms_beside_the_one_that_is_asked_for(plant):
    from hopscape.families.classic import CubeConnectedCycles

    def broken(right):
        return lambda self: replace(right(self), mean_distance=right(self).mean_distance + 1)

    plant(CubeConnectedCycles, "facts", broken)
    assert notices("heawood-ccc-diameter")


@pytest.mark.parametrize("key", ["heawood-folded-route", "heawood-hypercube-properties"])
def test_routers_that_tell_wrong_distances(plant, key):
    from hopscape.core.network import Network

    def broken(right):
        def router(self, *given, **more):
            found = right(self, *given, **more)
            sound = found.distances

            def distances(sources, targets):
                told = np.asarray(sound(sources, targets)).copy()
                told[told > 2] -= 1
                return told

            try:
                found.distances = distances
            except AttributeError:
                object.__setattr__(found, "distances", distances)
            return found

        return router

    plant(Network, "router", broken)
    assert notices(key)


def test_members_a_size_too_large(plant):
    from hopscape.papers.heawood import comparison

    plant(
        comparison,
        "smallest",
        lambda right: lambda family, bits, *bases: right(family, bits + 1, *bases),
    )
    assert notices("heawood-folded-diameter")


# -- RPC ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["rpc-p5", "rpc-p6"])
def test_groups_one_too_small_above_62_nodes(plant, key):
    from hopscape.papers.rpc import groups

    def broken(right):
        return lambda m, k: right(m, k) - (m > 62)

    plant(groups, "rpc_group", broken)
    plant(groups, "rp_group", broken)
    assert notices(key)


def test_groups_of_tori_one_too_large_in_odd_squares(plant):
    from hopscape.papers.rpc import groups

    plant(groups, "torus_group", lambda right: lambda m: right(m) + (m > 30 and right(m) % 2))
    assert notices("rpc-p6")


def test_rpc_distances_wrong_while_paths_are_right(plant):
    from hopscape.core.network import Network

    def broken(right):
        def router(self, *given, **more):
            found = right(self, *given, **more)
            sound = found.distances
            found.distances = lambda sources, targets: (
                sound(sources, targets) + (np.asarray(sources) == 7)
            )
            return found

        return router

    plant(Network, "router", broken)
    assert notices("rpc-p7")


def test_rpc_broadcasts_incomplete_from_most_roots(plant):
    from hopscape.papers.rpc import checks_routing

    def broken(right):
        def run(network, goal, name, *rest):
            schedule = right(network, goal, name, *rest)
            if goal.kind != "broadcast" or goal.root in (0, 17, network.order - 1):
                return schedule
            columns = {key: getattr(schedule, key)[:-1] for key in ("round", "channels", "chunk")}
            return type(schedule).from_columns(
                schedule.network, schedule.model, schedule.goal, name=name, **columns
            )

        return run

    plant(checks_routing, "run_algorithm", broken)
    assert notices("rpc-th1")


def test_a_wire_of_large_stacks_moved(plant):
    from hopscape.papers.rpc.wiring import Stack

    def broken(right):
        def neighbours(self, nodes):
            out = right(self, nodes).copy()
            if self.order == 330:
                out[np.asarray(nodes) == 5, 0] = 40
            return out

        return neighbours

    plant(Stack, "neighbours", broken)
    assert notices("rpc-extend")


# -- tori ---------------------------------------------------------------------------------------


def test_a_word_search_that_gave_up(plant):
    from hopscape.papers.torusbcast import flags

    plant(
        flags,
        "shortest_words",
        lambda right: lambda *given, **more: replace(right(*given, **more), proved=False),
    )
    assert notices("torus-uniform-schemes")


@pytest.mark.parametrize("key", ["torus-2d-broadcast", "torus-3d-broadcast"])
def test_circuits_wrong_from_other_roots(plant, key):
    from hopscape.collectives.circuits import torus

    def broken(right):
        def to_schedule(program, network, root, *rest):
            return right(program, network, root if root == 0 else (root + 1) % network.order, *rest)

        return to_schedule

    plant(torus, "to_schedule", broken)
    assert notices(key)

"""No route table leaves unchecked: wrong routers are named with the first wrong way."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.arrays import NO_OFFSET
from hopscape.core.distances import distance_rows
from hopscape.core.errors import CheckFailedError
from hopscape.core.measured import Measured
from hopscape.core.router import Router, TableRouter
from hopscape.deadlock import find_classes
from hopscape.deadlock.one_lane import one_lane_routes
from hopscape.deadlock.routes import routing_table
from hopscape.metrics.route_check import check_ways
from hopscape.metrics.routes import all_routes, routes_by


class _Wrong(TableRouter):
    """Always leaves node 0 by its last port."""

    def next_ports(self, at, to):
        ports = super().next_ports(at, to)
        return np.where((at == 0) & (to != 0), int(self.network.degrees[0]) - 1, ports)


class _Late(_Wrong):
    exact = False


@pytest.mark.parametrize("make", [routing_table, find_classes, "routes_by"])
def test_a_wrong_router_is_named(make) -> None:
    net = hopscape.build("mesh(3, 3)")
    router: Router = _Wrong(net)
    with pytest.raises(CheckFailedError, match=r"routes of mesh\(3, 3\) fail their check: the way"):
        routes_by(net, router, np.arange(9)) if make == "routes_by" else make(net, router)


def test_detours_of_an_inexact_router_arrive_or_go_round() -> None:
    net = hopscape.build("mesh(3, 3)")
    with pytest.raises(CheckFailedError, match="does not arrive"):
        routing_table(net, _Late(net))  # back to node 0 from its neighbour
    ring = hopscape.build("ring(5)")
    found = all_routes(ring)
    table = np.zeros_like(found.table)  # always the same way round: longer, and all arrive
    np.fill_diagonal(table, NO_OFFSET)
    check_ways(ring, "one way round", np.arange(5), table, exact=False)
    with pytest.raises(CheckFailedError, match="takes 4 hops, and 1 are enough"):
        check_ways(ring, "one way round", np.arange(5), table, exact=True)


@pytest.mark.parametrize("seed", range(40))
def test_every_planted_error_is_found(seed: int) -> None:
    """An entry that is changed at random is refused exactly where a slow walk finds it wrong."""
    rng = np.random.default_rng(seed)
    specs = ["petersen", "torus(3, 4)", "fat_tree(4)", "kautz(2, 3)", "path(6)", "mlfm(2)"]
    net = hopscape.build(specs[seed % len(specs)])
    routes = all_routes(net)
    table = routes.table.copy()
    to, at = (int(x) for x in rng.integers(net.order, size=2))
    table[to, at] = rng.choice([NO_OFFSET, *range(int(net.degrees[at]))])
    exact = bool(seed % 2)
    holds = all(_walk(net, table[t], int(t), int(s), exact) for t in range(net.order)
                for s in net.endpoints)  # fmt: skip
    try:
        check_ways(net, "changed", routes.targets, table, exact=exact)
    except CheckFailedError:
        assert not holds
    else:
        assert holds


def _walk(net: hopscape.Network, row, to: int, start: int, exact: bool) -> bool:
    at, hops = start, 0
    while at != to:
        if row[at] == NO_OFFSET or hops > net.order:
            return not exact and hops == 0
        at, hops = int(net.heads[net.indptr[at] + int(row[at])]), hops + 1
    return not exact or hops == int(distance_rows(net, np.array([start]))[0, to])


def test_one_lane_routes_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from hopscape.deadlock import one_lane

    monkeypatch.setattr(one_lane, "cyclic_channels", lambda routes: 4)
    with pytest.raises(CheckFailedError, match="wait in a circle"):
        one_lane_routes(hopscape.build("torus(4, 4)"))


def test_the_other_way_of_a_tie_comes_nearer() -> None:
    table = routing_table(hopscape.build("ring(4)"))
    assert table.other is not None
    rows, others = table.port.T, table.other.T.copy()
    check_ways(table.network, "ring", np.arange(4), rows, others, exact=True)
    others[1, 0] = 1 - rows[1, 0]  # three hops instead of one
    with pytest.raises(CheckFailedError, match="the other way from node 0 to node 1"):
        check_ways(table.network, "ring", np.arange(4), rows, others, exact=True)


@pytest.mark.parametrize(("kernel", "planted"), [("upper", 1), ("side", 1)])
def test_a_wrong_bisection_is_an_error(
    kernel: str, planted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopscape.metrics import cut_kernels
    from hopscape.metrics.bisection import bisection

    true = cut_kernels.multistart

    def wrong(*given):
        upper, side = true(*given)
        side = side.copy()
        if kernel == "side":
            side[: len(side) // 2] = planted
        return upper + planted * (kernel == "upper"), side

    monkeypatch.setattr(cut_kernels, "multistart", wrong)
    with pytest.raises(CheckFailedError, match=r"the bisection of .* fails its check"):
        bisection(hopscape.build("random_regular(80, 3)"), prove=False)


def test_bounds_that_cross_are_an_error() -> None:
    with pytest.raises(CheckFailedError, match=r"5 \(bound\) with the bounds 6 and 7"):
        Measured(5, "bound", low=6, high=7)
    with pytest.raises(CheckFailedError):
        Measured(None, "bound", low=6, high=5)
    assert Measured(1.0, "exact", low=1.0, high=1.0 - 1e-12).how == "exact"

"""Routes carried over to what is left: what works stays, what broke is laid, nothing waits."""

from __future__ import annotations

import networkx
import numpy as np
import pytest

from hopscape.core.arrays import NO_OFFSET
from hopscape.core.distances import distance_rows
from hopscape.core.faults import Faults
from hopscape.core.network import Network
from hopscape.deadlock import one_lane
from hopscape.deadlock.repair import (
    ChannelOrder,
    carry_over,
    repaired_one_lane,
    repaired_shortest,
)
from hopscape.metrics.routes import Routes, all_routes
from hopscape.registry import build

SPECS = ["torus(4, 4)", "petersen", "fat_tree(4)", "hyperx((3, 3), p=1)"]


def _followed(before: Routes, dead: set[int], at: int, to: int) -> bool:
    """Does a way of the whole network still work?"""
    net = before.network
    while at != to:
        channel = int(net.indptr[at]) + int(before.table[to, at])
        if channel in dead:
            return False
        at = int(net.heads[channel])
    return True


def _broken(spec: str, seed: int) -> tuple[Network, Faults]:
    """A network with two dead links that leave it connected."""
    net, random = build(spec), np.random.default_rng(seed)
    ends = set(net.endpoints.tolist()) if net.has_switches else set()
    inner = [c for c in range(len(net.heads)) if not {int(net.tails[c]), int(net.heads[c])} & ends]
    while True:
        cut = random.choice(inner, 2, replace=False)
        faults = Faults.of(net, [], [(int(net.tails[c]), int(net.heads[c])) for c in cut])
        if distance_rows(faults.rest(net)[0], np.arange(1)).max() < net.order:
            return net, faults


@pytest.mark.parametrize("spec", SPECS)
def test_an_entry_stands_where_its_whole_way_works(spec: str) -> None:
    net, faults = _broken(spec, 1)
    before = all_routes(net)
    left, nodes, channels = faults.rest(net)
    out, hops = carry_over(before, left, nodes, channels)
    dead = set(np.flatnonzero(faults.channels(net)).tolist())
    works = [[_followed(before, dead, at, to) for at in nodes] for to in nodes]
    assert np.array_equal(hops >= 0, works)
    distances = distance_rows(left, np.arange(left.order), towards=True)
    assert (hops[hops >= 0] == distances[hops >= 0]).all()
    after = repaired_shortest(before, left, nodes, channels)
    for to in range(left.order):
        for at in np.flatnonzero(out[to] >= 0).tolist():
            channel = int(left.indptr[at]) + int(after.table[to, at])
            assert channel == out[to, at]
    assert (after.table != NO_OFFSET).sum() == left.order * (left.order - 1)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("seed", [2, 3, 6])
def test_one_lane_is_repaired_without_a_cycle(spec: str, seed: int) -> None:
    net, faults = _broken(spec, seed)
    routes = all_routes(net)
    before = one_lane.one_lane_routes(net, routes)
    left, nodes, channels = faults.rest(net)
    shortest = repaired_shortest(routes, left, nodes, channels)
    after, anew = repaired_one_lane(before, left, nodes, channels, shortest)
    assert one_lane.cyclic_channels(after) == 0
    out, _ = carry_over(before, left, nodes, channels)
    now = left.indptr[:-1] + after.table.astype(np.int64)
    changed = [to for to in left.endpoints.tolist() if (now[to] != out[to])[out[to] >= 0].any()]
    assert len(changed) <= anew < left.endpoint_count


def test_a_tree_is_held_open_where_patches_do_not_fit() -> None:
    """Petersen's graph without two of its links: some are patched, some take the tree."""
    net = build("petersen")
    routes = all_routes(net)
    before = one_lane.one_lane_routes(net, routes)
    given_up = []
    for seed in range(8):
        left, nodes, channels = _broken("petersen", seed)[1].rest(net)
        shortest = repaired_shortest(routes, left, nodes, channels)
        after, anew = repaired_one_lane(before, left, nodes, channels, shortest)
        assert one_lane.cyclic_channels(after) == 0
        given_up.append(anew)
    assert min(given_up) == 0
    assert 0 < max(given_up) < net.order


def test_an_order_takes_the_turns_that_close_no_cycle() -> None:
    random = np.random.default_rng(5)
    order, twin = ChannelOrder(30), networkx.DiGraph()
    twin.add_nodes_from(range(30))
    refused = 0
    for first, then in random.integers(0, 30, (300, 2)).tolist():
        if first == then:
            continue
        closes = networkx.has_path(twin, then, first)
        assert order.add(first, then) != closes
        refused += closes
        if not closes:
            twin.add_edge(first, then)
    assert refused > 50


def test_turns_are_added_all_or_none() -> None:
    order = ChannelOrder(6)
    assert order.add_all([(0, 1), (1, 2)])
    assert not order.add_all([(1, 2), (2, 3), (3, 0)])
    assert order.add(3, 2)  # 2, 3 was taken back, and 1, 2 was not
    assert not order.add(2, 1)
    order.drop(1, 2)
    assert order.add(2, 1)

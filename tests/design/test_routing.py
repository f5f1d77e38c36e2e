"""Shares of the line rate name their routing, and a routing can be demanded."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.design import SwitchedRequirements
from hopscape.design.designer import design
from hopscape.design.machine import tables_throughput
from hopscape.metrics.routes import all_routes

_FAMILIES = ("complete", "leaf_spine")


def _asked(**more):
    return SwitchedRequirements(40, 16, families=_FAMILIES, **more)


def test_every_share_names_traffic_and_routing():
    found = design(_asked())
    assert found.best.value("guaranteed_routing") == "Valiant"
    assert found.best.value("uniform_routing") == "minimal"
    assert "under uniform traffic (shortest paths, split evenly)" in found.answer
    assert "under any permutation (Valiant's routing" in found.answer
    assert "the tables handed over" in found.answer
    (first, *_) = found.records()
    assert first["guaranteed_routing"] == "Valiant"
    assert first["tables_throughput"] == tables_throughput(hopscape.build(first["spec"])).value


@pytest.mark.parametrize("routing", ["minimal", "valiant", "optimal"])
def test_a_routing_is_demanded(routing):
    found = design(_asked(throughput=0.5, worst=0.5, routing=routing))
    assert f"--routing {routing}" in found.command
    for one in found.candidates:
        if not one.trouble:
            assert one.value("guaranteed_throughput") >= 0.5 - 1e-9
            assert one.value("guaranteed_routing").lower() in (routing, "minimal")
    if routing == "minimal":
        assert found.best.family == "leaf_spine"


def test_what_cannot_be_promised_is_refused():
    with pytest.raises(ArgumentError, match="no share is proved"):
        _asked(worst=0.5, routing="adaptive")
    with pytest.raises(ArgumentError, match="routing is 'ecmp'; it must be one of minimal"):
        _asked(routing="ecmp")
    adaptive = design(_asked(routing="adaptive"))
    assert adaptive.best.value("guaranteed_throughput") is None
    assert "nothing is proved" in adaptive.answer


def test_the_tables_share_by_following_every_route():
    """Against all permutations of the endpoints of one switch to those of another."""
    net = hopscape.build("concentrated(complete(3), 2)")
    routes = all_routes(net)
    to = routes.worst_pairing(None)
    used: dict[int, int] = {}
    for i, j in enumerate(to.tolist()):
        at, goal = int(net.endpoints[i]), int(net.endpoints[j])
        while at != goal:
            channel = int(net.channel_at(at, int(routes.ports(goal)[at])))
            used[channel] = used.get(channel, 0) + 1
            at = int(net.heads[channel])
    assert max(used.values()) == routes.worst_permutation(None) == 2
    assert tables_throughput(net).value == 0.5

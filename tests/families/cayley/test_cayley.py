"""Cayley graphs of semidirect products: group laws, wiring, routing, offers."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import HopscapeError
from hopscape.core.requirement import Requirement
from hopscape.core.router_check import check_router
from hopscape.families.cayley import Cayley, Semidirect, good_cayley
from hopscape.metrics.distances import distance_profile
from hopscape.metrics.routes import all_routes
from refusals import refusals

GROUPS = [(7, 3, 2), (8, 2, 3), (5, 4, 2), (9, 6, 4), (1, 5, 1), (6, 1, 1), (13, 3, 3), (15, 4, 2)]


def _pairs(m: int, k: int) -> list[tuple[int, int]]:
    return [(x, y) for y in range(k) for x in range(m)]


def _slow(m: int, k: int, r: int, a: int, b: int) -> int:
    """The product from its definition, on pairs."""
    pairs = _pairs(m, k)
    (x, y), (c, d) = pairs[a], pairs[b]
    return pairs.index(((x + r**y * c) % m, (y + d) % k))


@pytest.mark.parametrize(("m", "k", "r"), GROUPS)
def test_group_laws(m: int, k: int, r: int) -> None:
    group, every = Semidirect(m, k, r), np.arange(m * k)
    table = group.product(every[:, None], every[None, :])
    for a, b in itertools.product(range(0, m * k, 3), range(m * k)):
        assert table[a, b] == _slow(m, k, r, a, b)
    assert (table[0] == every).all()
    assert (table[:, 0] == every).all()
    assert (table[every, group.inverse(every)] == 0).all()
    assert (
        table[table[:, 1 % (m * k)][:, None], every] == table[every[:, None], table[1 % (m * k)]]
    ).all()
    assert (table[every[:, None], group.quotient(every[:, None], every[None, :])] == every).all()


@st.composite
def members(draw: st.DrawFn) -> str:
    m, k, r = draw(st.sampled_from(GROUPS))
    group = Semidirect(m, k, r)
    steps: set[int] = set()
    chosen = []
    for g in draw(st.lists(st.integers(1, m * k - 1), min_size=1, max_size=4, unique=True)):
        back = int(group.inverse(np.asarray([g]))[0])
        if not {g, back} & steps:
            steps |= {g, back}
            chosen.append(g)
    return f"cayley({m}, {k}, {r}, {', '.join(map(str, chosen))})"


@settings(deadline=None, max_examples=40)
@given(members())
def test_network_and_router(spec: str) -> None:
    net = hopscape.build(spec)
    assert net.spec == spec
    graph = nx.Graph((int(a), int(b)) for a, b in zip(net.tails, net.heads, strict=True))
    assert all(degree == net.family.ports for _, degree in graph.degree)
    assert check_router(net.router())
    moved = net.family.translations()
    edges = {(int(a), int(b)) for a, b in zip(net.tails, net.heads, strict=True)}
    for row in moved[:: max(1, len(moved) // 5)]:
        assert {(int(row[a]), int(row[b])) for a, b in edges} == edges
    assert (moved[:, 0] == np.arange(net.order)).all()


def test_ports_share_the_load() -> None:
    """Choosing the least used port beats always taking the first one."""
    net = hopscape.build("cayley(64, 16, 3, 281, 461, 666)")
    routes = all_routes(net)
    mean = float(distance_profile(net).mean)
    assert mean == pytest.approx(routes.mean)
    assert 1 / routes.uniform_load() > 0.95 * net.family.ports / mean


@pytest.mark.parametrize(("nodes", "ports"), [(17, 4), (64, 3), (100, 5), (500, 6), (1000, 12)])
def test_offers_fit_and_are_short(nodes: int, ports: int) -> None:
    requirement = Requirement(nodes, int(nodes * 0.95), int(nodes * 1.125), ports)
    specs = list(Cayley.members(requirement))
    assert specs == list(Cayley.members(requirement))
    assert specs
    random = hopscape.build(f"random_regular({nodes + nodes * ports % 2}, {ports})")
    for spec in specs:
        net = hopscape.build(spec)
        assert requirement.fits(net.order)
        assert net.family.ports <= ports
        assert distance_profile(net).connected
    best = min(float(distance_profile(hopscape.build(spec)).mean) for spec in specs)
    assert best < 1.04 * float(distance_profile(random).mean)


def test_offers_know_their_limits() -> None:
    assert good_cayley(Requirement(100, 95, 110, 2)) == []
    assert good_cayley(Requirement(10**6, 10**6, 10**6, 6)) == []
    assert good_cayley(Requirement(23, 23, 23, 4)) == []  # only the cyclic group has a prime order


test_refused = refusals(
    HopscapeError,
    ("cayley(7, 3, 3, 1)", "must be 1"),
    ("cayley(7, 3, 2, 21)", "from 1 to 20"),
    ("cayley(7, 3, 2, 1, 6)", "there already"),
    ("cayley(0, 3, 2, 1)", "from 1"),
)

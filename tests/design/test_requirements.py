"""Requirements: what cannot be is said in one sentence with the nearest choice."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.core.errors import ArgumentError
from hopscape.core.requirement import Requirement, scan, small_graphs
from hopscape.design import Conditions, FloorPlan, Requirements, SwitchedRequirements
from hopscape.design.designer import design
from hopscape.design.question import CRITERIA, parse_weights
from hopscape.registry import all_families, build, family, member


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"nodes": 1000, "ports": 1}, ["1 port", "at most 2 nodes", "at least 2 ports"]),
        (
            {"nodes": 1001, "ports": 3, "size": "exactly", "regular": True},
            ["odd", "1000 or 1002", "2 or 4 ports"],
        ),
        ({"nodes": 100, "ports": 4, "cables": 50}, ["50 cables", "at least 99"]),
        ({"nodes": 100, "ports": 4, "cables": 120, "regular": True}, ["200 cables", "120 allowed"]),
        ({"nodes": 100, "ports": 4, "vcs": 0}, ["vcs is 0", "at least 1"]),
        ({"nodes": 100, "ports": 4, "faults": 4}, ["4 faults", "at most 3", "5 ports"]),
        ({"nodes": 100, "ports": 4, "cable_length": -3.0}, ["-3 m", "above 0"]),
        ({"nodes": 1, "ports": 4}, ["nodes is 1", "from 2"]),
        ({"nodes": 10, "ports": 0}, ["ports is 0", "from 1"]),
        ({"nodes": 10, "ports": 4, "within": 3.0}, ["within is 3;", "0 to 1"]),
        ({"nodes": 10, "ports": 4, "within": 0.1, "size": "exactly"}, ["contradict"]),
        ({"nodes": 10, "ports": 1, "cables": 1}, ["with 1 port "]),
        ({"nodes": 10, "ports": 4, "cables": 1}, ["1 cable cannot", "take at least 9"]),
        ({"nodes": 2, "ports": 1, "faults": 1}, ["of 1 port survives any 1 fault:"]),
        (
            {"nodes": 1_000_000, "ports": 4, "grow": 2_000_000},
            ["allowed now are already the most"],
        ),
    ],
)
def test_what_cannot_be(asked: dict[str, object], words: list[str]) -> None:
    with pytest.raises(ArgumentError) as caught:
        Requirements(**asked)  # type: ignore[arg-type]
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_of_anything_is_not_several() -> None:
    asked = Requirements(2, 1, cables=1, cable_length=1.0, vcs=1, max_hops=1, faults=0)
    assert "at most 1 port; 1 cable at most; 1 m of cable at most; 1 virtual channel;" in (
        asked.words()
    )
    assert "1 hop at most" in asked.words()
    machine = SwitchedRequirements(16, 8, max_hops=1, vcs=1, cables=4000, exact=True)
    assert machine.words().startswith("exactly 16 endpoints")
    assert "at most 4,000 cables; at most 1 hop between switches; at most 1 virtual channel;" in (
        machine.words()
    )
    with pytest.raises(ArgumentError, match="1x1x1 has 1 slot, but 16 nodes"):
        Requirements(16, 4, conditions=Conditions(plan=FloorPlan(1, 1, 1)))
    with pytest.raises(ArgumentError, match=r"fits 1 hop; the nearest, .* needs [23] hops"):
        design(Requirements(9, 4, max_hops=1, families=("torus",)))
    with pytest.raises(ArgumentError, match="no network has exactly 17 nodes and at most 4 ports"):
        design(Requirements(17, 4, size="exactly", families=("torus",)))
    with pytest.raises(ArgumentError, match=r"exactly 17 endpoints, each with 1 line, at switches"):
        design(SwitchedRequirements(17, 3, exact=True, families=("fat_tree",)))
    with pytest.raises(ArgumentError, match=r"^finalists is 0; it must be at least 1$"):
        design(Requirements(9, 4), finalists=0)


def test_floor_plan_too_small_names_one_that_fits() -> None:
    with pytest.raises(ArgumentError, match="2x13x4 would hold them") as caught:
        Requirements(100, 4, size="exactly", conditions=Conditions(plan=FloorPlan(2, 2, 4)))
    assert "16 slots" in str(caught.value)


def test_endpoints_use_ports() -> None:
    with pytest.raises(ArgumentError, match="leave none of its 6 ports"):
        Requirements(100, 6, conditions=Conditions(endpoints=6))
    asked = Requirements(100, 6, conditions=Conditions(endpoints=4))
    routers = asked.asked()
    assert (routers.ports, routers.nodes) == (2, 25)


@given(
    nodes=st.integers(2, 5000),
    ports=st.integers(2, 64),
    size=st.sampled_from(["about", "at least", "exactly"]),
)
@settings(deadline=None, max_examples=60)
def test_windows(nodes: int, ports: int, size: str) -> None:
    asked = Requirements(nodes, ports, size=size)  # type: ignore[arg-type]
    assert asked.low <= nodes <= asked.high
    if size == "exactly":
        assert asked.low == asked.high == nodes
    if size == "at least":
        assert asked.low == nodes
    requirement = asked.asked()
    assert (requirement.low, requirement.high, requirement.ports) == (asked.low, asked.high, ports)


def test_weights() -> None:
    assert parse_weights("latency=2,cost") == {"latency": 2.0, "cost": 1.0}
    with pytest.raises(ArgumentError, match="'speed' is not a criterion"):
        parse_weights("speed")
    with pytest.raises(ArgumentError, match="weight of cost is 'x'"):
        parse_weights("cost=x")
    with pytest.raises(ArgumentError, match="more than 0"):
        parse_weights("cost=0")
    assert set(CRITERIA) >= {"latency", "bandwidth", "broadcast", "allreduce", "cost"}


@given(
    low=st.integers(2, 300),
    more=st.integers(0, 80),
    axes=st.integers(1, 4),
    least=st.integers(2, 3),
)
@settings(deadline=None, max_examples=60)
def test_boxes_fit(low: int, more: int, axes: int, least: int) -> None:
    requirement = Requirement(low + more // 2, low, low + more, 2 * axes)
    for box in requirement.boxes(axes, least):
        assert len(box) == axes
        assert min(box) >= least
        assert requirement.fits(math.prod(box))


def test_a_cube_is_found() -> None:
    assert (10, 10, 10) in list(Requirement(1000, 990, 1010, 6).boxes(3))
    assert next(iter(Requirement(48, 40, 70, 6).boxes(3))) in [(3, 4, 4)]


@given(
    low=st.integers(5, 400), more=st.integers(0, 60), step=st.integers(1, 6), at=st.integers(0, 5)
)
@settings(deadline=None, max_examples=60)
def test_sizes_are_welcome(low: int, more: int, step: int, at: int) -> None:
    requirement = Requirement(low + more // 2, low, low + more, 4)
    all_of_them = [n for n in range(low, low + more + 1) if n % step == at % step]
    offered = requirement.sizes(step, at)
    assert set(offered) <= set(all_of_them)
    assert bool(offered) == bool(all_of_them)
    if offered:
        nearest = min(abs(n - requirement.nodes) for n in all_of_them)
        assert abs(offered[0] - requirement.nodes) == nearest


def test_small_graphs_are_what_they_say() -> None:
    for graph in small_graphs(8):
        net = build(graph.spec)
        assert net.order == graph.order
        assert int(net.degrees.max()) == graph.degree
        mean = net.facts.mean_distance
        if mean is not None:
            assert math.isclose(float(mean) * (net.order - 1) / net.order, graph.mean)


def test_scan_finds_the_nearest() -> None:
    nearest, *_ = scan(family("double_loop"), Requirement(1000, 990, 1010, 4))
    assert nearest == "double_loop(1000)"
    assert list(scan(family("ring"), Requirement(50, 50, 50, 1))) == []
    assert list(scan(family("torus"), Requirement(50, 50, 50, 4))) == []


REQUIREMENTS = [
    Requirement(64, 60, 72, 6),
    Requirement(30, 28, 34, 4),
    Requirement(1000, 950, 1125, 8),
    Requirement(12, 12, 12, 3),
]


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_members_of_every_family_exist_and_are_canonical(requirement: Requirement) -> None:
    """What a family offers can be built, and those of the right size keep to the ports."""
    offered = 0
    for kind in all_families().values():
        for spec in kind.members(requirement):
            found = member(spec)
            assert type(found) is kind
            switches = found.switches()
            ends = found.order - (0 if switches is None else len(switches))
            if kind.parameters:
                assert requirement.fits(ends), spec
                net = build(spec)
                assert net.spec == spec
                assert int(net.degrees.max()) <= requirement.ports, spec
            offered += requirement.fits(ends)
    assert offered > 3

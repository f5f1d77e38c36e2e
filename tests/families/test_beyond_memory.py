"""Specs of astronomical size: built, counted and described at once, or refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import TooLargeError
from hopscape.families.datacenter import star as stacked
from hopscape.families.datacenter.fly import ExpandedPolarFly
from hopscape.families.datacenter.hammingmesh import Line
from hopscape.families.torus.express import _Axis
from hopscape.families.torus.twisted import Twist


@pytest.mark.parametrize(
    ("spec", "degree"),
    [
        ("twisted_torus([1000000000000000000000000000000, 2, 11])", 6),
        (f"twisted_torus([13, {10**200}])", 4),
        ("twisted_torus([3, 6], twist=[18446744073709551616])", 4),
    ],
)
def test_large_twisted_tori(spec: str, degree: int) -> None:
    network = hopscape.build(spec)
    assert network.facts.known()["degree_max"] == degree
    assert network.facts.known()["links"] == network.order * degree // 2


def test_whole_turns_of_a_twist_are_shifts_themselves() -> None:
    """Any twist wires the same torus as the one whose entries are below the sides."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        sides = rng.integers(1, 7, 3).tolist()
        twist = rng.integers(0, 40, 3).tolist()
        group = Twist(sides, twist)
        assert all(s < sides[j] for row in group.shift for j, s in enumerate(row))
        # side steps along an axis end at its shifts: walk them one by one with the twist as given
        for axis in range(3):
            walked = np.zeros(3, dtype=np.int64)
            walked[axis] = sides[axis]
            first = axis * (5 - axis) // 2
            given = np.zeros(3, dtype=np.int64)
            given[axis + 1 :] = twist[first : first + 2 - axis]
            assert group.normal(walked).tolist() == group.normal(given).tolist()


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8])
def test_clusters_of_an_expanded_polarfly_are_counted_right(q: int) -> None:
    for clusters in range(1, q + 1):
        family = ExpandedPolarFly(q, clusters=clusters, p=0)
        tails, heads = family.router_links()
        assert family.facts().known()["links"] == len(tails)
        assert np.bincount(np.concatenate([tails, heads])).max() == family.router_degree


@pytest.mark.parametrize(("side", "spans"), [(1, (2,)), (9, (3,)), (23, (4, 7)), (40, (2, 39))])
@pytest.mark.parametrize("interchange", [False, True])
def test_hops_along_an_express_axis(side: int, spans: tuple[int, ...], interchange: bool) -> None:
    """Against Floyd and Warshall."""
    axis = _Axis(side, spans, interchange)
    want = np.full((side, side), side, dtype=np.int64)
    np.fill_diagonal(want, 0)
    for v, row in enumerate(axis.rows):
        want[v, row[row >= 0]] = np.minimum(want[v, row[row >= 0]], 1)
    for k in range(side):
        want = np.minimum(want, want[:, k : k + 1] + want[k : k + 1])
    assert np.array_equal(axis.hops, want)


@pytest.mark.parametrize("boards", [1, 2, 3, 9])
def test_reach_of_long_boards(boards: int) -> None:
    """Against all pairs along the line."""
    for length in (1, 2, 3, 4, 5, 8, 13, 30, 31):
        line = Line(length, boards, 8)
        nodes = np.arange(line.nodes + line.switches)
        hops = line.distances(np.repeat(nodes, len(nodes)), np.tile(nodes, len(nodes)))
        table = hops.reshape(len(nodes), -1)
        ends = table[: line.nodes, : line.nodes].max()
        mixed = table[: line.nodes, line.nodes :].max(initial=0)
        assert line.reach()[:2] == (ends, mixed)


@pytest.mark.parametrize(
    ("spec", "switches"),
    [
        ("rail_optimized(1000000000000000000000000000000, 1, units=8)", 9 * 10**30 - 10**30 + 9),
        ("hammingmesh(1, 3, 2, 7499517, radix=1048576)", None),
        ("hammingmesh(15, 765786, 5, 13)", None),
        ("kary_ntree(1000000, 2)", 2 * 10**6),
    ],
)
def test_switches_are_counted_not_listed(spec: str, switches: int | None) -> None:
    network = hopscape.build(spec)
    assert network.has_switches
    assert 0 < network.endpoint_count < network.order
    if switches is not None:
        assert network.order - network.endpoint_count == switches


@pytest.mark.parametrize(
    "spec",
    [
        f"circulant({10**204}, 3, 3, 8, 2)",
        "expanded(path(2), 4000, reuse=true)",
        "twisted_torus((3, 7, 390))",
    ],
)
def test_what_fuzzing_found_slow_or_broken(spec):
    network = hopscape.build(spec)
    assert network.facts.known()["links"] >= network.order // 2
    assert all(-1 <= v < network.order for v in network.neighbours(0))


@pytest.mark.parametrize("spec", ["mlfm(4, p=18446744073709551629)", "mlfm(1000000, p=3)"])
def test_distances_of_a_large_multi_layer_full_mesh(spec):
    network = hopscape.build(spec)
    router = network.router()
    assert [router.distance(0, v) for v in (0, 1, network.order // 2)] == [0, 2, 4]
    assert router.distance(0, network.order - 1) in (2, 4)


def test_a_rail_without_spines_has_no_ports_for_them():
    network = hopscape.build("rail_optimized(6, 3, spines=0, links=2)")
    assert network.ports == 6
    assert network.links == int(network.degrees.sum()) // 2 == 18 + 18


def test_columns_of_many_upper_routers_are_computed(monkeypatch):
    for h in (1, 2, 7):
        family = stacked.MLFM(h)
        upper = np.arange(family.upper)
        listed = family._columns(upper)
        monkeypatch.setattr(stacked, "_LISTED", 0)
        for some in (upper, upper.astype(object)):
            assert np.array_equal(family._columns(some), listed)
        monkeypatch.undo()


@pytest.mark.parametrize("name", ["dragonfly(4, 2", "hyperx([3, 4]", "cascade(3", "mlfm(3"])
def test_routes_among_too_many_endpoints_are_refused(name):
    network = hopscape.build(f"{name}, p={2**64 + 13})")
    with pytest.raises(TooLargeError, match="would need"):
        network.router().path(5, 10**19)

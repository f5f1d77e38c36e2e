"""Networks of data centres and supercomputers, against the formulas and routes of their papers."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hopscape
from conftest import bfs
from hopscape.cli.app import app
from hopscape.core.distances import distances_from
from hopscape.core.errors import SpecError
from hopscape.core.requirement import Requirement
from hopscape.core.router_check import check_router
from hopscape.families.datacenter.star import balanced_quad, paley
from hopscape.families.torus import best_twist
from hopscape.metrics import distance_profile
from promises import broken_promises
from refusals import refusals

FEW = settings(max_examples=15)


def counts(spec: str) -> tuple[int, int]:
    """Endpoints and switches."""
    net = hopscape.build(spec)
    return net.endpoint_count, net.order - net.endpoint_count


@pytest.mark.parametrize(
    ("spec", "endpoints", "switches", "ports"),
    [
        # k-ary n-tree: k^n endpoints, n k^(n-1) switches (Petrini and Vanneschi)
        ("kary_ntree(4, 3)", 64, 48, 8),
        # folded Clos of r-port switches: 2 (r/2)^l endpoints, (2l - 1) (r/2)^(l-1) switches
        ("clos(8, 3)", 128, 80, 8),
        ("clos(8, 2)", 32, 12, 8),
        ("clos(64, 3)", 65536, 5120, 64),
        ("clos(36, 2)", 648, 54, 36),
        # taper 2:1: 24 of 36 ports down
        ("clos(36, 2, down=24)", 864, 48, 36),
        # half of the pods need half of the top switches
        ("clos(64, 3, pods=16)", 16384, 1280, 64),
        ("leaf_spine(32, 16, 32, links=2)", 1024, 48, 64),
        ("xgft([3, 2, 2], [1, 2, 3])", 12, 4 + 4 + 6, 5),
        # balanced dragonfly: a = 2h = 2p, a h + 1 groups (Kim et al.): 1056 for h = 4
        ("dragonfly(8, 4)", 1056, 264, 15),
        ("dragonfly(16, 8, groups=8)", 1024, 128, 31),
        # Dragonfly+ with 2k = 8 ports: k^2 (k^2 + 1)... leaves carry half of their ports
        ("dragonfly_plus(4, 4, 4)", 17 * 16, 17 * 8, 8),
        # Cray XC: 384 nodes on 96 routers in a group
        ("cascade(3)", 1152, 288, 44),
        ("hyperx([4, 4], p=4, links=[2, 1])", 64, 16, 4 + 9),
        # HammingMesh: 16 x 16 boards of 2 x 2; a switch for each of 32 rows and 32 columns
        ("hammingmesh(2, 2, 16, 16)", 1024, 64, 32),
        # 128 lines per row: leaves of 32 lines, and spines that take 64
        ("hammingmesh(2, 2, 64, 64)", 16384, 256 * (4 + 2), 64),
        ("rail_optimized(8, 32, units=4)", 1024, 128 + 32 + 32, 64),
        # MLFM: h^3 + h^2 endpoints, 3h(h + 1)/2 routers; OFT: 2k^3 - 2k^2 + 2k and 3(k^2 - k + 1)
        ("mlfm(5)", 150, 45, 10),
        ("mlfm(15)", 3600, 360, 30),
        ("oft(6)", 372, 93, 12),
        ("oft(12)", 3192, 399, 24),
        ("slim_fly(19)", 15 * 722, 722, 44),
        # SpectralFly: q(q^2 - 1)/2 routers where rho is a square modulo q, else q(q^2 - 1)
        ("spectralfly(11, 7, p=4)", 672, 168, 16),
        ("spectralfly(23, 11, p=8)", 5280, 660, 32),
        ("spectralfly(3, 5, p=1)", 120, 120, 5),
        ("spectralfly(23, 13, p=8)", 8736, 1092, 32),
        # Bundlefly: 2 q^2 r routers of degree (3q - delta)/2 + (r - 1)/2
        ("bundlefly(7, 9, p=5)", 5 * 882, 882, 11 + 4 + 5),
        # PolarStar: (q^2 + q + 1)(2d + 2) routers of degree q + 1 + d
        ("polarstar(11, 3, p=5)", 5 * 1064, 1064, 15 + 5),
        ("delorme(8, p=3)", 3 * 585, 585, 12),
        ("polarfly_expanded(7, quadrics=3, p=0)", 57 + 24, 0, 14),
        ("fatclique(4, 4, 8, inner=3, outer=2, p=3)", 384, 128, 3 + 3 + 2 + 3),
        # BCube: n^(k+1) servers, (k + 1) n^k switches; DCell: t (t + 1) servers
        ("bcube(8, 3)", 4096, 2048, 8),
        ("dcell(4, 1)", 20, 5, 4),
        ("dcell(4, 2)", 420, 105, 4),
        ("dcell(6, 3)", 3263442, 543907, 6),
        ("tofu(24, 23, 24)", 158976, 0, 12),
        ("arrangement(7, 4)", 840, 0, 12),
    ],
)  # fmt: skip
def test_counts_of_the_papers(spec: str, endpoints: int, switches: int, ports: int) -> None:
    net = hopscape.build(spec)
    assert counts(spec) == (endpoints, switches)
    assert net.family.ports == ports
    assert not net.materialised


@pytest.mark.parametrize(
    ("spec", "diameter"),
    [
        ("arrangement(7, 4)", 6), ("arrangement(6, 5)", 7), ("arrangement(12, 1)", 1),
        ("bcube(3, 2)", 6), ("hammingmesh(3, 2, 4, 5)", 6), ("mlfm(7)", 4), ("oft(8)", 4),
        ("delorme(8)", 5), ("polarfly_expanded(7, quadrics=3, p=0)", 2),
        ("polarstar(7, 4)", 5), ("bundlefly(4, 9)", 5), ("dragonfly(6, 3)", 5),
        ('polarstar(5, 6, supernode="paley", p=0)', 3), ("clos(6, 3)", 6),
        ("twisted_torus([6, 12], twist=[6])", 6), ("twisted_torus([4, 4, 8])", 5),
    ],
)  # fmt: skip
def test_diameters_are_measured(spec: str, diameter: int) -> None:
    net = hopscape.build(spec)
    bare = hopscape.Network.from_links(net.order, *_ends(net))
    assert distance_profile(bare, exact=True).diameter == net.facts.diameter == diameter


def _ends(net: hopscape.Network) -> tuple[np.ndarray, np.ndarray]:
    first = np.arange(len(net.heads)) < net.reverse
    return net.tails[first], net.heads[first]


@FEW
@given(
    children=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    more=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2)), min_size=4, max_size=4),
)
def test_any_tree_keeps_its_promises(children: list[int], more: list[tuple[int, int]]) -> None:
    parents, links = (list(x) for x in zip(*more[: len(children)], strict=True))
    spec = f"xgft({children}, {parents}, links={links})"
    assume(hopscape.build(spec).order <= 60)
    assert broken_promises(spec) == []


@FEW
@given(
    a=st.integers(1, 5),
    h=st.integers(1, 3),
    p=st.integers(0, 2),
    groups=st.integers(1, 16),
    arrangement=st.sampled_from(["relative", "absolute", "palmtree"]),
)
def test_any_dragonfly_keeps_its_promises(
    a: int, h: int, p: int, groups: int, arrangement: str
) -> None:
    assume(groups <= a * h + 1 and a * groups * (p + 1) <= 60)
    spec = f'dragonfly({a}, {h}, p={p}, groups={groups}, arrangement="{arrangement}")'
    assert broken_promises(spec) == []
    net = hopscape.build(spec)
    group = (np.arange(net.order) - net.family.ends) // a
    links = [(group[u], group[v]) for u, v in zip(net.tails, net.heads, strict=True)]
    ends = net.family.ends
    apart = [
        pair for pair, u, v in zip(links, net.tails, net.heads, strict=True)
        if u >= ends and v >= ends and pair[0] != pair[1]
    ]  # fmt: skip
    every = a * h // (groups - 1) if groups > 1 else 0
    assert sorted(apart) == sorted(list(itertools.permutations(range(groups), 2)) * every)


@pytest.mark.parametrize(
    "spec",
    [
        "dragonfly(6, 3)", 'dragonfly(5, 4, groups=7, arrangement="palmtree")',
        'dragonfly(4, 4, groups=5, arrangement="absolute", p=0)', "dragonfly_plus(3, 4, 2, p=2)",
        'dragonfly_plus(4, 3, 4, groups=5, arrangement="absolute")',
        "cascade(5, sides=[3, 2], links=[1, 3], h=2, p=1)",
    ],
)  # fmt: skip
def test_dragonflies_route_by_one_global_link(spec: str) -> None:
    """And by the fewest hops that this allows: the least over all links between the groups."""
    net = hopscape.build(spec)
    family, router = net.family, net.router()
    routers = np.arange(family.ends, net.order)
    group, _ = family.places(routers - family.ends)
    at, to = (x.ravel() for x in np.meshgrid(routers, routers, indexing="ij"))
    path, _ = router.walk(at, to)
    seen = np.where(path >= 0, group[np.maximum(path - family.ends, 0)], -1)
    moves = ((seen[:, 1:] != seen[:, :-1]) & (seen[:, 1:] >= 0)).sum(axis=1)
    assert np.array_equal(moves, (seen[:, 0] != group[to - family.ends]).astype(int))
    inside = [
        bfs(hopscape.Network.from_links(net.order, *_within(net, group, family.ends, g)))
        for g in range(3)
    ]
    tails, heads = net.tails, net.heads
    for a, b in [(0, 1), (0, 2), (2, 1)]:
        cross = [
            (u, v) for u, v in zip(tails, heads, strict=True)
            if min(u, v) >= family.ends
            and (group[u - family.ends], group[v - family.ends]) == (a, b)
        ]  # fmt: skip
        for s in routers[group == a]:
            for t in routers[group == b]:
                least = min(inside[a][s, u] + 1 + inside[b][v, t] for u, v in cross)
                assert router.distance(int(s), int(t)) == least


def _within(
    net: hopscape.Network, group: np.ndarray, ends: int, number: int
) -> tuple[np.ndarray, np.ndarray]:
    tails, heads = _ends(net)
    both = np.minimum(tails, heads) >= ends
    side = [np.where(both, group[np.maximum(x - ends, 0)], -1) for x in (tails, heads)]
    keep = (side[0] == number) & (side[1] == number)
    return tails[keep], heads[keep]


@pytest.mark.parametrize(
    "spec",
    [
        "dragonfly(4, 3, groups=3)", 'dragonfly(3, 4, groups=5, arrangement="absolute")',
        'dragonfly_plus(3, 4, 2, groups=4, arrangement="palmtree")',
    ],
)  # fmt: skip
def test_links_are_chosen_alike_with_and_without_a_table(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = hopscape.build(spec)
    at, to = _pairs(net, net.order)
    quick = net.router()
    told, ports = quick.distances(at, to), quick.next_ports(at, to)
    assert quick._table is not None
    monkeypatch.setattr("hopscape.families.datacenter.groups._TABLE_SIZE", 0)
    slow = net.router()
    assert slow._table is None
    assert np.array_equal(slow.distances(at, to), told)
    assert np.array_equal(slow.next_ports(at, to), ports)


def test_a_dragonfly_goes_round_where_a_third_group_is_shorter() -> None:
    net = hopscape.build("dragonfly(4, 2, p=0)")
    router = net.router()
    truth = bfs(net)
    longer = [(s, t) for s in range(net.order) for t in range(net.order)
              if router.distance(s, t) > truth[s, t]]  # fmt: skip
    assert not router.exact
    assert longer
    assert max(router.distance(s, t) for s, t in longer) == 3


@pytest.mark.parametrize(
    "spec",
    [
        "clos(8, 3, pods=5)", "clos(9, 3, down=6, pods=4)", "kary_ntree(3, 4)",
        "leaf_spine(10, 4, 6, links=3)", "hyperx([3, 4, 5], p=2, links=[2, 1, 1])",
        "rail_optimized(4, 5, units=3)", "rail_optimized(4, 9, spines=0)",
        "hammingmesh(3, 2, 5, 4)", "hammingmesh(2, 3, 9, 7, radix=12)", "mlfm(6, p=2, layers=3)",
        "oft(6)", "spectralfly(5, 7, p=1)", "spectralfly(7, 11, p=0)", "bundlefly(5, 5, p=2)",
        "polarstar(4, 7, p=1)", "delorme(8, p=1)", "bcube(4, 3)", "bcube(6, 2)", "dcell(3, 2)",
        "fatclique(4, 3, 5, inner=2, outer=2, p=2)", "arrangement(7, 4)", "arrangement(6, 5)",
        "twisted_torus([7, 11], twist=[3])", "twisted_torus([4, 5, 6], twist=[1, 2, 3])",
        "twisted_torus([4, 4, 8])", "express_mesh([9, 8, 7], [3])", "tofu(3, 2, 4)",
        "express_mesh([17, 12], [4, 8], interchange=true)", "dragonfly(8, 4)",
        "dragonfly_plus(5, 4, 3)", "cascade(4, p=1, sides=[4, 3], links=[1, 2], h=3)",
    ],
)  # fmt: skip
def test_routers_of_larger_members(spec: str) -> None:
    net = hopscape.build(spec)
    verdict = check_router(net.router(), targets=6, seed=2)
    assert verdict, verdict.reason
    assert len(net.heads) == net.facts.channels
    assert net.family.ports == net.ports
    assert int(net.degrees.max()) <= net.ports


@pytest.mark.parametrize("spec", ["dcell(2, 2)", "dcell(4, 1)", "dcell(1, 3)"])
def test_dcell_routes_are_as_long_as_the_paper_bounds(spec: str) -> None:
    """2^(k+1) - 1 hops between servers, two servers of a cell one hop apart."""
    net = hopscape.build(spec)
    servers = net.endpoints
    at, to = (x.ravel() for x in np.meshgrid(servers, servers))
    path, _ = net.router().walk(at, to)
    by_switch = (path >= net.family.servers).sum(axis=1)
    hops = (path >= 0).sum(axis=1) - 1 - by_switch
    assert hops.max() <= 2 ** (net.family.k + 1) - 1


def test_rails_keep_off_the_spines_inside_a_unit() -> None:
    net = hopscape.build("rail_optimized(3, 4, units=2)")
    path, _ = net.router().walk(*_pairs(net, 12))
    assert path.max() < net.family.starts[3]


def _pairs(net: hopscape.Network, count: int) -> tuple[np.ndarray, np.ndarray]:
    at, to = np.meshgrid(np.arange(count), np.arange(count))
    return at.ravel(), to.ravel()


def test_trees_without_taper_give_every_endpoint_its_line() -> None:
    """Destination by destination, no link carries more than one endpoint sends (d-mod-k)."""
    for spec in ("clos(8, 3)", "clos(8, 3, pods=4)", "leaf_spine(8, 4, 8, links=2)"):
        net = hopscape.build(spec)
        ends = net.endpoint_count
        at, to = _pairs(net, ends)
        path, ports = net.router().walk(at, to)
        channel = net.channel_at(path[:, :-1], ports)[ports >= 0]
        assert np.bincount(channel).max() == ends - 1


@pytest.mark.parametrize("degree", [3, 4, 7, 8, 11, 12])
def test_quads_have_the_property_of_the_paper(degree: int) -> None:
    tails, heads, f = balanced_quad(degree)
    order = 2 * degree + 2
    joined = np.zeros((order, order), dtype=bool)
    joined[tails, heads] = joined[heads, tails] = True
    assert np.array_equal(f[f], np.arange(order))
    assert set(joined.sum(axis=1)) == {degree}
    rest = ~(joined | joined[f][:, f] | np.eye(order, dtype=bool))
    assert np.array_equal(np.argwhere(rest)[:, 1], f)


@pytest.mark.parametrize("order", [5, 9, 13, 17, 25])
def test_paley_graphs_are_turned_into_their_complements(order: int) -> None:
    tails, heads, f = paley(order)
    joined = np.zeros((order, order), dtype=bool)
    joined[tails, heads] = joined[heads, tails] = True
    assert np.array_equal(joined[f][:, f], ~(joined | np.eye(order, dtype=bool)))


@FEW
@given(sides=st.lists(st.integers(1, 5), min_size=1, max_size=3), data=st.data())
def test_any_twist_keeps_its_promises(sides: list[int], data: st.DataObject) -> None:
    count = len(sides) * (len(sides) - 1) // 2
    twist = data.draw(st.lists(st.integers(0, 7), min_size=count, max_size=count))
    assert broken_promises(f"twisted_torus({sides}, twist={twist})") == []


@FEW
@given(
    sides=st.lists(st.sampled_from([1, 2, 3, 5, 40, 97]), min_size=1, max_size=3), data=st.data()
)
def test_lengths_in_long_and_thin_tori(sides: list[int], data: st.DataObject) -> None:
    """A reduced basis can be long and thin: then each length is searched for."""
    assume(int(np.prod(sides)) <= 20_000)
    count = len(sides) * (len(sides) - 1) // 2
    twist = data.draw(st.lists(st.integers(0, 100), min_size=count, max_size=count))
    net = hopscape.build(f"twisted_torus({sides}, twist={twist})")
    some = np.unique(np.linspace(0, net.order - 1, 60).astype(np.int64))
    group = net.family.group
    assert group.lengths(group.box.tuples(some)).tolist() == distances_from(net, 0)[some].tolist()


@pytest.mark.parametrize(
    "spec",
    [
        "twisted_torus([3, 65536], twist=[3])",
        "twisted_torus([1000000007, 3])",
        f"twisted_torus([{10**22}, {3 * 10**22}])",
        "twisted_torus([2, 3, 4, 5, 6])",
    ],
)
def test_twisted_tori_of_any_size_answer(spec: str) -> None:
    net = hopscape.build(spec)
    assert net.facts.connected
    assert net.router().distance(0, 1) == 1


@pytest.mark.parametrize("sides", [(3, 6), (4, 8), (5, 5), (2, 9), (6, 4)])
def test_best_twist_is_the_best_of_all(sides: tuple[int, int]) -> None:
    means = {
        t: hopscape.build(f"twisted_torus({list(sides)}, twist=[{t}])").facts.mean_distance
        for t in range(sides[1])
    }
    found = hopscape.build(f"twisted_torus({list(sides)})")
    assert found.facts.mean_distance == min(means.values()) == means[best_twist(sides)[0]]


def test_twists_of_the_paper() -> None:
    """A twist by a takes the diameter of the a by 2a torus from 3a/2 to a."""
    for a in (4, 6, 8):
        plain, twisted = (
            hopscape.build(f"twisted_torus([{a}, {2 * a}], twist=[{t}])").facts.diameter
            for t in (0, a)
        )
        assert (plain, twisted) == (3 * a // 2, a)
        assert best_twist((a, 2 * a)) == (a,)


FAMILIES = [
    "xgft", "leaf_spine", "clos", "kary_ntree", "rail_optimized", "dragonfly", "dragonfly_plus",
    "cascade", "hyperx", "hammingmesh", "mlfm", "oft", "slim_fly", "polarfly", "polarstar",
    "bundlefly", "spectralfly", "delorme", "fatclique", "bcube", "dcell", "twisted_torus",
    "express_mesh", "tofu", "arrangement", "polarfly_expanded",
]  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_members_fit_what_is_asked_for(name: str) -> None:
    kind = hopscape.family(name)
    some = 0
    for nodes, ports, share in itertools.product(
        (2, 20, 64, 400, 1024, 16384), (2, 6, 16, 64), (None, 0.5, 1.0)
    ):
        requirement = Requirement(nodes, nodes - nodes // 20, nodes + nodes // 8, ports, 6, share)
        for spec in itertools.islice(kind.members(requirement), 8):
            net = hopscape.build(spec)
            used = net.family.ports if name != "tofu" else 10
            assert requirement.fits(net.endpoint_count), (spec, requirement)
            assert used <= ports, (spec, requirement)
            some += 1
            assert hopscape.build(net.spec).spec == net.spec
    assert some > 0 or name == "xgft"


test_what_cannot_be_is_refused_in_a_sentence = refusals(
    SpecError,
    ("xgft([2, 2], [1])", "both must have"), ("xgft([2], [1], links=[1, 1])", "links has 2"),
    ("clos(8, 2, down=8)", "below radix"), ("clos(8, 2, pods=9)", "at most radix"),
    ("clos(8, 1, pods=3)", "left out"), ("clos(4, 1, down=5)", "at most radix"),
    ("dragonfly(4, 2, groups=10)", "at most 9"),
    ('dragonfly(4, 2, arrangement="random")', "arrangement is 'random'"),
    ("dragonfly_plus(2, 2, 1, groups=4)", "at most 3"),
    ("cascade(3, sides=[2])", "both must have"), ("hyperx([3, 3], links=[1])", "links has 1"),
    ("rail_optimized(2, 2, units=2, spines=0)", "spines is 0"),
    ("hammingmesh(2, 2, 9, 1, radix=4)", "at most 4 boards"),
    ("hammingmesh(2, 2, 3, 1, radix=2)", "at most 1 boards"),
    ("oft(7)", "prime power plus 1"), ("spectralfly(4, 7)", "odd prime"),
    ("spectralfly(7, 5)", "q is 5"), ("bundlefly(3, 7)", "1 modulo 4"),
    ("bundlefly(6, 5)", "prime power"), ("polarstar(6, 3)", "prime power"),
    ("polarstar(3, 5)", "0 or 3 modulo 4"), ('polarstar(3, 3, supernode="x")', "quad or paley"),
    ('polarstar(3, 3, supernode="paley")', "must be even"), ("delorme(4)", "odd power"),
    ("fatclique(2, 4, 1)", "at most 3"), ("fatclique(2, 2, 9)", "at most 5"),
    ("polarfly_expanded(4, quadrics=2)", "0 or 1"),
    ("polarfly_expanded(3, quadrics=1, clusters=1)", "both"),
    ("polarfly_expanded(3, clusters=4)", "at most q"), ("arrangement(4, 4)", "less than n"),
    ("twisted_torus([])", "at least one axis"),
    ("twisted_torus([4, 8], twist=[1, 2])", "must have 1"),
    ("express_mesh([4], [3, 3])", "different"),
    ("express_mesh([], [3])", "at least one axis"),
)  # fmt: skip


def test_routes_and_addresses_without_building() -> None:
    for spec in ("kary_ntree(3, 60)", "bcube(9, 40)", "arrangement(30, 20)", "dcell(9, 6)"):
        net = hopscape.build(spec)
        assert net.order > 2**62
        assert net.node(net.address(net.order - 1)) == net.order - 1
        route = net.route(0, net.order // 3)
        assert route.length == net.router().distance(0, net.order // 3)
        assert not net.materialised


def test_words_of_arrangements() -> None:
    net = hopscape.build("arrangement(5, 3)")
    words = list(itertools.permutations(range(5), 3))
    assert [net.address(v) for v in range(net.order)] == words
    for v in (0, 17, 59):
        near = {words[u] for u in net.neighbours(v)}
        assert near == {w for w in words if sum(a != b for a, b in zip(w, words[v])) == 1}


def test_show_answers_for_the_new_families() -> None:
    for spec in ("clos(64, 3, pods=16)", "dragonfly_plus(16, 16, 16)", "hammingmesh(4, 4, 8, 8)"):
        run = CliRunner().invoke(app, ["show", spec, "-f", "json"])
        assert run.exit_code == 0, run.output
        assert json.loads(run.stdout)["nodes"] == hopscape.build(spec).order

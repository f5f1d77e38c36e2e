"""What remains after failures, against all sets of failures; and the demand for it."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest

import hopscape
from commands import ask, refused
from hopscape.core.errors import ArgumentError
from hopscape.design import Requirements, Survival, SwitchedRequirements, design
from hopscape.design import survival as room
from hopscape.design.survival import survived
from hopscape.metrics.throughput import switch_graph

SPECS = (
    "leaf_spine(4, 4, 4)",
    "concentrated(complete(6), 3, trunk=2)",
    "populated(concentrated(complete(6), 3), 16)",
    "dragonfly(3, 1, p=2)",
    "leaf_spine(3, 3, 2, links=2)",
    "fat_tree(4)",
    "concentrated(ring(6), 2)",
    "hyperx((3, 4), p=2, links=(2, 1))",
)


def _cables(graph):
    """A networkx graph of the switches, each trunk with its number of cables."""
    out = nx.Graph()
    out.add_nodes_from(range(graph.order))
    rows = zip(graph.tails.tolist(), graph.heads.tolist(), graph.speeds.tolist(), strict=True)
    for a, b, cables in rows:
        if a < b:
            more = out.edges[a, b]["cables"] if out.has_edge(a, b) else 0
            out.add_edge(a, b, cables=more + cables)
    return out


def _share(left, ends):
    """Uniform traffic split evenly over all shortest paths, cable by cable, pair by pair."""
    here = {v: int(ends[v]) for v in left if ends[v]}
    total = sum(here.values())
    if total < 2:
        return 0.0
    load = dict.fromkeys(((a, b) for x, y in left.edges for a, b in ((x, y), (y, x))), 0.0)
    for a, b in itertools.permutations(here, 2):
        if not nx.has_path(left, a, b):
            return 0.0
        paths = list(nx.all_shortest_paths(left, a, b))
        ways = [
            math.prod(left.edges[step]["cables"] for step in itertools.pairwise(path))
            for path in paths
        ]
        for path, count in zip(paths, ways, strict=True):
            for step in itertools.pairwise(path):
                load[step] += here[a] * here[b] * count / sum(ways) / (total - 1)
    most = max((load[a, b] / left.edges[a, b]["cables"] for a, b in load), default=0.0)
    return min(1.0, 1 / most) if most else 1.0


def _brute(graph, asked):
    whole = _cables(graph)
    shares = []
    if asked.switches:
        for dead in itertools.combinations(range(graph.order), asked.switches):
            left = whole.copy()
            left.remove_nodes_from(dead)
            shares.append(_share(left, graph.ends))
    each = [(a, b) for a, b, data in whole.edges(data=True) for _ in range(int(data["cables"]))]
    for dead in set(itertools.combinations(each, asked.links)) if asked.links else ():
        left = whole.copy()
        for a, b in dead:
            left.edges[a, b]["cables"] -= 1
        left.remove_edges_from([e for e in left.edges if not left.edges[e]["cables"]])
        shares.append(_share(left, graph.ends))
    return min(shares)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("by_symmetry", [False, True])
def test_the_worst_failure_is_found(spec, by_symmetry, monkeypatch):
    if by_symmetry:
        monkeypatch.setattr(room, "_AT_ONCE", 0)
    graph = switch_graph(hopscape.build(spec))
    asks = [Survival(switches=1), Survival(links=1), Survival(switches=1, links=1)]
    if graph.order < 9:
        asks.append(Survival(switches=2))
    for asked in asks:
        found = survived(graph, 1, asked)
        assert found.share.value == pytest.approx(_brute(graph, asked), abs=2e-6), asked.text
        assert found.share.exact
    assert survived(graph, 1, Survival(switches=2)).lost.value == np.sort(graph.ends)[-2:].sum()


def test_planes_lose_no_endpoint_to_one_switch():
    graph = switch_graph(hopscape.build("leaf_spine(4, 4, 4)"))
    found = survived(graph, 2, Survival(switches=1))
    assert (found.share.value, found.share.sign, found.lost.value) == (0.5, "≥", 0)
    assert survived(graph, 2, Survival(links=1)).share.value == pytest.approx((1 + 0.9375) / 2)
    assert survived(graph, 2, Survival(switches=2)).lost.value == 4
    two = (survived(graph, 1, Survival(links=k)).share.value for k in (1, 2))
    worst = min(2 * next(two), 1 + next(two)) / 2
    assert survived(graph, 2, Survival(links=2)).share.value == pytest.approx(worst)


def test_servers_with_several_lines_keep_the_others():
    graph = switch_graph(hopscape.build("bcube(3, 1)"))
    assert survived(graph, 1, Survival(switches=1)).lost.value == 0
    assert survived(graph, 1, Survival(switches=2)).lost.value == 1


def test_the_demand_is_kept_and_has_its_price():
    families = ("complete", "leaf_spine", "ring")
    free = design(SwitchedRequirements(40, 16, throughput=0.5, families=families)).best
    asked = Survival(switches=1, links=1, share=0.5)
    kept = design(SwitchedRequirements(40, 16, throughput=0.5, families=families, survive=asked))
    assert kept.best.value("money") >= free.value("money")
    for one in kept.candidates:
        if not one.trouble:
            graph = switch_graph(hopscape.build(one.spec))
            left = _brute(graph, asked)
            assert left >= 0.5 - 1e-9
            assert one.value("survived_throughput") == pytest.approx(left, abs=2e-6)
            assert one.value("blast_radius") == graph.ends.max()
    assert "With any switch or any link dead, at most" in kept.answer
    spare = SwitchedRequirements(
        40, 16, families=("leaf_spine",), survive=Survival(switches=2, share=1.0)
    )
    best = design(spare).best
    assert _brute(switch_graph(hopscape.build(best.spec)), Survival(switches=2)) >= 1 - 1e-9
    with pytest.raises(ArgumentError, match=r"--survive links=8 is what binds: .* parted"):
        design(SwitchedRequirements(12, 6, families=("ring",), throughput=0.2,
                                    survive=Survival(links=8)))  # fmt: skip


def test_direct_machines_survive_too():
    asked = Survival(switches=1, links=2, share=0.3)
    found = design(Requirements(16, 4, survive=asked, families=("torus", "ring", "hypercube")))
    for one in found.candidates:
        if one.trouble:
            assert one.family == "ring"
        else:
            assert one.value("survived_throughput") >= 0.3


def test_what_is_refused():
    words = ("design", "--endpoints", "20", "--radix", "8", "--families", "complete,torus")
    assert "needs --survive" in refused(*words, "--remaining", "0.5")
    assert "must be switches or links" in refused(*words, "--survive", "cables=2")
    assert "from 1 to 8" in refused(*words, "--survive", "links=9")
    assert "at least 1" in refused(*words, "--survive", "links=0")
    assert "share from 0 to 1" in refused(*words, "--survive", "links", "--remaining", "2")
    assert ask(*words, "--survive", "1 link") == ask(*words, "--survive", "links=1")
    direct = ("design", "--nodes", "12", "--ports", "2", "--families", "ring")
    assert "keeps 0 without any 2 links" in refused(*direct, "--survive", "links=2")


def test_virtual_channels_of_switched_machines():
    asked = SwitchedRequirements(36, 12, throughput=0.4, vcs=1, families=("torus", "leaf_spine"))
    found = design(asked).candidates
    assert all(one.value("vcs") == 1 for one in found if not one.trouble)
    with pytest.raises(ArgumentError, match=r"--vcs 1 is what binds: .* has 2 virtual channels"):
        design(SwitchedRequirements(30, 8, throughput=0.3, vcs=1, families=("ring",)))


def test_one_switch_has_no_links_that_fail():
    """Nothing joins switches there: one box is the cheapest machine that survives any link."""
    families = ("complete", "path", "leaf_spine")
    asked = SwitchedRequirements(17, 24, survive=Survival(links=1, share=1.0), families=families)
    found = design(asked).best
    assert found.value("switches") == 1
    assert found.value("survived_throughput") == 1.0
    pair = switch_graph(hopscape.build("concentrated(path(2), 3)"))
    assert survived(pair, 1, Survival(links=2)).share.value == 0

"""The page's kernels against Python on random graphs, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from browser import Visit

import hopscape
from browsing import browsed, needs_browser
from hopscape.core.network import Network
from hopscape.metrics.disjoint import disjoint_paths
from hopscape.show.explore import page, payload
from hopscape.show.explore.packing import pack

pytestmark = [pytest.mark.acceptance, needs_browser]

_ASK = """async cases => { const k = window.hopscapeKernels;
return cases.map(c => {
  const graph = k.makeGraph(c.order, c.tails, c.heads, c.tailPorts, c.headPorts);
  const alive = { nodes: Uint8Array.from(c.nodes), links: Uint8Array.from(c.links) };
  const all = new Uint8Array(c.order).fill(1);
  return {
    rows: Array.from({length: c.order}, (_, v) => [...k.distances(graph, v, alive, false)]),
    back: Array.from({length: c.order}, (_, v) => [...k.distances(graph, v, alive, true)]),
    profile: k.profile(graph, alive, all),
    disjoint: k.disjointRoutes(graph, c.a, c.b, alive).map(r => r.nodes),
    lowest: k.lowestRoute(graph, c.a, c.b, alive)?.ports ?? null,
    cut: k.cutOff(graph, alive),
  };
}); }"""


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    place = tmp_path_factory.mktemp("kernels") / "page.html"
    bare: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}
    place.write_text(page([payload(hopscape.build("ring(4)"), **bare)]), encoding="utf-8")
    with browsed() as browser:
        yield Visit(browser, place)


def random_case(rng: np.random.Generator) -> dict[str, Any]:
    """A random multigraph with loops, parallel and simplex links, some of it dead."""
    order = int(rng.integers(1, 40))
    links = int(rng.integers(0, 3 * order))
    tails, heads = rng.integers(0, order, (2, links))
    duplex = rng.random(links) < (1.0 if rng.random() < 0.6 else 0.5)
    used = [0] * order
    ports: tuple[list[int], list[int]] = ([], [])
    for tail, head, both in zip(tails.tolist(), heads.tolist(), duplex.tolist(), strict=True):
        used[tail] += 1
        ports[0].append(used[tail])
        used[head] += 1 if both else 0
        ports[1].append(used[head] if both else 0)
    a, b = rng.integers(0, order, 2).tolist()
    return {
        "order": order, "tails": tails.tolist(), "heads": heads.tolist(),
        "tailPorts": ports[0], "headPorts": ports[1], "a": a, "b": b,
        "nodes": (rng.random(order) < 0.9).astype(int).tolist(),
        "links": (rng.random(links) < 0.9).astype(int).tolist(),
    }  # fmt: skip


def living(case: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Living channels as (port, tail, head)."""
    out = []
    columns = (case[name] for name in ("tails", "heads", "tailPorts", "headPorts", "links"))
    for tail, head, port, back, lives in zip(*columns, strict=True):
        if lives and case["nodes"][tail] and case["nodes"][head]:
            out.append((port, tail, head))
            if back:
                out.append((back, head, tail))
    return out


def expected_rows(case: dict[str, Any]) -> np.ndarray[Any, Any]:
    graph = nx.DiGraph()
    graph.add_nodes_from(v for v in range(case["order"]) if case["nodes"][v])
    graph.add_edges_from((tail, head) for _, tail, head in living(case))
    out = np.full((case["order"], case["order"]), -1)
    for root, row in nx.all_pairs_shortest_path_length(graph):
        for v, hops in row.items():
            out[root, v] = hops
    return out


def test_distances_profiles_and_routes(visit: Visit) -> None:
    rng = np.random.default_rng(21)
    cases = [random_case(rng) for _ in range(80)]
    for case, found in zip(cases, visit.page.evaluate(_ASK, cases), strict=True):
        rows = expected_rows(case)
        assert found["rows"] == rows.tolist()
        assert found["back"] == rows.T.tolist()
        _check_profile(found["profile"], rows, sum(case["nodes"]))
        _check_lowest(case, found["lowest"], rows)
        _check_disjoint(case, found["disjoint"])
        _check_cut(case, found["cut"])
    visit.check()


def _check_profile(found: dict[str, Any], rows: Any, alive: int) -> None:
    far = rows[rows > 0]
    assert found["diameter"] == max(far.max(initial=0), 0)
    assert found["mean"] == pytest.approx(far.mean() if len(far) else 0)
    assert found["unreached"] == alive * (alive - 1) - len(far)


def _check_lowest(case: dict[str, Any], ports: list[int] | None, rows: Any) -> None:
    a, b = case["a"], case["b"]
    if rows[a, b] < 0:
        assert ports is None
        return
    at, expected = a, []
    while at != b:
        best = min(c for c in living(case) if c[1] == at and rows[c[2], b] == rows[at, b] - 1)
        expected.append(best[0] - 1)
        at = best[2]
    assert ports == expected


def _check_disjoint(case: dict[str, Any], paths: list[list[int]]) -> None:
    a, b = case["a"], case["b"]
    if a == b or not (case["nodes"][a] and case["nodes"][b]):
        assert paths == []
        return
    wires = [(tail, head) for _, tail, head in living(case) if tail != head]
    tails, heads = ([w[i] for w in wires] for i in (0, 1))
    network = Network.from_links(case["order"], tails, heads, duplex=False)
    best = disjoint_paths(network, a, b)
    assert len(paths) == len(best)
    assert sum(map(len, paths)) == sum(map(len, best))
    inner = [v for path in paths for v in path[1:-1]]
    assert len(set(inner)) == len(inner)
    for path in paths:
        assert (path[0], path[-1]) == (a, b)
        assert all(hop in wires for hop in pairwise(path))


def _check_cut(case: dict[str, Any], found: dict[str, Any]) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(v for v in range(case["order"]) if case["nodes"][v])
    graph.add_edges_from((tail, head) for _, tail, head in living(case))
    pieces = [set(piece) for piece in nx.connected_components(graph)]
    assert found["pieces"] == len(pieces)
    kept = set(graph) - set(found["lost"])
    assert not pieces or (kept in pieces and len(kept) == max(map(len, pieces)))


def test_all_types_are_unpacked(visit: Visit) -> None:
    values = [[0, 255], [0, 65535], [0, 2**32 - 1], [-128, 127], [-9000, 1], [-(2**31), 0], [0.5]]
    found = visit.page.evaluate(
        "async list => Promise.all(list.map(async p => [...await hopscapeKernels.unpack(p)]))",
        [pack(np.asarray(one)) for one in values],
    )
    assert found == values


@pytest.mark.parametrize(
    "spec", ["torus(4, 6)", "mesh(3, 4)", "random_regular(24, 3)", "kautz(2, 3)"]
)
def test_routes_are_the_routers(spec: str, visit: Visit) -> None:
    network = hopscape.build(spec)
    bare: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}
    found = visit.page.evaluate(
        """async data => { const net = await hopscapeKernels.openNet(data); const out = [];
        for (let a = 0; a < net.order; a++) for (let b = 0; b < net.order; b++)
          out.push(net.route(a, b)?.nodes ?? null);
        return out; }""",
        payload(network, **bare),
    )
    router = network.router()
    every = range(network.order)
    assert found == [list(router.route(a, b).path) for a in every for b in every]

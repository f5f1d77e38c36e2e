"""The page in a real browser: every interaction, on many families."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Visit

import hopscape
from browsing import browsed, needs_browser
from hopscape.core.addresses import Labels
from hopscape.core.channels import ChannelClass
from hopscape.core.network import Network
from hopscape.metrics.disjoint import disjoint_paths
from hopscape.show.explore import page, payload
from hopscape.workloads import Chip, LanguageModel, ModelJob, Split

pytestmark = [pytest.mark.acceptance, needs_browser]

FAMILIES = [
    "torus(4, 4)",
    "petersen",
    "fat_tree(4)",
    "kautz(2, 2)",
    "circulant(13, 1, 5)",
    "hypercube(4)",
    "mesh(3, 3, 2)",
    "trunked(ring(5), 2)",
    "dragonfly(3, 1)",
]
BARE: dict[str, Any] = {"schedules": (), "traffic": (), "bisection": False, "deadlock": False}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsed() as found:
        yield found


def write(folder: Path, *networks: Network, **parts: Any) -> Path:
    place = folder / "page.html"
    place.write_text(page([payload(one, **BARE | parts) for one in networks]), encoding="utf-8")
    return place


@pytest.mark.parametrize("spec", FAMILIES)
def test_routes_faults_and_layouts(spec: str, browser: Any, tmp_path: Path) -> None:
    network = hopscape.build(spec)
    visit = Visit(browser, write(tmp_path, network))
    start, end = 0, network.order - 1
    visit.click(start)
    visit.click(end)
    text = visit.panel()
    route = network.router().route(start, end)
    hops = f"{route.length} hop{'s' * (route.length != 1)} by the"
    assert hops in text
    rows = visit.page.locator("#panel table").first.locator("tbody tr").all_inner_texts()
    assert [int(row.split()[0]) for row in rows] == list(range(1, route.length + 1))
    names = [re.split(r"\t", row) for row in rows]
    assert [int(row[2]) for row in names] == list(route.ports)
    assert [int(row[3].split()[0]) for row in names] == list(route.path[1:])
    ways = sorted(len(path) - 1 for path in disjoint_paths(network, start, end))
    many = "routes that share" if len(ways) != 1 else "route that shares"
    assert f"{len(ways)} {many} no node in between" in text
    assert f": {', '.join(map(str, ways))} hops." in text
    _check_faults(visit, network)
    for option in visit.page.locator("[data-key=layout] option").all():
        visit.page.select_option("[data-key=layout]", option.get_attribute("value"))
    visit.close()


def _check_faults(visit: Visit, network: Network) -> None:
    """Kill a node by click; diameter and mean are those of the rest."""
    dead = network.order // 2
    visit.page.click("#tab-faults")
    visit.page.click("[data-key=kill]")
    visit.click(dead)
    visit.page.wait_for_function(
        "() => !document.querySelector('#panel').innerText.includes('%')", timeout=20_000
    )
    cells = visit.page.locator("#panel table tbody tr").all_inner_texts()
    far = _all_distances(network, {dead})
    assert cells[0].split("\t")[2] == str(far.max())
    assert float(cells[1].split("\t")[2]) == pytest.approx(far[far > 0].mean(), abs=1e-4)
    pairs = (network.order - 1) * (network.order - 2)
    assert cells[2].split("\t")[2].replace(",", "") == str(pairs - (far > 0).sum())


def _all_distances(network: Network, dead: set[int]) -> Any:
    """By the book: breadth-first search from every living node; 0 where there is no path."""
    out = np.zeros((network.order, network.order), dtype=int)
    for root in set(range(network.order)) - dead:
        row = {root: 0}
        queue = [root]
        for v in queue:
            for w in network.neighbours(v):
                if w >= 0 and w not in dead and w not in row:
                    row[w] = row[v] + 1
                    queue.append(w)
        for v, hops in row.items():
            out[root, v] = hops
    return out


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two networks with all that a page can have."""
    networks = [hopscape.build("torus(4, 4)"), hopscape.build("circulant(16, 1, 6)")]
    return write(
        tmp_path_factory.mktemp("rich"),
        *networks,
        schedules=("broadcast", "circuit", "all-gather"),
        traffic=("uniform", "worst"),
        bisection=True,
        deadlock=True,
        simulate=0.3,
    )


def test_hover_search_and_killing_links(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1")
    visit.page.locator("canvas").first.hover(position=visit.where(5))
    tip = visit.page.locator(".tip")
    assert "node 5 (1, 1)" in tip.inner_text()
    ends = visit.where(5), visit.where(6)
    middle = {axis: (ends[0][axis] + ends[1][axis]) / 2 for axis in "xy"}
    visit.page.locator("canvas").first.hover(position=middle)
    assert "link 5 (1, 1) – 6 (1, 2)" in tip.inner_text()
    for words in ("(2, 3)", "2,3", "11"):
        visit.set(a=-1, b=-1)
        visit.page.fill("#search", words)
        visit.page.press("#search", "Enter")
        assert visit.page.evaluate("window.hopscape.state.a") == 11
    visit.page.fill("#search", "(9, 9)")
    visit.page.press("#search", "Enter")
    assert "There is no node" in tip.inner_text()
    visit.set(tab="faults", kill=True)
    visit.page.locator("canvas").first.click(position=middle)
    visit.shows("link 5 (1, 1) – 6 (1, 2)")
    visit.set(a=5, b=6, tab="route")
    visit.shows("The dimension order route meets something dead.")
    visit.shows("Detour: 3 hops")
    visit.close()


def test_cut_off_nodes_are_named(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, write(tmp_path, hopscape.build("path(5)")), "tab=faults&dead-n0=1")
    visit.shows("2 pieces; cut off from the largest: 1 node: 0")
    visit.set(a=0, b=4, tab="route")
    visit.shows("No route is left: cut off.")
    visit.close()


def test_schedules_play_step_and_tell(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "tab=schedule")
    visit.shows("no schedule has fewer than")
    visit.page.click("[data-key=round-next]")
    visit.shows("Round 1:")
    visit.page.select_option("[data-key=round-speed]", "30")
    visit.page.click("[data-key=round-play]")
    last = visit.page.evaluate(
        "Math.max(...window.hopscape.panes.map(p => p.net.data.schedules[0].rounds))"
    )
    visit.page.wait_for_function(f"() => window.hopscape.state.round === {last}", timeout=20_000)
    visit.shows("15 of 15 transfers done")
    visit.page.click("[data-key=round-back]")
    assert visit.page.evaluate("window.hopscape.state.round") == last - 1
    visit.page.select_option("[data-key=schedule]", "1")
    visit.page.check("[data-key=tiles]")
    visit.page.locator("canvas").first.focus()
    visit.page.keyboard.press(".")
    visit.shows("tiles, one for each node", "#legend")
    visit.page.select_option("[data-key=schedule]", "2")
    visit.close()


def test_heat_cycle_and_film(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1&tab=load")
    visit.page.click("[data-key=load1]")
    visit.shows("Busiest channels: worst")
    visit.page.click("#panel [data-key=cut]")
    visit.shows("links between them", "#legend")
    visit.page.click("#tab-deadlock")  # the colours of loads and cuts leave with their panel
    assert visit.page.evaluate("window.hopscape.state.colour") == "none"
    visit.shows("One virtual channel can deadlock.")
    visit.page.click("#panel [data-key=vc]")
    visit.shows("class 0", "#legend")
    visit.page.click("#tab-simulation")
    visit.page.click("[data-key=frame-next]")
    visit.shows("Cycle 10:")
    assert visit.page.locator(".uplot canvas").count() == 2  # packets and latency, an axis each
    visit.close()


def test_a_step_is_scrubbed_through(browser: Any, tmp_path: Path) -> None:
    model = LanguageModel(hidden=512, layers=4, heads=8, seq=256, vocab=512)
    job = ModelJob(model, Split(batch=8, tp=2, pp=2, dp=2), Chip(tflops=100, bandwidth=1000))
    visit = Visit(browser, write(tmp_path, hopscape.build("torus(3, 3)"), job=job), "tab=step")
    visit.shows("One step of model")
    visit.shows("of 8 compute")
    visit.page.click("[data-key=moment-next]")
    assert visit.page.evaluate("window.hopscape.state.moment") == 1
    box = visit.page.locator("canvas.strip").bounding_box()
    visit.page.locator("canvas.strip").click(position={"x": box["width"] * 0.5, "y": 3})
    assert abs(visit.page.evaluate("window.hopscape.state.moment") - 100) <= 2
    rows = visit.page.locator("#panel table tbody tr").all_inner_texts()
    assert len(rows) == 8
    visit.shows("computes: ", "#legend")
    visit.close()


def test_faults_hit_both_networks(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "tab=faults")
    alive = "window.hopscape.panes.map(p => p.net.alive.nodes.reduce((a, b) => a + b))"
    whole = visit.page.evaluate(alive)
    assert len(whole) == 2
    visit.page.evaluate("window.hopscape.toggle(window.hopscape.panes[0], 'deadNodes', 1)")
    visit.page.wait_for_function(f"() => {alive}[1] === {whole[1] - 1}")
    assert visit.page.evaluate(alive) == [n - 1 for n in whole]
    visit.page.click("[data-key=revive] >> nth=0")
    visit.page.wait_for_function(f"() => {alive}[1] === {whole[1]}")
    visit.close()


def test_a_narrow_screen_shows_drawing_tabs_and_player(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1&tab=schedule", viewport={"width": 390, "height": 844})
    boxes = [visit.page.locator(one).first.bounding_box()
             for one in (".canvas", ".tabs", "[data-key=round-play]")]  # fmt: skip
    drawing, tabs, player = boxes
    assert drawing["y"] + drawing["height"] <= tabs["y"] + 40
    assert tabs["height"] < 60
    assert player["y"] + player["height"] < 844
    visit.close()


def test_two_networks_move_together(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich)
    assert visit.page.locator("canvas").count() == 2
    visit.page.click("[data-key=in]")
    visit.page.locator("canvas").nth(1).hover()
    visit.page.mouse.wheel(0, -240)
    scales = "window.hopscape.panes.map(p => p.view.transform.k)"
    visit.page.wait_for_function(
        f"() => (k => k[0] > 1.5 && k[0] === k[1])({scales})", timeout=5000
    )
    visit.page.select_option("[data-key=right]", "-1")
    assert visit.page.locator("canvas").count() == 1
    visit.close()


def test_a_link_to_a_view_opens_it(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1")
    visit.page.select_option("[data-key=layout]", "rings")
    visit.set(a=3, b=9, tab="route")
    visit.page.click("[data-key=in]")
    visit.page.wait_for_function("() => location.hash.includes('view=')", timeout=5000)
    fragment = visit.page.evaluate("location.hash.slice(1)")
    visit.go(fragment)
    state = json.loads(visit.page.evaluate("JSON.stringify(window.hopscape.state)"))
    assert (state["a"], state["b"], state["layout"], state["right"]) == (3, 9, "rings", -1)
    assert state["view"][0] == pytest.approx(1.4)
    visit.go("a=99999&tab=nonsense&layout=%3Cscript%3E&view=x,y,z&dead-n0=1,,zz&left=7&round=999")
    visit.close()


def test_pictures_can_be_saved(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1&a=1&b=14")
    for kind, begins in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with visit.page.expect_download() as saved:
            visit.page.click(f"[data-key={kind}]")
        content = Path(saved.value.path()).read_bytes()
        assert content.startswith(begins)
        assert saved.value.suggested_filename == f"torus_4_4_.{kind}"
    visit.close()


def test_keys_alone_are_enough(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1")
    visit.page.locator("canvas").first.focus()
    for key in ("n", "Enter", "n", "n", "+", "ArrowLeft", "ArrowUp"):
        visit.page.keyboard.press(key)
    state = visit.page.evaluate("(({a, b, view}) => ({a, b, view}))(window.hopscape.state)")
    assert (state["a"], state["b"]) == (2, 0)
    assert state["view"][0] > 1
    assert state["view"][1] != 0
    visit.page.keyboard.press("k")
    assert visit.page.evaluate("[...window.hopscape.state.deadNodes.get(0)]") == [2]
    visit.page.keyboard.press("Escape")
    visit.page.keyboard.press("/")
    assert visit.page.evaluate("document.activeElement.id") == "search"
    visit.page.locator("canvas").first.focus()
    visit.page.select_option("[data-key=layout]", "space")
    visit.page.locator("canvas").first.focus()
    visit.page.keyboard.press("ArrowRight")
    assert visit.page.evaluate("window.hopscape.state.turn[0]") != -0.6
    visit.page.keyboard.press("?")
    assert visit.page.locator("dialog").is_visible()
    visit.page.keyboard.press("Escape")
    visit.page.click("#tab-nodes")
    visit.shows("Nodes and their neighbours by port")
    visit.close()


def test_a_view_that_is_too_large_says_so(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich, "right=-1")
    refused = visit.page.evaluate(
        """() => { const p = window.hopscape.panes[0]; const net = p.net;
        Object.defineProperty(net, 'order', {value: 6000, configurable: true});
        return window.hopscapeKernels.refusal(net, 'matrix'); }"""
    )
    assert "shows up to 5,000 nodes" in refused
    assert "Take the circle" in refused
    visit.close()


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"'`&amp;&lt;",
    "</script><script>alert(3)</script>",
    "x" * 10_000,
    "\u202eright to left \u05d0\u05d1",
    "javascript:alert(4)",
    "line\nbreak\u2028end",
]


def test_hostile_names_stay_text(browser: Any, tmp_path: Path) -> None:
    """Names of nodes, kinds of channels, the spec and the title."""
    order = len(HOSTILE)
    ends = list(range(order)), [(v + 1) % order for v in range(order)]
    kinds = [ChannelClass(name) for name in HOSTILE]
    network = Network.from_links(
        order, *ends, spec=HOSTILE[3] + HOSTILE[1], addresses=Labels(HOSTILE), classes=kinds,
        kinds=ends[0],
    )  # fmt: skip
    visit = Visit(browser, write(tmp_path, network), "a=0&b=3&tab=route&colour=kind1")
    for tab in ("nodes", "facts", "faults"):
        visit.page.click(f"#tab-{tab}")
        visit.page.locator("canvas").first.hover(position=visit.where(1))
    visit.page.click("#tab-nodes")
    visit.shows("<script>alert(1)</script>")
    assert visit.page.locator("#hopscape script, #hopscape img").count() == 0
    with visit.page.expect_download() as saved:
        visit.page.click("[data-key=svg]")
    assert b"<script" not in Path(saved.value.path()).read_bytes()
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 1100
    visit.close()


def test_the_policy_stops_what_is_injected(browser: Any, rich: Path) -> None:
    visit = Visit(browser, rich)
    visit.page.evaluate(
        """() => { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="stolen=1">');
        const s = document.createElement('script'); s.textContent = 'stolen=2';
        document.body.append(s); }"""
    )
    visit.page.wait_for_timeout(200)
    assert visit.page.evaluate("typeof stolen") == "undefined"
    assert any("Content Security Policy" in line for line in visit.wrong)
    visit.context.close()


@pytest.mark.parametrize(
    ("fragments", "context"),
    [
        (["right=-1", "tab=load&colour=load0", "tab=deadlock&theme=dark&right=-1"], {}),
        (["tab=schedule&round=1"], {"viewport": {"width": 390, "height": 800}}),
        (["tab=faults&dead-n0=3&right=-1", "tab=simulation"], {"color_scheme": "dark"}),
        (["tab=nodes&right=-1", "tab=route&a=1&b=9"], {}),
    ],
)
def test_accessibility(
    fragments: list[str], context: dict[str, Any], browser: Any, rich: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe is not installed")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    visit = Visit(browser, rich, fragments[0], **context)
    visit.page.evaluate(source)
    for fragment in fragments:
        visit.page.evaluate(
            "async text => { location.hash = text; await new Promise(r => setTimeout(r, 300)); }",
            fragment,
        )
        found = visit.page.evaluate("axe.run()")
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]] == []
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visit.close()

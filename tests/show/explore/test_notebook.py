"""What notebooks show: light, sandboxed, and text whatever the names are."""

from __future__ import annotations

import re
from html import unescape

import pytest

import hopscape
from browsing import browsed, needs_browser, opened
from hopscape.core.front import Curve
from hopscape.design import Requirements, design
from hopscape.show.explore.page import embed_network, embed_schedule

EVIL = "<script>document.title='x'</script><img src=x onerror=alert(1)>\"'"


@pytest.fixture(scope="module")
def curve() -> Curve:
    point = {"spec": "ring(8)", "offered": 0.2, "accepted": 0.2, "latency": 9.0, "saturated": False}
    beyond = point | {"offered": 0.9, "accepted": 0.1, "latency": None, "saturated": True}
    return Curve([point, beyond], EVIL)


@pytest.mark.parametrize("spec", ["path(1)", "path(2)", "petersen", "kautz(2, 3)", "fat_tree(4)"])
def test_networks_are_folded_away_in_a_sandbox(spec):
    text = embed_network(hopscape.build(spec))
    assert text.startswith("<details><summary>explore</summary><iframe sandbox=")
    assert 'sandbox="allow-scripts allow-downloads"' in text  # no allow-same-origin
    assert len(text) < 150_000
    assert len(re.findall("<iframe", text)) == 1


@pytest.mark.parametrize("spec", ["torus(100, 100)", "hypercube(100)", "complete(200)"])
def test_large_ones_are_pointed_to(spec):
    text = embed_network(hopscape.build(spec))
    assert "<iframe" not in text
    assert f"hopscape explore {spec!r} -o page.html" in unescape(text)


def test_names_stay_text(curve):
    net = hopscape.build([(EVIL, "b"), ("b", "c")])
    shown = (embed_network(net), curve._repr_html_())
    assert all("<script>document" not in text for text in shown)
    assert all("<img" not in text for text in shown)


def test_a_curve_has_its_points_on_hover(curve):
    text = curve._repr_html_()
    assert "<title>ring(8): offered 0.9, accepted 0.1, saturated</title>" in text
    assert "ring(8) collapses" in text
    assert "<table>" in text
    assert "<svg" not in Curve([], "empty")._repr_html_()


def test_a_design_has_its_answer_and_names_on_hover():
    found = design(Requirements(8, 3, families=("hypercube", "torus", "path")), finalists=1)
    text = found._repr_html_()
    assert f"Build {found.best.spec}: " in text
    assert f"<title>1. {found.best.spec}: " in text
    assert text.count("<tr>") == 1 + sum(not one.trouble for one in found.candidates)
    assert len(text) < 50_000


@pytest.mark.acceptance
@needs_browser
def test_network_and_schedule_open_in_chromium(tmp_path):
    net = hopscape.build("torus(3, 4)")
    parts = [embed_network(net), embed_schedule(net.broadcast(ports=1))]
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{''.join(parts)}", encoding="utf-8")
    with browsed() as browser:
        page = opened(browser, path.as_uri())
        for i in range(2):
            page.locator("summary").nth(i).click()
            frame = page.frame_locator("iframe").nth(i)
            frame.locator("canvas").first.wait_for(timeout=60_000)
            assert "torus(3, 4)" in frame.locator("body").inner_text()
        assert page.complaints == []

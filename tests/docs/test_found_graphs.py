"""The graphs of docs/graphs are what docs/graph-search.md says."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import hopscape
from hopscape.metrics import distance_profile
from hopscape.metrics.cost import moore_mean_distance

DOCS = Path(__file__).parents[2] / "docs"
ROW = re.compile(r"\| (\d+) \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| .*`([0-9a-f]{8})` \|")
ROWS = ROW.findall((DOCS / "graph-search.md").read_text(encoding="utf-8"))


def test_every_file_has_its_row():
    assert {f"{n}-{d}.txt" for n, d, *_ in ROWS} == {f.name for f in (DOCS / "graphs").iterdir()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:2]))
def test_measured_again(row):
    nodes, degree, diameter, mean, bound, digest = row
    text = (DOCS / "graphs" / f"{nodes}-{degree}.txt").read_bytes()
    assert hashlib.sha256(text).hexdigest().startswith(digest)
    net = hopscape.build(text.decode().strip())
    profile = distance_profile(net)
    assert net.order == int(nodes)
    assert int(net.degrees.max()) <= int(degree)
    assert profile.diameter == int(diameter)
    assert f"{float(profile.mean):.5f}" == mean
    assert f"{float(moore_mean_distance(net.order, int(degree))):.5f}" == bound

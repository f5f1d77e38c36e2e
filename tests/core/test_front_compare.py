"""Network.compare is hopscape compare: the same figures, known in the same way."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

import hopscape
import same_answers
from commands import ask
from hopscape.core.errors import ArgumentError

COLUMNS = [
    "degree",
    "links",
    "diameter",
    "mean_distance",
    "bisection",
    "girth",
    "node_connectivity",
]
SPECS = [
    "mlfm(2)",
    "random_lift(petersen, 2)",
    "torus(3, 4)",
    "mesh(2, 3)",
    "kautz(2, 3)",
    "path(3)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_python_compares_as_the_command_does(spec: str) -> None:
    rows = hopscape.build(spec).compare("ring(4)", columns=COLUMNS)
    told = ask("compare", spec, "ring(4)", "-c", ",".join(COLUMNS))
    for mine, theirs in zip(rows, told, strict=True):
        assert {name: mine[name] for name in COLUMNS} == {name: theirs[name] for name in COLUMNS}
        assert mine["how"] == theirs["how"]


def test_python_has_the_limits_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is exact has no time limit unless one is given."""
    limits = []

    def measure(*given: object, exact: bool) -> None:
        limits.append((given[2], exact))

    monkeypatch.setattr("hopscape.design.columns.measure", measure)
    for options in ({}, {"exact": True}, {"seconds": 5.0}, {"exact": True, "seconds": 5.0}):
        hopscape.build("ring(4)").compare(**options)
    assert limits == [(60.0, False), (None, True), (5.0, False), (5.0, True)]


def test_no_time_at_all_is_refused() -> None:
    with pytest.raises(ArgumentError, match="seconds is 0; it must be above 0"):
        hopscape.build("ring(4)").compare(seconds=0)


def test_a_bound_is_marked() -> None:
    rows = hopscape.build("random_regular(600, 3)").compare(columns=["bisection"])
    assert rows[0]["how"]["bisection"] == "bound"
    assert rows[0]["signs"]["bisection"] == "≤"
    assert f"≤{rows[0]['bisection']}" in repr(rows)


def test_a_sample_of_all_columns_on_random_networks(tmp_path: Path) -> None:
    """1,000 networks: python tests/same_answers.py --networks 1000."""
    columns = (
        "nodes",
        "degree",
        "diameter",
        "mean_distance",
        "bisection",
        "girth",
        "guaranteed_routing",
    )
    for spec in islice(same_answers.networks(13, tmp_path), 8):
        assert same_answers.differences(spec, columns) == []


@pytest.mark.parametrize("spec", ["kary_ntree(1, 3)", "path(1)", "path(2)"])
def test_all_columns_of_the_smallest_networks(spec: str) -> None:
    assert same_answers.differences(spec) == []


def _servers_and_chain(path: Path, switches: int) -> hopscape.Network:
    """Two servers at the first of some switches in a row."""
    nodes = [{"id": v, "kind": "endpoint" if v < 2 else "switch"} for v in range(2 + switches)]
    pairs = [(0, 2), *((v, v + 1) for v in range(1, 1 + switches))]
    links = [{"source": a, "target": b} for a, b in pairs]
    path.write_text(json.dumps({"nodes": nodes, "links": links}), encoding="utf-8")
    return hopscape.build(str(path))


def test_switches_further_apart_than_endpoints(tmp_path: Path) -> None:
    """An all-reduce of two servers takes no longer where more switches follow theirs."""
    short, long = (
        _servers_and_chain(tmp_path / f"chain{switches}.json", switches) for switches in (1, 5)
    )
    names = ["diameter", "allreduce", "allreduce_bound", "route_hops"]
    near, far = short.compare(long, columns=names)
    assert (near["diameter"], far["diameter"]) == (2, 5)
    assert near["allreduce"] == far["allreduce"]
    assert 0 < far["allreduce_bound"] <= near["allreduce_bound"] <= near["allreduce"]
    alone = hopscape.build("kary_ntree(1, 3)").compare(columns=[*names, "hops"])[0]
    assert (alone["allreduce"], alone["route_hops"], alone["hops"]) == (0, None, None)

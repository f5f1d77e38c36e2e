"""Network.compare is hopscape compare: the same figures, known in the same way."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

import hopscape
import same_answers
from commands import ask

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
    for spec in islice(same_answers.networks(5, tmp_path), 8):
        assert same_answers.differences(spec, columns) == []

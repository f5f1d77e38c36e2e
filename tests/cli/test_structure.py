"""The command structure, and best known values in show."""

from __future__ import annotations

import pytest

import hopscape
from commands import ask, refused, shown


def test_the_command_and_its_refusals() -> None:
    found = ask("structure", "petersen", "--generators")
    assert (found["automorphisms"], found["edge_transitive"]) == (120, True)
    assert found["intersection_array"] == [[3, 2], [1, 1]]
    assert len(found["generators"]) > 0
    assert ask("structure", "debruijn(2, 3)")["automorphisms"] == 2
    assert "up to 5,000" in refused("structure", "ring(6000)")
    assert ask("structure", "complete(300)")["automorphisms_log10"] > 600
    known = ask("show", "circulant(64, 1, 2, 3, 4)")["best_known"]
    assert known["golf_diameter"] == 3


@pytest.mark.parametrize(
    ("spec", "kept", "graph"),
    [("bcube(2, 1)", 8, 16), ("distributed_switch(13, 4, 1)", 5616, 11232),
     ("kary_ntree(1, 5)", 1, 2)],
)  # fmt: skip
def test_symmetry_of_a_machine_keeps_endpoints_and_switches_apart(
    spec: str, kept: int, graph: int
) -> None:
    found = ask("structure", spec, "--generators")
    assert (found["automorphisms"], found["graph_automorphisms"]) == (kept, graph)
    assert f"{graph:,}, if endpoints and switches may change places" in shown("structure", spec)
    ends = set(hopscape.build(spec).endpoints.tolist())
    assert all({g[v] for v in ends} == ends for g in found["generators"])
    assert not found["vertex_transitive"]
    assert ask("compare", spec, "-c", "vertex_transitive")[0]["vertex_transitive"] is False

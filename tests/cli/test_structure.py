"""The command structure, and best known values in show."""

from __future__ import annotations

from commands import ask, refused


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

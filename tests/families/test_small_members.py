"""Small members of every family, degenerate ones first of all, keep what the family promises.

A seeded sample here; all of them with ``pytest -m slow``.
"""

from __future__ import annotations

import pytest
from small_members import members, tuples

import hopscape
from hopscape.core.family import Facts
from hopscape.families.torus import Ring
from promises import broken_promises, broken_schedules

FAMILIES = {name: kind for name, kind in hopscape.all_families().items() if name != "file"}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_sample_keeps_its_promises(name: str) -> None:
    some = list(members(FAMILIES[name], most=5, order=40, seed=3))
    broken = {spec: lines for spec in some if (lines := broken_promises(spec))}
    assert broken == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_sample_of_schedules_is_what_was_asked_for(name: str) -> None:
    some = list(members(FAMILIES[name], most=2, order=8, seed=5))
    some = some or list(members(FAMILIES[name], most=1, order=14, seed=5))
    broken = {spec: lines for spec in some if (lines := broken_schedules(spec))}
    assert broken == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_all_keep_their_promises(name: str) -> None:
    whole = members(FAMILIES[name], order=130)
    broken = {spec: lines for spec in whole if (lines := broken_promises(spec))}
    assert broken == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_all_schedules_are_what_was_asked_for(name: str) -> None:
    whole = members(FAMILIES[name], order=24, most=60)
    broken = {spec: lines for spec in whole if (lines := broken_schedules(spec))}
    assert broken == {}


def test_every_parameter_is_tried_from_its_least_value_on() -> None:
    torus = set(tuples(FAMILIES["torus"]))
    assert {"torus(1)", "torus(2)", "torus(1, 1)", "torus(2, 1)", "torus(2, 2, 1)"} <= torus
    assert {"hypercube(0)", "hypercube(1)"} <= set(tuples(FAMILIES["hypercube"]))
    assert "heawood(mirrored=true)" in tuples(FAMILIES["heawood"])
    nested = [spec for spec in tuples(FAMILIES["folded"]) if spec.count("(") > 2]
    assert any("expanded(" in spec for spec in nested)
    assert any("product(" in spec for spec in nested)


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        ({"diameter": 3}, "diameter is told as 3, it is 2"),
        ({"girth": 4}, "girth is told as 4, it is 5"),
        ({"vertex_transitive": False}, "vertex_transitive is told as False"),
        ({"edge_connectivity": 1}, "edge_connectivity is told as 1, it is 2"),
    ],
)
def test_a_wrong_fact_is_noticed(
    broken: dict[str, int], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Ring.facts

    def wrong(self: Ring) -> Facts:
        return Facts(**(right(self).known() | broken))

    monkeypatch.setattr(Ring, "facts", wrong)
    assert any(line in found for found in broken_promises("ring(5)"))

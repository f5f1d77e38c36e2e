"""Large networks are judged by their closed forms: as by their tables."""

from __future__ import annotations

import pytest

from hopscape import build
from hopscape.deadlock import classes, judge


@pytest.mark.parametrize(
    ("spec", "followed"),
    [
        ("torus(5, 6)", 1),
        ("ring(9)", 1),
        ("hypercube(4)", 1),
        ("dragonfly(4, 2, p=2)", 37),
        ("fat_tree(4)", 16),
        ("mesh(4, 5)", 20),
    ],
)
def test_without_a_table_the_judgement_is_the_same(
    spec: str, followed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "_LAYERED_ORDER", 0)
    by_table = judge(build(spec))
    monkeypatch.setattr(classes, "_LARGE", 8)
    large = judge(build(spec))
    assert by_table.followed == build(spec).endpoint_count
    assert large.followed == followed
    for one in (large, by_table):
        assert f"{one.certificate.dependencies:,} dependencies" in one.cost()
    assert ("alike" in large.cost()) == (followed < by_table.followed)
    same = ("needed", "deadlock_free", "least", "routing", "router")
    assert [getattr(large, name) for name in same] == [getattr(by_table, name) for name in same]
    assert large.certificate == by_table.certificate
    assert large.classes.method == by_table.classes.method
    assert bool(large.judged.cycle) == bool(by_table.judged.cycle)
    steps = large.judged.cycle
    assert all(a[1] == b[0] for a, b in zip(steps, (*steps[1:], *steps[:1]), strict=True))
    enough = judge(build(spec), vcs=large.needed)
    assert enough.deadlock_free
    assert not enough.judged.cycle

"""The mutator changes what it says, once, and never the words of an error."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mutation

TEXT = '''"""Words."""
LIMIT = 3


def f(a: int = 1, b: "Literal[5]" = 2) -> int:
    """More words, 7 of them."""
    if a < b and not b == 4:
        raise ValueError(f"a is {a + 9}")
    out = [0, 0]
    out[0] = a + b
    a -= 1
    print(a)
    while True:
        if a in out:
            continue
        return a * 2
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mutation, "SOURCE", tmp_path / "hopscape")
    path = tmp_path / "hopscape" / "core" / "some.py"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_every_mutant_is_another_program(file: Path) -> None:
    mutants = mutation.mutants_of(file)
    assert len({mutant.key for mutant in mutants}) == len(mutants)
    assert {mutant.module for mutant in mutants} == {"hopscape.core.some"}
    kinds = {mutant.kind for mutant in mutants}
    assert kinds == {
        "compare", "operator", "flip", "one more", "one less", "no not", "return 0", "negate",
        "drop",
    }  # fmt: skip
    programs = {ast.unparse(ast.parse(TEXT))}
    for mutant in mutants:
        tree = ast.parse(TEXT)
        target = next(
            n for i, (n, _) in enumerate(mutation.operators.walk(tree)) if i == mutant.node
        )
        assert target.lineno == mutant.line
        made = ast.unparse(mutation.operators.mutated(mutant, TEXT))
        programs.add(made)
        assert made.count("a + 9") == made.count("7 of them") == made.count("LIMIT = 3") == 1
        assert made.count("Literal[5]") == 1
    assert len(programs) == len(mutants) + 1


def test_the_same_seed_draws_the_same_mutants(file: Path) -> None:
    drawn = mutation.chosen(5, 1, ["core"])
    assert drawn == mutation.chosen(5, 1, ["core"])
    assert drawn[:3] != mutation.chosen(3, 2, ["core"])
    assert mutation.chosen(5, 1, ["metrics"]) == []


def test_routers_of_families_are_a_room() -> None:
    source = mutation.SOURCE
    assert mutation.room_of(source / "families" / "circulant" / "routing.py") == "routers"
    assert mutation.room_of(source / "families" / "circulant" / "wiring.py") is None
    assert mutation.room_of(source / "metrics" / "routes.py") == "metrics"
    assert mutation.room_of(source / "core" / "distance_gpu.py") is None


def test_the_nearest_tests_come_first() -> None:
    source, tests = mutation.SOURCE, mutation.TESTS
    near, far = mutation.tests_of(source / "metrics" / "route_kernels.py")
    assert near[0] == str(tests / "metrics" / "test_route_kernels.py")
    assert near[1] == str(source / "metrics" / "route_kernels.py")
    assert str(tests / "metrics" / "test_metrics.py") in far
    assert not set(near) & set(far)
    samples = mutation.tests_of(source / "metrics" / "samples.py")[0]
    assert str(tests / "metrics" / "test_evaluation.py") in samples  # by what it names
    router = mutation.tests_of(source / "families" / "cayley" / "routing.py")[1]
    assert str(tests / "core" / "test_router.py") in router

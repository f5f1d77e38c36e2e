"""Python asks the designer as the command line does: the same words, the same answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from commands import ask
from hopscape.core.errors import ArgumentError
from hopscape.design import FloorPlan, Requirements, Survival, SwitchedRequirements
from hopscape.design.demands import question_of
from hopscape.design.designer import design

ASKED: list[dict[str, Any]] = [
    {"nodes": 16, "ports": 4, "families": "torus,hypercube"},
    {"nodes": 12, "ports": 3, "exact": True, "families": "circulant,ring", "matters": "cost"},
    {"nodes": 9, "ports": 4, "at_least": True, "regular": True, "families": "torus", "seed": 3},
    {"endpoints": 12, "radix": 8, "families": "leaf_spine,complete", "matters": "cost,power"},
    {"endpoints": 12, "radix": 8, "families": "leaf_spine,hyperx", "taper": "2:1"},
    {"endpoints": 16, "radix": 8, "families": "hyperx", "worst": 0.25, "survive": "links=1"},
]


@pytest.mark.parametrize("demands", ASKED, ids=str)
def test_keywords_give_the_answer_of_the_options(demands: dict[str, Any]) -> None:
    words = ["design"]
    for name, value in demands.items():
        option = f"--{name.replace('_', '-')}"
        words += [option] if value is True else [option, str(value)]
    said = ask(*words)["candidates"]
    found = design(**demands)
    assert [one["spec"] for one in said] == [one.spec for one in found.candidates]
    assert said[0]["score"] == pytest.approx(found.best.score)


def test_values_may_be_words_or_what_they_mean() -> None:
    words = question_of(
        endpoints=64, radix=16, floor="2x4x32", survive="switches=1", remaining=0.5,
        matters="cost=2,power", families="hyperx, clos",
    )  # fmt: skip
    meant = SwitchedRequirements(
        64, 16, plan=FloorPlan.parse("2x4x32"), survive=Survival.parse("switches=1", 0.5),
        weights={"cost": 2.0, "power": 1.0}, families=("hyperx", "clos"),
    )  # fmt: skip
    assert words == meant
    assert question_of(nodes=16, ports=4, worst=None) == Requirements(16, 4)
    values = {"matters": {"cost": 2, "power": 1}, "families": ["hyperx", "clos"]}
    assert question_of(endpoints=64, radix=16, **values) == replace(meant, plan=None, survive=None)


@pytest.mark.parametrize(
    ("demands", "words"),
    [
        ({}, "given: none of them"),
        ({"nodes": 4}, "given: nodes"),
        ({"nodes": 4, "radix": 8}, "given: nodes, radix"),
        ({"nodes": 8, "ports": 3, "worst": 0.5}, "worst is unknown for a direct machine"),
        ({"endpoints": 8, "radix": 4, "thruput": 1}, "did you mean throughput?"),
        ({"endpoints": 8, "radix": 4, "remaining": 0.5}, "it needs survive"),
        ({"endpoints": 8, "radix": 4, "island_speed": 2}, "it needs island"),
        ({"endpoints": 8, "radix": 4, "taper": "1:2"}, "not below 1:1"),
        ({"endpoints": 8, "radix": 4, "taper": "2:1", "worst": 0.9}, "take a smaller taper"),
        ({"endpoints": 8, "radix": 4, "taper": "2:1", "throughput": 1}, "say the same"),
        ({"endpoints": 8, "radix": 4, "matters": "beauty"}, "is not a criterion"),
    ],
)
def test_what_the_command_refuses_is_refused(demands: dict[str, Any], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        question_of(**demands)


def test_a_question_and_demands_are_too_much() -> None:
    with pytest.raises(ArgumentError, match="nodes, ports: give a question or demands"):
        design(Requirements(16, 4), nodes=16, ports=4)


def test_candidates_and_designs_show_themselves_in_a_line() -> None:
    found = design(nodes=16, ports=4, families="torus,hypercube")
    assert repr(found.best) == f"<Candidate hypercube(4), {len(found.best.figures)} figures>"
    assert repr(found) == (
        "<Design: at least 16 nodes, at most 4 ports; 3 candidates, the best is hypercube(4)>"
    )

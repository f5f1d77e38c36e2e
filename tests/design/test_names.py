"""Machines by plain names, each once, and the few that are shown first."""

from __future__ import annotations

import itertools

import pytest

import hopscape
from hopscape.core.measured import Measured
from hopscape.design import SwitchedRequirements
from hopscape.design.candidates import Candidate
from hopscape.design.designer import design
from hopscape.design.names import called, kind_of, same_machine, shortlist
from hopscape.design.offers import Offer

_SAME = [
    ("hyperx((9,), p=8)", "concentrated(complete(9), 8)", True),
    ("concentrated(torus(4, 4), 3)", "concentrated(hypercube(4), 3)", True),
    ("concentrated(torus(4, 4), 3)", "concentrated(circulant(16, 1, 4), 3)", False),
    ("concentrated(ring(6), 2, trunk=2)", "concentrated(ring(6), 2)", False),
    ("concentrated(complete(4), 3, trunk=2)", "concentrated(trunked(complete(4), 2), 3)", True),
    ("leaf_spine(4, 2, 3)", "leaf_spine(4, 2, 2)", False),
    ("planes(leaf_spine(4, 2, 3), 2)", "leaf_spine(4, 2, 3)", False),
]


@pytest.mark.parametrize(("a", "b", "same"), _SAME)
def test_the_same_machine_is_recognised(a, b, same):
    assert same_machine(Offer.of(a).machine(), Offer.of(b).machine()) is same


@pytest.mark.parametrize("endpoints", [72, 71])
def test_every_machine_appears_once(endpoints):
    families = ("hyperx", "complete", "circulant", "leaf_spine")
    found = design(SwitchedRequirements(endpoints, 16, families=families))
    assert any(one.also for one in found.candidates)
    for one, other in itertools.combinations(found.candidates, 2):
        pair = [hopscape.build(spec) for spec in (one.spec, other.spec)]
        assert pair[0].order != pair[1].order or not pair[0].is_isomorphic(pair[1])
    assert found.best.name == "full mesh of 9 switches"
    assert found.answer.startswith("Build a full mesh of 9 switches (")


def _machine(spec, family, money, guaranteed, **more):
    figures = {"money": money, "guaranteed_throughput": guaranteed}
    return Candidate(spec, family, {k: Measured(v, "exact") for k, v in figures.items()}, **more)


def test_the_few_differ_in_kind_and_have_the_standard():
    ranked = [
        _machine("concentrated(complete(9), 8)", "complete", 100.0, 0.5),
        _machine("concentrated(complete(10), 7)", "complete", 110.0, 0.6),
        _machine("concentrated(petersen, 7)", "petersen", 115.0, 0.7),
        _machine("concentrated(torus(4, 4), 5)", "torus", 118.0, 0.4, dominated_by="x"),
        _machine("slim_fly(3, p=4)", "slim_fly", 120.0, 1.0),
        _machine("concentrated(dyck, 3)", "dyck", 900.0, 0.9),
        _machine("leaf_spine(8, 4, 9)", "leaf_spine", 130.0, 1.0, trouble="misses"),
    ]
    few = shortlist(ranked)
    assert [one.candidate.family for one in few] == [
        "complete", "petersen", "slim_fly", "leaf_spine",
    ]  # fmt: skip
    assert few[0].why == "cheapest"
    assert "full rate" in few[2].why
    assert few[3].why == "the usual choice, misses a requirement"
    kinds = [kind_of(one.candidate) for one in few]
    assert kinds == ["full mesh", "Petersen graph", "Slim Fly", "leaf-spine"]


def test_a_near_miss_is_said():
    """16 switches of 16 endpoints in a full mesh carry 255/256 of uniform traffic."""
    found = design(SwitchedRequirements(256, 32, families=("complete",)))
    assert "A near miss: a full mesh of 16 switches" in found.answer


def test_formulas_are_no_names():
    """Families whose summary begins with the number of a formula are called by their own name."""
    one = Candidate("concentrated(two_parameter_circulant(4, 3), 4)", "two_parameter_circulant")
    assert kind_of(one) == "two parameter circulant"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("full mesh of 9 switches", "a full mesh of 9 switches (x)"),
        ("express mesh of 9 switches", "an express mesh of 9 switches (x)"),
        ("rings of 22 switches", "rings of 22 switches (x)"),
        ("one switch", "one switch (x)"),
        ("2 planes, each one switch", "2 planes, each one switch (x)"),
        ("", "x"),
    ],
)
def test_machines_have_their_article_inside_sentences(name, sentence):
    assert called(Candidate("x", "ring", name=name), article=True) == sentence

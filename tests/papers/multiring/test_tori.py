"""Tori whose dimensions are multirings."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.core.errors import ArgumentError
from hopscape.papers.multiring.capacity import balanced_schedule, cable
from hopscape.papers.multiring.families import Multiring
from hopscape.papers.multiring.torus import TorusDesign, TorusLine, design_torus, torus_capacity

LINES = st.builds(
    lambda i, n, p, c, cable: TorusLine(f"line {i}", n, 2 * p, Fraction(c * (n - 1), 4), cable),
    st.integers(0, 99), st.integers(2, 9), st.integers(1, 3), st.integers(1, 9), st.integers(1, 9),
)  # fmt: skip


def line(n, steps, copies=1):
    member = Multiring(n, steps, copies)
    capacity = balanced_schedule(member).capacity
    return TorusLine(member.spec, n, member.ports, capacity, cable(n, member.rings))


def test_tori():
    gemini = [line(16, (1,), 2), line(32, (1,), 4), line(32, (1,), 4)]
    assert torus_capacity(gemini) == 16384 - 1
    paper = TorusDesign("paper", (line(16, (1, 3)), *[line(32, (1, 2, 3, 7))] * 2))
    assert paper.rate == Fraction(16, 11)
    assert torus_capacity(paper.lines) == Fraction(16 * 16383, 11)
    assert paper.ports == 20
    assert paper.to_dict()["limited_by"] == "multiring(16, 1, 3)"
    designed = TorusDesign("", (*[line(23, (1, 4, 9))] * 2, line(37, (1, 5, 6, 7))))
    assert float(designed.rate) == pytest.approx(2.337, abs=5e-4)


@settings(deadline=None, max_examples=60)
@given(st.lists(LINES, min_size=1, max_size=9), st.integers(2, 14), st.integers(2, 200))
def test_designer_finds_the_front_of_all_combinations(lines, ports, least):
    found = design_torus(lines, ports, least, dimensions=3, keep=99)
    every = [
        design
        for count in (1, 2, 3)
        for chosen in combinations_with_replacement(lines, count)
        if (design := TorusDesign("", chosen)).ports <= ports and design.nodes >= least
    ]
    front, cable = [], None
    for design in sorted(every, key=lambda d: (-d.rate, d.cable_per_node)):
        if cable is None or design.cable_per_node < cable:
            cable = design.cable_per_node
            front.append((design.rate, cable))
    assert [(d.rate, d.cable_per_node) for d in found] == front
    assert all(d.nodes >= least and d.ports <= ports for d in found)
    assert design_torus(lines, ports, least, dimensions=3, keep=1) == found[:1]


def test_designer_refuses():
    with pytest.raises(ArgumentError, match="must be at least"):
        design_torus([], 1, 60)

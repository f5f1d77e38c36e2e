"""Algorithms of stacks plan one piece of each datum; in several they hold as well."""

from __future__ import annotations

import pytest

from hopscape import Goal, build, verify
from hopscape.collectives import run_algorithm

PIECES = [
    ("rpc(1)", Goal.all_gather(2), "paper"),
    ("rpc(1)", Goal.all_gather(2), "slice-first"),
    ("rpc(1)", Goal.all_to_all(2), "split"),
    ("rpc(1)", Goal.broadcast(5, 3), "tree"),
    ("rpc(1)", Goal.broadcast(5, 3), "slice-first"),
    ("rpc(1)", Goal.reduce(5, 3), "slice-first"),
]


@pytest.mark.parametrize(("spec", "goal", "name"), PIECES)
def test_pieces_are_served(spec, goal, name):
    made = run_algorithm(build(spec), goal, name)
    assert made.goal == goal
    assert verify(made).holds

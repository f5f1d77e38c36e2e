"""Rules of the torus broadcast at each node, and what delays do to it."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape import Model
from hopscape.collectives.circuits.schemes import (
    SCHEMES,
    scheme,
)
from hopscape.collectives.circuits.torus import (
    grid_points,
    to_schedule,
)
from hopscape.core.errors import ArgumentError
from hopscape.papers.torusbcast.delays import check_delay_safety, simulate_delays
from hopscape.papers.torusbcast.node_local import LocalRule


def torus(*sides):
    return hopscape.build(f"torus({', '.join(map(str, sides))})")


def made(name, side, dimension, root=0):
    return to_schedule(
        scheme(name, (side,) * dimension), torus(*(side,) * dimension), root, Model(), name
    )


@pytest.mark.parametrize("name", list(SCHEMES))
def test_local_rule_agrees_with_the_schedule(name):
    schedule = made(name, 49, 3)
    rule = LocalRule(name, 49, 3)
    rounds, parents = rule.roles(grid_points((49, 49, 49)))
    when = np.zeros(49**3, dtype=int)
    when[schedule.target] = schedule.round + 1
    parent = np.zeros(49**3, dtype=int)
    parent[schedule.target] = schedule.source
    assert np.array_equal(rounds, when)
    assert np.array_equal(parents @ [49 * 49, 49, 1], parent)
    assert rule.check_sample(300)


def test_local_rule_on_forty_million_nodes():
    rule = LocalRule("optimal", 343, 3)
    assert rule.check_sample(5000, seed=1)
    assert rule.calls((0, 0, 1), 1) == ()
    with pytest.raises(ArgumentError, match="from 1 to 9"):
        rule.calls((0, 0, 0), 10)


def test_delay_safety_of_the_paper():
    assert check_delay_safety(made("numeration", 25, 2), "call")
    node, call = (check_delay_safety(made("numeration", 7, 3), rule) for rule in ("node", "call"))
    assert node
    assert not call
    assert call.details["crossings"] == 14
    assert {"round", "source", "target", "node", "tile"} <= set(call.where)
    assert check_delay_safety(made("numeration", 49, 3), "call").details["crossings"] == 4816
    assert check_delay_safety(made("optimal", 49, 3)).details["crossings"] == 42
    assert check_delay_safety(made("axis", 49, 3))
    with pytest.raises(ArgumentError, match="choose node or call"):
        check_delay_safety(made("numeration", 5, 2), "barrier")


def test_random_delays_show_the_difference():
    plane, space = made("numeration", 25, 2), made("numeration", 7, 3)
    for seed in range(5):
        assert simulate_delays(plane, "call", seed=seed)[1] == []
        assert simulate_delays(space, "node", seed=seed)[1] == []
    assert any(simulate_delays(space, "call", seed=seed)[1] for seed in range(5))
    end, _ = simulate_delays(space, "node", delay=0.0, alpha=1.0, delta=0.5)
    assert end == pytest.approx(3 + 0.5 * 12)

"""What an all-reduce carries and adds at least, against a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import hopscape
from hopscape import Goal, Model
from hopscape.collectives.contest import compete
from hopscape.collectives.loads import least_load, least_moved


def slow_cost(widths: np.ndarray, load: float, added: float, prices: tuple[float, float]) -> float:
    """Messages into each node, at most what its channels carry and one more than it adds."""
    n = len(widths)
    carried = np.hstack([np.eye(n), -widths[:, None], np.zeros((n, 1))])
    summed = np.hstack([np.eye(n), np.zeros((n, 1)), -np.ones((n, 1))])
    found = linprog(
        [0.0] * n + list(prices),
        A_ub=np.vstack([carried, summed, [-1.0] * n + [0.0, 0.0]]),
        b_ub=[0.0] * n + [1.0] * n + [-2.0 * (n - 1)],
        bounds=[(0, None)] * n + [(load, None), (added, None)],
    )
    return float(found.fun)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=7),
    st.sampled_from([(1.0, 0.0), (2.0, 1.0), (1.0, 3.0), (0.0, 1.0)]),
)
def test_the_balance_of_carrying_and_adding(links: list[int], prices: tuple[float, float]) -> None:
    ends = [(0, v) for v in range(1, len(links)) for _ in range(links[v])]
    star = hopscape.Network.from_links(len(links), *zip(*ends))
    goal, model = Goal.all_reduce(), Model(beta=prices[0], gamma=prices[1])
    widths = np.bincount(star.heads, minlength=star.order).astype(float)
    slow = slow_cost(widths, *least_load(star, goal), prices)
    assert least_moved(star, goal, model) == pytest.approx(slow)


def test_the_root_of_a_reduce_adds_up_everything() -> None:
    assert least_load(hopscape.build("petersen"), Goal.reduce(0)) == (1 / 3, 1.0)


def test_sums_run_past_nodes_that_would_add_too_much() -> None:
    net = hopscape.build("expanded(ring(3), 1)")  # its crossbars hold the parts together
    found = compete(net, Goal.reduce(0), size=1e9, algorithm="even-forest")
    assert found.best.time(found.costs, 1e9) < 1.12 * found.least_time(1e9)

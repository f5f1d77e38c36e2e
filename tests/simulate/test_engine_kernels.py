"""Small runs to the last digit: a change that nobody meant shows here first.

Speed must not change results. After a change that is meant to (another arbiter, say), renew the
numbers: they are what the failing test prints.
"""

from __future__ import annotations

import pytest

import hopscape
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.measurement import blank_counters, make_source, start

pytestmark = pytest.mark.interpreted


def outcome(spec, load, cycles, **options):
    """Packets made and delivered, hops of flits, and how often each line was used."""
    setup = build_setup(hopscape.build(spec), Settings(**({"window": "none"} | options)))
    traffic = make_traffic("uniform-others", setup.endpoints)
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, 11)
    counters = blank_counters(setup, 10)
    counters.span[:2] = 0, cycles
    assert advance(setup.fabric, state, source, counters, cycles, 1000) == 0
    credits = state.vcs[:, layout.CREDIT].reshape(setup.units, -1)[:, : setup.settings.vcs]
    assert (state.units[:, layout.U_CREDIT] == credits.sum(axis=1)).all()
    s = state.scalars
    waits = sum((i + 1) * int(x) for i, x in enumerate(counters.used))
    ages = int(state.packets[: int(s[layout.FRESH]), layout.SENT].sum())
    return [int(s[layout.CREATED]), int(s[layout.DELIVERED]), int(s[layout.FLIT_HOPS]), waits, ages]


CASES = [
    (
        "mesh(3, 2)",
        0.9,
        150,
        {"vcs": 3, "buffer": 3, "packet": (1, 4)},
        [222, 186, 1277, 16994, 5569],
    ),
    (
        "mesh(3, 2)",
        0.9,
        150,
        {"vcs": 2, "buffer": 4, "speedup": 2, "tail_credit": True},
        [212, 183, 522, 6928, 4228],
    ),
    (
        "hypercube(3)",
        0.7,
        120,
        {"vcs": 4, "buffer": 5, "routing": "adaptive"},
        [672, 559, 1632, 34325, 12432],
    ),
    (
        "mesh(3, 3)",
        0.8,
        120,
        {"vcs": 4, "buffer": 4, "packet": (3,), "routing": "valiant"},
        [233, 131, 2224, 37842, 9113],
    ),
    (
        "mesh(3, 3)",
        0.8,
        120,
        {"vcs": 4, "buffer": 4, "packet": (3,), "routing": "ugal"},
        [256, 183, 1939, 39132, 7388],
    ),
    (
        "complete(4)",
        1.0,
        120,
        {"buffer": 4, "packet": (4,), "switching": "cut-through"},
        [109, 80, 773, 9300, 3025],
    ),
    (
        "mesh(2, 3)",
        0.9,
        120,
        {"buffer": 4, "packet": (2, 4), "switching": "circuit"},
        [31, 24, 206, 3008, 988],
    ),
    (
        "mesh(2, 3)",
        0.9,
        120,
        {"concentration": 2, "switching": "store-and-forward"},
        [1308, 710, 2005, 33200, 52499],
    ),
    (
        "mesh(2, 3)",
        0.9,
        120,
        {"concentration": 2, "switching": "store-and-forward", "window": "delay"},
        [1101, 722, 1992, 33429, 33467],
    ),
    (
        "mesh(3, 3)",
        0.8,
        120,
        {"vcs": 4, "buffer": 4, "packet": (3, 16), "window": "delay"},
        [67, 46, 1510, 31730, 2040],
    ),
]


@pytest.mark.parametrize(("spec", "load", "cycles", "options", "numbers"), CASES)
def test_small_runs_to_the_last_digit(spec, load, cycles, options, numbers):
    assert outcome(spec, load, cycles, **options) == numbers

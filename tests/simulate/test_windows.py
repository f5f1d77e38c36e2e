"""Which networks have windows by default, and what the rule looks at."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.deadlock.classes import find_classes
from hopscape.simulate import Settings, build_setup, layout
from hopscape.simulate.settings import straight_runs


@pytest.mark.parametrize(
    ("spec", "windows"),
    [
        ("ring(2)", False),
        ("ring(16)", False),
        ("ring(64)", True),
        ("mesh(4, 4)", False),
        ("torus(10, 10)", False),
        ("torus(24, 8)", False),
        ("torus(4, 24)", True),
        ("circulant(100, 1, 18)", False),
        ("circulant(119, 1, 2)", True),
        ("double_loop(64)", False),
        ("multiring(64, 1, 3, 9)", False),
        ("multiring(115, 1, 7)", True),
        ("expanded(petersen, 1)", True),
        ("rpc(4)", True),
    ],
)
def test_windows_are_where_networks_would_jam(spec, windows):
    network = hopscape.build(spec)
    asked = {"auto": windows, "none": False, "delay": True}
    for word, answer in asked.items():
        setup = build_setup(network, Settings(window=word))
        assert bool(setup.fabric.numbers[layout.N_WINDOW]) is answer, word


@settings(deadline=None, max_examples=30)
@given(
    st.one_of(
        st.integers(3, 40).map(lambda n: f"ring({n})"),
        st.tuples(st.integers(3, 9), st.integers(3, 9)).map(lambda s: f"torus{s}"),
        st.tuples(st.integers(8, 60), st.integers(2, 3)).map(
            lambda s: f"circulant({s[0]}, 1, {s[1]})"
        ),
    )
)
def test_straight_runs_are_those_of_the_routes_of_all_pairs(spec):
    """The networks look alike from every node: few goals, without ties, are as good as all."""
    network = hopscape.build(spec)
    table, classes, _ = find_classes(network, method="dateline")
    runs = straight_runs(table, classes.rings)
    lengths = []
    for source in range(network.order):
        at, goal, ring = source, 0, -1
        while at != goal:
            channel = int(network.indptr[at]) + int(table.port[at, goal])
            if classes.rings[channel] != ring:
                lengths.append(0)
            lengths[-1] += 1
            at, ring = int(network.heads[channel]), classes.rings[channel]
    slow = sum(x * x for x in lengths) / sum(lengths)
    assert runs.length == pytest.approx(slow, rel=0.1 if table.other is not None else 1e-9)
    assert 1 <= runs.unevenness <= network.ports
    if spec.startswith("ring"):
        assert runs.fresh

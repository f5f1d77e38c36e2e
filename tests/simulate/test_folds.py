"""Folded tables against whole ones: every entry, every class, every packet."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.kernel import kernel
from hopscape.deadlock import classes as deadlock_classes
from hopscape.deadlock.routes import own_table
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.entry_kernels import entry_of, hops_of, other_entry, set_of, shortest_of
from hopscape.simulate.measurement import blank_counters, make_source, start

pytestmark = pytest.mark.compiled

CYCLIC = (
    "ring(2)", "ring(3)", "ring(6)", "ring(9)", "torus(4, 4)", "torus(5, 6)", "torus(3, 8)",
    "torus(2, 4, 3)", "torus(2, 2)", "torus(3, 3, 3)", "torus(4, 3, 2, 2)", "hypercube(1)",
    "hypercube(4)", "circulant(26, 1, 5)", "circulant(30, 2, 7)", "circulant(27, 1, 3, 9)",
    "circulant(32, 1, 6, 16)", "circulant(40, 3, 8, 20)", "circulant(48, 1, 7, 12)",
)  # fmt: skip


LEAVES = (
    "dragonfly(2, 1, p=2)", "dragonfly(4, 2, p=2)", "dragonfly(3, 1, p=3)",
    'dragonfly(4, 1, p=2, arrangement="palmtree")',
    'dragonfly(2, 2, p=3, arrangement="absolute")',
    "dragonfly(3, 2, p=2, groups=5)", "dragonfly(5, 1, p=2, groups=1)", "fat_tree(4)",
    "fat_tree(6)",
)  # fmt: skip


MOVED = (
    "torus(4, 6)",
    "hypercube(4)",
    "circulant(26, 1, 5)",
    "dragonfly(4, 1, p=2)",
    "fat_tree(4)",
)


@pytest.fixture
def few(monkeypatch):
    """Small networks count as large."""
    monkeypatch.setattr(deadlock_classes, "_LARGE", 0)


@kernel
def everything(fabric, ends, starts, out, adaptive, ugal):
    """What the tables say of all pairs: entry, other way, set, shortest ports, distance."""
    for here in range(len(out[0])):
        for goal in ends:
            if here == goal:
                continue
            out[0, here, goal] = entry_of(fabric, here, goal)
            if out[0, here, goal] & layout.TIE:
                out[1, here, goal] = other_entry(fabric, here, goal)
            if adaptive or starts[here]:
                out[2, here, goal] = set_of(fabric, here, goal)
            if adaptive:
                out[3, here, goal] = shortest_of(fabric, here, goal)
    if ugal:
        for here in ends:
            for goal in ends:
                if here != goal:
                    out[4, here, goal] = hops_of(fabric, here, goal)


def said(setup):
    """The same from Python."""
    order, mode = setup.network.order, setup.settings.routing
    out = np.full((5, order, order), -1, dtype=np.int64)
    ends = setup.network.endpoints.astype(np.int64)
    starts = np.isin(np.arange(order), ends)
    everything(setup.fabric, ends, starts, out, mode == "adaptive", mode == "ugal")
    return out


def both(spec, how):
    """The same network with folded and with whole tables."""
    network = hopscape.build(spec)
    return build_setup(network, how), build_setup(network, how, own_table(network))


def is_folded(setup):
    return setup.fabric.fold.kind[0] != layout.WHOLE


def require_alike(folded, whole):
    assert folded.certificate == whole.certificate
    mine, theirs = folded.classes, whole.classes
    assert (mine.method, mine.count, mine.sets) == (theirs.method, theirs.count, theirs.sets)
    assert np.array_equal(mine.rings, theirs.rings)
    assert np.array_equal(folded.lines, whole.lines)
    assert np.array_equal(said(folded), said(whole))


@pytest.mark.parametrize("routing", ["fixed", "adaptive", "ugal"])
@pytest.mark.parametrize("spec", CYCLIC)
@pytest.mark.usefixtures("few")
def test_one_row_says_what_the_table_says(spec, routing):
    folded, whole = both(spec, Settings(routing=routing))
    assert not is_folded(whole)
    if not is_folded(folded):
        assert whole.classes.method not in ("single", "dateline")
    require_alike(folded, whole)


@pytest.mark.parametrize("spread", ["none", "pairs"])
@pytest.mark.parametrize("routing", ["fixed", "adaptive", "ugal"])
@pytest.mark.parametrize("spec", LEAVES)
@pytest.mark.usefixtures("few")
def test_rows_of_switches_say_what_the_table_says(spec, routing, spread, monkeypatch):
    monkeypatch.setattr(deadlock_classes, "_LAYERED_ORDER", 0)
    folded, whole = both(spec, Settings(routing=routing, spread=spread))
    assert is_folded(folded)
    assert not is_folded(whole)
    require_alike(folded, whole)


@pytest.mark.parametrize("routing", ["fixed", "adaptive", "valiant", "ugal"])
@pytest.mark.parametrize("spec", MOVED)
@pytest.mark.usefixtures("few")
def test_folded_tables_move_every_packet_alike(spec, routing, monkeypatch):
    monkeypatch.setattr(deadlock_classes, "_LAYERED_ORDER", 0)
    how = Settings(routing=routing, packet=(1, 3), concentration=2)
    states = []
    for setup in both(spec, how):
        traffic = make_traffic("uniform", setup.endpoints)
        source = make_source(traffic, how, 0.4)
        state, counters = start(setup, traffic, source, 5), blank_counters(setup, 9)
        advance(setup.fabric, state, source, counters, 400, 300)
        states.append((state, counters))
    (mine, ours), (theirs, counted) = states
    assert mine.scalars[layout.DELIVERED] > 1000
    assert np.array_equal(mine.scalars, theirs.scalars)
    assert np.array_equal(mine.units, theirs.units)
    assert np.array_equal(mine.ends, theirs.ends)
    for one, other in zip(ours, counted, strict=True):
        assert np.array_equal(one, other)

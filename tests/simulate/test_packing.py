"""Tables packed goal by goal against tables of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.arrays import NO_PORT
from hopscape.core.errors import ArgumentError
from hopscape.deadlock import classes as deadlock_classes
from hopscape.deadlock.classes import find_classes
from hopscape.deadlock.judgement import classes_by_columns, suits_columns
from hopscape.deadlock.routes import RouteColumns, own_table, routing_table
from hopscape.simulate import layout
from hopscape.simulate.fabric import build_setup
from hopscape.simulate.packing import Packer, pack_table
from hopscape.simulate.settings import Settings

SPECS = (
    "torus(4, 6)",
    "torus(5, 3)",
    "torus(2, 4, 3)",
    "ring(9)",
    "mesh(4, 5)",
    "hypercube(4)",
    "circulant(20, 1, 6)",
    "multiring(16, 1, 3)",
)


@pytest.fixture
def few(monkeypatch):
    """Small networks count as large."""
    monkeypatch.setattr(deadlock_classes, "_LARGE", 0)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.usefixtures("few")
def test_classes_by_columns_are_those_of_the_table(spec):
    network = hopscape.build(spec)
    asked = RouteColumns(network, network.router())
    assert suits_columns(asked)
    packer = Packer(network)
    found = classes_by_columns(asked, packer.visit)
    table, classes, proof = find_classes(network)
    if found is None:
        assert classes.method not in ("single", "dateline")
        return
    assert found[1] == proof
    assert (found[0].method, found[0].sets) == (classes.method, classes.sets)
    assert np.array_equal(found[0].rings, classes.rings)
    whole = pack_table(table, classes)
    assert np.array_equal(packer.cells, whole.cells)
    for mine, theirs in zip(packer.packed.ties, whole.ties, strict=True):
        assert np.array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype


@pytest.mark.parametrize("spec", SPECS)
def test_packed_entries_say_what_the_table_says(spec):
    table, classes, _ = find_classes(hopscape.build(spec))
    packed = pack_table(table, classes)
    order, dated = table.network.order, classes.method == "dateline"
    other = table.port if table.other is None else table.other
    found = {}
    for goal in range(order):
        low, high = packed.ties.starts[goal], packed.ties.starts[goal + 1]
        for i in range(low, high):
            found[int(packed.ties.nodes[i]), goal] = int(packed.ties.entries[i])
    for at in range(order):
        for goal in range(order):
            cell, port = int(packed.cells[at, goal]), int(table.port[at, goal])
            if port == NO_PORT:
                assert cell == layout.NO_ROUTE
                continue
            kind = int(classes.entry[at, goal]) if dated else 0
            tied = port != int(other[at, goal])
            shift = layout.ENTRY_SET_SHIFT
            assert cell == port | kind << shift | (layout.TIE if tied else 0)
            assert ((at, goal) in found) == tied
            if tied:
                kind = int(classes.entry_other[at, goal]) if dated else 0
                assert found[at, goal] == int(other[at, goal]) | kind << shift


@pytest.mark.parametrize("spec", SPECS)
def test_columns_are_those_of_the_table(spec):
    network = hopscape.build(spec)
    table, goals = routing_table(network), np.arange(0, network.order, 3)
    for columns in (table.columns(goals), RouteColumns(network, network.router()).columns(goals)):
        assert np.array_equal(columns.port, table.port[:, goals])
        other = table.port if table.other is None else table.other
        assert np.array_equal(columns.other, other[:, goals])


@pytest.mark.usefixtures("few")
def test_a_large_network_keeps_no_table():
    network = hopscape.build("mesh(4, 6)")
    asked = build_setup(network, Settings(vcs=2))
    given = build_setup(network, Settings(vcs=2), own_table(network))
    assert isinstance(asked.routes, RouteColumns)
    assert np.array_equal(asked.table.port, given.table.port)
    assert np.array_equal(asked.fabric.table, given.fabric.table)
    assert asked.certificate == given.certificate
    assert asked.memory() == given.memory()


@pytest.mark.usefixtures("few")
def test_columns_without_routes_are_refused():
    network = hopscape.build("torus(3, 3)")
    packer = Packer(network, complete=True)
    block = RouteColumns(network, network.router()).columns(np.arange(3))
    none = np.zeros((0, 0), dtype=np.uint8)
    packer.visit(block, none, none)
    block.port[5, 1] = NO_PORT
    with pytest.raises(ArgumentError, match="not connected"):
        packer.visit(block, none, none)

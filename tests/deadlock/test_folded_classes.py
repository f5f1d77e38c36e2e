"""Classes found from one row, or over the switches, against those of the whole table."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.deadlock import classes as deadlock_classes
from hopscape.deadlock.classes import certify, find_classes
from hopscape.deadlock.leaves import classes_by_leaves, has_leaves
from hopscape.deadlock.routes import routing_table
from hopscape.deadlock.shifts import classes_by_shifts, is_cyclic

pytestmark = pytest.mark.interpreted


def slow_classes(network, **options):
    """Classes and certificate by the table of all pairs."""
    return find_classes(network, **options)[1:]


@pytest.mark.parametrize("side", range(2, 8))
@pytest.mark.parametrize("other", [1, 3, 4, 6])
def test_tori_by_one_row(side, other):
    network = hopscape.build(f"torus({side}, {other})" if other > 1 else f"ring({side})")
    classes, proof = slow_classes(network)
    found = classes_by_shifts(network, network.router())
    assert found.certificate == proof
    assert (found.classes.method, found.classes.sets) == (classes.method, classes.sets)
    assert np.array_equal(found.classes.rings, classes.rings)


@pytest.mark.parametrize("nodes", range(25, 44))
def test_circulants_by_one_row(nodes):
    served = 0
    for steps in ((1, 5), (2, 7), (1, 4, 12), (3, nodes // 2)):
        if np.gcd.reduce((nodes, *steps)) > 1:
            continue
        network = hopscape.build(f"circulant({nodes}, {', '.join(map(str, steps))})")
        assert is_cyclic(network, network.router())
        classes, proof = slow_classes(network)
        found = classes_by_shifts(network, network.router())
        if classes.method in ("single", "dateline"):
            served += 1
            assert found.certificate == proof
        else:
            assert found is None
    assert served


def test_ways_from_every_node_are_those_from_node_0():
    for spec in ("torus(3, 4)", "circulant(26, 1, 5)", "hypercube(3)"):
        network = hopscape.build(spec)
        found, port = classes_by_shifts(network, network.router()), routing_table(network).port
        for by in range(network.order):
            moved = network.family.translate(np.array(by), np.arange(network.order))
            assert np.array_equal(port[moved, by], found.port)


def test_a_mesh_is_not_cyclic():
    mesh = hopscape.build("mesh(4, 4)")
    assert not is_cyclic(mesh, mesh.router())
    apart = hopscape.build("circulant(30, 2, 4)")
    with pytest.raises(ArgumentError, match="not connected"):
        classes_by_shifts(apart, apart.router())


@pytest.mark.parametrize("anywhere", [False, True])
@pytest.mark.parametrize("spec", ["dragonfly(3, 1, p=2)", "dragonfly(4, 2, p=3)", "fat_tree(4)"])
def test_leaves_by_their_switches(spec, anywhere, monkeypatch):
    monkeypatch.setattr(deadlock_classes, "_LAYERED_ORDER", 0)
    network = hopscape.build(spec)
    assert has_leaves(network, network.router())
    classes, proof = slow_classes(network, anywhere=anywhere, spread="pairs")
    found = classes_by_leaves(network, network.router(), anywhere=anywhere, spread=True)
    assert found.certificate == proof
    assert (found.classes.method, found.classes.count) == (classes.method, classes.count)
    if classes.method == "rising":
        ends = network.endpoints
        rows, columns = found.sort[0, ends][:, None], found.sort[1, ends][None, :]
        apart = ~np.eye(len(ends), dtype=bool)
        mine, theirs = found.classes.layers[rows, columns], classes.layers[np.ix_(ends, ends)]
        assert np.array_equal(mine[apart], theirs[apart])
    assert certify(routing_table(network), classes, anywhere=anywhere).deadlock_free


def test_goals_that_a_hash_tells_apart_are_not_folded():
    for spec in ("dragonfly(4, 2, p=2, groups=3)", "dragonfly_plus(2, 2, 2)"):
        network = hopscape.build(spec)
        assert not has_leaves(network, network.router())

"""Groups by name and voltage graphs."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.families.cayley import Semidirect, group
from hopscape.search.graph.lifts import group_names
from refusals import refusals

NAMES = [
    "cyclic(1)",
    "cyclic(5, 7)",
    "cyclic(2, 2, 3)",
    "dihedral(1)",
    "dihedral(6)",
    "semidirect(7, 3, 2)",
    "semidirect(16, 4, 3)",
    "affine(9, 4)",
    "affine(8, 7)",
    "psl(2)",
    "psl(4)",
    "psl(5)",
    "psl(7)",
    "pgl(5)",
    "symmetric(1)",
    "symmetric(4)",
    "alternating(1)",
    "alternating(5)",
]


@pytest.mark.parametrize("name", NAMES)
def test_group_laws(name: str) -> None:
    found = group(name)
    every = np.arange(found.order)
    table = found.product(every[:, None], every[None, :])
    assert (table[0] == every).all()
    assert (table[:, 0] == every).all()
    assert (np.sort(table, axis=0) == every[:, None]).all()
    assert (found.product(every, found.inverse(every)) == 0).all()
    a, b, c = np.random.default_rng(1).integers(found.order, size=(3, 300))
    assert (table[table[a, b], c] == table[a, table[b, c]]).all()


@pytest.mark.parametrize("order", [*range(2, 40), 56, 60, 64, 120, 168])
def test_groups_of_an_order(order: int) -> None:
    names = group_names(order)
    assert len(set(names)) == len(names)
    assert all(group(name).order == order for name in names)


test_wrong_groups = refusals(
    ArgumentError,
    ("monster(1)", "unknown"),
    ("cyclic(0)", "at least 1"),
    ("psl(6)", "prime power"),
    ("semidirect(7, 3, 3)", "must be 1"),
    ("semidirect(7, 3)", "3 numbers"),
    ("affine(9, 3)", "divide"),
    ("symmetric(30)", "at most"),
    ("cyclic(2000000)", "at most"),
    make=group,
)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_voltage_graphs_by_definition(data: Any) -> None:
    name = data.draw(st.sampled_from(["cyclic(3)", "dihedral(3)", "alternating(4)", "cyclic(1)"]))
    found = group(name)
    m = found.order
    base, fixed = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 2))
    if base + fixed == 0:
        fixed = 1
    vertex = st.integers(0, base + fixed - 1)
    drawn = data.draw(st.lists(st.tuples(vertex, vertex, st.integers(0, m - 1)), max_size=6))
    links = [(i, j, g) for i, j, g in drawn if i != j or (g and i < base)]
    flat = [number for link in links for number in link]
    network = hopscape.build(f'voltage("{name}", {base}, {flat}, fixed={fixed})')
    assert hopscape.build(network.spec).heads.tolist() == network.heads.tolist()

    def node(v: int, h: int) -> int:
        return v * m + h if v < base else base * m + v - base

    wires: list[tuple[int, int]] = []
    for i, j, g in links:
        over = set()
        for h in range(m):
            beyond = int(found.product(np.asarray(h), np.asarray(g)))
            a, b = node(i, h), node(j, beyond)
            over.add((min(a, b), max(a, b)) if i == j else (a, b))
        wires += [(min(w), max(w)) for w in over]
    tails, heads = network.tails.tolist(), network.heads.tolist()
    assert sorted((a, b) for a, b in zip(tails, heads) if a < b) == sorted(wires)
    known = network.facts.known()
    degrees = np.diff(network.indptr)
    assert (known["degree_min"], known["degree_max"]) == (degrees.min(), degrees.max())
    assert known["links"] == len(wires)


def test_petersen_as_a_voltage_graph() -> None:
    network = hopscape.build('voltage("cyclic(5)", 2, [0, 0, 1, 0, 1, 0, 1, 1, 2])')
    graph = nx.Graph(zip(network.tails.tolist(), network.heads.tolist()))
    assert nx.is_isomorphic(graph, nx.petersen_graph())


test_wrong_voltage_graphs = refusals(
    ArgumentError,
    ('voltage("cyclic(5)", 2, [0, 0])', "three"),
    ('voltage("cyclic(5)", 0, [])', "at least one node"),
    ('voltage("cyclic(5)", 2, [0, 2, 1])', "names vertex 2"),
    ('voltage("cyclic(5)", 2, [0, 1, 5])', "0 to 4"),
    ('voltage("cyclic(5)", 2, [0, 0, 0])', "themselves"),
    ('voltage("monster", 2, [0, 1, 0])', "unknown"),
)


def test_a_base_larger_than_memory() -> None:
    """Facts come from the links that are listed, never from a list of all vertices."""
    network = hopscape.build(
        'voltage("cyclic(5)", 18446744073709551629, [0, 0, 1, 0, 1, 0, 1, 1, 2])'
    )
    assert network.order == 5 * 18446744073709551629
    known = network.facts.known()
    assert (known["degree_min"], known["degree_max"], known["links"]) == (0, 3, 15)


def test_groups_say_themselves_whether_they_are_semidirect_products() -> None:
    """The same numbers mean the same elements; a group of several sides, or of maps, is none."""
    for name in ("cyclic(9)", "dihedral(1)", "dihedral(2)", "dihedral(6)", "semidirect(7, 3, 9)"):
        own = group(name)
        assert own.semidirect is not None
        other = Semidirect(*own.semidirect)
        every = np.arange(own.order)
        left = own.product(every[:, None], every[None, :])
        assert (left == other.product(every[:, None], every[None, :])).all(), name
    assert all(
        group(name).semidirect is None for name in ("cyclic(3, 4)", "psl(3)", "affine(4, 3)")
    )

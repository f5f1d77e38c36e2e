"""Cycles in Petersen-connected cycles, and guests embedded in them."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError
from hopscape.metrics.embedding import _solve, best_embedding, dilation
from hopscape.papers.rpc.cycles import hamiltonian_cycle, longest_cycle, slice_path, slice_ring


def embed(guest, host, **options):
    return best_embedding(hopscape.build(guest), hopscape.build(host), **options)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("guest", "host", "best"),
    [
        ("ring(27)", "pc", 1),
        ("ring(30)", "pc", 2),
        ("hypercube(3)", "rpc(4)", 1),
        ("ring(60)", "rpc(2)", 1),
        ("ring(150)", "rpc(5)", 1),
        ("mesh(30, 4)", "rpc(4)", 1),
        ("mesh(4, 30)", "rpc(4)", 1),
        ("torus(30, 3)", "rpc(3)", 2),
    ],
)
def test_known_embeddings(guest, host, best):
    found = embed(guest, host)
    assert (found.dilation, found.exact, found.lower_bound) == (best, True, best)
    assert len(set(found.places)) == len(found.places)
    places = np.asarray(found.places)
    assert dilation(hopscape.build(guest), hopscape.build(host), places) == best
    assert found.congestion >= 1


def test_walks_of_a_slice():
    net = hopscape.build("pc")
    path = slice_path()
    assert sorted(path) == list(range(30))
    router = net.router()
    assert router.distance(np.asarray(path[:-1]), np.asarray(path[1:])).max() == 1
    ring = np.asarray(slice_ring())
    assert sorted(ring.tolist()) == list(range(30))
    assert router.distance(ring, np.roll(ring, -1)).max() == 2
    around = np.asarray(longest_cycle(net.family.slice.rows))
    assert len(around) == len(set(around.tolist())) == 27
    assert router.distance(around, np.roll(around, -1)).max() == 1


@pytest.mark.parametrize("k", [2, 3, 4, 9])
def test_hamiltonian_cycles(k):
    cycle = hamiltonian_cycle(k)
    assert sorted(cycle.tolist()) == list(range(30 * k))
    assert hopscape.build(f"rpc({k})").router().distance(cycle, np.roll(cycle, -1)).max() == 1


def test_guests_must_fit():
    with pytest.raises(ArgumentError, match="31 nodes"):
        embed("ring(31)", "pc")


def test_solver_agrees():
    pytest.importorskip("ortools")
    host = hopscape.build("pc")
    table = distance_rows(host, np.arange(30))
    guest = hopscape.build("hypercube(3)")
    assert _solve(guest, host, table, 2) == (None, "proved by CP-SAT")
    places, _ = _solve(guest, host, table, 3)
    assert dilation(guest, host, places) <= 3

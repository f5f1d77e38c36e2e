"""Building, order and facts cost nothing of the size of the network; memory is foretold.

Counted in bytes (tracemalloc), not in seconds, over a large member of every family.
"""

from __future__ import annotations

import os
import tracemalloc

import pytest

import hopscape
from hopscape.core.errors import TooLargeError

LARGE = [
    "polarfly_expanded(83, quadrics=3)",
    "arrangement(60, 20)",
    "benes(40)",
    "bubble_sort(20)",
    "butterfly(40)",
    "directed_circulant(10000019, 1, 5, 77)",
    "pancake(20)",
    "wrapped_butterfly(40)",
    "twisted_torus([1000, 1000, 2000], twist=[0, 1000, 1000])",
    "express_mesh([100, 100, 100, 100], [4, 16])",
    "tofu(240, 230, 240)",
    "dragonfly_plus(500, 500, 500)",
    "cascade(961)",
    "rail_optimized(8, 1000, units=1000)",
    "hammingmesh(4, 4, 900, 900, radix=64)",
    "mlfm(400)",
    "oft(128)",
    "spectralfly(23, 499)",
    "bundlefly(37, 97)",
    "polarstar(64, 24)",
    "delorme(128)",
    "fatclique(100, 50, 400, inner=4, outer=4)",
    "bcube(64, 6)",
    "dcell(40, 4)",
    "xgft([32, 32, 64, 99], [1, 32, 32, 77], links=[1, 1, 1, 2])",
    "leaf_spine(100000, 50000, 1000)",
    "clos(128, 5)",
    "kary_ntree(32, 9)",
    "random_lift(petersen, 100000)",
    'voltage("cyclic(100000)", 2, (0, 1, 0, 0, 1, 1, 0, 1, 5))',
    "xpander(8, 100000)",
    "cayley(294, 1048575, 1, 2)",
    "ccc(24)",
    "chen_jia(57, 3)",
    "circulant(10000019, 1, 5, 77)",
    "complete(1000000)",
    "dcp(5000)",
    "debruijn(2, 40)",
    "crossbar_machine(complete(12), 133)",
    "design_expansion(ring(1000), 57, 8)",
    "shared_crossbars(133, 12)",
    "swapped(torus(1000, 1000))",
    "distributed_switch(10303, 102)",
    "dlcpg(5000)",
    "double_loop(1000000)",
    "dragonfly(92, 3)",
    "expanded(ring(257), 3, lamp=complete(2))",
    "expanded(ring(4), 3, lamp=complete(255))",
    "expanded(petersen, 10)",
    "fat_tree(200)",
    "folded(ring(1000000), 3)",
    "gamma_circulant(1000)",
    "generalized_petersen(1000000, 3)",
    "hrn(1000, 1000, 1000)",
    "hypercube(60)",
    "hyperx([3, 256], p=2)",
    "kautz(3, 30)",
    "largest_double_loop(1000)",
    "lcf([5, -5], 1000000)",
    "mesh(5000, 5000)",
    "multiring(1000003, 1, 5, 7)",
    "optimal_circulant(1000003)",
    "best_circulant(99999, 4)",
    "partial_switch(31, 6)",
    "path(10000000)",
    "polarfly(83)",
    "product(random_regular(100000, 4), ring(1000))",
    "projective_network(167, 1)",
    "quasicomplete_digraph(598)",
    "random_regular(100000, 6)",
    "ring(10000000)",
    "ring_of_cycles(heawood, 1000000)",
    "rp(1000000)",
    "rpc(1000000)",
    "slim_fly(101)",
    "sparse_multiring(32, 100000)",
    "switched_multiring(1000, r=8)",
    "tcp(1000, 1000)",
    "torus(1000, 1000, 1000)",
    "two_level(distributed_switch(7, 3), complete(100))",
    "two_parameter_circulant(1000, 3)",
    "wong_coppersmith(101, 3)",
    "yebra(1000)",
]
_LITTLE = 2_500_000

MEDIUM = [
    "clos(32, 3)",
    "dragonfly(16, 8, groups=60)",
    "dragonfly_plus(12, 12, 12)",
    "hammingmesh(4, 4, 30, 30)",
    "mlfm(24)",
    "oft(24)",
    "spectralfly(7, 29, p=1)",
    "bundlefly(9, 13)",
    "polarstar(11, 7)",
    "bcube(10, 3)",
    "dcell(12, 2)",
    "arrangement(9, 5)",
    "twisted_torus([100, 200], twist=[100])",
    "express_mesh([200, 200], [8])",
    "polarfly(31)",
    "projective_network(31, 1)",
    "ring_of_cycles(petersen, 2000)",
    "expanded(petersen, 4)",
    "slim_fly(29)",
    "dragonfly(16, 8)",
    "fat_tree(40)",
    "hyperx([30, 30])",
    "random_regular(3000, 6)",
    "quasicomplete_digraph(60)",
    "cayley(29, 2800, 1, 2)",
    "circulant(100019, 1, 5, 77)",
    "multiring(100003, 1, 5, 7)",
    "sparse_multiring(8, 10000)",
    "rpc(3000)",
    "tcp(100, 100)",
    "folded(ring(50), 3)",
    "product(random_regular(1000, 4), ring(100))",
    "lcf([5, -5], 50000)",
    "ccc(13)",
    "hypercube(16)",
    "debruijn(2, 16)",
    "debruijn(2, 16, duplex=true)",
    "kautz(3, 10)",
    "torus(300, 300)",
    "mesh(300, 300)",
    "complete(1000)",
    "path(100000)",
]


def traced(action):
    """The most bytes that were held at any time during an action, and its result."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = action()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        tracemalloc.stop()


def test_every_family_is_here():
    needed = {f.name for f in hopscape.all_families().values() if f.parameters}
    of_networks = {"concentrated", "planes", "populated", "rails", "trunked"}
    assert needed - {"file", "heawood"} - of_networks <= {spec.split("(")[0] for spec in LARGE}


@pytest.mark.parametrize("spec", LARGE)
def test_building_is_lazy(spec, monkeypatch):
    import numba  # noqa: F401 - importing it takes memory, too

    monkeypatch.setattr(os, "cpu_count", lambda: 2)  # every thread of a search takes some
    hopscape.build(hopscape.family(spec.split("(")[0]).example).facts.known()  # imports, kernels

    def look():
        network = hopscape.build(spec)
        return network, network.order, network.facts.known(), network.spec

    peak, (network, *_) = traced(look)
    assert peak < _LITTLE, f"{peak} bytes"
    assert network._heads is None


@pytest.mark.parametrize("spec", MEDIUM)
def test_memory_is_foretold(spec, monkeypatch):
    """Within a factor of 2: with twice of what it takes it is built, with half of it refused."""

    def wire():
        network = hopscape.build(spec)
        return network.indptr, network.heads, network.reverse

    wire()  # imports, kernels
    peak, _ = traced(wire)
    assert peak > 1_000_000
    monkeypatch.setenv("HOPSCAPE_MEMORY", str(2 * peak))
    wire()
    monkeypatch.setenv("HOPSCAPE_MEMORY", str(peak // 2))
    with pytest.raises(TooLargeError):
        wire()

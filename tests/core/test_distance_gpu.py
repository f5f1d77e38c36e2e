"""The sweep on a GPU: its bookkeeping with kernels in plain numpy, the real ones where one is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core import gpu as distance_gpu
from hopscape.core.distances import distances_from
from hopscape.core.errors import HopscapeError
from hopscape.metrics import distance_profile


class Twin:
    """The kernels, slow and obvious."""

    arrays = np

    def first(self, plan, state, sources, counts, grew) -> None:
        indptr, heads = plan.forward
        rows = state.now.reshape(plan.nodes, -1)
        for bit, source in enumerate(sources.tolist()):
            word, mask = bit // 32, np.uint32(1 << bit % 32)
            edge = {source}
            seen = {source}
            for level in range(plan.first_levels + 1):
                if level and edge:
                    counts[level] += np.uint64(len(edge))
                    grew[level, word] |= mask
                for node in edge:
                    rows[node, word] |= mask
                    state.live[node // 32] |= np.uint32(1 << node % 32)
                edge = {int(u) for v in edge for u in heads[indptr[v] : indptr[v + 1]]} - seen
                seen |= edge
            assert len(seen - edge) <= plan.room

    def step(self, plan, state, sparse, full, count, grew) -> None:
        indptr, tails = plan.backward
        now, after = (a.reshape(plan.nodes, -1) for a in (state.now, state.after))
        for v in range(plan.nodes):
            row = now[v].copy()
            for u in tails[indptr[v] : indptr[v + 1]].tolist():
                alive = state.live[u // 32] >> np.uint32(u % 32) & np.uint32(1)
                assert alive or not sparse or not now[u].any()
                if alive or not sparse:
                    row |= now[u]
            change = row ^ now[v]
            count[0] += np.uint64(np.unpackbits(change.view(np.uint8)).sum())
            grew[0] |= change
            after[v] = row
            if sparse and row.any():
                state.live_after[v // 32] |= np.uint32(1 << v % 32)
        assert not (after & ~full).any()

    def host(self, array):
        return np.array(array)


def _expected(network, sources):
    rows = [distances_from(network, int(s)) for s in sources]
    far = np.asarray([row.max() for row in rows])
    histogram = np.zeros(far.max() + 1, dtype=np.int64)
    for row in rows:
        for distance in row[row >= 0]:
            histogram[distance] += 1
    return histogram.tolist(), far.tolist()


def _check(network, sources, kernels) -> None:
    histogram, far = distance_gpu.distance_sweep(network, sources, kernels)
    assert (histogram.tolist(), far.tolist()) == _expected(network, sources)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(0, 90), st.booleans(), st.integers(0, 2**32 - 1))
def test_bookkeeping_on_random_graphs(nodes, links, duplex, seed) -> None:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, size=(2, links))
    network = hopscape.Network.from_links(nodes, *ends, duplex=duplex, spec="random")
    _check(network, rng.permutation(nodes)[: rng.integers(1, nodes + 1)], Twin())


@pytest.mark.parametrize(
    "spec", ["ring(40)", "complete(50)", "petersen", "path(30)", "torus(5, 5)"]
)
def test_bookkeeping_in_small_batches(spec, monkeypatch) -> None:
    """Several batches; the first is the shallowest, so that others must be done again."""
    monkeypatch.setattr(distance_gpu, "_BATCH", 4)
    monkeypatch.setattr(distance_gpu, "_MOST_FIRST", 1)
    network = hopscape.build(spec)
    middle = np.argsort(np.abs(np.arange(network.order) - network.order // 2), kind="stable")
    _check(network, middle, Twin())
    monkeypatch.setattr(distance_gpu, "_GROUP_LEVELS", 1)
    _check(network, middle, Twin())
    monkeypatch.setattr(distance_gpu, "_QUEUE", 0)
    _check(network, middle, Twin())


def _gpu() -> bool:
    from hopscape.core.gpu import cupy

    try:
        return cupy() is not None
    except HopscapeError:
        return False


@pytest.mark.skipif(not _gpu(), reason="no GPU here")
@pytest.mark.parametrize(
    "spec", ["torus(20, 20)", "random_regular(3000, 6)", "path(700)", "kautz(3, 6)"]
)
def test_the_real_kernels(spec) -> None:
    network = hopscape.build(spec)
    _check(network, np.arange(network.order), None)


@pytest.mark.skipif(_gpu(), reason="a GPU is here")
def test_without_a_gpu_it_is_one_sentence() -> None:
    with pytest.raises(HopscapeError, match="device"):
        distance_profile(hopscape.build("random_regular(10, 3)"), device="gpu")
    with pytest.raises(HopscapeError, match="'cpu' or 'gpu'"):
        distance_profile(hopscape.build("petersen"), device="tpu")

"""The graphics processor, where there is one: CuPy, its compiler and its memory.

Distances and eccentricities on a graphics processor; the kernels are in ``distance_gpu.cu``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, MissingPackageError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.numbers import byte_count
from hopscape.core.progress import track

__all__ = ["Kernels", "compiled", "cupy", "distance_sweep", "require_device_memory"]


@cache
def cupy() -> Any:
    """The module CuPy, with a device that answers.

    Raises:
        MissingPackageError: When CuPy is not installed.
        ArgumentError: When there is no device, or the driver does not fit.
    """
    try:
        import cupy as module
    except ImportError as error:
        raise MissingPackageError(
            "device 'gpu' needs the package cupy: pip install 'hopscape[gpu]'"
        ) from error
    try:
        count = int(module.cuda.runtime.getDeviceCount())
        module.zeros(1).sum()  # the driver, the runtime and the compiler work together
    except Exception as error:  # CuPy raises errors of many kinds, one for each library below it
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ArgumentError(f"device is 'gpu', but CUDA does not work here: {reason}") from error
    if count < 1:
        raise ArgumentError("device is 'gpu', but this machine has none; leave it out for the CPU")
    return module


@cache
def compiled(package: str, name: str, **macros: int) -> Any:
    """The kernels of a CUDA source beside the modules of a package, for constants as macros."""
    source = files(package).joinpath(name).read_text(encoding="utf-8")
    options = ("-std=c++17", *(f"-D{key}={value}" for key, value in macros.items()))
    return cupy().RawModule(code=source, options=options)


def require_device_memory(size: int, what: str) -> None:
    """Refuse, with the number, what would not fit on the device."""
    free, _ = cupy().cuda.runtime.memGetInfo()
    if size > free:
        raise TooLargeError(
            f"{what} would need {byte_count(size)} on the GPU, which has {byte_count(free)} free"
        )


VECTORS = 8
"""Vectors of 16 bytes for each node: with 8, a row is one cache line, and 1,024 sources go
together."""
_BATCH = 128 * VECTORS
_WORDS = 4 * VECTORS
_QUEUE = 2048  # nodes of the first levels, listed for each source: 8 MiB for a batch
_MOST_FIRST = 8  # levels listed so at most, where the degree is small
_GROUP_LEVELS = 1 << 15  # levels started before their counters are read back
_SPARSE_LEVELS = 1  # levels after the queue in which most rows are still empty and worth skipping


class Kernels(Protocol):
    """What the sweep asks of a device; the tests have one in plain numpy."""

    arrays: Any
    """The module of its arrays: cupy, or numpy."""

    def first(self, plan: _Plan, state: _State, sources: Any, counts: Any, grew: Any) -> None:
        """The first levels of a batch, by breadth-first search from each source."""

    def step(
        self, plan: _Plan, state: _State, sparse: bool, full: Any, count: Any, grew: Any
    ) -> None:
        """One level more: from ``now`` to ``after``."""

    def host(self, array: Any) -> Any:
        """An array of the device as one of numpy."""


class _Plan(NamedTuple):
    """The graph on the device, and how far the first searches go."""

    nodes: int
    forward: tuple[Any, Any]
    backward: tuple[Any, Any]
    first_levels: int
    room: int


class _State(NamedTuple):
    """Working memory of a batch."""

    queues: Any
    now: Any
    after: Any
    live: Any
    live_after: Any

    def turned(self) -> _State:
        return self._replace(
            now=self.after, after=self.now, live=self.live_after, live_after=self.live
        )


def distance_sweep(
    network: Network, sources: IntArray, kernels: Kernels | None = None
) -> tuple[IntArray, IntArray]:
    """Sweep over all distances from many sources.

    Args:
        sources: ndarray of int
        kernels: The GPU when left out.

    Returns:
        histogram, eccentricity: As from :func:`hopscape.core.distance_kernels.distance_sweep`.

    Raises:
        ArgumentError, MissingPackageError: When there is no device.
        TooLargeError: When it has not enough memory.
    """
    device = kernels if kernels is not None else _Cuda(network)
    plan = _plan(network, device)
    state = _state(network.order, plan, device)
    there = device.arrays.asarray(sources, dtype=device.arrays.int32)
    batches = [there[low : low + _BATCH] for low in range(0, len(sources), _BATCH)]
    totals: dict[int, int] = {0: len(sources)}
    far: list[IntArray] = []
    levels = 0
    position = 0
    with_progress = iter(track(range(len(batches)), f"distances in {network.spec} on the GPU"))
    while position < len(batches):
        if not levels:  # nobody knows yet how far: look after every level
            group = batches[position : position + 1]
            counts, grew = _watched(plan, state, group[0], device)
            levels = len(counts) - 1
        else:
            group = batches[position : position + max(1, _GROUP_LEVELS // (levels + 1))]
            counts, grew = _blind(plan, state, group, levels, device)
        for i, batch in enumerate(group):
            own, bits = (counts, grew) if counts.ndim == 1 else (counts[i], grew[i])
            if own.sum() < len(batch) * (network.order - 1) and own[-1]:  # deeper than the others
                own, bits = _watched(plan, state, batch, device)
                levels = max(levels, len(own) - 1)
            for level in np.nonzero(own)[0].tolist():
                totals[level] = totals.get(level, 0) + int(own[level])
            far.append(_last_levels(bits, len(batch)))
            next(with_progress)
        position += len(group)
    histogram = np.zeros(max(totals) + 1, dtype=np.int64)
    for level, count in totals.items():
        histogram[level] = count
    return histogram, np.concatenate(far)


def _plan(network: Network, device: Kernels) -> _Plan:
    xp = device.arrays
    if len(network.heads) >= 2**31:
        raise TooLargeError(f"{network.spec} has {len(network.heads)} channels, too many for a GPU")
    forward = tuple(xp.asarray(a, dtype=xp.int32) for a in (network.indptr, network.heads))
    backward = forward
    if not network.duplex:
        backward = tuple(xp.asarray(a, dtype=xp.int32) for a in network.reversed_csr())
    degree = max(2, int(network.degrees.max(initial=0)))
    first, room = 0, 1
    while first < _MOST_FIRST and room + degree ** (first + 1) <= _QUEUE:
        first += 1
        room += degree**first
    return _Plan(network.order, forward, backward, first, room)


def _state(nodes: int, plan: _Plan, device: Kernels) -> _State:
    xp = device.arrays
    rows = [xp.zeros(nodes * _WORDS, dtype=xp.uint32) for _ in range(2)]
    live = [xp.zeros(nodes // 32 + 1, dtype=xp.uint32) for _ in range(2)]
    return _State(xp.zeros(_BATCH * plan.room, dtype=xp.int32), *rows, *live)


def _full_row(sources: int, device: Kernels) -> Any:
    """The row of a node that all sources of a batch have reached."""
    bits = np.zeros(32 * _WORDS, dtype=np.uint8)
    bits[:sources] = 1
    return device.arrays.asarray(np.packbits(bits, bitorder="little").view(np.uint32))


def _begin(plan: _Plan, state: _State, batch: Any, device: Kernels, *out: Any) -> None:
    """Set up a batch and do its first levels."""
    state.now.fill(0)
    state.live.fill(0)
    device.first(plan, state, batch, *out)


def _watched(plan: _Plan, state: _State, batch: Any, device: Kernels) -> tuple[IntArray, IntArray]:
    """A batch with a look at the counts after every level: counts and who grew, by level."""
    xp = device.arrays
    room = plan.first_levels + 1
    counts = xp.zeros(room, dtype=xp.uint64)
    grew = xp.zeros((room, _WORDS), dtype=xp.uint32)
    full = _full_row(len(batch), device)
    _begin(plan, state, batch, device, counts, grew)
    known = [device.host(counts).astype(np.int64)]
    bits = [device.host(grew)]
    missing = len(batch) * (plan.nodes - 1) - int(known[0].sum())
    level = plan.first_levels
    while missing and (level == 0 or known[-1][-1]):
        level += 1
        count, more = xp.zeros(1, dtype=xp.uint64), xp.zeros((1, _WORDS), dtype=xp.uint32)
        sparse = level <= plan.first_levels + _SPARSE_LEVELS
        if sparse:
            state.live_after.fill(0)
        device.step(plan, state, sparse, full, count, more)
        state = state.turned()
        known.append(device.host(count).astype(np.int64))
        bits.append(device.host(more))
        missing -= int(known[-1][0])
    return np.concatenate(known), np.concatenate(bits)


def _blind(
    plan: _Plan, state: _State, group: list[Any], levels: int, device: Kernels
) -> tuple[IntArray, IntArray]:
    """Batches with a number of levels that was enough before, without waiting in between."""
    xp = device.arrays
    counts = xp.zeros((len(group), levels + 1), dtype=xp.uint64)
    grew = xp.zeros((len(group), levels + 1, _WORDS), dtype=xp.uint32)
    rows = {size: _full_row(size, device) for size in {len(batch) for batch in group}}
    for i, batch in enumerate(group):
        full = rows[len(batch)]
        _begin(plan, state, batch, device, counts[i], grew[i])
        for level in range(plan.first_levels + 1, levels + 1):
            sparse = level <= plan.first_levels + _SPARSE_LEVELS
            if sparse:
                state.live_after.fill(0)
            device.step(plan, state, sparse, full, counts[i, level:], grew[i, level:])
            state = state.turned()
    return device.host(counts).astype(np.int64), device.host(grew)


def _last_levels(grew: IntArray, sources: int) -> IntArray:
    """The last level at which each source found something new."""
    bits = np.unpackbits(grew.view(np.uint8), axis=1, bitorder="little")[:, :sources]
    last = len(bits) - 1 - np.argmax(bits[::-1], axis=0)
    return np.where(bits.any(axis=0), last, 0).astype(np.int32)


class _Cuda:
    """The kernels on a CUDA device."""

    def __init__(self, network: Network) -> None:
        self.arrays = cupy()
        rows = 2 * 16 * VECTORS * network.order
        channels = 4 * (len(network.heads) + network.order) * (1 if network.duplex else 2)
        require_device_memory(
            rows + channels + 4 * _BATCH * _QUEUE, f"all distances of {network.spec}"
        )
        module = compiled("hopscape.core", "distance_gpu.cu", V=VECTORS)
        self._first, self._step = module.get_function("first"), module.get_function("step")

    def first(self, plan: _Plan, state: _State, sources: Any, counts: Any, grew: Any) -> None:
        numbers = (np.int32(len(sources)), np.int32(plan.first_levels), np.int32(plan.room))
        arrays = (*plan.forward, sources, state.now, state.live)
        self._first((len(sources),), (256,), (*arrays, *numbers, state.queues, counts, grew))

    def step(
        self, plan: _Plan, state: _State, sparse: bool, full: Any, count: Any, grew: Any
    ) -> None:
        blocks = -(-plan.nodes * VECTORS // 256)
        arrays = (*plan.backward, state.now, state.after, state.live, state.live_after)
        numbers = (np.int32(sparse), full, np.int32(plan.nodes))
        self._step((blocks,), (256,), (*arrays, *numbers, count, grew))

    def host(self, array: Any) -> Any:
        return array.get()

"""Simulated annealing of many lifts at once on a GPU; the kernel is in ``anneal_gpu.cu``.

Each block of threads anneals one lift, by the moves and the random numbers of
:mod:`anneal_kernels`: a climb ends with the same graph on either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from hopscape.core.annealing import pieces
from hopscape.core.gpu import compiled, cupy, require_device_memory
from hopscape.search.graph.climb import Climb
from hopscape.search.graph.lifts import LiftShape
from hopscape.search.graph.problem import Problem

__all__ = [
    "ClimbDevice",
    "Heats",
    "anneal_together",
    "gpu_seconds_per_step",
    "side_by_side",
    "suits_gpu",
]

_THREADS = 512  # of a block, at most
_SHARED = 200_000  # bytes of shared memory of a block, below the 227 KiB of compute capability 9
_PIECES = 64  # of a climb in a launch: about half a second
_BLOCKS, _MOST_RESIDENT = 132, 8  # multiprocessors of a large GPU, and blocks for each at most
_STEP, _VISIT = 5e-8, 3.3e-13  # seconds: a move, and a channel looked at, of all blocks together
_SPILLED = 5  # times as long where the sets of sources do not fit into shared memory


class Heats(NamedTuple):
    """How long to anneal, and between which temperatures."""

    steps: int
    hot: float
    cold: float


class ClimbDevice(Protocol):
    """What is asked of a device; the tests have one that is compiled for the processor."""

    arrays: Any
    """The module of its arrays: cupy, or numpy."""

    def address(self, array: Any) -> int:
        """Where an array begins in its memory."""

    def run(self, chains: Any, threads: int, room: int) -> None:
        """One block of so many threads and bytes of shared memory for each chain."""

    def host(self, array: Any) -> Any:
        """An array of the device as one of numpy."""


def suits_gpu(shape: LiftShape, problem: Problem) -> bool:
    """Can a GPU anneal it: any symmetric graph whose group moves every node?"""
    return problem.free and shape.fold > 1 and not shape.fixed and shape.degree > 0


def gpu_seconds_per_step(shape: LiftShape) -> float:
    """About how long a move takes on a large GPU that is full: the same on every machine."""
    n, d = shape.order, max(shape.degree, 2)
    levels = math.log(max(n, 3)) / math.log(max(d - 1, 2)) + 1
    visits = n * d * levels * -(-shape.base // 32)
    return _STEP + _VISIT * visits * (_SPILLED if _room(shape) > _SHARED else 1)


def side_by_side(nodes: int) -> int:
    """How many graphs a large GPU anneals at once."""
    return _BLOCKS * min(max(_SHARED // (8 * nodes), 1), _MOST_RESIDENT)


def _room(shape: LiftShape) -> int:
    """Bytes of shared memory: the darts, and the sources that have reached each node."""
    return 16 * shape.darts + 8 * shape.order


def anneal_together(
    climbs: Sequence[Climb],
    plan: Sequence[Heats],
    *,
    stop: Callable[[], bool] = lambda: False,
    device: ClimbDevice | None = None,
) -> None:
    """Anneal climbs side by side, as :meth:`Climb.anneal` does one after the other.

    Args:
        climbs: Of graphs of one order.
        plan: For each climb.
        stop: Asked about twice a second; when it says so, the climbs stay as they are then.

    Raises:
        ArgumentError, MissingPackageError: When there is no device.
        TooLargeError: When it has not enough memory.
    """
    if not climbs:
        return
    there = device if device is not None else _Cuda()
    n = climbs[0].shape.order
    spilled = max(_room(climb.shape) for climb in climbs) > _SHARED
    if device is None:
        tables = {id(climb.lift.right): climb.lift.right.nbytes for climb in climbs}
        rows = 8 * n * len(climbs) if spilled else 0
        require_device_memory(sum(tables.values()) + rows, f"{len(climbs)} graphs of {n} nodes")
    chains = _Chains(climbs, there, spilled)
    threads = min(_THREADS, max(32, 1 << (n // 4).bit_length() - 1)) if n >= 4 else 32
    room = max(16 * climb.shape.darts + (0 if spilled else 8 * n) for climb in climbs)
    schedules = [
        pieces(heats.steps, climb.piece, heats.hot, heats.cold)
        for climb, heats in zip(climbs, plan, strict=True)
    ]
    try:
        while chains.give(schedules) and not stop():
            there.run(chains.table(), threads, room)
    finally:
        chains.fetch()


class _Chains:
    """The climbs on the device."""

    def __init__(self, climbs: Sequence[Climb], device: ClimbDevice, spilled: bool) -> None:
        self._climbs, self._device = climbs, device
        xp = self._xp = device.arrays
        self._tables: dict[int, Any] = {}
        self._moving = {
            name: [xp.asarray(array) for array in arrays]
            for name, arrays in (
                ("mate", [climb.lift.mate for climb in climbs]),
                ("volt", [climb.lift.volt for climb in climbs]),
                ("best_mate", [climb.memory.best_mate for climb in climbs]),
                ("best_volt", [climb.memory.best_volt for climb in climbs]),
                ("score", [climb.memory.score for climb in climbs]),
                ("state", [climb.memory.state for climb in climbs]),
            )
        }
        many, n = len(climbs), climbs[0].shape.order
        self._rows = xp.empty((many if spilled else 0, 2, n), dtype=np.uint32)
        self._steps = xp.zeros((many, _PIECES), dtype=np.int64)
        self._heats = xp.zeros((many, _PIECES, 2), dtype=np.float64)

    def _there(self, array: Any) -> int:
        """The address of a table that climbs share."""
        key = id(array)
        if key not in self._tables:
            self._tables[key] = array, self._xp.asarray(np.ascontiguousarray(array))
        return self._device.address(self._tables[key][1])

    def give(self, schedules: Sequence[Iterator[tuple[int, float, float]]]) -> bool:
        """The next pieces of all climbs; False when all are at their ends."""
        steps = np.zeros(self._steps.shape, dtype=np.int64)
        heats = np.ones(self._heats.shape)
        for i, schedule in enumerate(schedules):
            for k, (count, hot, cold) in enumerate(islice(schedule, _PIECES)):
                steps[i, k] = count
                heats[i, k] = hot, (cold / hot) ** (1.0 / count)
        self._steps[...] = self._xp.asarray(steps)
        self._heats[...] = self._xp.asarray(heats)
        return bool(steps.any())

    def table(self) -> Any:
        """All climbs as the kernel finds them: ``struct Chain``."""
        return self._xp.asarray(np.array([self._row(i) for i in range(len(self._climbs))]))

    def _row(self, i: int) -> list[int]:
        climb, address = self._climbs[i], self._device.address
        shape, lift, task = climb.shape, climb.lift, climb.task
        cyclic = shape.group == f"cyclic({shape.fold})"
        numbers = [
            shape.fold, shape.base, shape.degree, len(lift.inverse), len(lift.involutions),
            int(cyclic), task.aim, task.beyond, int(task.least[1]) // shape.fold, _PIECES,
        ]  # fmt: skip
        shared = (lift.right, lift.inverse, climb.chosen, lift.involutions, lift.side)
        words = [*numbers, *map(self._there, shared)]
        words += [address(self._moving[name][i]) for name in self._moving]
        words += [address(self._steps[i]), address(self._heats[i])]
        return [*words, address(self._rows[i]) if len(self._rows) else 0]

    def fetch(self) -> None:
        """Bring the climbs on the host up to date."""
        from hopscape.search.graph.move_kernels import wire

        host = self._device.host
        for i, climb in enumerate(self._climbs):
            for name, arrays in self._moving.items():
                owner = climb.lift if name in ("mate", "volt") else climb.memory
                getattr(owner, name)[:] = host(arrays[i])
            wire(climb.lift)


class _Cuda:
    """The kernel on a CUDA device."""

    def __init__(self) -> None:
        self.arrays = cupy()
        self._kernel = compiled("hopscape.search.graph", "anneal_gpu.cu").get_function("anneal")

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def run(self, chains: Any, threads: int, room: int) -> None:
        if room > 48_000:
            self._kernel.max_dynamic_shared_size_bytes = room
        self._kernel((len(chains),), (threads,), (chains,), shared_mem=room)
        self.arrays.cuda.get_current_stream().synchronize()

    def host(self, array: Any) -> Any:
        return array.get()

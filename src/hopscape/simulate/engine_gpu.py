"""The engine on a graphics processor: the same cycles, packet by packet, for many runs at once.

The kernels are in ``engine_gpu.cu``; they work on the tables of :mod:`hopscape.simulate.layout` and
move every packet as ``engine_kernels.py`` does. Runs of one network ("replicas": other loads, other
seeds) go side by side: one network of a thousand routers does not fill a device. Each run is
measured as on a processor, by a thread of its own that asks the batch for its next cycle; the
batch goes to the earliest cycle that anybody asked for.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, Protocol

import numpy as np

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.gpu import compiled, cupy, require_device_memory
from hopscape.simulate import layout
from hopscape.simulate.fabric import Setup
from hopscape.simulate.layout import Counters, Source, State

__all__ = ["Batch", "BatchRun", "Device", "Replicas", "macros"]

KERNELS = ("arrive", "inject", "ask", "answer", "choose", "take", "move", "tick")
_COPIES = 32
"""Copies of the sums of a window: a hundred thousand arrivals in a cycle would queue for one."""
_ROWS = 2**31 - 1
_GRAPH = 32
"""Cycles that are launched as one: a launch of its own takes as long as a small kernel runs."""
_THREADS = 256  # on a torus of a million routers 4 % quicker than 128, as quick as 512
_BLOCKS = 2048  # fifteen for each multiprocessor of a large device; the kernels go round


class BatchRun(NamedTuple):
    """One of the runs of a batch, with the state on the host that is brought up to date."""

    state: State
    source: Source
    counters: Counters


class Device(Protocol):
    """What the engine asks of a device; the tests have one that is compiled for the processor."""

    arrays: Any
    """The module of its arrays: cupy, or numpy."""

    def address(self, array: Any) -> int:
        """Where an array begins in its memory."""

    def run(self, engine: Any, cycles: int, width: int) -> None:
        """So many cycles, for tables of so many rows."""

    def host(self, array: Any) -> Any:
        """An array of the device as one of numpy."""


def macros() -> dict[str, int]:
    """The constants of the layout, as the kernels name them."""
    return {name: value for name, value in vars(layout).items() if name.isupper()}


class Replicas:
    """Runs of one network side by side on a device, from their first cycle on.

    Args:
        members: Their fresh states; targets and sizes of packets are those of all.
        patience: A run in which nothing moves for so many cycles stands still from then on.
    """

    def __init__(
        self, setup: Setup, members: list[BatchRun], patience: int, device: Device | None = None
    ) -> None:
        _require_plain(setup, members)
        rows = len(members[0].state.vcs)
        if rows * len(members) > _ROWS:
            raise TooLargeError(
                f"{len(members)} runs of {setup.network.spec} have {rows * len(members)} virtual"
                f" channels; a device takes {_ROWS}"
            )
        self._setup, self._members, self._rows = setup, members, rows
        if device is None:
            require_device_memory(self.bytes_needed(setup, members), f"{setup.network.spec}")
        self._device = device if device is not None else _Cuda()
        self._tables = self._upload(patience)
        self._engine = self._describe()

    @staticmethod
    def bytes_needed(setup: Setup, members: list[BatchRun]) -> int:
        """Bytes on the device."""
        state = members[0].state
        moving = sum(int(getattr(state, name).nbytes) for name in State._fields)
        sums = sum(int(array.nbytes) for array in members[0].counters)
        windows = members[0].counters.windows.nbytes * _COPIES
        extra = 16 * len(state.units) + 8 * len(state.sides)
        tables = setup.memory() - moving
        return max(0, tables) + len(members) * (moving + sums + windows + extra)

    @property
    def now(self) -> int:
        """The next cycle."""
        return int(self._device.host(self._tables["clock"])[0])

    def advance(self, until: int) -> None:
        """Run to a cycle."""
        device, tables, members = self._device, self._tables, self._members
        scalars = np.stack([member.state.scalars for member in members])
        tables["scalars"][...] = device.arrays.asarray(scalars)
        spans = np.stack([member.counters.span for member in members])
        tables["span"][...] = device.arrays.asarray(spans)
        device.run(self._engine, until - self.now, self._rows * len(members))
        scalars = device.host(tables["scalars"])
        moved = tables["sides"][:, layout.X_KEY].reshape(len(members), -1)  # counted at the inputs
        scalars[:, layout.FLIT_HOPS] = device.host(moved.sum(axis=1))
        for member, line in zip(members, scalars, strict=True):
            member.state.scalars[:] = line

    def stands_still(self, place: int) -> bool:
        """Has nothing moved in a run for longer than the patience?"""
        return bool(self._device.host(self._tables["still"][place : place + 1])[0])

    def fetch(self, place: int) -> None:
        """Bring what is measured of one run, and its endpoints, up to date on the host."""
        host, tables = self._device.host, self._tables
        state, _, counters = self._members[place]
        for name in ("ends", "injectors"):
            getattr(state, name)[:] = host(self._part(name, place))
        counters.windows[:] = host(tables["windows"][place]).sum(axis=0)
        for name in ("histogram", "used", "received"):
            getattr(counters, name)[:] = host(tables[name][place])

    def fetch_all(self, place: int) -> None:
        """Bring the whole state of one run up to date on the host."""
        self.fetch(place)
        host, state = self._device.host, self._members[place].state
        for name in ("units", "flits"):
            getattr(state, name)[:] = host(self._part(name, place))
        used = int(state.scalars[layout.FRESH])
        state.packets[:used] = host(self._part("packets", place)[:used])
        sides = state.vcs[:, layout.V_SIDE].copy()
        state.vcs[:] = host(self._part("vcs", place))
        state.vcs[:, layout.V_SIDE] = sides
        first = state.flits[np.arange(self._rows), state.vcs[:, layout.HEAD]]
        state.vcs[:, layout.FRONT] = first
        self._fetch_wheels(place, state)

    def _fetch_wheels(self, place: int, state: State) -> None:
        """Bring flits and credits under way up to date on the host."""
        ahead = state.vcs[:, layout.HEAD] + state.vcs[:, layout.COUNT]
        wheels = {name: self._device.host(self._tables[name]) for name in ("arrivals", "credits")}
        now, wheel = int(state.scalars[layout.NOW]), len(state.arrivals)
        for name, slots in wheels.items():
            for slot in (np.arange(wheel) + now) % wheel:
                mine = slots[slot, 1 : 1 + slots[slot, 0]] - place * self._rows
                mine = mine[(mine >= 0) & (mine < self._rows)]
                if name == "arrivals":  # here with the flits, which are in their buffers there
                    flits = state.flits[mine, ahead[mine] % state.flits.shape[1]]
                    ahead[mine] += 1
                    mine = np.stack([mine, flits], axis=1).ravel()
                own = getattr(state, name)[slot]
                own[0], own[1 : 1 + len(mine)] = len(mine), mine

    def _part(self, name: str, place: int) -> Any:
        """The rows of one run in a table of all."""
        many = len(getattr(self._members[0].state, name))
        return self._tables[name][place * many : (place + 1) * many]

    def _upload(self, patience: int) -> dict[str, Any]:
        """All tables on the device, and the numbers that go with them."""
        fabric, (state, source, counters) = self._setup.fabric, self._members[0]
        numbers = {
            "replicas": len(self._members),
            "routers": len(fabric.indptr) - 1,
            "units_of_one": len(state.units),
            "rows": self._rows,
            "endpoints": len(state.ends),
            "packets_most": len(state.packets),
            "wheel": len(state.arrivals),
            "windows_many": len(counters.windows),
            "longest": counters.histogram.shape[1],
            "copies": _COPIES,
            "sizes_many": len(source.sizes),
            "masks_many": len(fabric.masks),
            "layered": int(len(fabric.layers) > 1),
            "chooses": int(len(fabric.chosen.first) > 0),
            "patience": patience,
            "fold": int(fabric.fold.kind[0]),
            "axes": len(fabric.fold.sides),
            "dated": int(len(fabric.fold.ahead) > 0),
            "columns": fabric.table.shape[1],
            "pairs_columns": max(fabric.shortest.shape[1], fabric.distances.shape[1]),
            "sets_columns": fabric.layers.shape[1],
        }
        xp = self._device.arrays
        given = {
            name: xp.asarray(np.ascontiguousarray(array, dtype=kind))
            for name, (array, kind) in self._given().items()
        }
        return numbers | given | self._moving()

    def _given(self) -> dict[str, tuple[Any, Any]]:
        """What the kernels read, and small tables from the host, each with its type there."""
        members, fabric, source = self._members, self._setup.fabric, self._members[0].source
        many = len(members)
        given: dict[str, Any] = {
            name: (getattr(fabric, name), kind)
            for name, kind in (
                ("indptr", np.int64), ("table", np.uint16),
                ("shortest", np.uint32), ("distances", np.uint16), ("masks", np.int64),
                ("sets", np.int64), ("kinds", np.int64), ("layers", np.uint8),
            )
        }  # fmt: skip
        fold = fabric.fold
        return given | {
            "sides_of": (fold.sides, np.int32),
            "switch_of": (fold.switch, np.int32),
            "port_of": (fold.port, np.uint16),
            "column_of": (fold.column, np.int32),
            "aside": (fold.aside, np.uint8),
            "sort_of": (fold.sort, np.int32),
            "runs": (fold.runs, np.int32),
            "ahead": (fold.ahead, np.int32),
            "tie_starts": (fabric.ties.starts, np.int64),
            "tie_nodes": (fabric.ties.nodes, np.int32),
            "tie_entries": (fabric.ties.entries, np.uint16),
            "chosen_first": (fabric.chosen.first, np.int64),
            "chosen_shares": (fabric.chosen.shares, np.float64),
            "chosen_starts": (fabric.chosen.starts, np.int32),
            "chosen_steps": (fabric.chosen.steps, np.int32),
            "kind": (source.kind, np.int64),
            "rates": (np.stack([m.source.rates for m in members]), np.float64),
            "targets": (source.targets, np.int32),
            "starts": (source.starts, np.int64),
            "shares": (source.shares, np.float64),
            "sizes": (source.sizes, np.int32),
            "size_shares": (source.size_shares, np.float64),
            "trace": (source.trace, np.int32),
            "clock": (np.zeros(1), np.int64),
            "counts": (np.zeros(4), np.int32),
            "scalars": (np.zeros((many, layout.SCALARS)), np.int64),
            "still": (np.zeros(many), np.int32),
            "span": (np.zeros((many, 3)), np.int64),
            "random": (np.concatenate([m.state.random for m in members]), np.uint64),
        }

    def _moving(self) -> dict[str, Any]:
        """What moves and what is counted: only what a fresh state says is copied."""
        xp, members, many = self._device.arrays, self._members, len(self._members)
        state, _, counters = members[0]
        units, wheel, exits = len(state.units), len(state.arrivals), state.ejections.shape[1] - 1

        def empty(*shape: int) -> Any:
            return xp.empty(shape, dtype=np.int32)

        def wheels(width: int) -> Any:
            slots = empty(wheel, 1 + many * width)
            slots[:, 0] = 0
            return slots

        tables: dict[str, Any] = {}
        for name in ("vcs", "units", "sides", "ends", "injectors"):
            tables[name] = xp.concatenate([xp.asarray(getattr(m.state, name)) for m in members])
        if many > 1:  # inputs of switches are numbered through all runs
            sides = np.repeat(np.arange(many) * len(state.sides), self._rows)
            tables["vcs"][:, layout.V_SIDE] += xp.asarray(sides.astype(np.int32))
        nobody = np.uint64(2**64 - 1)
        return tables | {
            "waiters": empty(2, many * self._rows),
            "senders": empty(2, many * self._rows),
            "touched": empty(many * self._rows),
            "best": xp.full(many * units, nobody, dtype=np.uint64),
            "first": xp.full(many * len(state.sides), nobody, dtype=np.uint64),
            "arrivals": wheels(units),
            "ejections": wheels(exits),
            "credits": wheels(self._rows),
            "flits": empty(many * self._rows, state.flits.shape[1]),
            "packets": empty(many * len(state.packets), layout.PACKET_FIELDS),
            "windows": xp.zeros((many, _COPIES, *counters.windows.shape)),
            "histogram": xp.zeros((many, *counters.histogram.shape), dtype=np.int64),
            "used": xp.zeros((many, units), dtype=np.int64),
            "received": xp.zeros((many, len(state.ends)), dtype=np.int64),
        }

    def _describe(self) -> Any:
        """The tables as the kernels find them: ``struct Engine``."""
        words = [
            value if isinstance(value, int) else self._device.address(value)
            for value in (self._tables[name] for name in _ENGINE)
        ]
        at = _ENGINE.index("sets_columns") + 1
        words[at:at] = self._setup.fabric.numbers.tolist()
        return self._device.arrays.asarray(np.array(words, dtype=np.int64))


_ENGINE = (
    "replicas", "routers", "units_of_one", "rows", "endpoints", "packets_most", "wheel",
    "windows_many", "longest", "copies", "sizes_many", "masks_many", "layered", "chooses",
    "patience", "fold", "axes", "dated", "columns", "pairs_columns", "sets_columns", "indptr",
    "table", "sides_of", "switch_of", "port_of", "column_of", "aside", "sort_of", "runs",
    "ahead", "tie_starts", "tie_nodes", "tie_entries", "shortest", "distances", "masks", "sets",
    "kinds", "layers", "chosen_first", "chosen_shares", "chosen_starts", "chosen_steps", "kind",
    "rates", "targets", "starts", "shares", "sizes", "size_shares", "trace", "clock", "counts",
    "scalars", "vcs", "units", "sides", "ends", "injectors", "waiters", "senders", "touched",
    "best", "first", "arrivals", "ejections", "credits", "flits", "packets", "random", "still",
    "span", "windows", "histogram", "used", "received",
)  # fmt: skip
"""The members of ``struct Engine``, in its order."""


def _require_plain(setup: Setup, members: list[BatchRun]) -> None:
    """Refuse what only the engine of the processor does."""
    if any(len(member.source.transfers) for member in members):
        raise ArgumentError("device is 'gpu'; schedules are replayed on the CPU only")
    if setup.fabric.moved.size:
        raise ArgumentError("device is 'gpu'; faults are simulated on the CPU only")


class _Cuda:
    """The kernels on a CUDA device."""

    def __init__(self) -> None:
        self.arrays = cupy()
        module = compiled("hopscape.simulate", "engine_gpu.cu", **macros())
        self._place = module.get_global("engine")
        self._kernels = [module.get_function(name) for name in KERNELS]
        self._stream = self.arrays.cuda.Stream(non_blocking=True)
        self._graph: Any = None

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def run(self, engine: Any, cycles: int, width: int) -> None:
        self._place.copy_from_device(engine.data, engine.nbytes)
        self.arrays.cuda.get_current_stream().synchronize()
        with self._stream:
            if self._graph is None and cycles >= _GRAPH:
                self._cycle(width)  # loads the kernels, which a capture must not
                self._stream.begin_capture()
                for _ in range(_GRAPH):
                    self._cycle(width)
                self._graph = self._stream.end_capture()
                cycles -= 1
            whole, rest = divmod(cycles, _GRAPH)
            for _ in range(whole):
                self._graph.launch(self._stream)
            for _ in range(rest):
                self._cycle(width)
        self._stream.synchronize()

    def _cycle(self, width: int) -> None:
        blocks = min(_BLOCKS, -(-width // _THREADS))
        for name, kernel in zip(KERNELS, self._kernels, strict=True):
            kernel((1 if name == "tick" else blocks,), (_THREADS,), ())

    def host(self, array: Any) -> Any:
        return array.get()


class Batch:
    """Runs that advance together: each asks for its next cycle and waits.

    Args:
        runs: How many will come; nobody advances before all have.
    """

    def __init__(
        self, setup: Setup, runs: int, patience: int, device: Device | None = None
    ) -> None:
        self._setup, self._left, self._patience, self._device = setup, runs, patience, device
        self._turn = threading.Condition()
        self._members: list[BatchRun] = []
        self._asked: dict[int, int] = {}
        self._replicas: Replicas | None = None
        self._error: BaseException | None = None

    def join(self, member: BatchRun) -> Seat:
        """A place for a run, once all have come."""
        with self._turn:
            place = len(self._members)
            self._members.append(member)
            self._go_on()
            self._turn.wait_for(lambda: self._replicas is not None or self._error is not None)
            self._raise()
        return Seat(self, place)

    def advance(self, place: int, until: int) -> bool:
        """Bring one run to a cycle; True when it stands still."""
        with self._turn:
            self._raise()
            self._asked[place] = until
            self._go_on()
            self._turn.wait_for(lambda: place not in self._asked or self._error is not None)
            self._raise()
            assert self._replicas is not None
            return self._replicas.stands_still(place)

    def settle(self, place: int) -> None:
        """Bring the whole state of one run to the host."""
        with self._turn:
            self._raise()
            assert self._replicas is not None
            self._replicas.fetch_all(place)

    def leave(self) -> None:
        """A run is over, or did not come to its beginning; the others go on without it."""
        with self._turn:
            self._left -= 1
            self._go_on()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _go_on(self) -> None:
        """Whoever comes last does the work for all."""
        try:
            if self._replicas is None:
                if self._members and len(self._members) == self._left:
                    self._replicas = Replicas(
                        self._setup, self._members, self._patience, self._device
                    )
                    self._turn.notify_all()
                return
            if not self._asked or len(self._asked) < self._left:
                return
            stop = min(self._asked.values())
            self._replicas.advance(stop)
            for place, until in list(self._asked.items()):
                if until == stop or self._replicas.stands_still(place):
                    self._replicas.fetch(place)
                    del self._asked[place]
            self._turn.notify_all()
        except BaseException as error:
            self._error = error
            self._turn.notify_all()
            raise


class Seat:
    """The place of one run in a batch: what :class:`hopscape.simulate.run.Run` advances."""

    def __init__(self, batch: Batch, place: int) -> None:
        self._batch, self._place = batch, place

    def advance(self, until: int) -> bool:
        """Run to a cycle; True when nothing moves any more."""
        return self._batch.advance(self._place, until)

    def settle(self) -> None:
        """Bring the whole state up to date."""
        self._batch.settle(self._place)

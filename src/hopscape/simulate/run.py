"""A simulation under way: cycles, faults in their time, and a look for deadlock."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.processes import require_memory
from hopscape.core.progress import step_done
from hopscape.simulate import layout
from hopscape.simulate.engine_gpu import Batch, BatchRun, Seat
from hopscape.simulate.fabric import Setup
from hopscape.simulate.layout import Counters, Source, State
from hopscape.simulate.parts import advance_parts

if TYPE_CHECKING:
    from hopscape.simulate.faults import Epoch, Fault

__all__ = ["PATIENCE", "WINDOW", "Run", "blank_counters", "is_deadlocked", "stuck_rows"]

WINDOW = 100
_LONGEST = 1 << 14
PATIENCE = 3000
"""Cycles without a move after which a run with packets under way stands still."""
_LOOK, _SOON, _MOST_HASTE = 128, 16, 64
_STRIDE = 64  # cycles at first
_PACE = 0.4  # seconds at most between two looks at the clock, and at Ctrl-C


def blank_counters(setup: Setup, windows: int) -> Counters:
    """Counters that measure nothing yet."""
    require_memory(8 * layout.WINDOW_FIELDS * windows, f"the counts of {windows * WINDOW} cycles")
    return Counters(
        span=np.array([-1, -1, WINDOW], dtype=np.int64),
        windows=np.zeros((windows, layout.WINDOW_FIELDS)),
        histogram=np.zeros((2, _LONGEST), dtype=np.int64),
        used=np.zeros(setup.units, dtype=np.int64),
        received=np.zeros(setup.endpoints, dtype=np.int64),
    )


class Run:
    """A simulation under way, whose faults happen in their cycles.

    After a fault packets on old routes meet packets on new ones, which no certificate covers.
    Until the old ones are gone, channels that wait for each other are looked for, and one of their
    packets is thrown away (and counted as lost) until the others move.

    Args:
        batch: The device that it runs on, beside others; the processor when left out.

    Attributes:
        expected (int): Cycles that it will probably have in all, of which progress is a share; 0
            when nobody knows.
        discarded (list of (cycle, bool)): Packets thrown away in this manner, and whether they were
            from before the fault: all are, if the certificate of the new routes holds.
    """

    def __init__(
        self,
        setup: Setup,
        state: State,
        source: Source,
        counters: Counters,
        faults: Sequence[Fault] = (),
        fault_routing: str = "family",
        batch: Batch | None = None,
    ) -> None:
        self.setup, self.state, self.source, self.counters = setup, state, source, counters
        self.discarded: list[tuple[int, bool]] = []
        self._epochs: list[Epoch] = []
        self._mixed: Epoch | None = None
        self._pause, self._haste = _LOOK, 1
        self.expected, self._stride = 0, _STRIDE
        self._seat: Seat | None = None
        if batch is not None:
            if faults:
                raise ArgumentError("device is 'gpu'; faults are simulated on the CPU only")
            self._seat = batch.join(BatchRun(state, source, counters))
            return
        if faults:
            from hopscape.simulate.faults import plan_epochs

            self._epochs = plan_epochs(setup, faults, fault_routing)
        advance_parts(
            setup.fabric, state, source, blank_counters(setup, 1), 0, PATIENCE
        )  # compiles

    @property
    def now(self) -> int:
        """The next cycle."""
        return int(self.state.scalars[layout.NOW])

    def to(self, until: int) -> bool:
        """Run to a cycle; True when nothing moves any more."""
        if self._seat is not None:
            return self._seat.advance(until) if until > self.now else False
        while True:
            if self._epochs and self._epochs[0].cycle <= self.now:
                self._strike(self._epochs.pop(0))
            if self.now >= until:
                return False
            stop = min(until, self._epochs[0].cycle) if self._epochs else until
            if self._mixed is not None:
                stop = min(stop, self.now + self._pause)
            while self.now < stop:
                if self._advance(min(stop, self.now + self._stride)):
                    return True
            if self._mixed is not None:
                self._untangle(self._mixed)

    def _advance(self, stop: int) -> bool:
        """Some cycles that take a fraction of a second: a kernel cannot be interrupted."""
        begin = time.monotonic()
        fabric, run = self.setup.fabric, (self.state, self.source, self.counters)
        still = advance_parts(fabric, *run, stop, PATIENCE)
        spent = time.monotonic() - begin
        if spent < _PACE / 4:
            self._stride *= 2
        elif spent > _PACE:
            self._stride = max(1, self._stride // 2)
        if self.expected:
            step_done(min(1.0, self.now / self.expected))
        return still

    def settle(self) -> None:
        """Bring all of the state up to date, of which a device shows less while it runs."""
        if self._seat is not None:
            self._seat.settle()

    def _strike(self, epoch: Epoch) -> None:
        from hopscape.simulate.faults import strike

        strike(epoch, self.state, self.source)
        self.setup, self._mixed = epoch.setup, epoch
        self._pause, self._haste = _LOOK, 1

    def _untangle(self, epoch: Epoch) -> None:
        """Throw packets away until no channels wait for each other; look again soon if any did.

        One packet of each circle goes at first; after a find twice as many, otherwise half.
        """
        from hopscape.simulate.faults import census, discard

        pause = min(_LOOK, 2 * self._pause)
        while len((waits := look_for_stuck(self.setup, self.state)).rows):
            gone, old = self._victims(waits, epoch.cycle)
            discard(epoch, self.state, gone)
            self.discarded += [(self.now, old)] * len(gone)
            pause = _SOON
        haste = 2 * self._haste if pause == _SOON else self._haste // 2
        self._haste = min(max(1, haste), _MOST_HASTE)
        self._pause = pause
        inside = sorted(census(self.setup.settings.buffer, self.state))
        if pause > _SOON and not (self.state.packets[inside, layout.SENT] < epoch.cycle).any():
            self._mixed = None

    def _victims(self, waits: StuckChannels, cycle: int) -> tuple[set[int], bool]:
        """Packets of a circle of channels that wait, and if they are from before the fault.

        Those from before come first, then others from before that are stuck inside the network.
        """
        vcs, packets = self.state.vcs, self.state.packets
        inside = len(self.setup.network.heads) << int(self.setup.fabric.numbers[layout.N_SHIFT])
        circle = waits.circle(self.setup, self.state)
        rows = np.array([*circle, *waits.rows[waits.rows < inside]])
        full = vcs[rows, layout.COUNT] > 0
        fronts = vcs[rows[full], layout.FRONT] >> 2
        old = fronts[packets[fronts, layout.SENT] < cycle]
        chosen = old if len(old) else fronts[:1]
        return {int(who) for who in chosen[: self._haste]}, len(old) > 0


class StuckChannels(NamedTuple):
    """Virtual channels that can never move again, and what they wait for.

    Attributes:
        owner: The row that sends into each row, or -1.
        front: The row with the first flit of the packet that each injector sends, or -1.
    """

    rows: IntArray
    owner: IntArray
    front: IntArray

    def circle(self, setup: Setup, state: State) -> list[int]:
        """Rows that wait for each other in a circle."""
        from hopscape.simulate.stuck_kernels import follow_waits

        first = int(self.rows[0])
        rows = follow_waits(setup.fabric, state, self.owner, self.front, first)
        return [int(row) for row in rows]


def is_deadlocked(setup: Setup, state: State) -> bool:
    """Whether some virtual channels can never move again.

    Where a certificate holds, they are looked for only when one has stood still for long.
    """
    proved = setup.certificate.deadlock_free and not setup.fabric.moved.size
    if proved and not _stands_still(setup, state):
        return False
    return len(stuck_rows(setup, state)) > 0


def _stands_still(setup: Setup, state: State) -> bool:
    """Is there a flit in the network that could have moved long ago?"""
    inside = len(setup.network.heads) << int(setup.fabric.numbers[layout.N_SHIFT])
    vcs, now = state.vcs[:inside], int(state.scalars[layout.NOW])
    waits = (vcs[:, layout.COUNT] > 0) & (vcs[:, layout.READY] < now - 2 * layout.PATIENCE)
    return bool(waits.any())


def stuck_rows(setup: Setup, state: State) -> IntArray:
    """Virtual channels that can never move again: a deadlock, when there are any.

    A virtual channel may move when its packet has a credit and a flit, or a channel to ask for that
    is free and roomy enough (adaptive packets: any of theirs), or waits for somebody who may move;
    what is left after all such have been marked is stuck.
    """
    return look_for_stuck(setup, state).rows


def look_for_stuck(setup: Setup, state: State) -> StuckChannels:
    """:func:`stuck_rows` with what they wait for."""
    from hopscape.simulate.faults import gather_flits
    from hopscape.simulate.stuck_kernels import Movement, find_owners, mark_moving

    gather_flits(state)
    rows = len(state.vcs)
    movement = Movement(
        coming=_under_way(state.arrivals, state.blocks[layout.B_ARRIVALS], rows, step=2),
        returning=_under_way(state.credits, state.blocks[layout.B_CREDITS], rows),
        owner=np.full(rows, -1, dtype=np.int64),
        front=np.full(len(state.injectors), -1, dtype=np.int64),
        moving=np.zeros(rows, dtype=np.uint8),
    )
    find_owners(setup.fabric, state, movement)
    mark_moving(setup.fabric, state, movement)
    return StuckChannels(np.nonzero(movement.moving == 0)[0], movement.owner, movement.front)


def _under_way(wheel: IntArray, blocks: IntArray, rows: int, step: int = 1) -> IntArray:
    """How many flits, or credits, of a wheel are for each row."""
    named = [
        line[block + 1 : block + 1 + line[block] : step]
        for line in wheel
        for block in blocks.tolist()
    ]
    return np.bincount(np.concatenate(named), minlength=rows)

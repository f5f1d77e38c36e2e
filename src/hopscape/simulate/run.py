"""A simulation under way: cycles, faults in their time, and a look for deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.simulate import layout
from hopscape.simulate.fabric import Plant
from hopscape.simulate.layout import Counters, Source, State

if TYPE_CHECKING:
    from hopscape.simulate.faults import Epoch, Fault

__all__ = ["WINDOW", "Run", "blank_counters", "stuck_rows"]

WINDOW = 100
_LONGEST = 1 << 14
_PATIENCE = 3000
_LOOK = 250


def blank_counters(plant: Plant, windows: int) -> Counters:
    """Counters that measure nothing yet."""
    return Counters(
        span=np.array([-1, -1, WINDOW], dtype=np.int64),
        windows=np.zeros((windows, layout.WINDOW_FIELDS)),
        histogram=np.zeros((2, _LONGEST), dtype=np.int64),
        used=np.zeros(plant.units, dtype=np.int64),
        received=np.zeros(plant.endpoints, dtype=np.int64),
    )


class Run:
    """A simulation under way, whose faults happen in their cycles.

    After a fault packets on old routes meet packets on new ones, which no certificate covers.
    Until the old ones are gone, channels that wait for each other are looked for, and one of their
    packets is thrown away (and counted as lost) until the others move.
    """

    def __init__(
        self,
        plant: Plant,
        state: State,
        source: Source,
        counters: Counters,
        faults: Sequence[Fault] = (),
    ) -> None:
        from hopscape.simulate.engine_kernels import advance

        self.plant, self.state, self.source, self.counters = plant, state, source, counters
        self._epochs: list[Epoch] = []
        self._mixed: Epoch | None = None
        if faults:
            from hopscape.simulate.faults import plan_epochs

            self._epochs = plan_epochs(plant, faults)
        advance(plant.fabric, state, source, blank_counters(plant, 1), 0, _PATIENCE)  # compiles

    @property
    def now(self) -> int:
        """The next cycle."""
        return int(self.state.scalars[layout.NOW])

    def to(self, until: int) -> bool:
        """Run to a cycle; True when nothing moves any more."""
        from hopscape.simulate.engine_kernels import advance

        while True:
            if self._epochs and self._epochs[0].cycle <= self.now:
                self._strike(self._epochs.pop(0))
            if self.now >= until:
                return False
            stop = min(until, self._epochs[0].cycle) if self._epochs else until
            if self._mixed is not None:
                stop = min(stop, self.now + _LOOK)
            fabric = self.plant.fabric
            if advance(fabric, self.state, self.source, self.counters, stop, _PATIENCE):
                return True
            if self._mixed is not None:
                self._untangle(self._mixed)

    def _strike(self, epoch: Epoch) -> None:
        from hopscape.simulate.surgery import strike

        strike(epoch, self.state, self.source)
        self.plant, self._mixed = epoch.plant, epoch

    def _untangle(self, epoch: Epoch) -> None:
        from hopscape.simulate.surgery import census, discard

        depth = self.plant.settings.buffer
        inside = sorted(census(depth, self.state))
        if not (self.state.packets[inside, layout.SENT] < epoch.cycle).any():
            self._mixed = None
            return
        while len(rows := stuck_rows(self.plant, self.state)):
            full = rows[self.state.vcs[rows, layout.COUNT] > 0]
            row = int(full[0])
            flit = int(self.state.flits[row, self.state.vcs[row, layout.HEAD]])
            discard(epoch, self.state, {flit >> 2})


def stuck_rows(plant: Plant, state: State) -> IntArray:
    """Virtual channels that can never move again: a deadlock, when there are any.

    A virtual channel may move when its packet has a credit and a flit, or a free channel to ask
    for, or waits for somebody who may move; what is left after all such have been marked is stuck.
    """
    shift = int(plant.fabric.numbers[layout.N_SHIFT])
    vcs, depth = state.vcs, plant.settings.buffer
    busy = np.nonzero(vcs[:, layout.STATE] != layout.IDLE)[0]
    owner = {
        int(vcs[row, layout.OUT]): int(row)
        for row in np.nonzero(vcs[:, layout.STATE] == layout.ACTIVE)[0]
    }
    waits: dict[int, list[int]] = {}
    moving: list[int] = []
    for row in busy.tolist():
        standing, out = int(vcs[row, layout.STATE]), int(vcs[row, layout.OUT])
        if vcs[row, layout.COUNT] == 0:  # the rest of its packet has yet to come
            waits[row] = [owner.get(row, -1)]
        elif standing == layout.ACTIVE:
            held = int(vcs[out, layout.WRITE] - vcs[out, layout.HEAD]) % depth
            full = vcs[out, layout.COUNT] == depth or (held == 0 and vcs[out, layout.COUNT] > 0)
            inside = out >> shift < plant.fabric.numbers[layout.N_CHANNELS]
            if vcs[out, layout.CREDIT] > 0 or not full or not inside:
                moving.append(row)
            else:
                waits[row] = [out]
        elif standing == layout.WAITING and out >= 0:
            allowed = int(vcs[row, layout.MISC]) >> layout.CLASS_SHIFT
            masks = plant.fabric.masks
            mask = int(masks[-2] if allowed == 255 else masks[allowed])
            if mask & int(state.units[out, layout.U_FREE]):
                moving.append(row)
            else:
                holders = [(out << shift) + v for v in range(31) if mask >> v & 1]
                emptying = (
                    h
                    if vcs[h, layout.MISC] & layout.TAIL_OUT and vcs[h, layout.STATE] != layout.IDLE
                    else -1
                    for h in holders
                )
                waits[row] = [owner.get(h, e) for h, e in zip(holders, emptying, strict=True)]
        else:
            moving.append(row)
    alive = set(moving) | {-1}
    changed = True
    while changed:
        freed = [row for row, on in waits.items() if row not in alive and alive & set(on)]
        changed = bool(freed)
        alive |= set(freed)
    return np.array(sorted(set(waits) - alive), dtype=np.int64)

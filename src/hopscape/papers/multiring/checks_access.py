"""Checks of the claims about access to rings: how many there are, packet lengths, delivery times.

Definition 2.1 and the first page of section 2.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.ledger.claim import Correction, Outcome, Searched
from hopscape.papers.multiring import printed
from hopscape.papers.multiring.capacity import balanced_schedule, shortest_schedule
from hopscape.papers.multiring.checks_common import RingCheck, multiring
from hopscape.papers.multiring.checks_delay import open_wait, saturated_rate
from hopscape.papers.multiring.reference import walk

_SEED = 20110
"""Of the lengths, destinations and orders that the checks draw."""


def ring_counts() -> Outcome:
    """2 <= n <= N - 1: how many rings differ, and what all of them together carry."""
    cross, wrong, most, duplex = RingCheck(), [], [], []
    cross.tally.expect("steps", sum(2 * n - 1 for n in range(3, 17)))
    for n in range(3, 17):
        steps = cross.tally.each("steps", range(1, 2 * n))
        maps = {tuple((x + s) % n for x in range(n)) for s in steps}
        maps.discard(tuple(range(n)))  # step N leads nowhere
        most.append(len(maps))
        if len(maps) != printed.most_rings(n):
            wrong.append(f"N = {n}: {len(maps)} different rings")
        full = multiring(n, tuple(range(1, n)), simplex=True)
        cross.same(f"N = {n}: rings of the full set", full.ports, n - 1)
        carried = shortest_schedule(full).capacity
        cross.same(f"N = {n}: capacity of all rings", carried, Fraction(n * (n - 1)))
        pairs = tuple(range(1, (n - 1) // 2 + 1))
        duplex.append(multiring(n, pairs).ports)
        for extra in (n // 2 if n % 2 == 0 else (n + 1) // 2,):
            try:
                multiring(n, (*pairs, extra))
                cross.wrong.append(f"N = {n}: a duplex ring {extra} beside ±1..±{pairs[-1]}")
            except ArgumentError:
                pass
    if min(most) < printed.LEAST_RINGS:
        wrong.append(f"{min(most)} rings")
    text = "N = 3..16: N - 1 different rings, all together carry N(N - 1) packets per slot"
    return cross.judge(
        wrong,
        text,
        note=f"of duplex rings at most {duplex[-2]} for N = 15 and {duplex[-1]} for N = 16",
        values={"different rings": most, "simplex rings of duplex sets": duplex},
    )


class _InsertionRing:
    """A simplex ring of register-insertion nodes, cell by cell; packets have any length.

    A node whose register is empty begins a packet of its own between two passing ones; what comes
    meanwhile waits in the register, first come first served.
    """

    def __init__(self, n: int, lengths: tuple[int, ...], rng: np.random.Generator) -> None:
        self.n, self.lengths, self.rng = n, lengths, rng
        self.arcs: list[tuple[int, int, int] | None] = [None] * n  # packet, cell, destination
        self.registers: list[deque[tuple[int, int, int]]] = [deque() for _ in range(n)]
        self.own: list[deque[tuple[int, int, int]]] = [deque() for _ in range(n)]
        self.size: list[int] = []
        self.due: list[int] = []
        self.hops: list[int] = []
        self.through: list[bool] = [False] * n  # in the middle of a passing packet
        self.arrived: dict[int, list[int]] = {}
        self.deepest = 0

    def _packet(self, node: int) -> deque[tuple[int, int, int]]:
        name, hops = len(self.size), int(self.rng.integers(1, self.n))
        self.size.append(int(self.rng.choice(self.lengths)))
        self.hops.append(hops)
        self.due.append((node + hops) % self.n)
        return deque((name, cell, self.due[-1]) for cell in range(self.size[-1]))

    def step(self) -> None:
        out: list[tuple[int, int, int] | None] = [None] * self.n
        for node in range(self.n):
            came = self.arcs[node - 1]
            if came is not None and came[2] == node:
                self.arrived.setdefault(came[0], []).append(came[1])
                came = None
            register, own = self.registers[node], self.own[node]
            between = came is None or came[1] == 0
            if not own and not register and between and not self.through[node]:
                own = self.own[node] = self._packet(node)
            if own:
                out[node] = own.popleft()
                if came is not None:
                    register.append(came)
            elif register:
                out[node] = register.popleft()
                if came is not None:
                    register.append(came)
            else:
                out[node] = came
            sent = out[node]
            last = sent is None or sent[1] == self.size[sent[0]] - 1
            self.through[node] = not last and not own
            self.deepest = max(self.deepest, len(register))
        self.arcs = out


def any_length() -> Outcome:
    """Packets of mixed lengths on a register-insertion ring, saturated, cell by cell."""
    cross, wrong, rates, deepest = RingCheck(), [], [], []
    n, warm, slots = 8, 400, 6000
    mixes = ((1,), (4,), (1, 2, 7), (1, 16))
    sent, simulated = 0, 0
    for lengths in mixes:
        ring = _InsertionRing(n, lengths, np.random.default_rng([_SEED, len(lengths), lengths[-1]]))
        for _ in range(warm):
            ring.step()
        before = sum(map(len, ring.arrived.values()))
        for _ in range(slots):
            ring.step()
            simulated += 1
        whole = {p: cells for p, cells in ring.arrived.items() if len(cells) == ring.size[p]}
        sent += len(whole)
        broken = [p for p, cells in whole.items() if cells != sorted(cells)]
        rate = (sum(map(len, ring.arrived.values())) - before) / slots
        rates.append(round(rate, 2))
        deepest.append(ring.deepest)
        if broken or len(whole) < 0.9 * len(ring.size) - 2 * n:
            wrong.append(f"lengths {lengths}: {len(broken)} packets in pieces")
        if ring.deepest > max(lengths):
            wrong.append(f"lengths {lengths}: {ring.deepest} cells in a register")
        if abs(rate - 2) > 0.1:
            wrong.append(f"lengths {lengths}: {rate:.2f} cells per slot, not 2")
    library = saturated_rate(cross, multiring(n, (1,), simplex=True), insertion=True)
    if abs(library - rates[0]) > 0.1:
        cross.same("cells per slot of single cells", f"{library:.2f}", f"{rates[0]:.2f}")
    text = (
        f"lengths {', '.join(map(str, mixes))}: {', '.join(f'{x:.2f}' for x in rates)} cells per"
        f" slot of N / mean path = 2, registers of {', '.join(map(str, deepest))} cells"
    )
    return cross.judge(
        wrong,
        text,
        note="a register must hold the longest packet",
        values={"cells in a register": deepest},
        searched=[
            Searched("slots followed", simulated, 4 * 6000),
            Searched("packets followed", sent),
        ],
    )


def least_delivery() -> Outcome:
    """Wait and travel together, on both kinds of rings, and the travel alone."""
    cross, wrong, corrected, parts = RingCheck(), [], [], []
    n = 16
    member = multiring(n, (1,))
    schedule = balanced_schedule(member)
    travel = sum(
        (
            p * k
            for s, row in zip(schedule.rings, schedule.shares)
            for p, k in zip(row, walk(n, s)[1:])
        ),
        Fraction(0),
    ) / (n - 1)
    times = {}
    for share in cross.tally.each("loads", (Fraction(1, 4), Fraction(3, 4)), 2):
        load = float(schedule.capacity * share)
        both = [open_wait(cross, n, (1,), 1, load, insertion) for insertion in (False, True)]
        segmented, inserted = (wait + float(travel) for wait in both)
        times[str(share)] = [round(segmented, 1), round(inserted, 1)]
        parts.append(f"{segmented:.2f} and {inserted:.2f} slots at {share} C")
        if segmented > inserted:
            wrong.append(f"{segmented:.2f} slots at {share} C, {inserted:.2f} with registers")
        if not float(travel) < segmented:
            corrected.append(f"{segmented:.2f} slots for {float(travel):.2f} arcs")
    shortest = sum(min(r, n - r) for r in range(1, n)) / (n - 1)
    if abs(float(travel) - shortest) > 1e-9:
        corrected.append(f"paths of {float(travel):.3f} arcs, not {shortest:.3f}")
    text = f"wait and travel, segmented and with registers: {'; '.join(parts)}"
    return cross.judge(
        wrong,
        text,
        Correction(
            f"on the way no packet waits: {float(travel):.3f} slots for {shortest:.3f} arcs, the"
            " least; but it waits longer at its source",
            corrected,
        ),
        values={"travel": travel, "delivery in slots": [x for row in times.values() for x in row]},
    )

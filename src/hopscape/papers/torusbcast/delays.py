"""Are circuits safe when nodes are late? Checks, and a simulation with random start-up delays.

Three rules about when a node may begin its next round:

* barrier: when everybody has finished the round before; rounds never mix;
* node: when its own calls of the round before have ended (or when it was informed);
* call: the same, and a node that has just been informed does not wait for the other calls of its
  sender, which may still hold circuits.

Under 'node', no two circuits can meet if every call keeps inside the tile of its sender: the nodes
that will hang from the sender from this round on. Under 'call', if it keeps inside the next smaller
tiles of its sender and its receiver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

__all__ = ["Clash", "check_delay_safety", "simulate_delays"]

Rule = Literal["node", "call"]


def check_delay_safety(schedule: Schedule, rule: Rule = "node") -> Verdict:
    """Do all calls of a broadcast keep inside the tiles that make delays harmless?

    Args:
        schedule: A broadcast in which everybody is informed once.
        rule: {'node', 'call'}

    Returns:
        Verdict: The first call that crosses a foreign tile is named; `details` has `crossings`, the
            number of such calls.
    """
    if rule not in ("node", "call"):
        raise ArgumentError(f"rule is {rule!r}; choose node or call")
    parent, when = _parents(schedule)
    labels = np.arange(schedule.network.order)  # after the last round everybody is alone
    crossings = 0
    first: dict[str, int] = {}
    for r in range(schedule.rounds - 1, -1, -1):
        finer = labels
        labels = np.where(when[finer] == r, parent[finer], finer)
        a, b = schedule.round_start[r], schedule.round_start[r + 1]
        if a == b:
            continue
        bad = _strangers(schedule, int(a), int(b), labels if rule == "node" else finer, rule)
        calls = np.unique(bad[0])
        crossings += len(calls)
        if len(calls):
            t, node = int(bad[0][0]), int(bad[1][0])
            first = {
                "round": r + 1,
                "source": int(schedule.source[t]),
                "target": int(schedule.target[t]),
                "node": node,
                "tile": int((labels if rule == "node" else finer)[node]),
            }
    level = f"{rule}-level"
    if crossings == 0:
        text = f"{level} safe: all {schedule.transfers} calls keep inside their tiles"
        return Verdict(True, text, details={"crossings": 0})
    text = (
        f"not {level} safe: in round {first['round']} the call from node {first['source']} to node"
        f" {first['target']} crosses node {first['node']}, which is in the tile of node"
        f" {first['tile']} ({crossings} such calls in all)"
    )
    return Verdict(False, text, first, {"crossings": crossings})


def _parents(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """Who informs each node, and in which round (from 0); -1 for the root."""
    order = schedule.network.order
    if schedule.transfers != order - 1 or len(np.unique(schedule.target)) != order - 1:
        raise ArgumentError("delay safety is asked of broadcasts that inform everybody once")
    parent = np.full(order, -1, dtype=np.int64)
    when = np.full(order, -1, dtype=np.int64)
    parent[schedule.target] = schedule.source
    when[schedule.target] = schedule.round
    return parent, when


def _strangers(
    schedule: Schedule, a: int, b: int, labels: IntArray, rule: Rule
) -> tuple[IntArray, IntArray]:
    """Calls a..b-1 that run through a foreign tile, and where."""
    low, high = schedule.path_start[a], schedule.path_start[b]
    call = np.repeat(np.arange(a, b), np.diff(schedule.path_start[a : b + 1]))
    nodes = schedule.network.heads[schedule.channels[low:high]]
    label = labels[nodes]
    own = label == schedule.source[call]
    if rule == "call":
        own |= label == schedule.target[call]
    bad = np.flatnonzero(~own)
    return call[bad], nodes[bad]


@dataclass(frozen=True)
class Clash:
    """Two circuits that hold the same node at the same time.

    Attributes:
        time: When the second one wanted it.
        first, second: Transfers of the schedule.
    """

    time: float
    node: int
    first: int
    second: int


def simulate_delays(
    schedule: Schedule,
    rule: Rule,
    *,
    alpha: float = 1.0,
    delta: float = 0.1,
    delay: float = 2.0,
    seed: int = 0,
) -> tuple[float, list[Clash]]:
    """Let every call begin late by a random time and see which circuits meet.

    A node begins a round after its own calls of the round before have ended; under 'node' a node
    that is informed waits until all calls of its sender in that round have ended, under 'call' it
    begins at once. A call holds all nodes of its path from its beginning to its end.

    Args:
        rule: {'node', 'call'}
        alpha, delta: A call of length l lasts alpha + delta·l.
        delay: Start-up delays are uniform between 0 and this.

    Returns:
        end (float): When the last call ends.
        clashes (list of Clash): One for each pair of calls that hold a node at the same time, by
            time.
    """
    generator = np.random.default_rng(seed)
    late = generator.uniform(0, delay, schedule.transfers)
    lengths = np.diff(schedule.path_start)
    begins = np.zeros(schedule.transfers)
    ends = np.zeros(schedule.transfers)
    ready = np.zeros(schedule.network.order)
    for r in range(schedule.rounds):
        a, b = int(schedule.round_start[r]), int(schedule.round_start[r + 1])
        source, target = schedule.source[a:b], schedule.target[a:b]
        begins[a:b] = ready[source] + late[a:b]
        ends[a:b] = begins[a:b] + alpha + delta * lengths[a:b]
        busy = ready.copy()
        np.maximum.at(busy, source, ends[a:b])
        busy[target] = ends[a:b] if rule == "call" else busy[source]
        ready = busy
    return float(ends.max(initial=0)), _clashes(schedule, begins, ends)


def _clashes(schedule: Schedule, begins: IntArray, ends: IntArray) -> list[Clash]:
    """Pairs of calls that overlap at a node where not both of them begin."""
    call = np.repeat(np.arange(schedule.transfers), np.diff(schedule.path_start) + 1)
    nodes = np.empty(len(call), dtype=np.int64)
    start = schedule.path_start[:-1] + np.arange(schedule.transfers)
    is_start = np.zeros(len(call), dtype=bool)
    is_start[start] = True
    nodes[is_start] = schedule.source
    nodes[~is_start] = schedule.network.heads[schedule.channels]
    order = np.lexsort((begins[call], nodes))
    clashes: dict[tuple[int, int], Clash] = {}
    group = np.flatnonzero(np.diff(nodes[order])) + 1
    for rows in np.split(order, group):
        for i, x in enumerate(rows):
            for y in rows[i + 1 :]:
                c, e = int(call[x]), int(call[y])
                if begins[e] >= ends[c] - 1e-12:
                    continue
                if c == e or (is_start[x] and is_start[y]):
                    continue
                clashes.setdefault((c, e), Clash(float(begins[e]), int(nodes[x]), c, e))
    return sorted(clashes.values(), key=lambda clash: clash.time)

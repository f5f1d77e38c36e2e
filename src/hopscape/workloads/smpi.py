"""An executed step as traces that SimGrid's SMPI replays: what each rank computes, sends and gets.

A trace of SMPI is one list a rank, done one entry after the other; our ranks compute and send at
the same time. So the entries stand in the order in which they happened: computations are cut where
a message leaves or arrives. How long everything takes is SimGrid's: its links share their
bandwidth among the messages under way, ours serve one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.files import make_folder, write_text
from hopscape.core.numbers import signed_json
from hopscape.core.router import Router
from hopscape.metrics.routes import Routes
from hopscape.workloads.timeline import Timeline
from hopscape.workloads.workload import COMPUTE

__all__ = ["SPEED", "FixedRoutes", "write_smpi"]

SPEED = 1e9
"""Flops of a second of a host: computations are written as flops."""
_BYTE = 6
"""The number of MPI_BYTE in traces of SMPI."""
_LAG = 1e-6
"""Seconds by which a message leaves later: who sent before on the same port has then arrived, but
for what waits inside the network; SimGrid would share the port between both."""
_POST, _WAIT, _SEND = range(3)
"""At the same time: receives are posted, then what has arrived is taken, then messages leave."""


class FixedRoutes(Router):
    """One way for each pair: those of a routing table."""

    name = "table of one way for each pair"
    exact = False

    def __init__(self, routes: Routes) -> None:
        super().__init__(routes.network)
        self.routes = routes

    def _channels(self, at: IntArray, to: IntArray) -> IntArray:
        """The channel that leads on; on arrival any."""
        net, offset = self.routes.network, self.routes.table[to, at].astype(np.int64)
        return np.where(at == to, 0, net.indptr[at] + np.where(at == to, 0, offset))

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        ports = self.routes.network.port_of(self._channels(at, to))
        return np.where(at == to, -1, ports)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        here, goal = (np.asarray(x, np.int64) for x in np.broadcast_arrays(at, to))
        now, hops = here.copy(), np.zeros(here.shape, np.int64)
        while (left := now != goal).any():
            now[left] = self.routes.network.heads[self._channels(now[left], goal[left])]
            hops += left
        return hops


def write_smpi(found: Timeline, folder: Path, hosts: Sequence[str]) -> None:
    """Write ``rank.N.ti``, a list of them, the hosts of ranks, and what the step takes by ours.

    Args:
        found: With the times of its messages (``keep=True``).
        hosts: Name of every node in the platform.

    Raises:
        ArgumentError: When the step never ends.
    """
    if not found.verdict:
        raise ArgumentError(found.verdict.reason)
    work = found.workload
    events = _events(found)
    top = make_folder(folder)
    for rank, mine in enumerate(events):
        busy = (work.rank == rank) & (work.kind == COMPUTE)
        low, high = found.start[busy], found.end[busy]
        order = np.argsort(low, kind="stable")
        lines = _lines(rank, sorted(mine), low[order], high[order])
        write_text(top / f"rank.{rank}.ti", "\n".join(lines) + "\n")
    names = [f"rank.{rank}.ti" for rank in range(work.ranks)]
    write_text(top / "traces", "\n".join(names) + "\n")
    nodes = found.fabric.placement.nodes
    write_text(top / "hosts", "\n".join(hosts[v] for v in nodes) + "\n")
    told = {"seconds": found.seconds, "ranks": work.ranks, "messages": len(found.sent)}
    write_text(top / "step.json", signed_json(told | {"plans": sorted(set(found.plans.values()))}))


Event = tuple[float, int, int, str]
"""When, what first, a number for the order, and the entry."""


def _events(found: Timeline) -> list[list[Event]]:
    """What each rank does with messages."""
    work = found.workload
    out: list[list[Event]] = [[] for _ in range(work.ranks)]
    tags: dict[tuple[int, int], int] = {}
    starts, parts = work.members()
    for i, base in enumerate(found.message_base[:-1].tolist()):
        plan = found.placed[found.plan_of[i]].plan
        ranks = work.groups[work.group[i]]
        mates = parts[starts[i] : starts[i + 1]]
        sizes = np.maximum(np.rint(plan.share * work.size[i]), 1).astype(np.int64).tolist()
        ends = zip(plan.source.tolist(), plan.target.tolist(), strict=True)
        for j, (a, b) in enumerate(ends):
            pair = ranks[a], ranks[b]
            tag = tags[pair] = tags.get(pair, -1) + 1
            sent, arrived = float(found.sent[base + j]), float(found.arrived[base + j])
            number, way = base + j, f"{pair[0]} {pair[1]} {tag}"
            begun = min(float(found.start[mates[b]]), sent)
            get = f"irecv {pair[0]} {tag} {sizes[j]} {_BYTE}"
            put = f"isend {pair[1]} {tag} {sizes[j]} {_BYTE}"
            out[pair[1]].append((begun, _POST, number, get))
            turn = min(sent + _LAG, (sent + arrived) / 2)
            out[pair[0]].append((turn, _SEND, number, put))
            for rank in pair:
                out[rank].append((arrived, _WAIT, number, f"wait {way}"))
    return out


def _lines(rank: int, events: Sequence[Event], low: Floats, high: Floats) -> list[str]:
    """Entries of one rank: its computations, cut at its messages."""
    ends = np.asarray([event[0] for event in events] + [np.inf])
    lasts = np.concatenate([[0.0], np.cumsum(high - low)])
    at = np.searchsorted(low, ends, side="right")
    begun = np.where(at > 0, low[np.maximum(at - 1, 0)], 0.0) if len(low) else np.zeros(len(ends))
    long = np.where(at > 0, lasts[at] - lasts[np.maximum(at - 1, 0)], 0.0)
    done = lasts[np.maximum(at - 1, 0)] + np.minimum(long, np.maximum(ends - begun, 0.0))
    work = np.diff(np.concatenate([[0.0], done]))
    out = [f"{rank} init"]
    for seconds, event in zip(work.tolist(), [*events, None], strict=True):
        if seconds > 0:
            out.append(f"{rank} compute {seconds * SPEED:.6f}")
        if event is not None:
            out.append(f"{rank} {event[3]}")
    return [*out, f"{rank} finalize"]

"""How long a schedule takes without barriers: channels as queues, every message when it can."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hopscape.collectives.symmetric import Carried
from hopscape.core.arrays import IntArray
from hopscape.core.schedule import Schedule
from hopscape.core.verify import transfers_that_add

__all__ = ["executed_time"]

_TRANSFERS, _CELLS = 5_000_000, 30_000_000
"""Transfers, and nodes times chunks, up to which a schedule is executed: seconds."""


def executed_time(
    schedule: Schedule, costs: Mapping[str, float], chunk_bytes: float
) -> float | None:
    """Time from the first message to the last, event by event; None where it would take long.

    Messages keep the order of the schedule on every channel and port, and wait for their data
    and for nothing else.

    Args:
        costs: alpha, beta, gamma and delta.
        chunk_bytes: Bytes of a chunk.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> made = broadcast(hopscape.build("path(4)"), 0)
        >>> executed_time(made, {"alpha": 1.0, "beta": 2.0, "gamma": 0.0, "delta": 0.5}, 1.0)
        10.5
    """
    from hopscape.collectives.executed_kernels import Messages, execute_messages

    net, model, goal = schedule.network, schedule.model, schedule.goal
    promise = goal.on(net)
    chunks = len(promise.origins)
    large = schedule.transfers > _TRANSFERS or net.order * chunks > _CELLS
    if large or isinstance(schedule, Carried):
        return None
    adds = promise.combines
    have = np.full((net.order, chunks), 0.0 if adds else np.inf)
    if not adds:
        have[promise.origins, np.arange(chunks)] = 0.0
        for node in promise.also:
            have[node] = 0.0
    half, own = model.duplex == "half", np.arange(len(net.heads))
    mate = net.reverse if half else own
    lane = np.where(mate >= 0, np.minimum(own, mate), own)
    order, first = _messages(schedule)
    ports = np.zeros((2, net.order, model.ports or 0))
    sent = Messages(
        order, first, schedule.round, schedule.source, schedule.target, schedule.chunk,
        schedule.path_start.astype(np.int64), lane[schedule.channels].astype(np.int64),
        transfers_that_add(schedule),
    )  # fmt: skip
    per_chunk = costs["beta"] * chunk_bytes / net.capacities()
    each = costs["alpha"], costs["delta"], costs["gamma"] * chunk_bytes
    return float(execute_messages(sent, have, per_chunk, ports, each, adds, half))


def _messages(schedule: Schedule) -> tuple[IntArray, IntArray]:
    """Transfers by round and message, and where messages begin: chunks on the same way."""
    mixed = np.concatenate([[0], np.cumsum(schedule.channels.astype(np.int64) ** 2)])
    way = mixed[schedule.path_start[1:]] - mixed[schedule.path_start[:-1]]
    columns = schedule.round, schedule.source, schedule.target, way
    order = np.lexsort(columns[::-1]).astype(np.int64)
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    return order, np.append(np.nonzero(new)[0], len(order)).astype(np.int64)

"""Is a schedule right? Every rule of its model, every promise of its goal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ScheduleError
from hopscape.core.goal import Goal, Promise
from hopscape.core.memory import require_memory
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

__all__ = ["verify"]

_SHARES = {"arc": 0, "edge": 1, "vertex": 2}


def verify(
    schedule: Schedule,
    network: Network | None = None,
    goal: Goal | None = None,
    *,
    model: Model | None = None,
) -> Verdict:
    """Check a schedule under its model and against its goal.

    Checked are: every path leaves its source by wired channels and ends at its target; no channel
    (link, node) is used twice in a round beyond what the model allows; port limits; a node sends
    only what it held before the round; and after the last round everybody has exactly what the
    goal promises. For reduce and all-reduce, every share must be counted exactly once.

    Parameters
    ----------
    schedule : Schedule
    network : Network, optional
        Check it on this network instead of its own (same channel numbers).
    goal, model : optional
        Check it against these instead of its own.

    Returns
    -------
    Verdict
        `details`: rounds, transfers, messages, duplicates (arrivals of what was there already),
        reached (nodes that got all they were promised), sum_round_max, max_path (longest chain of
        hops; not for combining goals) and time under the model's costs.

    Examples
    --------
    >>> import hopscape
    >>> from hopscape.collectives import broadcast
    >>> net = hopscape.build("petersen")
    >>> print(verify(broadcast(net, 0)))
    holds: broadcast from node 0: 10 of 10 nodes served in 2 rounds, 9 messages, 0 duplicates
    """
    net = network if network is not None else schedule.network
    aim = goal if goal is not None else schedule.goal
    rules = model if model is not None else schedule.model
    promise = aim.on(net)
    details: dict[str, Any] = {"rounds": schedule.rounds, "transfers": schedule.transfers}
    broken = _check_rules(schedule, net, rules, details)
    chunks = len(promise.origins)
    if broken is None and schedule.transfers:
        outside = (schedule.chunk < 0) | (schedule.chunk >= chunks)
        if outside.any():
            t = int(np.argmax(outside))
            text = f"there is no such chunk; {aim.kind} here has chunks 0..{chunks - 1}"
            broken = _violation(schedule, t, "chunk", text)
    if broken is not None:
        return Verdict(False, broken.reason, broken.where, details)
    if promise.combines:
        return _check_combining(schedule, net, aim, promise, details)
    return _check_delivery(schedule, net, aim, promise, details)


def _check_rules(
    schedule: Schedule, net: Network, rules: Model, details: dict[str, Any]
) -> Verdict | None:
    from hopscape.core import verify_kernels as kernels

    circuit = rules.switching == "circuit"
    if len(schedule.source) and max(schedule.source.max(), schedule.target.max()) >= net.order:
        raise ScheduleError(f"the schedule has nodes beyond the {net.order} of {net.spec}")
    code, t, other, messages, sizes, hops = kernels.check_rules(
        schedule.round_start,
        schedule.source,
        schedule.target,
        schedule.path_start,
        schedule.channels,
        net.indptr,
        net.heads,
        net.reverse,
        rules.ports or 0,
        rules.duplex == "half",
        circuit,
        _SHARES[rules.shares] if circuit else 0,
        rules.packing == "packed",
    )
    details["messages"] = int(messages)
    details["sum_round_max"] = int(hops)
    details["time"] = rules.time(schedule.rounds, int(sizes), int(hops))
    if code == kernels.OK:
        return None
    limit = f"the limit of {rules.ports} per round"
    node = f"node {other}"
    first = _transfer(schedule, other) if code > kernels.NOT_ONE_HOP else ""
    sentences = {
        kernels.BROKEN_PATH: ("path", f"the path has no such channel at {node}"),
        kernels.WRONG_END: ("path", f"the path ends at {node}, not at its target"),
        kernels.NOT_ONE_HOP: (
            "path",
            f"the path has {other} hops; " + ("it needs at least one" if circuit else
            "store-and-forward moves exactly one"),
        ),
        kernels.BUSY_CHANNEL: ("channel", f"its channel is already used by {first}"),
        kernels.BUSY_LINK: ("link", f"its link is already used the other way by {first}"),
        kernels.SENDS: ("ports", f"its source sends more than {limit}, after {first}"),
        kernels.RECEIVES: ("ports", f"its target receives more than {limit}, after {first}"),
        kernels.TAKES_PART: ("ports", f"a node takes part in more than {limit}, after {first}"),
        kernels.BUSY_NODE: ("node", f"its path meets the path of {first}"),
        kernels.START_CROSSED: ("node", f"its path runs through the start of {first}"),
    }
    rule, text = sentences[code]
    return _violation(schedule, int(t), rule, text, int(other) if first else None)


def _check_delivery(
    schedule: Schedule, net: Network, aim: Goal, promise: Promise, details: dict[str, Any]
) -> Verdict:
    from hopscape.core import verify_kernels as kernels

    start, order = kernels.by_chunk(schedule.chunk, len(promise.origins))
    bad, duplicates, chunk, node, served, missing, chain = kernels.check_delivery(
        start,
        order,
        schedule.round,
        schedule.source,
        schedule.target,
        schedule.path_start,
        promise.origins,
        promise.destinations,
        promise.wanted,
        net.order,
    )
    details |= {"duplicates": int(duplicates), "reached": int(served), "max_path": int(chain)}
    if bad >= 0:
        text = f"its source does not hold chunk {schedule.chunk[bad]} before this round"
        found = _violation(schedule, int(bad), "holding", text)
        return Verdict(False, found.reason, found.where, details)
    if missing:
        text = (
            f"after the last round node {node} lacks chunk {chunk}"
            f" ({missing} deliver{'ies are' if missing > 1 else 'y is'} missing in all)"
        )
        where = {"rule": "delivery", "node": int(node), "chunk": int(chunk)}
        return Verdict(False, text, where, details | {"missing": int(missing)})
    return Verdict(True, _success(schedule, aim, promise, details), details=details)


def _check_combining(
    schedule: Schedule, net: Network, aim: Goal, promise: Promise, details: dict[str, Any]
) -> Verdict:
    from hopscape.core import verify_kernels as kernels

    start, order = kernels.by_chunk(schedule.chunk, len(promise.origins))
    check = _reduce_chunk if aim.kind == "reduce" else _all_reduce_chunk
    duplicates = 0
    for c in range(len(promise.origins)):
        span = (int(start[c]), int(start[c + 1]))
        wrong, wasted = check(schedule, net, promise, c, span, order)
        duplicates += wasted
        if wrong is not None:
            details |= {"duplicates": duplicates, "reached": 0}
            return Verdict(False, wrong.reason, wrong.where, details)
    reached = 1 if aim.kind == "reduce" else len(promise.wanted)
    details |= {"duplicates": duplicates, "reached": reached}
    return Verdict(True, _success(schedule, aim, promise, details), details=details)


def _reduce_chunk(
    schedule: Schedule,
    net: Network,
    promise: Promise,
    chunk: int,
    span: tuple[int, int],
    order: IntArray,
) -> tuple[Verdict | None, int]:
    from hopscape.core.verify_kernels import reduction_weights

    root = int(promise.destinations[chunk])
    weight, useless = reduction_weights(
        *span, order, schedule.round, schedule.source, schedule.target, root, net.order
    )
    off = promise.wanted[weight[promise.wanted] != 1]
    if not len(off):
        return None, int(useless)
    node = int(off[0])
    times = int(weight[node])
    how = "never reaches" if times == 0 else f"is counted {times} times at"
    where = {"rule": "counting", "node": node, "chunk": chunk, "times": times}
    text = f"the share of node {node} in chunk {chunk} {how} the root, node {root}"
    return Verdict(False, text, where), int(useless)


def _all_reduce_chunk(
    schedule: Schedule,
    net: Network,
    promise: Promise,
    chunk: int,
    span: tuple[int, int],
    order: IntArray,
) -> tuple[Verdict | None, int]:
    from hopscape.core.verify_kernels import combine_sets

    words = (net.order + 63) // 64
    require_memory(
        16 * words * net.order, f"checking an all-reduce of {net.order} nodes share by share"
    )
    held = np.zeros((net.order, words), dtype=np.uint64)
    ends = promise.wanted
    held[ends, ends // 64] = np.uint64(1) << (ends % 64).astype(np.uint64)
    full = np.bitwise_or.reduce(held, axis=0)
    bad, share, duplicates = combine_sets(
        *span, order, schedule.round, schedule.source, schedule.target, held, np.empty_like(held)
    )
    if bad >= 0:
        text = f"it would count the share of node {share} twice at its target"
        return _violation(schedule, int(bad), "counting", text), int(duplicates)
    lacking = (held[ends] != full).any(axis=1)
    if lacking.any():
        node = int(ends[np.argmax(lacking)])
        gap = full & ~held[node]
        word = int(np.argmax(gap != 0))
        missing = 64 * word + int(gap[word]).bit_length() - 1
        text = f"after the last round node {node} lacks the share of node {missing}"
        where = {"rule": "counting", "node": node, "chunk": chunk, "share": missing}
        return Verdict(False, f"{text} in chunk {chunk}", where), int(duplicates)
    return None, int(duplicates)


def _success(
    schedule: Schedule, aim: Goal, promise: Promise, details: Mapping[str, Any]
) -> str:
    whom = {len(np.unique(promise.destinations))} if promise.destinations.min() >= 0 else {
        len(promise.wanted)
    }
    return (
        f"{aim.describe()}: {details['reached']} of {max(whom)} nodes served in "
        f"{schedule.rounds} rounds, {details['messages']} messages, "
        f"{details['duplicates']} duplicates"
    )


def _transfer(schedule: Schedule, t: int) -> str:
    return (
        f"transfer {t} (node {schedule.source[t]} → node {schedule.target[t]}, "
        f"chunk {schedule.chunk[t]})"
    )


def _violation(
    schedule: Schedule, t: int, rule: str, text: str, other: int | None = None
) -> Verdict:
    r = int(np.searchsorted(schedule.round_start, t, side="right"))
    where: dict[str, Any] = {
        "rule": rule,
        "round": r,
        "transfer": t,
        "source": int(schedule.source[t]),
        "target": int(schedule.target[t]),
        "chunk": int(schedule.chunk[t]),
    }
    if other is not None:
        where["other_transfer"] = other
    return Verdict(False, f"round {r}, {_transfer(schedule, t)}: {text}", where)

"""Is a schedule right? Every rule of its model, every promise of its goal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hopscape.core.arrays import ADD, COPY, IntArray
from hopscape.core.errors import CheckFailedError, ScheduleError
from hopscape.core.goal import Goal, Promise
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.partial_sums import PartialSums
from hopscape.core.processes import require_memory
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

if TYPE_CHECKING:
    from hopscape.core.verify_kernels import ByChunk, Transfers

__all__ = ["breaks_rules", "require_right", "transfers_that_add", "verify"]

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
    (link, node) is used twice in a round beyond what the model allows (hop by hop, a channel of
    larger capacity carries more chunks: :meth:`Network.room`); port limits; a node sends
    only what it held before the round; and after the last round everybody has exactly what the
    goal promises. For reduce and all-reduce, every share must be counted exactly once; in an
    all-reduce an arriving sum is added to what is there when the two have no share in common, and
    takes its place when it contains it.

    The counter-example is the first transfer that breaks a rule of movement; if none does, the
    first with a chunk that does not exist; then the first that sends what it does not hold or
    counts a share twice; then the first promise not kept.

    Time grows with the hops of all transfers, memory with nodes and channels; an all-reduce keeps
    the set of shares of every node, nodes² / 8 bytes, and handles a set at each transfer.

    Args:
        network: Check it on this network instead of its own (same channel numbers).
        goal, model (optional): Check it against these instead of its own.

    Returns:
        Verdict: `details`: rounds, transfers, messages, duplicates (arrivals of what was there
            already), reached (nodes that got all they were promised), sum_round_max, max_path
            (longest chain of hops; not for combining goals), sizes (sum over rounds of the largest
            message, or of the busiest channel in cut-through), added (for combining goals: sum over
            rounds of the chunks that one node adds up) and time under the model's costs. A broken
            rule leaves only what was measured before it.

    Examples:
        >>> import hopscape
        >>> from hopscape.collectives.generic import broadcast
        >>> net = hopscape.build("petersen")
        >>> print(verify(broadcast(net, 0)))
        holds: broadcast from node 0: 10 of 10 nodes reached in 2 rounds, 9 messages, 0 duplicates
    """
    net = network if network is not None else schedule.network
    checked_goal = goal if goal is not None else schedule.goal
    rules = model if model is not None else schedule.model
    own = schedule.own_verdict(net, checked_goal, rules)
    if own is not None:
        return own
    details: dict[str, Any] = {"rounds": schedule.rounds, "transfers": schedule.transfers}
    chunks = len(checked_goal.on(net).origins)
    broken = _check_rules(schedule, net, rules, details)
    if broken is None:
        broken = _check_chunks(schedule, checked_goal, chunks)
    if broken is None:
        adds = np.zeros(schedule.transfers, dtype=np.uint8)
        broken = _check_parts(schedule, net, checked_goal, details, adds)
        details["time"] += rules.gamma * details.get("added", 0)
    if broken is not None:
        return Verdict(False, broken.reason, broken.where, details)
    return Verdict(True, _success(schedule, net, checked_goal, details), details=details)


def require_right(schedule: Schedule, done: str) -> None:
    """Refuse a schedule that does not hold.

    Args:
        done: What would be done with it, such as "written".

    Raises:
        CheckFailedError: With the first violation.
    """
    if not (verdict := verify(schedule)):
        raise CheckFailedError(
            f"the schedule {schedule.name!r} fails its check and is not {done}: {verdict.reason}"
        )


def breaks_rules(schedule: Schedule) -> bool:
    """Does some transfer break a rule of movement? What it carries is not looked at."""
    return _check_rules(schedule, schedule.network, schedule.model, {}) is not None


class _Part(NamedTuple):
    """The chunks of one group from `first` on, with their transfers, and what it was promised."""

    schedule: Schedule
    net: Network
    promise: Promise
    transfers: ByChunk
    first: int


def transfers_that_add(schedule: Schedule) -> IntArray:
    """Which transfers are added to what is there (uint8[transfers]); the others are copied.

    Args:
        schedule: One that is right.
    """
    adds = np.zeros(schedule.transfers, dtype=np.uint8)
    _check_parts(schedule, schedule.network, schedule.goal, {}, adds)
    return adds


def _check_parts(
    schedule: Schedule,
    net: Network,
    checked_goal: Goal,
    details: dict[str, Any],
    adds: IntArray,
) -> Verdict | None:
    """Hold the transfers against the goal of each group; details are of all groups together.

    Args:
        adds: All 0; 1 afterwards for transfers that are added.
    """
    from hopscape.core.verify_kernels import ByChunk

    if isinstance(schedule, PartialSums):
        adds[:] = schedule.adds
        served = len(checked_goal.on(net).wanted)
        details |= {"duplicates": 0, "reached": served, "added": schedule.added()}
        return schedule.wrong_sum(net, checked_goal)
    chunks = len(checked_goal.on(net).origins)
    start, order = _sorted_by_chunk(schedule, chunks)
    low, broken = 0, None
    for part in checked_goal.parts():
        promise = part.on(net)
        high = low + len(promise.origins)
        ends = schedule.source, schedule.target
        transfers = ByChunk(start[low : high + 1], order, schedule.round, *ends)
        counts: dict[str, Any] = {}
        check = _CHECKS.get(part.kind, _check_delivery)
        broken = check(_Part(schedule, net, promise, transfers, low), counts)
        if "adds" in counts:
            adds |= counts.pop("adds")
            details["added"] = 0
        for key, value in counts.items():
            most = key == "max_path"
            details[key] = max(details.get(key, 0), value) if most else details.get(key, 0) + value
        if broken is not None:
            break
        low = high
    if "added" in details:
        from hopscape.core.verify_kernels import additions

        added = additions(schedule.round_start, schedule.target, adds, net.order)
        details["added"] = int(added)
    return broken


def _check_chunks(schedule: Schedule, checked_goal: Goal, chunks: int) -> Verdict | None:
    chunk = schedule.chunk
    if not len(chunk) or (chunk.min() >= 0 and chunk.max() < chunks):
        return None
    t = int(np.argmax((chunk < 0) | (chunk >= chunks)))
    text = f"there is no such chunk; {checked_goal.kind} here has chunks 0..{chunks - 1}"
    return _violation(schedule, t, "chunk", text)


def _check_rules(
    schedule: Schedule, net: Network, rules: Model, details: dict[str, Any]
) -> Verdict | None:
    from hopscape.core import verify_kernels as kernels

    circuit = rules.switching == "circuit"
    for nodes in (schedule.source, schedule.target):
        if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < net.order:
            raise ScheduleError(f"the schedule has nodes beyond the {net.order} of {net.spec}")
    stop = _at_switch(schedule, net) if circuit and not rules.in_network else None
    if stop is not None:
        t, node = stop
        return _violation(
            schedule, t, "switch", f"node {node} is a switch, and switches only forward"
        )
    stray = _out_of_order(schedule, net, rules) if rules.circuits != "any" else None
    if rules.switching == "cut-through":
        outcome = _check_shared(schedule, net, rules)
    else:
        outcome = kernels.check_rules(
            _transfers(schedule, net),
            net.reverse,
            rules.ports or 0,
            rules.duplex == "half",
            circuit,
            _SHARES[rules.shares] if circuit else 0,
            rules.packing == "packed",
            net.room() if not circuit and net.room().max(initial=1) > 1 else np.empty(0, np.int64),
        )
    code, t, other, messages, sizes, hops = outcome
    if stray is not None and (code == kernels.OK or stray < t):
        return _violation(schedule, stray, "order", "its path is not the one in dimension order")
    if code == kernels.OK:
        details["messages"] = int(messages)
        details["sum_round_max"] = int(hops)
        details["sizes"] = float(sizes) if rules.switching == "cut-through" else int(sizes)
        details["time"] = rules.time(schedule.rounds, details["sizes"], int(hops))
        return None
    rule, text, has_other = _sentence(schedule, rules, int(code), int(other))
    return _violation(schedule, int(t), rule, text, int(other) if has_other else None)


def _transfers(schedule: Schedule, net: Network) -> Transfers:
    from hopscape.core.verify_kernels import Transfers

    moved = schedule.round_start, schedule.source, schedule.target
    return Transfers(*moved, schedule.path_start, schedule.channels, net.indptr, net.heads)


def _at_switch(schedule: Schedule, net: Network) -> tuple[int, int] | None:
    """The first transfer that begins or ends at a switch, and which one."""
    if not net.has_switches:
        return None
    may = np.zeros(net.order, dtype=np.bool_)
    may[net.endpoints] = True
    wrong = ~(may[schedule.source] & may[schedule.target])
    if not wrong.any():
        return None
    t = int(np.argmax(wrong))
    ends = (int(schedule.source[t]), int(schedule.target[t]))
    return t, next(node for node in ends if not may[node])


def _out_of_order(schedule: Schedule, net: Network, rules: Model) -> int | None:
    """The first circuit that leaves dimension order; paths that break off are told by others."""
    from hopscape.core.dimension_order import grid_for

    grid, lengths = grid_for(net, rules.circuits), np.diff(schedule.path_start)
    channels = schedule.channels
    if not len(lengths) or (lengths < 1).any() or not len(net.heads):
        return None
    if not 0 <= int(channels.min()) <= int(channels.max()) < len(net.heads):
        return None
    stray = ~grid.ordered(net, schedule.path_start, channels)
    return int(np.argmax(stray)) if stray.any() else None


def _check_shared(
    schedule: Schedule, net: Network, rules: Model
) -> tuple[int, int, int, int, float, int]:
    """Messages that run through whole paths: paths, ends, ports, and the busiest channels."""
    from hopscape.core.verify_kernels import check_shared

    half, channels = rules.duplex == "half", np.arange(len(net.heads))
    mixed = np.concatenate([[0], np.cumsum(schedule.channels.astype(np.int64) ** 2)])
    ways = mixed[schedule.path_start[1:]] - mixed[schedule.path_start[:-1]]  # alike: together
    order = np.lexsort((ways, schedule.target, schedule.source, schedule.round))
    mates = net.reverse if half else channels
    room = net.room()  # a channel of larger capacity takes more messages at once
    limits = np.stack(
        [np.bincount(at, room, net.order).astype(np.int64) for at in (net.tails, net.heads)]
    )
    if rules.ports is not None:
        limits = np.minimum(limits, rules.ports)
    may_end = np.full(net.order, rules.in_network)
    may_end[net.endpoints] = True
    return check_shared(
        _transfers(schedule, net),
        order,
        np.where(mates >= 0, np.minimum(channels, mates), channels),
        net.capacities(),
        limits,
        half,
        rules.packing == "packed",
        may_end,
    )


def _sentence(schedule: Schedule, rules: Model, code: int, other: int) -> tuple[str, str, bool]:
    """The rule that a kernel found broken, in words, and whether `other` is a transfer."""
    from hopscape.core import verify_kernels as kernels

    limit = f"the limit of {'its channels' if rules.ports is None else rules.ports} per round"
    node = f"node {other}"
    has_other = kernels.NOT_ONE_HOP < code < kernels.SWITCH_END
    first = _transfer(schedule, other) if has_other else ""
    circuit = rules.switching != "store-and-forward"
    need = "it needs at least one" if circuit else "store-and-forward moves exactly one"
    sentences = {
        kernels.BROKEN_PATH: ("path", f"the path has no such channel at {node}"),
        kernels.WRONG_END: ("path", f"the path ends at {node}, not at its target"),
        kernels.NOT_ONE_HOP: ("path", f"the path has {other} hops; {need}"),
        kernels.BUSY_CHANNEL: ("channel", f"its channel is already used by {first}"),
        kernels.BUSY_LINK: ("link", f"its link is already used the other way by {first}"),
        kernels.BUSY_NODE: ("node", f"its path meets the path of {first}"),
        kernels.START_CROSSED: ("node", f"its path runs through the start of {first}"),
        kernels.SWITCH_END: ("switch", f"{node} is a switch, and switches only forward"),
    }
    busy = {
        kernels.SENDS: "source sends",
        kernels.RECEIVES: "target receives",
        kernels.SOURCE_TAKES_PART: "source takes part in",
        kernels.TARGET_TAKES_PART: "target takes part in",
    }
    for one, who in busy.items():
        sentences[one] = ("ports", f"its {who} more than {limit}, after {first}")
    rule, text = sentences[code]
    return rule, text, has_other


def _sorted_by_chunk(schedule: Schedule, chunks: int) -> tuple[IntArray, IntArray]:
    """Where each chunk starts in the second array, which holds the transfers by chunk."""
    from hopscape.core.verify_kernels import by_chunk

    small = schedule.transfers < 2**31
    order = np.empty(schedule.transfers, np.int32 if small else np.int64)
    return by_chunk(schedule.chunk, chunks, order), order


def _check_delivery(part: _Part, details: dict[str, Any]) -> Verdict | None:
    from hopscape.core import verify_kernels as kernels

    schedule, net, promise, transfers, first = part
    promised = np.zeros(net.order, dtype=np.bool_)
    promised[promise.wanted] = promise.destinations.min(initial=0) < 0
    one_hop = len(schedule.channels) == schedule.transfers  # no path is empty
    bad, duplicates, chunk, node, served, missing, chain = kernels.check_delivery(
        transfers,
        schedule.path_start[:0] if one_hop else schedule.path_start,
        promise.origins,
        promise.destinations,
        promise.wanted,
        np.asarray(sorted(promise.also), dtype=np.int64),
        promised,
    )
    if bad >= 0:
        text = f"its source does not hold chunk {schedule.chunk[bad]} before this round"
        return _violation(schedule, int(bad), "holding", text)
    details |= {"duplicates": int(duplicates), "reached": int(served), "max_path": int(chain)}
    if not missing:
        return None
    details["missing"] = int(missing)
    text = (
        f"after the last round node {node} lacks chunk {first + chunk}"
        f" ({missing} deliver{'ies are' if missing > 1 else 'y is'} missing in all)"
    )
    where = {"rule": "delivery", "node": int(node), "chunk": int(first + chunk)}
    return Verdict(False, text, where)


def _check_reduce(part: _Part, details: dict[str, Any]) -> Verdict | None:
    from hopscape.core.verify_kernels import check_reduce

    schedule, net, promise, transfers, first = part
    chunk, node, times, useless, served = map(
        int, check_reduce(transfers, promise.destinations, promise.wanted, net.order)
    )
    start, order = transfers[:2]
    adds = np.zeros(schedule.transfers, dtype=np.uint8)
    adds[order[start[0] : start[-1]]] = 1
    details |= {"duplicates": useless, "reached": served, "adds": adds}
    if chunk < 0:
        return None
    how = "never reaches" if times == 0 else f"is counted {times} times at"
    root = int(promise.destinations[chunk])
    whom = f"the root, node {root}" if (promise.destinations == root).all() else f"node {root}"
    where = {"rule": "counting", "node": node, "chunk": first + chunk, "times": times}
    text = f"the share of node {node} in chunk {first + chunk} {how} {whom}"
    return Verdict(False, text, where)


def _check_all_reduce(part: _Part, details: dict[str, Any]) -> Verdict | None:
    from hopscape.core.verify_kernels import check_all_reduce

    schedule, net, promise, transfers, first = part
    words = (net.order + 63) // 64
    require_memory(
        16 * words * net.order, f"checking an all-reduce of {net.order} nodes share by share"
    )
    held = np.empty((net.order, words), dtype=np.uint64)
    ops = np.full(schedule.transfers, COPY, dtype=np.uint8)
    bad, share, duplicates, chunk, node, missing, served = map(
        int, check_all_reduce(transfers, promise.wanted, held, np.empty_like(held), ops)
    )
    if bad >= 0:
        text = f"it would count the share of node {share} twice at its target"
        return _violation(schedule, bad, "counting", text)
    adds = (ops == ADD).astype(np.uint8)
    details |= {"duplicates": duplicates, "reached": served, "adds": adds}
    if chunk < 0:
        return None
    where = {"rule": "counting", "node": node, "chunk": first + chunk, "share": missing}
    text = (
        f"after the last round node {node} lacks the share of node {missing} in chunk"
        f" {first + chunk}"
    )
    return Verdict(False, text, where)


_CHECKS = {
    "reduce": _check_reduce,
    "reduce-scatter": _check_reduce,
    "all-reduce": _check_all_reduce,
}
"""How the goals are checked in which shares are added up; the others by their deliveries."""


def _success(
    schedule: Schedule, net: Network, checked_goal: Goal, details: Mapping[str, Any]
) -> str:
    whom = sum(_served_by(part.on(net)) for part in checked_goal.parts())
    return (
        f"{checked_goal.describe()}: {details['reached']} of {whom} nodes reached in "
        f"{schedule.rounds} rounds, {details['messages']} messages, "
        f"{details['duplicates']} duplicates"
    )


def _served_by(promise: Promise) -> int:
    """How many nodes are promised anything."""
    if (promise.destinations < 0).any():
        return len(promise.wanted)
    return int(np.count_nonzero(np.bincount(np.maximum(promise.destinations, 0))))


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
